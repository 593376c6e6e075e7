//: kinds
for (const E of [Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError]) { const e = new E('msg'); console.log(e.name, String(e), e instanceof Error, Object.prototype.toString.call(e), Object.keys(e)); }
//: native-messages
const o = { a: {} };
const tries = {
	readUndefined: () => o.b.c, readNull: () => null.x, callMissing: () => o.run(), callDeep: () => o.a.b.c(), notFunction: () => o.a(), undefinedName: () => missing,
	constant: () => { const k = 1; k = 2; }, setNull: () => { null.x = 1; }, construct: () => new o.a(), inText: () => 'x' in 'xyz', symbol: () => Symbol('s') + '', mix: () => 1n + 1,
};
for (const [name, f] of Object.entries(tries)) try { f(); } catch (e) { console.log(name, '=>', e.name + ':', e.message); }
//: finally-order
const f = () => { try { console.log('try'); return 'from try'; } catch { return 'catch'; } finally { console.log('finally'); } };
const g = () => { try { throw 1; } catch (e) { return 'caught ' + e; } finally { return 'finally wins'; } };
const h = () => { for (const x of [1, 2]) { try { continue; } finally { console.log('f', x); } } };
console.log(f(), g(), h());
//: custom-hierarchy
class AppError extends Error { constructor(m, o) { super(m, o); this.name = new.target.name; } get status() { return 500; } }
class NotFound extends AppError { get status() { return 404; } }
try { try { JSON.parse('{'); } catch (e) { throw new NotFound('page', { cause: e }); } } catch (e) { console.log(`${e}`, e.status, e.cause.name, e.cause.message, e instanceof AppError, e.constructor.name); }
//: uncaught-exit
console.log('one');
process.on('exit', (c) => console.log('exit code', c));
null.boom;
//: throw-text
console.log('before');
throw 'just a string';
//: throw-object
process.exitCode = 3;
throw { code: 42 };
//: aggregate
const e = new AggregateError([new Error('a'), new TypeError('b')], 'many');
console.log(e.message, e.errors.map(String), e.name, e instanceof Error, Object.keys(e));
//: rethrow-chain
const low = () => { throw new RangeError('low level'); };
const mid = () => { try { low(); } catch (cause) { throw new Error('mid level', { cause }); } };
try { mid(); } catch (e) { for (let at = e; at; at = at.cause) console.log(at.name, at.message); }
//: catch-forms
try { throw new TypeError('x', { cause: 'why' }); } catch ({ name, message, cause }) { console.log(name, message, cause); }
try { throw undefined; } catch (e) { console.log(e); }
try { throw [1, 2]; } catch ([a, b]) { console.log(a + b); }
const result = (() => { try { return JSON.parse('oops'); } catch { return null; } })();
console.log(result);
//: result-type
const ok = (v) => ({ ok: true, v }), err = (e) => ({ ok: false, e }), attempt = (f, ...a) => { try { return ok(f(...a)); } catch (e) { return err(e.message); } };
console.log(attempt(JSON.parse, '[1]'), attempt(JSON.parse, '['), attempt(() => decodeURI('%')));
//: stack-head
function thrower() { return new Error('where'); }
const e = thrower();
console.log(e.stack.split('\n')[0], /at thrower \(.*snippet\.js:1:\d+\)/.test(e.stack), typeof e.stack, e.stack.split('\n').length > 1);
//: capture-stack
class Mine extends Error { constructor(m) { super(m); Error.captureStackTrace(this, Mine); } }
const e = new Mine('q');
console.log(e.stack.includes('at new Mine'), e.message, 'stack' in e, Object.keys(e), e.hasOwnProperty('message'));
//: node-codes
const fs = require('fs');
for (const f of [() => fs.readFileSync('missing.txt'), () => require('./missing'), () => Buffer.alloc('x'), () => new URL('nope'), () => fs.readFileSync(5.5), () => require('path').join(1)])
	try { f(); } catch (e) { console.log(e.code, e.name, e.message.split('\n')[0].slice(0, 60)); }
//: assert-failures
const assert = require('assert');
for (const f of [() => assert.strictEqual(1, 2), () => assert.equal('a', 'b'), () => assert(0 === 1, 'my text'), () => assert.deepStrictEqual({ a: 1 }, { a: 1 }), () => assert.throws(() => {}), () => assert.throws(() => { throw new TypeError('t'); }, TypeError), () => assert.fail('boom')])
	try { f(); console.log('passed'); } catch (e) { console.log(e.code, e.message); }
//: assert-exit
const assert = require('node:assert');
assert.deepEqual([1, 2], [1, 2]);
assert.notStrictEqual(NaN, 0);
console.log('so far good');
assert.strictEqual([1, 2].length, 3, 'lengths differ');
//: exit-code-later
process.exitCode = 4;
setTimeout(() => console.log('last words'), 5);
//: error-in-exit-handler
process.on('exit', () => { console.log('handler'); process.exitCode = 9; });
console.log('main');
//: shown-in-objects
const e = new Error('inner');
e.stack = 'Error: inner\n    at fake (place)';
console.log({ e }, [e]);
const plain = new RangeError('no stack'); plain.stack = undefined;
console.log(plain.message, `${plain}`);
const named = new Error('x'); named.name = 'Special'; console.log(String(named), named.toString === Error.prototype.toString);
//: validation
function validate(user) {
	const errors = [];
	if (!user.name?.trim()) errors.push('name is required');
	if (!/^\S+@\S+\.\S+$/.test(user.mail ?? '')) errors.push('mail is wrong');
	if (!Number.isInteger(user.age) || user.age < 0) errors.push(`age ${user.age} is no age`);
	if (errors.length) throw Object.assign(new Error(errors.join('; ')), { errors });
	return true;
}
for (const u of [{ name: 'A', mail: 'a@b.c', age: 3 }, { name: ' ', age: -1 }, {}]) try { console.log(validate(u)); } catch (e) { console.log(e.errors.length, e.message); }
