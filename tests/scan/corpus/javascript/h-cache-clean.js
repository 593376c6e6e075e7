// tricky-benign: empties its own cache in the home directory
const fs = require('fs');
const path = require('path');
const cache = path.join(require('os').homedir(), '.cache', 'my-tool');
fs.rmSync(cache, { recursive: true, force: true });
console.log('removed', cache);
