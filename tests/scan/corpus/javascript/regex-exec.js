// tricky-benign: exec of a regular expression
const re = /(\d{4})-(\d{2})-(\d{2})/g;
let m;
while ((m = re.exec('2024-01-02 and 2025-03-04')) !== null) {
  const [, y, mo, d] = m;
  console.log(new Date(Date.UTC(+y, mo - 1, +d)).toISOString());
}
