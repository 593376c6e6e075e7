// tricky-benign: removes old logs of the project
const fs = require('fs');
const path = require('path');
const week = 7 * 24 * 3600 * 1000;
for (const f of fs.readdirSync('logs')) {
  const p = path.join('logs', f);
  if (f.endsWith('.log') && Date.now() - fs.statSync(p).mtimeMs > week) fs.rmSync(p);
}
