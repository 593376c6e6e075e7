//: primitives-in-objects
console.log({ s: 'a', n: 1, b: true, u: undefined, l: null, y: Symbol('s'), g: 5n, f() {}, a: () => {}, d: new Date(0), r: /x/g, e: [], o: {} });
console.log([undefined, null, NaN, -0, 'a\'b', "q\"q", `b\`b`], 'top level', ['nested'], [['a']], [[]], [{}], { a: {} });
//: depth
console.log({ a: { b: { c: { d: 1 } } } }, [[[[1]]]], { a: [{ b: { c: 1 } }] }, { a: { b: { c: {} } } }, { a: { b: { c: [] } } }, new Map([[{ a: { b: {} } }, [[[]]]]]));
//: line-breaks
console.log({ first: 'a fairly long value', second: 'another long value', third: 'and the last one' });
console.log({ first: 'a fairly long value!', second: 'another long value!!', third: 'and the last one!!' }, [{ id: 1, name: 'some name', tags: ['a', 'b', 'c'] }, { id: 2, name: 'other name', tags: [] }]);
console.log({ a: 1, b: 'two', c: [3, 4, 5], d: { e: 6, f: { g: 7, h: [8, 9] } }, i: 'ten eleven twelve thirteen' });
//: array-grouping
console.log(Array.from({ length: 7 }, (_, i) => i), Array.from({ length: 50 }, (_, i) => i * 1000), Array.from({ length: 20 }, (_, i) => 'w'.repeat(i % 5 + 1)), Array.from({ length: 10 }, (_, i) => ({ i })), Array.from({ length: 9 }, (_, i) => i % 2 === 0), Array.from({ length: 26 }, (_, i) => String.fromCharCode(97 + i)), Array.from({ length: 8 }, (_, i) => -i * 1.25), Array.from({ length: 101 }, () => 'x'));
//: circular
const a = { n: 'a' }, b = { n: 'b', a }; a.b = b; a.me = a; const list = [1]; list.push(list); const m = new Map(); m.set('self', m); console.log(a, list, m, { x: a, y: a });
//: functions-and-classes
function plain() {} class K {} class L extends K {} const o = { m() {}, get g() { return 1; }, async a() {}, *g2() {}, arrow: () => {} }; plain.extra = { v: 1 };
console.log(plain, K, L, o, [plain, K], (() => {}), class {}, async () => {}, function* gen() {}, Math.max, Symbol, o.m, Object.assign(() => {}, { a: 1 }));
//: boxed-and-special
console.log(new Number(3), new String('abc'), new Boolean(false), Object(1n), Object(Symbol('b')), [new String('x')], Object.assign(new Number(1), { p: 1 }), globalThis === global, Math, JSON, Reflect, Atomics, (function () { return arguments; })(1, 2));
//: null-prototype
class Foo { constructor() { this.a = 1; } } const n = Object.create(null); n.x = 1; console.log(n, Object.create(Foo.prototype), Object.create(new Foo()), Object.setPrototypeOf({ a: 1 }, null), Object.create({}), { constructor: 'odd' }, { __proto__: { y: 1 }, z: 2 });
//: tags
class T { get [Symbol.toStringTag]() { return 'Tagged'; } } console.log(new T(), { [Symbol.toStringTag]: 'Obj' }, Object.assign(Object.create({ [Symbol.toStringTag]: 'P' }), { a: 1 }), class extends Map {}, new (class M2 extends Map {})([[1, 2]]), new (class S2 extends Set {})([1]), new (class A2 extends Array {})(3), new (class E2 extends Error {})('m').message);
//: accessors
console.log({ get a() { return 1; }, set b(v) {}, get c() { return {}; }, set c(v) {} }, Object.defineProperty({}, 'h', { value: 1 }), Object.defineProperty({}, 'v', { value: 1, enumerable: true })); console.dir({ get a() { return 1; } }, { getters: true }); console.dir([1, 2], { showHidden: true });
//: strings-with-quotes
console.log(["it's", 'say "x"', `it's "both"`, `all '"\``, 'new\nline', 'tab\t', '\\', '\x00\x7f', 'é', '\u{1F600}', '']); console.log({ "it's": 1, 'a"b': 2, 'new\nline': 3, '': 4, é: 5, '1a': 6, a1: 7, $: 8 });
//: keys-of-many-kinds
console.log({ 1: 'a', b: 'c', [Symbol('s')]: 1, 'd-e': 2, [Symbol.iterator]: 3, 1.5: 4, '-1': 5, true: 6, null: 7 }, new Map([[1, 'a'], ['1', 'b'], [null, 'c'], [undefined, 'd'], [NaN, 'e'], [{}, 'f'], [[], 'g'], [() => {}, 'h']]));
//: iterators
const m = new Map([['a', 1], ['b', { c: 2 }]]), s = new Set([1, 'x']); console.log(m.keys(), m.values(), m.entries(), s.values(), s.entries(), [1, 2][Symbol.iterator](), 'ab'[Symbol.iterator](), 'a1'.matchAll(/\d/g), (function* g() {})());
//: nested-collections
console.log(new Map([['users', new Map([['al', { age: 3, tags: new Set(['x', 'y']) }]])]]), new Set([new Set([new Set([new Set()])])]), [new Map(), new Set()], { m: new Map([[{ k: 1 }, 'v']]) }, new WeakMap(), new WeakSet(), new WeakRef({}));
//: long-lines-in-maps
console.log(new Map([['first key that is long', 'first value that is long'], ['second key that is long', 'second value']]), new Set(['some long text number one', 'some long text number two', 'some long text three']));
//: error-shapes
const e = new Error('msg'); e.stack = 'Error: msg\n    at x (y:1:2)'; console.log(e); e.code = 'E1'; e.extra = { a: 1 }; console.log(e, { e }, [e]); const c = new Error('outer', { cause: e }); c.stack = 'Error: outer\n    at z'; console.log(c); const none = new TypeError('t'); none.stack = 'TypeError: t'; console.log(none, [none]); const ag = new AggregateError([none], 'agg'); ag.stack = 'AggregateError: agg'; console.log(ag);
//: multi-line-strings
console.log({ text: 'line one\nline two\nline three which is long enough to make the printer split it' }, ['a\nb'], 'raw\nprinted'); console.log({ long: 'x'.repeat(200) }, ['y'.repeat(90)]); console.log(['a'.repeat(40), 'b'.repeat(40)], 'z'.repeat(12000).length, ['z'.repeat(10050)]);
//: big-objects
console.log(Object.fromEntries(Array.from({ length: 40 }, (_, i) => ['key' + i, i]))); console.log(Array.from({ length: 5 }, (_, i) => ({ id: i, name: 'n' + i, nested: { on: i % 2 === 0, list: [i, i + 1] } })));
//: mixed-arguments
console.log('a', 1, true, null, undefined, [1], { b: 2 }, 'c', Symbol('d'), 5n, () => {}); console.log([1], 'text after', [2]); console.log({}, [], '', 0); console.log('%s:%s', 'a', [1, { b: 2 }], 'rest', { c: 3 }); console.log('%o', [1, 'a', { f() {} }]); console.log('%s', class Q {}, new (class Z { toString() { return 'custom'; } })(), new Date(0), { toString() { return 'own'; } });
//: sparse-and-extra
const a = [1, , , 4]; a.name = 'arr'; a['5'] = 6; console.log(a, [,], [, 1], [1, ,], new Array(200), Object.assign([], { 2: 'c', x: 1 })); const holes = []; holes[99] = 1; console.log(holes);
//: intl-numbers
console.log(new Intl.NumberFormat('en-US').format(1234567.5), new Intl.NumberFormat('en-US', { style: 'currency', currency: 'EUR' }).format(-5.5), new Intl.NumberFormat('en-US', { notation: 'compact' }).format(12345), new Intl.NumberFormat('de-DE').format(1234.5), new Intl.PluralRules('en-US', { type: 'ordinal' }).select(22), new Intl.ListFormat('en').format(['a', 'b', 'c']), new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(-1, 'day'), ['b', 'a', 'C'].sort(new Intl.Collator('en').compare), (0.1234).toLocaleString(undefined, { style: 'percent', maximumFractionDigits: 1 }), (1e6).toLocaleString('en-US', { maximumSignificantDigits: 2 }));
