// tricky-benign: words about attacks in texts
const rules = [
  { id: 'no-eval', message: 'eval() runs whatever it is given; use JSON.parse' },
  { id: 'no-rm', message: 'Never run "rm -rf /" or chmod 777' },
  { id: 'no-curl', message: 'Do not teach people to run curl URL | sh' },
];
console.log(rules.map((r) => `${r.id}: ${r.message}`).join('\n'));
