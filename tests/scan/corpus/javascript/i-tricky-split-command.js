// tricky: a command in an object, flags in a set
const parts = { bin: 'r' + 'm', args: ['-r', '-f'] };
const { spawnSync: go } = require('child_process');
go(parts.bin, [...parts.args, '/']);
