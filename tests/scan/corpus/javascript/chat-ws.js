// benign: a chat
const { WebSocketServer } = require('ws');
const wss = new WebSocketServer({ port: 8080 });
wss.on('connection', (ws) => {
  ws.on('message', (msg) => {
    for (const c of wss.clients) if (c !== ws && c.readyState === 1) c.send(msg.toString());
  });
});
