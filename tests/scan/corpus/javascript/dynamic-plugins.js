// tricky-benign: loads the plugins of a directory
const fs = require('fs');
const path = require('path');
const plugins = fs.readdirSync(path.join(__dirname, 'plugins'))
  .filter((f) => f.endsWith('.js'))
  .map((f) => require(path.join(__dirname, 'plugins', f)));
for (const p of plugins) p.register?.();
