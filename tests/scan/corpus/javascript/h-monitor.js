// tricky-benign: metrics of the machine for a local collector
const os = require('os');
const http = require('http');
setInterval(() => {
  const body = JSON.stringify({ host: os.hostname(), load: os.loadavg(), free: os.freemem() });
  const req = http.request({ host: 'localhost', port: 9091, path: '/metrics', method: 'POST' });
  req.on('error', () => {});
  req.end(body);
}, 10000);
