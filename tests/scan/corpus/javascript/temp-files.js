// benign: a directory for a while
const fs = require('fs');
const os = require('os');
const path = require('path');
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'thumb-'));
try {
  fs.writeFileSync(path.join(dir, 'a.txt'), 'hello');
  console.log(fs.readdirSync(dir));
} finally {
  fs.rmSync(dir, { recursive: true, force: true });
}
