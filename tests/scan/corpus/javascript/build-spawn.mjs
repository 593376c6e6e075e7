// benign: runs the tools of a project side by side
import { spawn } from 'node:child_process';
const tools = [['npx', ['eslint', 'src']], ['npx', ['tsc', '--noEmit']]];
const codes = await Promise.all(tools.map(([cmd, args]) => new Promise((done) => {
  spawn(cmd, args, { stdio: 'inherit', env: { ...process.env, FORCE_COLOR: '1' } }).on('exit', done);
})));
process.exit(Math.max(...codes));
