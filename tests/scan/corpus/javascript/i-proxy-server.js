// tricky-benign: passes requests on to another server
const http = require('http');
http.createServer((req, res) => {
  const up = http.request({ host: '127.0.0.1', port: 3000, path: req.url, method: req.method, headers: req.headers }, (r) => {
    res.writeHead(r.statusCode, r.headers);
    r.pipe(res);
  });
  req.pipe(up);
}).listen(8080);
