// tricky-benign: asks a program in another language
const { spawn } = require('child_process');
const py = spawn('python3', ['model/predict.py', '--json']);
py.stdin.end(JSON.stringify({ text: 'hello' }));
py.stdout.on('data', (d) => console.log(JSON.parse(d)));
