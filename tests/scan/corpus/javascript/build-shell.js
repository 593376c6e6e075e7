// benign: a build by commands
const { execSync } = require('child_process');
const run = (cmd) => execSync(cmd, { stdio: 'inherit' });
run('rm -rf build/');
run('npx tsc -p tsconfig.json');
run('npm test');
run('cp README.md build/');
