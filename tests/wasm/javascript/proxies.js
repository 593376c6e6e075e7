//: logging
const log = [];
const p = new Proxy({ a: 1 }, { get: (t, k, r) => { log.push(`get ${String(k)}`); return Reflect.get(t, k, r); }, set: (t, k, v) => { log.push(`set ${k}=${v}`); t[k] = v; return true; }, has: (t, k) => { log.push(`has ${k}`); return k in t; }, deleteProperty: (t, k) => { log.push(`del ${k}`); return delete t[k]; } });
p.a; p.b = 2; 'c' in p; delete p.a;
console.log(log, p);
//: defaults
const d = new Proxy({}, { get: (t, k) => (k in t ? t[k] : 0) });
for (const c of 'mississippi') d[c]++;
console.log(d, d.zzz, { ...d });
//: validation
const v = new Proxy({}, { set(t, k, x) { if (k === 'age' && !Number.isInteger(x)) throw new TypeError(`age must be whole, not ${x}`); t[k] = x; return true; } });
v.age = 3;
try { v.age = 'old'; } catch (e) { console.log(e.message); }
console.log(v.age, v);
//: negative-index
const arr = (a) => new Proxy(a, { get: (t, k, r) => (typeof k === 'string' && /^-\d+$/.test(k) ? t[t.length + +k] : Reflect.get(t, k, r)) });
const a = arr([1, 2, 3]);
console.log(a[-1], a[0], a.length, a.map((x) => x * 2), Array.isArray(a), a);
//: call-and-construct
const F = new Proxy(function (x) { this.x = x; }, { apply: (t, self, args) => `called with ${args}`, construct: (t, args) => ({ built: args }) });
console.log(F(1, 2), new F(3), typeof F);
//: own-keys
const hidden = new Proxy({ _a: 1, b: 2, _c: 3 }, { ownKeys: (t) => Reflect.ownKeys(t).filter((k) => !k.startsWith('_')), has: (t, k) => !k.startsWith('_') && k in t });
console.log(Object.keys(hidden), JSON.stringify(hidden), '_a' in hidden, hidden._a, { ...hidden });
for (const k in hidden) console.log(k);
//: revocable
const { proxy, revoke } = Proxy.revocable({ x: 1 }, {});
console.log(proxy.x); revoke();
try { proxy.x; } catch (e) { console.log(e.name, e.message); }
//: fluent-paths
const path = (parts = []) => new Proxy(() => {}, { get: (t, k) => path([...parts, k]), apply: (t, s, a) => '/' + parts.join('/') + (a.length ? '?' + a : '') });
console.log(path().users.list(), path().a.b.c(1, 2));
//: observable
const watch = (o, f, at = []) => new Proxy(o, { get: (t, k) => (t[k] && typeof t[k] === 'object' ? watch(t[k], f, [...at, k]) : t[k]), set: (t, k, v) => { f([...at, k].join('.'), t[k], v); t[k] = v; return true; } });
const s = watch({ n: 1, deep: { list: [1] } }, (...a) => console.log(...a));
s.n = 2; s.deep.list[0] = 5; s.deep.list.push(6); s.fresh = {};
//: reflect
const o = { get x() { return this.y; }, y: 1 };
console.log(Reflect.get(o, 'x', { y: 9 }), Reflect.has(o, 'y'), Reflect.ownKeys({ b: 1, [Symbol.iterator]: 2, 1: 0 }), Reflect.apply(Math.max, null, [1, 2]), Reflect.construct(Date, [0]), Reflect.defineProperty(Object.freeze({}), 'q', {}), Reflect.getPrototypeOf([]) === Array.prototype);
//: strict-set-false
'use strict';
const ro = new Proxy({ a: 1 }, { set: () => false });
try { ro.a = 2; } catch (e) { console.log(e.name, e.message); }
console.log(ro.a);
//: membrane-counts
let gets = 0;
const m = new Proxy([5, 3, 4], { get(t, k, r) { gets++; return Reflect.get(t, k, r); } });
console.log(m.indexOf(4), [...m], gets > 5);
//: class-wrapping
class Thing { constructor() { return new Proxy(this, { get: (t, k, r) => (k in t ? Reflect.get(t, k, r) : (...a) => `${String(k)}(${a})`) }); } real() { return 'real'; } }
const t = new Thing();
console.log(t.real(), t.magic(1, 2), t instanceof Thing);
//: util-inspect-proxy
const util = require('util');
const p = new Proxy({ a: 1 }, {});
console.log(util.inspect(p), util.inspect(p, { showProxy: true }), util.types.isProxy(p), util.types.isProxy({}), new Proxy(function f() {}, {}), [p]);
