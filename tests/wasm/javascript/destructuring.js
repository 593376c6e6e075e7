//: arrays
const [a, , b = 10, ...rest] = [1, 2, undefined, 4, 5];
let x = 1, y = 2;
[x, y] = [y, x];
const [[p], [q = 'dq'] = []] = [['pp']];
console.log(a, b, rest, x, y, p, q);
//: objects
const { name, address: { city = 'none', zip } = {}, tags: [first] = [], ...others } = { name: 'Al', address: { zip: 1 }, tags: ['t'], age: 5, on: true };
console.log(name, city, zip, first, others);
//: computed-and-renamed
const key = 'dyn', { [key]: value = 'd', 'odd-key': odd, length: len } = { dyn: 0, 'odd-key': 1, length: 2 };
const { length, 0: head } = 'text';
console.log(value, odd, len, length, head);
//: parameters
const f = ({ a = 1, b: { c = 2 } = {} } = {}, [d, e = d] = [3]) => [a, c, d, e];
console.log(f(), f({ a: 9, b: { c: 8 } }, [7]), Object.entries({ p: 1, q: 2 }).map(([k, v]) => `${k}=${v}`));
//: failing-patterns
for (const t of [() => { const { a } = null; }, () => { const { a: { b } } = {}; }, () => { const [a] = {}; }, () => (({ a }) => a)()]) try { t(); } catch (e) { console.log(e.name); }
//: in-loops
for (const { id, tags: [t] } of [{ id: 1, tags: ['a'] }, { id: 2, tags: [] }]) console.log(id, t);
for (const [i, c] of [...'abc'].entries()) console.log(i, c);
for (const k in { z: 1, y: 2 }) console.log(k);
for (const k in [7, 8]) console.log(typeof k, k);
//: spread-objects
const base = { a: 1, n: { x: 1 } }, copy = { ...base, b: 2, ...null, ...[9] };
copy.n.x = 5;
console.log(copy, base, { ...base, a: undefined }, { ...(false && { c: 1 }), ...(true && { d: 1 }) });
//: swap-and-rotate
let [i, j, k] = [1, 2, 3];
[i, j, k] = [k, i, j];
const o = { l: 1, r: 2 };
({ l: o.r, r: o.l } = { ...o });
console.log(i, j, k, o);
//: optional-chaining
const u = { a: { b: () => 'called', list: [{ n: 1 }] }, zero: 0, empty: '' };
console.log(u?.a?.b?.(), u.x?.y.z.w, u.a.list?.[0]?.n, u.no?.(), u.zero ?? 5, u.zero || 5, u.empty ?? 'd', delete u?.zero, u?.['a']?.['list'].length);
//: logical-assignment
const c = { a: null, b: 0, d: 'x' };
c.a ??= 'filled'; c.b ||= 7; c.d &&= c.d + '!'; c.e ??= []; c.e.push(1);
console.log(c, 2 ** 3 ** 2, (-2) ** 2, 7 % -3, -7 % 3);
//: getters-and-methods
const o = { _v: 1, get v() { return this._v; }, set v(x) { this._v = x * 2; }, ['m' + 1]() { return 'm'; }, async am() {}, *gen() {} };
o.v = 5;
console.log(o.v, o, Object.keys(o));
//: object-statics
const o = Object.freeze({ a: 1, n: { b: 2 } });
o.a = 9; o.n.b = 3;
console.log(o, Object.isFrozen(o), Object.isSealed(o), Object.entries(o), Object.fromEntries([['k', 1]]), Object.is(-0, 0), Object.assign({}, o, { z: 1 }));
try { (() => { 'use strict'; o.a = 1; })(); } catch (e) { console.log(e.message); }
try { (() => { 'use strict'; o.newer = 1; })(); } catch (e) { console.log(e.message); }
//: property-descriptors
const o = {};
Object.defineProperty(o, 'hidden', { value: 1 });
Object.defineProperty(o, 'seen', { get: () => 2, enumerable: true, configurable: true });
console.log(o, o.hidden, Object.keys(o), Object.getOwnPropertyNames(o), Object.getOwnPropertyDescriptors(o), o.propertyIsEnumerable('hidden'));
//: prototypes
const animal = { speak() { return `${this.name} speaks`; } }, dog = Object.create(animal, { name: { value: 'Rex', enumerable: true } });
console.log(dog, dog.speak(), animal.isPrototypeOf(dog), 'speak' in dog, Object.hasOwn(dog, 'speak'), dog.__proto__ === animal, { __proto__: animal, x: 1 });
//: pick-omit
const pick = (o, ...ks) => Object.fromEntries(ks.filter((k) => k in o).map((k) => [k, o[k]])), omit = ({ ...o }, ...ks) => (ks.forEach((k) => delete o[k]), o);
const o = { a: 1, b: 2, c: 3 };
console.log(pick(o, 'a', 'z'), omit(o, 'a'), o, Object.entries(o).map(([k, v]) => ({ [k.toUpperCase()]: v ** 2 })));
//: spread-text
//! engine: the spread of a text into an object gives nothing
console.log({ ...'hi' });
