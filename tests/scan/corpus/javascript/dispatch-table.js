// tricky-benign: a computed call
const handlers = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
};
const [, , op, a, b] = process.argv;
if (!Object.hasOwn(handlers, op)) throw new Error(`unknown operation ${op}`);
console.log(handlers[op](Number(a), Number(b)));
