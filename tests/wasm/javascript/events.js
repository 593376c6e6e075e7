//: emitter
const EventEmitter = require('events');
const e = new EventEmitter();
e.on('x', (...a) => console.log('on', a)); e.once('x', () => console.log('once')); e.prependListener('x', () => console.log('first'));
console.log(e.emit('x', 1, 2), e.emit('x'), e.emit('y'), e.listenerCount('x'), e.eventNames());
//: subclass
const { EventEmitter } = require('node:events');
class Timer extends EventEmitter { constructor(n) { super(); this.n = n; } run() { for (let i = 1; i <= this.n; i++) this.emit('tick', i); this.emit('done'); return this; } }
new Timer(2).on('tick', (i) => console.log('tick', i)).on('done', function () { console.log('done', this instanceof Timer); }).run();
//: error-event
const E = require('events'); const e = new E();
try { e.emit('error', new Error('unheard')); } catch (x) { console.log(x.message); } try { e.emit('error', 'text'); } catch (x) { console.log(x.code, x.message); } e.on('error', (x) => console.log('heard', x.message)); e.emit('error', new Error('now'));
//: removing
const E = require('events'); const e = new E(); const f = () => console.log('f'); e.on('a', f); e.on('a', f); e.off('a', f); e.emit('a'); e.on('removeListener', (n) => console.log('removed', n)); e.removeListener('a', f); e.emit('a'); e.on('b', f).removeAllListeners('b'); console.log(e.listeners('a'), e.rawListeners('b'));
try { e.on('x', 5); } catch (x) { console.log(x.code, x.message); }
//: once-promise
const { once, EventEmitter, on } = require('events'); const e = new EventEmitter();
(async () => { setTimeout(() => e.emit('ready', 1, 2), 2); console.log(await once(e, 'ready')); setTimeout(() => e.emit('error', new Error('bad')), 2); try { await once(e, 'ready'); } catch (x) { console.log(x.message); } setTimeout(() => { e.emit('n', 1); e.emit('n', 2); }, 2); for await (const [v] of on(e, 'n')) { console.log(v); if (v === 2) break; } console.log(e.listenerCount('n')); })();
//: event-target
const t = new EventTarget(); t.addEventListener('hi', (e) => { console.log(e.type, e.detail, e.target === t); e.preventDefault(); }); t.addEventListener('hi', { handleEvent(e) { console.log('object', e.defaultPrevented); } }, { once: true });
console.log(t.dispatchEvent(new CustomEvent('hi', { detail: 7, cancelable: true })), t.dispatchEvent(new Event('hi')));
//: abort
const c = new AbortController(); c.signal.addEventListener('abort', () => console.log('aborted', c.signal.reason.name)); console.log(c.signal.aborted); c.abort(); c.abort(); console.log(c.signal.aborted, AbortSignal.abort('why').reason); try { c.signal.throwIfAborted(); } catch (e) { console.log(e.name, e.message); }
AbortSignal.timeout(5).addEventListener('abort', function () { console.log(this.reason.name); }); setTimeout(() => {}, 15);
//: streams
const { Readable, Writable, Transform, pipeline } = require('stream'); const got = [];
pipeline(Readable.from(['a', 'b', 'c']), new Transform({ objectMode: true, transform(x, e, cb) { cb(null, x + x); } }), new Writable({ objectMode: true, write(x, e, cb) { got.push(x); cb(); } }), (err) => console.log(err, got));
//: readable-kinds
const { Readable } = require('stream'); (async () => { const out = []; for await (const x of Readable.from([1, 2, 3])) out.push(x); console.log(out, await Readable.from([1, 2, 3, 4]).filter((x) => x % 2).map((x) => x * 10).toArray()); let n = 0; const r = new Readable({ read() { this.push(n < 3 ? String(n++) : null); } }); r.setEncoding('utf8'); let t = ''; r.on('data', (d) => (t += d)); r.on('end', () => console.log(t)); })();
//: writable-order
const { Writable } = require('stream'); const w = new Writable({ write(c, e, cb) { console.log('write', c.toString()); setImmediate(cb); }, final(cb) { console.log('final'); cb(); } }); w.on('finish', () => console.log('finish')).on('close', () => console.log('close')); w.write('a', () => console.log('a done')); w.end('b');
//: stream-errors
const { Readable, pipeline } = require('stream'); const r = new Readable({ read() { this.destroy(new Error('broken')); } }); r.on('error', (e) => console.log('error', e.message)).on('close', () => console.log('close')); r.resume();
//: util-helpers
const util = require('util'); console.log(util.isDeepStrictEqual({ a: [1, new Set([2])] }, { a: [1, new Set([2])] }), util.format('%s=%d', 'x', 1, 'y'), util.types.isRegExp(/x/), util.inspect('str'), util.inspect({ a: 1, b: [1, 2] }, { compact: false }), util.inspect({ b: 1, a: 2 }, { sorted: true, breakLength: 5 }), util.inspect(new Map([[1, { a: { b: { c: 1 } } }]]), { depth: 0 }), util.inspect({ a: 'x' }, { colors: true }), util.inspect([1, 2, 3], { maxArrayLength: 1 }), util.inspect('a'.repeat(20), { maxStringLength: 5 }));
function Old() {} util.inherits(Old, require('events')); console.log(new Old() instanceof require('events'), Old.super_.name, util.stripVTControlCharacters('\u001b[31mred\u001b[0m'), util.styleText('red', 'x') === '\u001b[31mx\u001b[39m');
//: parse-args
const { parseArgs } = require('util'); console.log(parseArgs({ args: ['-f', '--bar', 'b', 'pos'], options: { foo: { type: 'boolean', short: 'f' }, bar: { type: 'string' } }, allowPositionals: true })); try { parseArgs({ args: ['--nope'], options: {} }); } catch (e) { console.log(e.code, e.message); }
//: async-local-storage
const { AsyncLocalStorage } = require('async_hooks'); const s = new AsyncLocalStorage(); console.log(s.run({ id: 1 }, () => s.getStore().id), s.getStore());
