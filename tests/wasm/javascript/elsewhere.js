//: spawn
//! needs child_process
console.log(require('child_process').execSync('echo hi').toString());
//: exec-async
//! needs child_process
require('child_process').exec('exit 3', (e) => console.log('code', e.code));
//: fork-list
//! needs child_process
const { spawnSync } = require('node:child_process');
const r = spawnSync('sh', ['-c', 'ls -a | wc -l']); console.log(r.status, Number(r.stdout) > 0);
//: exec-file
//! needs child_process
import { execFileSync } from 'child_process';
console.log(execFileSync('printf', ['%s', 'x'], { encoding: 'utf8' }));
//: http-server
//! needs http
const s = require('http').createServer((q, r) => r.end('hello')).listen(0, () => { require('http').get({ port: s.address().port }, (r) => r.on('data', (d) => { console.log(String(d)); s.close(); })); });
//: http-status-codes
//! needs http
console.log(require('http').STATUS_CODES[404]);
//: https-agent
//! needs http
console.log(typeof require('https').request);
//: tcp-echo
//! needs net
const s = require('net').createServer((c) => c.pipe(c)).listen(0, () => { const c = require('net').connect(s.address().port, () => c.write('ping')); c.on('data', (d) => { console.log(String(d)); c.destroy(); s.close(); }); });
//: is-ip
//! needs net
console.log(require('net').isIP('::1'), require('net').isIPv4('1.2.3.4'));
//: dns-lookup
//! needs dns
require('dns').lookup('localhost', (e, a) => console.log(e, typeof a));
//: fetch-data-url
//! needs fetch
fetch('data:text/plain,hello').then((r) => r.text()).then(console.log);
//: fetch-response
//! needs fetch
new Response('{"a":1}').json().then(console.log);
//: worker
//! needs worker_threads
const { Worker } = require('worker_threads'); new Worker('require("worker_threads").parentPort.postMessage(6 * 7)', { eval: true }).on('message', console.log);
//: is-main-thread
//! needs worker_threads
console.log(require('worker_threads').isMainThread);
//: message-channel
//! needs worker_threads
const { port1, port2 } = new MessageChannel(); port2.on('message', (m) => { console.log(m); port1.close(); }); port1.postMessage({ a: 1 });
//: cluster-primary
//! needs cluster
console.log(require('cluster').isPrimary);
//: gzip
//! needs zlib
const z = require('zlib'); console.log(z.gunzipSync(z.gzipSync('hello')).toString());
//: crc-of-deflate
//! needs zlib
console.log(require('zlib').deflateSync(Buffer.alloc(1000)).length < 100);
//: cipher
//! needs native crypto (ciphers, keys)
const c = require('crypto'), k = Buffer.alloc(32, 1), iv = Buffer.alloc(16, 2); const e = c.createCipheriv('aes-256-cbc', k, iv); console.log(e.update('secret', 'utf8', 'hex') + e.final('hex'));
//: key-pair
//! needs native crypto (ciphers, keys)
const { privateKey } = require('crypto').generateKeyPairSync('ec', { namedCurve: 'P-256' }); console.log(privateKey.type);
//: german-collation
//! Intl beyond English
console.log(['z', 'ä', 'a'].sort(new Intl.Collator('sv').compare));
//: long-month-in-french
//! Intl beyond English
console.log(new Date(0).toLocaleDateString('fr-FR', { month: 'long', day: 'numeric', timeZone: 'UTC' }));
//: turkish-case
//! Intl beyond English
console.log('I'.toLocaleLowerCase('tr'), 'i'.toLocaleUpperCase('tr'));
//: display-names
//! Intl beyond English
console.log(new Intl.DisplayNames('en', { type: 'region' }).of('DE'));
//: stack-printed
//! prints the frames of node itself
console.log(new Error('shown with its stack'));
//: engine-words
//! engine: its own words for a syntax error
try { eval('foo bar'); } catch (e) { console.log(e.message); }
//: wasm-inside
//! needs WebAssembly
console.log(WebAssembly.validate(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])));
//: newer-than-node-20
//! engine: newer than node 20
console.log(typeof Iterator, typeof Array.fromAsync);
