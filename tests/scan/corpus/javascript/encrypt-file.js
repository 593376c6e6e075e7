// tricky-benign: encrypts one file the user names
const crypto = require('crypto');
const fs = require('fs');
const [, , file, pass] = process.argv;
const salt = crypto.randomBytes(16), iv = crypto.randomBytes(12);
const key = crypto.scryptSync(pass, salt, 32);
const c = crypto.createCipheriv('aes-256-gcm', key, iv);
const data = Buffer.concat([c.update(fs.readFileSync(file)), c.final()]);
fs.writeFileSync(file + '.enc', Buffer.concat([salt, iv, c.getAuthTag(), data]));
