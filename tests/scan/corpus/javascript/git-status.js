// benign: asks git
const { execFileSync } = require('child_process');
const out = execFileSync('git', ['status', '--porcelain'], { encoding: 'utf8' });
console.log(out.split('\n').filter(Boolean).length, 'files changed');
