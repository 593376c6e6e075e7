// tricky-benign: a hook of a code host starts a fixed script
const express = require('express');
const crypto = require('crypto');
const { execFile } = require('child_process');
const app = express();
app.post('/hook', express.raw({ type: '*/*' }), (req, res) => {
  const want = 'sha256=' + crypto.createHmac('sha256', process.env.HOOK_SECRET).update(req.body).digest('hex');
  if (want !== req.get('x-hub-signature-256')) return res.sendStatus(403);
  execFile('./scripts/deploy.sh', (e) => e && console.error(e));
  res.sendStatus(202);
});
app.listen(9000);
