// benign: packs a release
const { execFileSync, execSync } = require('node:child_process');
const { version } = require('./package.json');
execSync('npm run build', { stdio: 'inherit' });
execFileSync('tar', ['czf', `app-${version}.tgz`, '-C', 'dist', '.']);
execSync(`sha256sum app-${version}.tgz > app-${version}.tgz.sha256`);
