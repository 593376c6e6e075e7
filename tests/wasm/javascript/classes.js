//: shapes
class Shape { area() { throw new Error('not implemented'); } describe() { return `${this.constructor.name} with area ${this.area().toFixed(2)}`; } }
class Circle extends Shape { constructor(r) { super(); this.r = r; } area() { return Math.PI * this.r ** 2; } }
class Rect extends Shape { constructor(w, h) { super(); Object.assign(this, { w, h }); } area() { return this.w * this.h; } }
const shapes = [new Circle(1.5), new Rect(2, 3)];
for (const s of shapes) console.log(s.describe(), s, s instanceof Shape);
try { new Shape().describe(); } catch (e) { console.log(e.message); }
//: private-members
class Account {
	#balance = 0;
	static #count = 0;
	static create(start) { Account.#count++; const a = new Account(); a.#balance = start; return a; }
	#check(n) { if (n > this.#balance) throw new RangeError(`need ${n - this.#balance} more`); }
	withdraw(n) { this.#check(n); this.#balance -= n; return this; }
	get balance() { return this.#balance; }
	static get count() { return Account.#count; }
	static is(x) { return #balance in x; }
}
const a = Account.create(100);
console.log(a.withdraw(30).balance, Account.count, Account.is(a), Account.is({}), a);
try { a.withdraw(100); } catch (e) { console.log(e.name, e.message); }
//: getters-setters
class Temp {
	constructor(c) { this.c = c; }
	get f() { return this.c * 1.8 + 32; }
	set f(v) { this.c = (v - 32) / 1.8; }
	static from(f) { const t = new Temp(0); t.f = f; return t; }
}
const t = Temp.from(212);
console.log(t, t.f, Object.keys(t), 'f' in t, Object.getOwnPropertyNames(Temp.prototype));
console.log({ get x() { return 1; }, set x(v) {}, get y() { return 2; }, set z(v) {} });
//: static-blocks
class Registry {
	static items = new Map();
	static { this.items.set('start', 1); }
	static add(k, v) { this.items.set(k, v); return this; }
}
console.log(Registry.add('x', 2).items, Registry, Registry.name, typeof Registry);
//: inheritance-chain
class A { who() { return 'A'; } static make() { return new this(); } }
class B extends A { who() { return 'B>' + super.who(); } }
class C extends B { who() { return 'C>' + super.who(); } }
console.log(C.make().who(), C.make(), C, Object.getPrototypeOf(C) === B, new C() instanceof A, C.prototype.hasOwnProperty('who'));
//: mixins
const Flying = (Base) => class extends Base { fly() { return `${this.name} flies`; } };
const Swimming = (Base) => class extends Base { swim() { return `${this.name} swims`; } };
class Animal { constructor(name) { this.name = name; } }
class Duck extends Swimming(Flying(Animal)) {}
const d = new Duck('Donald');
console.log(d.fly(), d.swim(), d, Object.getOwnPropertyNames(Object.getPrototypeOf(Duck.prototype)));
//: to-primitive
class Money {
	constructor(n) { this.n = n; }
	[Symbol.toPrimitive](hint) { return hint === 'number' ? this.n : hint === 'string' ? `$${this.n}` : `${this.n} units`; }
	get [Symbol.toStringTag]() { return 'Money'; }
}
const m = new Money(5);
console.log(+m, `${m}`, m + '', m * 2, m > 4, Object.prototype.toString.call(m), m);
//: iterable-class
class Range {
	constructor(a, b, s = 1) { Object.assign(this, { a, b, s }); }
	*[Symbol.iterator]() { for (let i = this.a; i < this.b; i += this.s) yield i; }
	get length() { return Math.ceil((this.b - this.a) / this.s); }
}
console.log([...new Range(0, 10, 3)], Math.max(...new Range(1, 5)), new Range(2, 8, 2).length, Array.from(new Range(0, 3), (x) => x * x));
//: old-style
function Person(name) { if (!(this instanceof Person)) return new Person(name); this.name = name; }
Person.prototype.greet = function () { return 'hi ' + this.name; };
function Worker(name, job) { Person.call(this, name); this.job = job; }
Worker.prototype = Object.create(Person.prototype);
Worker.prototype.constructor = Worker;
const w = new Worker('Eve', 'dev');
console.log(w.greet(), w, Person('Al'), w instanceof Person, Worker.prototype.constructor.name, Person);
//: class-errors
class K { constructor() { this.x = 1; } static s() {} }
class L extends K { constructor() { this.y = 2; } }
for (const f of [() => K(), () => new L(), () => new K().nope(), () => new (() => {})(), () => { class M extends null {} new M(); }, () => K.s.x.y])
	try { f(); } catch (e) { console.log(e.name, '-', e.message); }
//: shown-instances
class Empty {}
class Box { constructor(v) { this.v = v; } }
class Deep { constructor(n) { if (n) this.next = new Deep(n - 1); } }
console.log(new Empty(), new Box(new Box([1, { a: 1 }])), new Deep(5), [new Empty(), Empty], { Empty, b: new Box(null) });
console.log(Object.create(null), Object.create({ x: 1 }), Object.create(Box.prototype), Object.assign(Object.create(null), { a: 1 }));
//: custom-inspect
const util = require('util');
class Point { constructor(x, y) { this.x = x; this.y = y; } [util.inspect.custom](depth, options, inspect) { return `Point<${options.stylize(this.x, 'number')}, ${inspect(this.y)}>`; } }
console.log(new Point(1, 2), [new Point(3, 'q')], { p: new Point() }, `${new Point()}`);
//: fields-and-this
class Counter {
	count = 0;
	step = (n = 1) => (this.count += n);
	['computed' + 1] = true;
	plain() { return this?.count; }
}
const c = new Counter();
const { step, plain } = c;
console.log(step(), step(5), plain(), c);
//: species-and-errors
class MyError extends Error { constructor(code, ...rest) { super(...rest); this.name = 'MyError'; this.code = code; } }
const e = new MyError(42, 'bad thing', { cause: 'x' });
console.log(e.toString(), e.code, e.cause, e instanceof MyError, e instanceof Error, Object.keys(e), e.stack.split('\n')[0]);
class List extends Array { static get [Symbol.species]() { return Array; } }
console.log(new List(1, 2, 3).map((x) => x) instanceof List, new List(1, 2, 3));
//: linked-list
class Node { constructor(v, next = null) { this.v = v; this.next = next; } }
class LinkedList {
	head = null; size = 0;
	add(v) { this.head = new Node(v, this.head); this.size++; return this; }
	reverse() { let p = null, n = this.head; while (n) [n.next, p, n] = [p, n, n.next]; this.head = p; return this; }
	*[Symbol.iterator]() { for (let n = this.head; n; n = n.next) yield n.v; }
}
const list = new LinkedList().add(1).add(2).add(3);
console.log([...list], list, [...list.reverse()]);
//: singleton-observer
class Store {
	static #one; #subs = new Set(); state = { n: 0 };
	static get() { return (Store.#one ??= new Store()); }
	subscribe(f) { this.#subs.add(f); return () => this.#subs.delete(f); }
	set(patch) { this.state = { ...this.state, ...patch }; for (const f of this.#subs) f(this.state); }
}
const stop = Store.get().subscribe((s) => console.log('seen', s));
Store.get().set({ n: 1 }); Store.get().set({ m: 2 }); stop(); Store.get().set({ n: 9 });
console.log(Store.get() === Store.get(), Store.get().state);
//: instanceof-and-brands
class Even { static [Symbol.hasInstance](n) { return n % 2 === 0; } }
console.log(2 instanceof Even, 3 instanceof Even, [] instanceof Object, Object.create(null) instanceof Object, (() => {}) instanceof Function);
try { console.log(1 instanceof 2); } catch (e) { console.log(e.message); }
//: accessor-descriptors
class P { get a() { return 1; } set b(v) {} static c = 3; d() {} }
console.log(Object.getOwnPropertyDescriptors(P.prototype), Object.getOwnPropertyDescriptor(P, 'c'));
'use strict';
try { (function () { 'use strict'; new P().a = 5; })(); } catch (e) { console.log(e.message); }
//: bank-simulation
class InsufficientFunds extends Error { constructor(need) { super(`short by ${need}`); this.name = this.constructor.name; } }
class Acc { #b; log = []; constructor(b) { this.#b = b; } pay(to, n) { if (n > this.#b) throw new InsufficientFunds(n - this.#b); this.#b -= n; to.#b += n; this.log.push({ to: to.#b, n }); } toString() { return `<${this.#b}>`; } }
const x = new Acc(50), y = new Acc(0);
x.pay(y, 20);
try { x.pay(y, 100); } catch (e) { console.log(e.name, e.message, String(e)); }
console.log(`${x} ${y}`, x.log);
//: tree
class Tree {
	constructor(v) { this.v = v; this.l = this.r = null; }
	insert(v) { const side = v < this.v ? 'l' : 'r'; if (this[side]) this[side].insert(v); else this[side] = new Tree(v); return this; }
	*walk() { if (this.l) yield* this.l.walk(); yield this.v; if (this.r) yield* this.r.walk(); }
	get height() { return 1 + Math.max(this.l?.height ?? 0, this.r?.height ?? 0); }
}
const tree = [8, 3, 10, 1, 6, 14, 4, 7, 13].reduce((t, v) => (t ? t.insert(v) : new Tree(v)), null);
console.log([...tree.walk()], tree.height);
console.log(tree);
