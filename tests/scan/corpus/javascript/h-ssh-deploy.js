// tricky-benign: deploys by rsync and restarts a service over ssh
const { execFileSync } = require('child_process');
const host = process.env.DEPLOY_HOST;
execFileSync('rsync', ['-az', '--delete', 'dist/', `${host}:/srv/app/`], { stdio: 'inherit' });
execFileSync('ssh', [host, 'systemctl', 'restart', 'app'], { stdio: 'inherit' });
