// tricky-benign: lets husky set up the hooks
const { execSync } = require('child_process');
if (process.env.CI !== 'true') execSync('npx husky install', { stdio: 'inherit' });
