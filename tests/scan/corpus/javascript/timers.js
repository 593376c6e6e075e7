// benign: timers with functions
const id = setInterval(() => process.stdout.write('.'), 100);
setTimeout(() => { clearInterval(id); console.log('done'); }, 1000);
