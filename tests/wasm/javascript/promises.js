//: chain
Promise.resolve(1).then((x) => x + 1).then((x) => { throw new Error(`at ${x}`); }).catch((e) => e.message).finally(() => console.log('finally')).then(console.log);
//: all-kinds
const wait = (ms, v, fail) => new Promise((ok, no) => setTimeout(fail ? no : ok, ms, v));
(async () => {
	console.log(await Promise.all([wait(10, 'a'), 2, wait(5, 'c')]), await Promise.race([wait(500, 'slow'), wait(2, 'fast')]));
	console.log(await Promise.allSettled([wait(1, 'ok'), wait(2, new Error('bad'), true)]).then((r) => r.map((x) => [x.status, x.value ?? x.reason.message])));
	console.log(await Promise.any([wait(3, 'x', true), wait(6, 'y')]));
})();
//: any-fails
Promise.any([Promise.reject(new Error('one')), Promise.reject(new Error('two'))]).catch((e) => console.log(e.constructor.name, e.message, e.errors.map((x) => x.message)));
Promise.any([]).catch((e) => console.log(e.name, e.errors));
//: order-of-things
console.log('1 sync');
setTimeout(() => console.log('6 timeout'), 0);
Promise.resolve().then(() => console.log('4 promise')).then(() => console.log('5 promise'));
process.nextTick(() => console.log('3 tick'));
queueMicrotask(() => console.log('4b micro'));
console.log('2 sync');
//: sequential-and-parallel
const log = [];
const job = (n, ms) => new Promise((r) => setTimeout(() => { log.push(n); r(n * 2); }, ms));
(async () => { const a = []; for (const [n, ms] of [[1, 15], [2, 5]]) a.push(await job(n, ms)); const b = await Promise.all([job(3, 500), job(4, 4)]); console.log(a, b, log); })();
//: shown-promises
const p = new Promise(() => {});
console.log(Promise.resolve(42), p, Promise.resolve({ a: [1] }), (async () => 'x')());
const r = Promise.reject(7); r.catch(() => {});
console.log(r, [Promise.resolve()], { p });
//: retry
let tries = 0;
const flaky = async () => { if (++tries < 3) throw new Error(`try ${tries}`); return `worked at ${tries}`; };
async function retry(f, n) { for (let i = 1; ; i++) try { return await f(); } catch (e) { console.log('failed:', e.message); if (i === n) throw e; } }
retry(flaky, 5).then(console.log);
retry(async () => { throw new Error('always'); }, 2).catch((e) => console.log('gave up', e.message));
//: timeout-race
const timeout = (p, ms) => Promise.race([p, new Promise((_, no) => setTimeout(() => no(new Error(`timeout after ${ms}ms`)), ms))]);
const slow = new Promise((r) => setTimeout(r, 600, 'slow'));
timeout(slow, 10).catch((e) => console.log(e.message)).then(() => slow).then(console.log);
//: unhandled-exit
console.log('before');
Promise.reject(new Error('nobody caught me'));
setTimeout(() => console.log('never'), 50);
//: unhandled-value
process.on('exit', (c) => console.log('exit', c));
Promise.reject('just text');
//: handled-by-process
process.on('unhandledRejection', (reason, p) => console.log('got', reason.message, p instanceof Promise));
Promise.reject(new Error('late'));
setTimeout(() => console.log('goes on'), 5);
//: pool
async function pool(jobs, size) {
	const out = []; let next = 0, active = 0, peak = 0;
	await Promise.all(Array.from({ length: size }, async () => { while (next < jobs.length) { const i = next++; peak = Math.max(peak, ++active); out[i] = await jobs[i](); active--; } }));
	return { out, peak };
}
pool([30, 10, 20, 5].map((ms) => () => new Promise((r) => setTimeout(r, ms, ms))), 2).then(console.log);
//: thenables
const thenable = { then(ok) { console.log('then called'); ok('value'); } };
(async () => { console.log(await thenable, await Promise.resolve(thenable)); })();
new Promise((ok) => { ok('first'); ok('second'); throw new Error('ignored'); }).then(console.log);
//: async-errors
async function a() { null.x; }
async function b() { try { await a(); } catch (e) { throw new Error('wrapped', { cause: e }); } }
b().catch((e) => console.log(e.message, '|', e.cause.message));
(async () => { try { await Promise.reject(new TypeError('t')); } catch ({ name, message }) { console.log(name, message); } finally { console.log('done'); } })();
//: interleaving
const run = async (n) => { for (let i = 0; i < 3; i++) { console.log(n + i); await null; } };
run('a'); run('b').then(() => console.log('b over'));
//: deferred-queue
const queue = [], waiting = [];
const put = (x) => (waiting.length ? waiting.shift()(x) : queue.push(x));
const get = () => (queue.length ? Promise.resolve(queue.shift()) : new Promise((r) => waiting.push(r)));
(async () => { for (;;) { const x = await get(); if (x === null) break; console.log('took', x); } console.log('end'); })();
put(1); put(2); setTimeout(() => { put(3); put(null); }, 3);
//: promisify
const { promisify, callbackify } = require('util');
const div = (a, b, cb) => setImmediate(() => (b ? cb(null, a / b) : cb(new Error('by zero'))));
promisify(div)(8, 2).then(console.log);
promisify(div)(1, 0).catch((e) => console.log(e.message));
callbackify(async (x) => x + 1)(1, (err, v) => console.log(err, v));
//: self-resolution
//! engine: its own words for a promise resolved with itself
const p = new Promise((r) => setTimeout(() => r(p)));
p.catch((e) => console.log(e.name, e.message));
//: bad-executors
try { new Promise(); } catch (e) { console.log(e.message); }
try { new Promise(5); } catch (e) { console.log(e.message); }
//: with-finally-values
Promise.resolve('kept').finally(() => 'lost').then(console.log);
Promise.reject(new Error('old')).finally(() => { throw new Error('new'); }).catch((e) => console.log(e.message));
Promise.all([]).then((v) => console.log('empty', v));
//: top-level-module
import { readFileSync } from 'fs';
const value = await new Promise((r) => setTimeout(r, 5, 'awaited'));
console.log(value, typeof readFileSync, typeof require, import.meta.url.endsWith('snippet.js'));
export default value;
//: await-without-import
const x = await Promise.resolve(20);
console.log(x + 1);
//: await-throws
import path from 'node:path';
console.log(path.basename('/a/b.c'));
await Promise.reject(new Error('module failed'));
