//: write-and-read
const fs = require('fs');
fs.writeFileSync('a.txt', 'line 1\nline 2\n');
fs.appendFileSync('a.txt', 'line 3\n');
console.log(fs.readFileSync('a.txt', 'utf8').split('\n'), fs.readFileSync('a.txt').length, fs.existsSync('a.txt'), fs.existsSync('b.txt'));
//: directories
const fs = require('fs'), path = require('path');
console.log(path.basename(fs.mkdirSync('x/y/z', { recursive: true })), fs.mkdirSync('x/y', { recursive: true }));
for (const f of ['b.js', 'a.js', 'c.txt']) fs.writeFileSync(path.join('x', f), f);
console.log(fs.readdirSync('x'), fs.readdirSync('x', { withFileTypes: true }).map((e) => [e.name, e.isDirectory(), e.isFile()]), fs.readdirSync('x').filter((f) => path.extname(f) === '.js'));
fs.rmSync('x', { recursive: true });
console.log(fs.existsSync('x'));
//: errors
const fs = require('fs');
fs.mkdirSync('d'); fs.writeFileSync('d/f', '');
for (const f of [() => fs.readFileSync('none'), () => fs.readFileSync('d'), () => fs.mkdirSync('d'), () => fs.rmdirSync('d'), () => fs.unlinkSync('none'), () => fs.readdirSync('d/f'), () => fs.renameSync('none', 'x'), () => fs.writeFileSync('no/such/f', ''), () => fs.statSync('none'), () => fs.accessSync('none'), () => fs.writeFileSync('d/f', 'x', { flag: 'wx' }), () => fs.copyFileSync('none', 'y')])
	try { f(); console.log('fine'); } catch (e) { console.log(e.code, e.syscall, e.errno, e.path, '|', e.message); }
//: stat
const fs = require('fs');
fs.writeFileSync('s.bin', Buffer.alloc(1500, 1));
const s = fs.statSync('s.bin');
console.log(s.size, s.isFile(), s.isDirectory(), s.isSymbolicLink(), s.mtime instanceof Date, typeof s.mtimeMs, fs.statSync('.').isDirectory(), fs.statSync('none', { throwIfNoEntry: false }));
fs.truncateSync('s.bin', 10); console.log(fs.statSync('s.bin').size);
//: rename-copy
const fs = require('fs');
fs.writeFileSync('one', '1'); fs.copyFileSync('one', 'two'); fs.renameSync('one', 'three'); fs.appendFileSync('two', '+');
console.log(fs.readdirSync('.').filter((f) => f.length < 6), fs.readFileSync('two', 'utf8'), fs.readFileSync('three', { encoding: 'utf8' }));
//: callbacks
const fs = require('fs');
fs.writeFile('c.txt', 'data', (err) => { console.log('written', err); fs.readFile('c.txt', 'utf8', (err, text) => { console.log(err, text); fs.unlink('c.txt', () => fs.stat('c.txt', (e) => console.log(e.code))); }); });
console.log('first');
//: promises
const fs = require('fs/promises');
(async () => {
	await fs.mkdir('p'); await Promise.all(['a', 'b'].map((n) => fs.writeFile(`p/${n}`, n.repeat(3))));
	for (const n of await fs.readdir('p')) console.log(n, await fs.readFile(`p/${n}`, 'utf8'), (await fs.stat(`p/${n}`)).size);
	try { await fs.readFile('p/zz'); } catch (e) { console.log(e.code, e.message.includes('p/zz')); }
	await fs.rm('p', { recursive: true, force: true }); await fs.access('p').catch((e) => console.log(e.code));
})();
//: json-store
const fs = require('fs');
const load = () => (fs.existsSync('db.json') ? JSON.parse(fs.readFileSync('db.json')) : { next: 1, items: [] });
const add = (t) => { const db = load(); db.items.push({ id: db.next++, t }); fs.writeFileSync('db.json', JSON.stringify(db, null, 2)); };
add('milk'); add('bread');
console.log(load(), fs.readFileSync('db.json', 'utf8'));
//: descriptors
const fs = require('fs');
const fd = fs.openSync('fd.txt', 'w+');
console.log(fs.writeSync(fd, 'hello world'), fs.writeSync(fd, 'J', 0));
const b = Buffer.alloc(5);
console.log(fs.readSync(fd, b, 0, 5, 0), b.toString(), fs.fstatSync(fd).size);
fs.closeSync(fd);
try { fs.readSync(fd, b); } catch (e) { console.log(e.code); }
//: walk-tree
const fs = require('fs'), path = require('path');
for (const f of ['t/a.md', 't/u/b.md', 't/u/v/c.txt']) { fs.mkdirSync(path.dirname(f), { recursive: true }); fs.writeFileSync(f, f.repeat(2)); }
const walk = (d) => fs.readdirSync(d, { withFileTypes: true }).flatMap((e) => (e.isDirectory() ? walk(path.join(d, e.name)) : path.join(d, e.name)));
console.log(walk('t'), walk('t').reduce((n, f) => n + fs.statSync(f).size, 0), fs.readdirSync('t', { recursive: true }).sort());
//: streams
const fs = require('fs'), { pipeline } = require('stream/promises'), { Transform } = require('stream');
fs.writeFileSync('in.txt', 'some text to shout');
(async () => { await pipeline(fs.createReadStream('in.txt', 'utf8'), new Transform({ transform(c, e, cb) { cb(null, c.toString().toUpperCase()); } }), fs.createWriteStream('out.txt')); console.log(fs.readFileSync('out.txt', 'utf8')); })();
//: read-lines
const fs = require('fs'), readline = require('readline');
fs.writeFileSync('l.txt', 'a=1\nb=2\r\n\nc=3');
(async () => { let n = 0; for await (const line of readline.createInterface({ input: fs.createReadStream('l.txt'), crlfDelay: Infinity })) console.log(++n, JSON.stringify(line)); })();
//: modules
const fs = require('fs');
fs.writeFileSync('util.js', 'exports.twice = (x) => x * 2; exports.name = __filename.split("/").pop(); console.log("loaded once");');
fs.writeFileSync('conf.json', '{"on": true, "list": [1]}'); fs.mkdirSync('pkg'); fs.writeFileSync('pkg/index.js', 'module.exports = class Pkg { constructor() { this.c = require("../conf"); } };');
const u = require('./util'), again = require('./util.js'), Pkg = require('./pkg');
console.log(u === again, u.twice(4), u.name, require('./conf.json').on, new Pkg(), Object.keys(require.cache).length, require.main === module, module.children.length);
//: module-failures
const fs = require('fs');
for (const m of ['./nope', 'left-pad', './bad.json', './throws']) { fs.writeFileSync('bad.json', '{'); fs.writeFileSync('throws.js', 'throw new Error("at load")'); try { require(m); } catch (e) { console.log(e.code, e.name, e.message.split('\n')[0].replace(/\/\S*\//, '')); } }
//: cycles
const fs = require('fs');
fs.writeFileSync('a.js', 'exports.done = false; const b = require("./b"); exports.sawB = b.done; exports.done = true;');
fs.writeFileSync('b.js', 'const a = require("./a"); exports.sawA = a.done; exports.done = true;');
console.log(require('./a'), require('./b'));
//: es-modules
import fs from 'node:fs';
import { join } from 'path';
fs.writeFileSync('m.mjs', 'export const x = 1; export default function hi() { return "hi"; } export { basename as base } from "path";');
fs.writeFileSync('c.cjs', 'exports.k = 2; exports.f = function () { return this.k; };');
const m = await import('./m.mjs'), c = await import('./c.cjs');
console.log(m, m.default(), m.base('/q/w'), c.default.f(), c.k, join('a', 'b'));
//: dynamic-import
const fs = require('fs');
fs.writeFileSync('lib.mjs', 'export let n = 0; export const up = () => ++n;');
import('./lib.mjs').then(async (l) => { l.up(); console.log(l.n, (await import('./lib.mjs')) === l, Object.keys(l)); });
import('./gone.mjs').catch((e) => console.log(e.code));
import('node:os').then((os) => console.log(JSON.stringify(os.EOL)));
//: paths
const path = require('path');
console.log(path.join('/a', '..', 'b', './c.txt'), path.resolve('/a/b', '../c', 'd'), path.normalize('/a//b/../c/.'), path.relative('/a/b/c', '/a/d'), path.dirname('/a/b/c.js'), path.basename('/a/c.js', '.js'), path.extname('x.tar.gz'), path.extname('.bashrc'));
console.log(path.parse('/home/u/file.txt'), path.format({ dir: '/x', name: 'n', ext: '.e' }), path.isAbsolute('a'), path.sep, path.join(''), path.resolve('x') === process.cwd() + '/x');
//: chdir
const fs = require('fs');
fs.mkdirSync('inner'); const before = process.cwd(); process.chdir('inner'); fs.writeFileSync('here', 'x');
console.log(process.cwd() === before + '/inner', fs.existsSync(before + '/inner/here'), fs.readdirSync('..').includes('inner'), __dirname === before);
try { process.chdir('nowhere'); } catch (e) { console.log(e.code, e.syscall); }
//: temp-files
const fs = require('fs'), os = require('os'), path = require('path');
const d = fs.mkdtempSync(path.join(process.cwd(), 'tmp-'));
fs.writeFileSync(path.join(d, 'f'), 'x'); console.log(/tmp-\w{6}$/.test(d), fs.readdirSync(d), typeof os.tmpdir(), os.EOL === '\n', os.platform());
