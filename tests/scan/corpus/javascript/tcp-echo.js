// tricky-benign: an echo server
const net = require('net');
net.createServer((socket) => {
  socket.write('hello\n');
  socket.pipe(socket);
}).listen(7000, '127.0.0.1');
