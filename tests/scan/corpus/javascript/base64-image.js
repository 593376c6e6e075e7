// tricky-benign: base64 of a picture
const fs = require('fs');
const b64 = fs.readFileSync('logo.png').toString('base64');
fs.writeFileSync('logo.css', `.logo { background: url(data:image/png;base64,${b64}); }`);
const dot = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
fs.writeFileSync('dot.png', dot);
