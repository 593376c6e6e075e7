// SPDX-License-Identifier: Apache-2.0
// The ledger, and what Node programs do through the standard library: the calls that the preset `javascript` must have.
'use strict';
const assert = require('assert');
const child = require('child_process');
const crypto = require('crypto');
const dgram = require('dgram');
const fs = require('fs');
const http = require('http');
const net = require('net');
const os = require('os');
const path = require('path');
const util = require('util');
const zlib = require('zlib');
const { Worker } = require('worker_threads');
const { byMonth } = require('../out/ledger.js');

const place = fs.mkdtempSync(path.join(os.tmpdir(), 'ledger-'));
const at = (...names) => path.join(place, ...names);
const tests = {
	'sums by month'() {
		assert.deepStrictEqual(byMonth([{ day: '2024-01-03', item: 'tea', amount: 2 },
			{ day: '2024-01-09', item: 'tea', amount: 3 }]), [['2024-01 tea', 5]]);
	},
	async 'files'() {
		await fs.promises.mkdir(at('a/b'), { recursive: true });
		await fs.promises.writeFile(at('a/f'), 'text');
		await fs.promises.appendFile(at('a/f'), ' more');
		await fs.promises.copyFile(at('a/f'), at('a/b/g'));
		fs.cpSync(at('a'), at('c'), { recursive: true });
		fs.symlinkSync('f', at('a/link'));
		fs.linkSync(at('a/f'), at('a/hard'));
		fs.renameSync(at('a/hard'), at('a/moved'));
		fs.chmodSync(at('a/moved'), 0o600);
		fs.utimesSync(at('a/moved'), 1, 2);
		fs.truncateSync(at('a/moved'), 3);
		fs.accessSync(at('a/moved'), fs.constants.R_OK);
		fs.chownSync(at('a/moved'), process.getuid(), process.getgid());
		const fd = fs.openSync(at('a/moved'), 'r+');
		fs.fsyncSync(fd);
		fs.fdatasyncSync(fd);
		fs.fchmodSync(fd, 0o644);
		fs.futimesSync(fd, 1, 2);
		fs.writevSync(fd, [Buffer.from('x'), Buffer.from('y')]);
		fs.readvSync(fd, [Buffer.alloc(1), Buffer.alloc(1)], 0);
		fs.writeSync(fd, Buffer.from('z'), 0, 1, 2);
		fs.closeSync(fd);
		assert.strictEqual(fs.readFileSync(at('a/moved'), 'utf8'), 'xyz');
		assert.strictEqual(fs.readlinkSync(at('a/link')), 'f');
		assert.strictEqual(fs.realpathSync.native(at('a/link')), fs.realpathSync(at('a/f')));
		assert.ok(fs.statfsSync ? fs.statfsSync(place).bsize > 0 : true);
		assert.deepStrictEqual(fs.readdirSync(at('a')).sort(), ['b', 'f', 'link', 'moved']);
		await fs.promises.rm(at('c'), { recursive: true });
	},
	async 'watching a file'() {
		fs.writeFileSync(at('watched'), '');
		const watcher = fs.watch(at('watched'));
		const seen = new Promise((done) => watcher.once('change', done));
		fs.appendFileSync(at('watched'), 'x');
		await seen;
		watcher.close();
	},
	async 'children'() {
		assert.strictEqual(child.execFileSync('cat', { input: 'through' }).toString(), 'through');
		assert.strictEqual(child.spawnSync('sh', ['-c', 'exit 3']).status, 3);
		const { stdout } = await util.promisify(child.exec)('echo "$VALUE"', { env: { ...process.env, VALUE: 'passed' } });
		assert.strictEqual(stdout, 'passed\n');
		const slow = child.spawn('sleep', ['10'], { detached: true });
		const ended = new Promise((done) => slow.on('exit', (code, signal) => done(signal)));
		slow.kill('SIGTERM');
		assert.strictEqual(await ended, 'SIGTERM');
		const other = child.fork(__filename, ['echo']);
		const answer = new Promise((done) => other.on('message', done));
		other.send('question');
		assert.strictEqual(await answer, 'QUESTION');
		other.disconnect();
	},
	async 'a worker thread'() {
		const worker = new Worker(path.join(__dirname, '../lib/worker.js'), { workerData: [1, 2, 3] });
		assert.strictEqual(await new Promise((done) => worker.on('message', done)), 6);
		await worker.terminate();
	},
	async 'a server'() {
		const server = http.createServer((q, a) => a.end(q.url.toUpperCase())).listen(at('socket'));
		await new Promise((done) => server.on('listening', done));
		const text = await new Promise((done, fail) => http.get({ socketPath: at('socket'), path: '/hello' }, (a) => {
			let all = '';
			a.on('data', (d) => { all += d; }).on('end', () => done(all));
		}).on('error', fail));
		assert.strictEqual(text, '/HELLO');
		server.closeAllConnections();
		await new Promise((done) => server.close(done));
		const echo = net.createServer((c) => c.pipe(c)).listen(0, '127.0.0.1');
		await new Promise((done) => echo.on('listening', done));
		const client = net.connect(echo.address().port, '127.0.0.1').setNoDelay(true).setKeepAlive(true);
		client.end('echo');
		assert.strictEqual((await new Promise((done) => client.on('data', done))).toString(), 'echo');
		await new Promise((done) => echo.close(done));
		const refused = net.connect(1, '127.0.0.1');
		await new Promise((done) => refused.on('error', done));
	},
	async 'datagrams'() {
		const to = dgram.createSocket('udp4').bind(0, '127.0.0.1');
		await new Promise((done) => to.on('listening', done));
		const got = new Promise((done) => to.on('message', (m) => done(m.toString())));
		const from = dgram.createSocket('udp4');
		from.send('x', to.address().port, '127.0.0.1');
		assert.strictEqual(await got, 'x');
		to.close();
		from.close();
	},
	async 'crypto, compression, timers'() {
		const key = await util.promisify(crypto.scrypt)('password', 'salt', 16);
		assert.strictEqual(key.toString('hex'), crypto.scryptSync('password', 'salt', 16).toString('hex'));
		assert.strictEqual(zlib.gunzipSync(zlib.gzipSync('text')).toString(), 'text');
		assert.strictEqual(crypto.randomBytes(8).length, 8);
		await new Promise((done) => setTimeout(done, 5));
		await new Promise((done) => setImmediate(done));
	},
	async 'signals'() {
		const awake = setInterval(() => {}, 1000); // a handler alone does not keep the program running
		const seen = new Promise((done) => process.once('SIGUSR2', done));
		process.kill(process.pid, 'SIGUSR2');
		await seen;
		clearInterval(awake);
	},
	'the system'() {
		assert.ok(os.cpus().length > 0 && os.totalmem() > 0 && os.userInfo().uid === process.getuid());
		assert.ok(process.memoryUsage().rss > 0 && process.cpuUsage().user > 0 && os.uptime() > 0 && os.loadavg());
		assert.ok(process.resourceUsage().maxRSS > 0 && os.networkInterfaces() && process.umask(0o22) >= 0);
		os.setPriority(os.getPriority());
		const before = process.cwd();
		process.chdir(place);
		process.chdir(before);
	},
};

async function main() {
	process.exitCode = 1; // until the last test was run: a loop with nothing to wait for would end it in silence
	for (const [name, run] of Object.entries(tests)) {
		await run();
		console.log('ok', name);
	}
	fs.rmSync(place, { recursive: true });
	console.log(Object.keys(tests).length, 'tests, 0 failed');
	process.exitCode = 0;
}

if (process.argv[2] === 'echo')
	process.on('message', (m) => process.send(m.toUpperCase()));
else
	main().catch((err) => { console.log('FAILED', err); process.exit(1); });
