// tricky-benign: a calculator without eval
const ops = { '+': (a, b) => a + b, '-': (a, b) => a - b, '*': (a, b) => a * b, '/': (a, b) => a / b };
const prec = { '+': 1, '-': 1, '*': 2, '/': 2 };
function calc(text) {
  const out = [], st = [];
  for (const t of text.match(/\d+(\.\d+)?|[-+*/()]/g)) {
    if (/\d/.test(t)) out.push(Number(t));
    else {
      while (st.length && prec[st.at(-1)] >= prec[t]) out.push(ops[st.pop()](...out.splice(-2)));
      st.push(t);
    }
  }
  while (st.length) out.push(ops[st.pop()](...out.splice(-2)));
  return out[0];
}
console.log(calc('2 + 3 * 4'));
