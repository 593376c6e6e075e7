//: counters
const counter = () => { let n = 0; return { up: () => ++n, down: () => --n, get value() { return n; } }; };
const a = counter(), b = counter();
a.up(); a.up(); b.down();
console.log(a.value, b.value, a);
//: loops-and-var
var fs = [];
for (var i = 0; i < 3; i++) fs.push(() => i);
const gs = [];
for (let j = 0; j < 3; j++) gs.push(() => j);
console.log(fs.map((f) => f()), gs.map((g) => g()));
//: curry-compose
const curry = (f) => function c(...a) { return a.length >= f.length ? f(...a) : (...b) => c(...a, ...b); };
const compose = (...fs) => (x) => fs.reduceRight((v, f) => f(v), x);
const add = curry((a, b, c) => a + b + c);
console.log(add(1)(2)(3), add(1, 2)(3), compose((x) => x + 1, (x) => x * 2)(5), add.length);
//: memoize
const memoize = (f) => { const seen = new Map(); return (...a) => { const k = JSON.stringify(a); if (!seen.has(k)) { console.log('compute', k); seen.set(k, f(...a)); } return seen.get(k); }; };
const slow = memoize((x, y) => x ** y);
console.log(slow(2, 10), slow(2, 10), slow(3, 3));
//: this-kinds
const o = { n: 'o', regular() { return this.n; }, arrow: () => typeof this, nested() { return [1].map(() => this.n)[0]; } };
const loose = o.regular;
console.log(o.regular(), o.arrow(), o.nested(), loose.call({ n: 'called' }), loose.apply({ n: 'applied' }), loose.bind({ n: 'bound' })());
console.log(this === module.exports, (function () { return this === globalThis; })(), (function () { 'use strict'; return this; })());
//: hoisting
console.log(typeof later, typeof expr, later());
function later() { return 'hoisted'; }
var expr = function named() { return typeof named; };
console.log(expr(), typeof named);
try { tdz; } catch (e) { console.log(e.name, e.message); }
let tdz = 1;
//: iife-modules
const bank = (function () { let secret = 10; const check = (n) => n > 0 && n <= secret; return { take(n) { return check(n) ? ((secret -= n), true) : false; }, left: () => secret }; })();
console.log(bank.take(4), bank.take(40), bank.left(), bank.secret);
//: default-params
const f = (a, b = a * 2, { c = 3, d = c + b } = {}, ...rest) => [a, b, c, d, rest];
console.log(f(1), f(1, undefined, { c: 0 }, 7, 8), f(1, null), f.length, (function () { return arguments.length; })(1, 2, 3));
//: arguments-object
function sum() { return Array.prototype.reduce.call(arguments, (a, b) => a + b, 0); }
function show() { console.log(arguments, [...arguments], typeof arguments); }
console.log(sum(1, 2, 3)); show('a', { b: 1 });
//: function-properties
function f(a, b) { f.calls = (f.calls || 0) + 1; }
f(); f();
console.log(f, f.calls, f.name, f.length, f.toString(), (() => {}).name, (function () {}).name, [function () {}][0], { m() {} }.m, async () => {}, class {});
//: bound-and-new
function P(x, y) { this.x = x; this.y = y; }
const B = P.bind(null, 1);
console.log(new B(2), B.name, B.length, new B(2) instanceof P, typeof B.prototype);
//: partial-and-flip
const partial = (f, ...a) => (...b) => f(...a, ...b), flip = (f) => (a, b) => f(b, a), unary = (f) => (x) => f(x);
console.log(['1', '2', '3'].map(unary(parseInt)), ['1', '2', '3'].map(parseInt), partial(Math.max, 5)(3, 9), flip((a, b) => a - b)(1, 10));
//: once-after-before
const once = (f) => { let done, v; return (...a) => (done ? v : ((done = true), (v = f(...a)))); };
const init = once(() => { console.log('init'); return {}; });
console.log(init() === init());
//: recursion-kinds
const fact = (n) => (n <= 1n ? 1n : n * fact(n - 1n));
const even = (n) => (n === 0 ? true : odd(n - 1)), odd = (n) => (n === 0 ? false : even(n - 1));
const hanoi = (n, a, b, c) => (n ? [...hanoi(n - 1, a, c, b), a + b, ...hanoi(n - 1, c, b, a)] : []);
const ack = (m, n) => (m === 0 ? n + 1 : n === 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)));
console.log(fact(25n), even(1000), hanoi(3, 'A', 'B', 'C').join(' '), ack(2, 3));
//: deep-recursion
const depth = (n) => (n === 0 ? 0 : 1 + depth(n - 1));
console.log(depth(7000));
let n = 0;
try { (function forever() { n++; forever(); })(); } catch (e) { console.log(e instanceof RangeError, e.message, n > 5000); }
//: trampoline
const trampoline = (f) => (...a) => { let r = f(...a); while (typeof r === 'function') r = r(); return r; };
const sum = trampoline(function s(n, acc = 0) { return n === 0 ? acc : () => s(n - 1, acc + n); });
console.log(sum(50000));
//: y-combinator
const Y = (f) => ((x) => x(x))((x) => f((v) => x(x)(v)));
console.log(Y((self) => (n) => (n < 2 ? n : self(n - 1) + self(n - 2)))(15));
const church = (n) => (f) => (x) => Array(n).fill().reduce((v) => f(v), x);
console.log(church(4)((x) => x * 2)(1));
//: labelled-loops
outer: for (let i = 2; i < 20; i++) { for (let j = 2; j < i; j++) if (i % j === 0) continue outer; if (i > 15) break outer; console.log(i); }
let k = 0;
do { if (k === 1) continue; console.log('k', k); } while (++k < 3);
switch (3) { case 1: console.log('one'); default: console.log('default'); case 2: console.log('two'); }
//: eval-and-function
const x = 'outer';
console.log(new Function('a', 'b', 'return a * b')(6, 7), eval('x + 1'), (0, eval)('typeof x'), eval('({a: 1})'), typeof globalThis.x);
