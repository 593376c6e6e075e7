// tricky-benign: starts a server for tests with its own environment
const { spawn } = require('child_process');
const srv = spawn(process.execPath, ['server.js'], { env: { ...process.env, PORT: '0', NODE_ENV: 'test' }, stdio: ['ignore', 'pipe', 'inherit'] });
srv.stdout.on('data', (d) => console.log(`[server] ${d}`));
process.on('exit', () => srv.kill());
