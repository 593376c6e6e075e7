//: word-count
const text = 'to be or not to be that is the question';
const counts = text.split(' ').reduce((m, w) => m.set(w, (m.get(w) ?? 0) + 1), new Map());
console.log(counts, counts.size, [...counts].sort((a, b) => b[1] - a[1])[0]);
//: iteration-order
const m = new Map([['b', 1], ['a', 2]]);
m.set('c', 3); m.delete('b'); m.set('b', 4); m.set('a', 5);
for (const [k, v] of m) console.log(k, v);
console.log(m.keys(), m.values(), m.entries(), m[Symbol.iterator]().next());
//: odd-keys
const key = {}, m = new Map([[NaN, 'nan'], [0, 'zero'], [key, 'obj'], ['0', 'text'], [undefined, 'undef']]);
console.log(m.get(NaN), m.get(-0), m.get({}), m.get(key), m.get('0'), m.get(), m);
//: set-algebra
const a = new Set([1, 2, 3, 4]), b = new Set([3, 4, 5]);
const union = new Set([...a, ...b]), both = new Set([...a].filter((x) => b.has(x))), only = new Set([...a].filter((x) => !b.has(x)));
console.log(union, both, only, [...both].every((x) => a.has(x)), new Set('hello').size);
//: nested-shown
console.log(new Map([['list', [1, 2, { a: new Set([1]) }]], ['map', new Map([[{ k: 1 }, new Map()]])]]), new Set([[1, 2], { a: 1 }, 'x']), new Map(), new Set());
//: lru-cache
class LRU {
	#m = new Map();
	constructor(n) { this.n = n; }
	get(k) { if (!this.#m.has(k)) return; const v = this.#m.get(k); this.#m.delete(k); this.#m.set(k, v); return v; }
	set(k, v) { this.#m.delete(k); this.#m.set(k, v); if (this.#m.size > this.n) this.#m.delete(this.#m.keys().next().value); return this; }
	get keys() { return [...this.#m.keys()]; }
}
const c = new LRU(2).set('a', 1).set('b', 2);
console.log(c.get('a'), c.set('c', 3).keys, c.get('b'), c);
//: weak-collections
const wm = new WeakMap(), ws = new WeakSet(), k = {};
wm.set(k, 'v'); ws.add(k);
console.log(wm.get(k), wm.has({}), ws.has(k), wm.delete(k), wm.has(k), wm, ws);
try { wm.set('text', 1); } catch (e) { console.log(e.name); }
//: object-conversion
const o = { x: 1, y: 2 };
const m = new Map(Object.entries(o));
console.log(m, Object.fromEntries(m), Object.fromEntries([...m].map(([k, v]) => [v, k])), JSON.stringify([...m]));
//: change-while-walking
const s = new Set([1, 2, 3]);
for (const x of s) { if (x < 3) s.add(x + 10); if (x === 2) s.delete(3); console.log(x); }
console.log(s);
//: graph-bfs
const edges = [['a', 'b'], ['a', 'c'], ['b', 'd'], ['c', 'd'], ['d', 'e']];
const graph = new Map();
for (const [x, y] of edges) { if (!graph.has(x)) graph.set(x, new Set()); if (!graph.has(y)) graph.set(y, new Set()); graph.get(x).add(y); graph.get(y).add(x); }
const dist = new Map([['a', 0]]);
for (const at of dist.keys()) for (const n of graph.get(at)) if (!dist.has(n)) dist.set(n, dist.get(at) + 1);
console.log(dist, graph);
//: multi-map
class MultiMap extends Map { add(k, v) { (this.get(k) ?? this.set(k, []).get(k)).push(v); return this; } }
const mm = new MultiMap().add('a', 1).add('a', 2).add('b', 3);
console.log(mm, mm instanceof Map, mm.size);
//: big-map
const big = new Map(Array.from({ length: 105 }, (_, i) => [i, i * i]));
console.log(big);
let total = 0;
big.forEach((v, k, self) => { total += v * (self === big ? 1 : 0) - k; });
console.log(total, big.has(104), big.delete(200));
//: inverted-index
const docs = { d1: 'red green blue', d2: 'green grass', d3: 'blue sky red' };
const index = new Map();
for (const [id, text] of Object.entries(docs)) for (const w of text.split(' ')) index.set(w, new Set([...(index.get(w) ?? []), id]));
const find = (...ws) => ws.map((w) => index.get(w) ?? new Set()).reduce((a, b) => new Set([...a].filter((x) => b.has(x))));
console.log(find('red', 'blue'), find('green'), find('none'), [...index.keys()].sort());
//: weakref
const target = { big: true };
const ref = new WeakRef(target);
console.log(ref.deref() === target, typeof FinalizationRegistry, Object.prototype.toString.call(ref));
//: map-errors
for (const f of [() => new Map([1]), () => new Set(5), () => Map(), () => new Map().get.call({}), () => new WeakSet([1])]) try { f(); console.log('fine'); } catch (e) { console.log(e.name); }
//: counting-sort-by-map
const votes = 'abacabadabacabaeabacabad';
const tally = [...votes].reduce((m, v) => m.set(v, (m.get(v) || 0) + 1), new Map());
console.table([...tally].map(([name, n]) => ({ name, n, share: +(n / votes.length).toFixed(3) })));
console.table(tally);
//: symbols
const s1 = Symbol('id'), s2 = Symbol.for('app'), o = { [s1]: 1, [Symbol()]: 2, plain: 3 };
console.log(o, s1.toString(), s1.description, Symbol.keyFor(s2), Symbol.for('app') === s2, Object.getOwnPropertySymbols(o).length, JSON.stringify(o), Symbol.iterator);
