// tricky-benign: its own settings in the home directory
const fs = require('fs');
const os = require('os');
const path = require('path');
const file = path.join(os.homedir(), '.config', 'todo-cli', 'config.json');
fs.mkdirSync(path.dirname(file), { recursive: true });
const config = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : { tasks: [] };
config.tasks.push(process.argv.slice(2).join(' '));
fs.writeFileSync(file, JSON.stringify(config, null, 2));
