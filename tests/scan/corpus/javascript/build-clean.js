// benign: removes the build directory
const { rmSync, mkdirSync, cpSync } = require('fs');
rmSync('dist', { recursive: true, force: true });
mkdirSync('dist');
cpSync('public', 'dist', { recursive: true });
