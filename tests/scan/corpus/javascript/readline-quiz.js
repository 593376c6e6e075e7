// benign: asks questions
const rl = require('readline').createInterface({ input: process.stdin, output: process.stdout });
const ask = (q) => new Promise((ok) => rl.question(q, ok));
(async () => {
  const name = await ask('Your name? ');
  console.log(`Hello, ${name}!`);
  rl.close();
})();
