//: order-by-delay
for (const ms of [900, 300, 600, 1]) setTimeout(console.log, ms, `after ${ms}`);
console.log('start');
//: interval-counts
let n = 0;
const id = setInterval(() => { console.log('tick', ++n); if (n === 3) { clearInterval(id); console.log('stopped'); } }, 5);
//: clear
const a = setTimeout(() => console.log('never'), 5);
const b = setImmediate(() => console.log('never either'));
clearTimeout(a); clearImmediate(b); clearTimeout(undefined); clearTimeout(null);
setTimeout(() => console.log('end'), 10);
//: immediates-in-order
setImmediate(() => { console.log('i1'); process.nextTick(() => console.log('tick in i1')); Promise.resolve().then(() => console.log('promise in i1')); });
setImmediate(() => { console.log('i2'); setImmediate(() => console.log('i3')); });
//: nested-timeouts
const steps = [];
setTimeout(() => { steps.push('a'); setTimeout(() => { steps.push('b'); setTimeout(() => console.log(steps.concat('c')), 2); }, 2); }, 2);
//: debounce
const debounce = (f, ms) => { let t; return (...a) => { clearTimeout(t); t = setTimeout(f, ms, ...a); }; };
const save = debounce((x) => console.log('saved', x), 400);
save(1); save(2); setTimeout(() => save(3), 5); setTimeout(() => save(4), 1200);
//: throttle
const throttle = (f, ms) => { let busy = false; return (...a) => { if (busy) return; busy = true; f(...a); setTimeout(() => (busy = false), ms); }; };
const t = throttle((x) => console.log('call', x), 400);
t(1); t(2); setTimeout(() => t(3), 10); setTimeout(() => t(4), 900);
//: unref-does-not-hold
setTimeout(() => console.log('not printed'), 5000).unref();
const held = setTimeout(() => console.log('printed'), 5);
console.log(held.hasRef(), typeof held, typeof held[Symbol.toPrimitive]());
//: promises-timers
const { setTimeout: sleep, setImmediate: soon } = require('timers/promises');
(async () => { console.log(await sleep(5, 'value'), await soon('now')); const t = Date.now(); await sleep(30); console.log(Date.now() - t >= 28); })();
//: abort-timer
const { setTimeout: sleep } = require('node:timers/promises');
const c = new AbortController();
sleep(10000, null, { signal: c.signal }).catch((e) => console.log(e.name, e.code, e.message));
setTimeout(() => c.abort(), 5);
//: same-delay-keeps-order
for (let i = 0; i < 5; i++) setTimeout(() => console.log(i), 7);
for (var j = 0; j < 3; j++) setTimeout(() => console.log('var', j), 9);
//: bad-callback
try { setTimeout('code', 1); } catch (e) { console.log(e.code, e.name, e.message); }
try { setInterval(); } catch (e) { console.log(e.code); }
try { process.nextTick(5); } catch (e) { console.log(e.message); }
//: throw-in-timer
process.on('exit', (code) => console.log('leaving with', code));
setTimeout(() => { throw new Error('in timer'); }, 2);
setTimeout(() => console.log('never'), 20);
//: uncaught-handler
process.on('uncaughtException', (e, origin) => console.log('handled', e.message, origin));
setTimeout(() => { throw new Error('first'); }, 1);
setTimeout(() => { throw new Error('second'); }, 3);
setTimeout(() => console.log('still here'), 10);
//: scheduler
const tasks = [];
const every = (ms, name, times) => { let left = times; const id = setInterval(() => { tasks.push(name); if (--left === 0) clearInterval(id); }, ms); };
every(10, 'A', 3); every(24, 'B', 2);
setTimeout(() => console.log(tasks.filter((x) => x === 'A').length, tasks.filter((x) => x === 'B').length, tasks[0]), 900);
//: elapsed
const start = process.hrtime.bigint(), p = performance.now();
setTimeout(() => { const ms = Number(process.hrtime.bigint() - start) / 1e6; console.log(ms >= 19 && ms < 500, performance.now() - p >= 19, typeof process.uptime()); }, 20);
//: ticks-before-promises
Promise.resolve().then(() => { console.log('p1'); process.nextTick(() => console.log('t2')); }).then(() => console.log('p2'));
process.nextTick(() => { console.log('t1'); Promise.resolve().then(() => console.log('p3')); process.nextTick(console.log, 't1b', 1); });
//: refresh
const t = setTimeout(() => console.log('fired once'), 20);
setTimeout(() => t.refresh(), 10);
//: event-loop-phases
const fs = require('fs');
fs.readFile(__filename, () => { setTimeout(() => console.log('timeout'), 0); setImmediate(() => console.log('immediate')); process.nextTick(() => console.log('tick')); });
//: microtask-starves-timer
let n = 0;
setTimeout(() => console.log('timer after', n), 0);
const spin = () => { if (++n < 1000) queueMicrotask(spin); };
spin();
//: atomics-sleep
const t = Date.now();
console.log(Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 25), Date.now() - t >= 24);
