//: identity
console.log(process.platform, process.version.startsWith('v20'), typeof process.pid, process.argv.length, process.argv[1].endsWith('snippet.js'), process.argv.slice(2), typeof process.versions.v8, process.title, process.arch);
//: environment
process.env.MY_VAR = 5; process.env.GONE = 'x'; delete process.env.GONE;
console.log(process.env.MY_VAR, typeof process.env.MY_VAR, process.env.GONE, 'MY_VAR' in process.env, typeof process.env.HOME, Object.keys(process.env).includes('MY_VAR'));
//: exit-handlers
process.on('exit', (c) => { console.log('one', c); setTimeout(() => console.log('never')); });
process.once('beforeExit', () => console.log('before exit'));
process.exitCode = 2;
//: exit-now
process.on('exit', (c) => console.log('leaving', c));
setTimeout(() => console.log('never'), 10);
process.exit(5);
//: exit-twice
process.on('exit', () => process.exit(7));
process.exit(3);
//: stdout-write
process.stdout.write('no newline,'); process.stdout.write(' then one\n');
console.log(process.stdout.write(Buffer.from('bytes\n')), process.stdout.isTTY, process.stdout.columns);
process.stdout.write('done\n', () => console.log('callback'));
try { process.stdout.write(5); } catch (e) { console.log(e.code, e.message); }
//: stdin-empty
const all = require('fs').readFileSync(0, 'utf8');
console.log(JSON.stringify(all));
//: stdin-events
let text = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (d) => (text += d)).on('end', () => console.log('end', text.length));
//: stdin-iterator
(async () => { const parts = []; for await (const p of process.stdin) parts.push(p); console.log(parts.length, Buffer.concat(parts).length); })();
//: readline-empty
const rl = require('readline').createInterface({ input: process.stdin });
const lines = [];
rl.on('line', (l) => lines.push(l)); rl.on('close', () => console.log('closed', lines));
//: readline-loop
const readline = require('readline');
(async () => { let n = 0; for await (const line of readline.createInterface({ input: process.stdin })) n += Number(line); console.log('sum', n); })();
//: memory-and-time
const m = process.memoryUsage(), t = process.hrtime();
console.log(Object.keys(m).sort(), m.heapUsed > 0, t.length, process.hrtime(t)[0], typeof process.hrtime.bigint(), process.uptime() > 0, typeof performance.now(), process.cpuUsage().user > 0);
//: process-events
process.on('custom', (a, b) => console.log(a, b)); process.emit('custom', 1, 2);
console.log(process.listenerCount('custom'), process.emit('nobody'), typeof process.nextTick, process.eventNames().includes('custom'));
//: next-tick-args
process.nextTick((a, b) => console.log('tick', a + b), 1, 2); console.log('sync');
//: console-kinds
console.log('%s is %d years and %i, %f', 'Bob', 42.5, 42.9, '1.5', 'extra', { a: 1 });
console.log('%j %o %O %% %c styled', { a: [1] }, [1, { b: 2 }], { c: { d: {} } }, 'color: red', 'end'); console.log('%s %s', 'only one'); console.log('%s', null, undefined, 5n, Symbol('q'), -0, {}, [], () => 1); console.log('100%', 5); console.log('%d', '0x10', '%d'); console.log();
console.info('info'); console.debug('debug'); console.error('to stderr'); console.warn('to stderr');
//: console-groups
console.group('outer'); console.log('in'); console.group(); console.log('deeper\ntwo lines', { a: 1 }); console.groupEnd(); console.log('back'); console.groupEnd(); console.log('out'); console.count(); console.count('x'); console.count(); console.countReset(); console.count(); console.assert(1 === 1, 'not shown'); console.assert(false, 'to stderr'); console.dir({ a: { b: { c: { d: 1 } } } }, { depth: 0 });
//: console-table
console.table([{ a: 1, b: 'x' }, { a: 2, c: true }]); console.table([[1, 2], [3, 4]]); console.table({ r1: { v: 1 }, r2: { v: 2 } }); console.table([1, 'two', null]); console.table([{ a: 1, b: 2 }], ['b']); console.table('text'); console.table(new Map([['k', 1]])); console.table(new Set(['s'])); console.table([{ name: '日本', o: { x: 1 } }]); console.table([]);
//: globals
console.log(typeof global, global === globalThis, typeof window, typeof require, typeof module, typeof exports, typeof __filename, typeof structuredClone, typeof fetch, typeof AbortController, typeof Intl, typeof navigator === 'undefined' || true);
globalThis.shared = 1; console.log(shared, delete globalThis.shared, typeof shared); var top = 2; console.log(globalThis.top);
//: url
const u = new URL('https://user:pw@example.com:8080/a/b/../c?x=1&y=two%20words#frag');
console.log(u.href, u.host, u.port, u.pathname, u.search, u.hash, u.origin, u.searchParams.get('y'), [...u.searchParams]); u.searchParams.append('z', 'é&'); u.pathname = '/new path'; u.port = '443'; console.log(String(u), new URL('../up?q', 'http://h/a/b/c').href, URL.canParse('x:'), new URLSearchParams({ a: 1, b: 'c d' }).toString()); console.log(u, new URLSearchParams('a=1&a=2&b'));
try { new URL('bad'); } catch (e) { console.log(e.code, e.name, e.message, e.input); }
//: uncaught-in-promise-exit
process.on('exit', (c) => console.log('code', c)); (async () => { await null; throw new RangeError('async boom'); })();
//: uncaught-monitor
process.on('uncaughtException', (e) => { console.log('caught', e.message); process.exitCode = 6; }); setTimeout(() => console.log('later'), 5); throw new Error('top');
//: querystring-and-stringdecoder
const qs = require('querystring'), { StringDecoder } = require('string_decoder'); console.log(qs.parse('a=1&b=2&a=3&c=%20x+y'), qs.stringify({ a: [1, 2], b: 'x y', c: '' })); const d = new StringDecoder('utf8'); console.log(d.write(Buffer.from([0xe2, 0x82])) + d.write(Buffer.from([0xac])) + d.end());
