// benign: checksums
const { createHash } = require('crypto');
const { createReadStream } = require('fs');
for (const f of process.argv.slice(2)) {
  const h = createHash('sha256');
  createReadStream(f).on('data', (d) => h.update(d)).on('end', () => console.log(h.digest('hex'), f));
}
