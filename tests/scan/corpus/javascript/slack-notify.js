// tricky-benign: tells people that a build is done
const hook = process.env.SLACK_WEBHOOK_URL;
fetch(hook, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ text: `Build ${process.env.CI_BUILD_ID} finished on ${require('os').hostname()}` }),
}).then((r) => { if (!r.ok) process.exitCode = 1; });
