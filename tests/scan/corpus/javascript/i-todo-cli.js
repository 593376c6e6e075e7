// benign: a list of things to do
const fs = require('fs');
const FILE = 'todo.json';
const load = () => (fs.existsSync(FILE) ? JSON.parse(fs.readFileSync(FILE)) : []);
const save = (t) => fs.writeFileSync(FILE, JSON.stringify(t, null, 2));
const [cmd, ...rest] = process.argv.slice(2);
const tasks = load();
if (cmd === 'add') { tasks.push({ text: rest.join(' '), done: false }); save(tasks); }
else if (cmd === 'rm') { tasks.splice(Number(rest[0]), 1); save(tasks); }
else tasks.forEach((t, i) => console.log(i, t.done ? '[x]' : '[ ]', t.text));
