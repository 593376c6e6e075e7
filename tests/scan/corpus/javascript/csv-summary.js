// benign: averages of a table
const fs = require('fs');
const rows = fs.readFileSync('data/sales.csv', 'utf8').trim().split('\n').slice(1).map((l) => l.split(','));
const byRegion = {};
for (const [region, , amount] of rows) {
  (byRegion[region] ||= []).push(Number(amount));
}
for (const [r, xs] of Object.entries(byRegion)) {
  console.log(r, (xs.reduce((a, b) => a + b, 0) / xs.length).toFixed(2));
}
