//: fibonacci-take
function* fib() { let [a, b] = [0, 1]; for (;;) { yield a; [a, b] = [b, a + b]; } }
function* take(n, it) { let i = 0; for (const x of it) { if (i++ >= n) return; yield x; } }
console.log([...take(15, fib())]);
//: two-way
function* talk() { const name = yield 'name?'; const age = yield `hi ${name}, age?`; return { name, age }; }
const g = talk();
console.log(g.next(), g.next('Al'), g.next(30), g.next(), g);
//: return-and-throw
function* work() { try { yield 1; yield 2; } catch (e) { console.log('caught', e.message); yield 'recovered'; } finally { console.log('cleanup'); } }
let g = work();
console.log(g.next(), g.throw(new Error('boom')), g.next());
g = work();
console.log(g.next(), g.return('early'), g.next());
try { work().throw(new RangeError('unstarted')); } catch (e) { console.log(e.name, e.message); }
//: delegation
function* inner() { const x = yield 'a'; console.log('inner got', x); return 'inner result'; }
function* outer() { const r = yield* inner(); yield r; yield* [1, 2]; yield* 'xy'; }
const it = outer();
console.log(it.next(), it.next('hello'), [...it]);
//: pipeline
const pipe = (...fs) => (x) => fs.reduce((v, f) => f(v), x);
const map = (f) => function* (it) { for (const x of it) yield f(x); };
const filter = (f) => function* (it) { for (const x of it) if (f(x)) yield x; };
const limit = (n) => function* (it) { if (n > 0) for (const x of it) { yield x; if (--n === 0) return; } };
function* naturals() { let n = 1; try { while (true) yield n++; } finally { console.log('closed'); } }
console.log([...pipe(map((x) => x * x), filter((x) => x % 3 === 1), limit(5))(naturals())]);
//: permutations-lazy
function* perms(a, n = a.length) { if (n <= 1) yield a.slice(); else for (let i = 0; i < n; i++) { yield* perms(a, n - 1); const j = n % 2 ? 0 : i; [a[n - 1], a[j]] = [a[j], a[n - 1]]; } }
console.log([...perms([1, 2, 3])].map((p) => p.join('')).join(' '));
//: tree-walk
const tree = { v: 1, kids: [{ v: 2, kids: [{ v: 4 }] }, { v: 3 }] };
function* depth({ v, kids = [] }, level = 0) { yield '  '.repeat(level) + v; for (const k of kids) yield* depth(k, level + 1); }
function* breadth(root) { const q = [root]; while (q.length) { const n = q.shift(); yield n.v; q.push(...(n.kids ?? [])); } }
console.log([...depth(tree)].join('\n'), [...breadth(tree)]);
//: async-generator
async function* ticks(n) { for (let i = 0; i < n; i++) { await null; yield i; } }
(async () => { const seen = []; for await (const t of ticks(4)) seen.push(t); console.log(seen); for await (const x of [Promise.resolve('p'), 'q']) console.log(x); })();
//: coroutine-runner
const run = (gen) => new Promise((resolve, reject) => { const it = gen(); const step = (m, v) => { let r; try { r = it[m](v); } catch (e) { return reject(e); } r.done ? resolve(r.value) : Promise.resolve(r.value).then((x) => step('next', x), (e) => step('throw', e)); }; step('next'); });
run(function* () { const a = yield Promise.resolve(2); const b = yield 3; try { yield Promise.reject(new Error('no')); } catch (e) { console.log(e.message); } return a * b; }).then(console.log);
//: iterator-object
const countdown = (n) => ({ [Symbol.iterator]() { return { next: () => (n > 0 ? { value: n--, done: false } : { value: undefined, done: true }), return() { console.log('stopped at', n); return {}; } }; } });
for (const x of countdown(5)) { if (x === 3) break; console.log(x); }
const [first, second] = countdown(9);
console.log(first, second, [...countdown(2)]);
//: entries-of-object
const o = { a: 1, b: 2 };
o[Symbol.iterator] = function* () { for (const k of Object.keys(this)) yield [k, this[k]]; };
console.log([...o], new Map(o), Object.fromEntries(o));
//: generator-shown
function* named() { yield 1; }
const gen = named();
console.log(gen, named, async function* ag() {}, gen[Symbol.toStringTag], typeof gen.next, Object.prototype.toString.call(gen));
//: id-sequence
const ids = (function* (p) { let n = 0; while (true) { const reset = yield `${p}-${++n}`; if (reset) n = 0; } })('id');
console.log(ids.next().value, ids.next().value, ids.next(true).value, ids.next().value);
//: zip-longest
function* zip(...its) { const g = its.map((i) => i[Symbol.iterator]()); for (;;) { const r = g.map((x) => x.next()); if (r.every((x) => x.done)) return; yield r.map((x) => x.value ?? '-'); } }
console.log([...zip([1, 2, 3], 'ab', new Set([true]))]);
//: running-average
function* average() { let sum = 0, n = 0, avg; while (true) { const x = yield avg; sum += x; avg = sum / ++n; } }
const avg = average();
avg.next();
console.log([10, 20, 60, 5].map((x) => avg.next(x).value));
//: primes-lazy
function* primes() { const found = []; for (let n = 2; ; n++) if (found.every((p) => p * p > n || n % p)) { found.push(n); yield n; } }
const twin = [];
let last = 0;
for (const p of primes()) { if (p - last === 2) twin.push([last, p]); last = p; if (twin.length === 6) break; }
console.log(twin);
//: already-running
function* self() { try { it.next(); } catch (e) { yield e.name + ': ' + e.message; } }
const it = self();
console.log(it.next().value);
//: flatten-deep
const flatten = function* (x) { if (Array.isArray(x)) for (const y of x) yield* flatten(y); else yield x; };
console.log([...flatten([1, [2, [3, [[4]], 'five'], []]])]);
//: spread-to-calls
function* args() { yield 3; yield 1; yield 2; }
console.log(Math.max(...args()), [0, ...args(), 9], new Set(args()), ((a, ...r) => [a, r])(...args()));
//: state-machine
function* light() { while (true) { yield 'green'; yield 'yellow'; yield 'red'; } }
const l = light();
console.log(Array.from({ length: 7 }, () => l.next().value).join(' > '));
