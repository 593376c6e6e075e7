// tricky-benign: tells the user about sudo
const fs = require('fs');
try {
  fs.accessSync('/usr/local/bin', fs.constants.W_OK);
} catch {
  console.error('Cannot write to /usr/local/bin. Try: sudo npm install -g mytool');
  process.exit(1);
}
