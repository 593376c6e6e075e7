// SPDX-License-Identifier: Apache-2.0
// process, its streams, console and performance. What belongs to one run
// (arguments, environment, clock) is asked of the host when first used.
(function () {
	'use strict';
	const rt = globalThis.__runtime;
	const EventEmitter = rt.EventEmitter;
	const hide = rt.hide;

	let run = null;
	const info = () => run ??= JSON.parse(rt.host('info'));
	rt.info = info;
	let folder = null;
	rt.cwd = () => folder ??= info().cwd;
	// performance.now() of the engine counts from the freezing; the run has its own zero.
	const clock = performance.now.bind(performance);
	let zero = null;
	rt.begin = () => { zero = clock(); };
	rt.sinceStart = () => zero === null ? 0 : clock() - zero + 20;

	const process = new EventEmitter();
	Object.setPrototypeOf(process, Object.create(EventEmitter.prototype, { constructor: { value: { process: function () {} }.process } }));
	const version = 'v20.20.2';
	Object.assign(process, {
		title: 'node', version, versions: { node: version.slice(1), v8: '11.3.244.8-node.38', quickjs: '0.10', modules: '115' }, arch: 'x64', platform: 'linux',
		release: { name: 'node', lts: 'Iron' }, execArgv: [], exitCode: undefined, features: {}, config: { variables: {} }, pid: 1, ppid: 0, debugPort: 9229,
	});
	rt.lazy(process, 'argv', () => [...info().argv]);
	rt.lazy(process, 'argv0', () => 'node');
	rt.lazy(process, 'execPath', () => info().argv[0]);
	rt.lazy(process, 'env', () => new Proxy({ ...info().env }, {
		set: (target, key, value) => Reflect.set(target, key, typeof key === 'symbol' ? value : String(value)),
		defineProperty: (target, key, field) => Reflect.defineProperty(target, key, field),
	}));
	process.cwd = function cwd() { return rt.cwd(); };
	process.chdir = function chdir(path) {
		const to = rt.path.resolve(path);
		const found = rt.host('file.stat', to, true);
		if (typeof found !== 'string' || JSON.parse(found).type !== 'dir') {
			const error = rt.systemError(typeof found === 'string' ? -20 : found, 'chdir', rt.cwd(), path);
			throw error;
		}
		folder = to;
	};

	function leave(code) {
		rt.host('exit', code);
		throw new Error('the host came back from exit');
	}
	let exiting = false;
	const codeOf = (value) => value === undefined || value === null ? 0 : Number(value) & 255;
	rt.exitCode = () => codeOf(process.exitCode);
	rt.runExitHandlers = function () {
		if (exiting) return;
		exiting = true;
		process.emit('exit', process.exitCode ?? 0);
	};
	process.exit = function exit(code) {
		if (code !== undefined) process.exitCode = code;
		rt.runExitHandlers();
		leave(rt.exitCode());
	};
	process.reallyExit = leave;
	process.abort = () => leave(134);
	process.kill = function kill(pid, signal) {
		if (pid !== process.pid) throw rt.systemError(-1, 'kill');
		if (signal === 0) return true;
		leave(128 + ({ SIGINT: 2, SIGKILL: 9, SIGTERM: 15, SIGHUP: 1 }[signal] ?? 15));
	};
	process.uptime = () => rt.sinceStart() / 1000;
	process.hrtime = function hrtime(since) {
		const now = process.hrtime.bigint();
		const pair = [Number(now / 1000000000n), Number(now % 1000000000n)];
		if (!since) return pair;
		const [seconds, rest] = [pair[0] - since[0], pair[1] - since[1]];
		return rest < 0 ? [seconds - 1, rest + 1e9] : [seconds, rest];
	};
	process.hrtime.bigint = () => BigInt(Math.round((clock() + 1e6) * 1e6));
	process.memoryUsage = () => ({ rss: 45000000, heapTotal: 6500000, heapUsed: 5200000, external: 1500000, arrayBuffers: 10500 });
	process.memoryUsage.rss = () => 45000000;
	process.cpuUsage = () => ({ user: Math.round(rt.sinceStart() * 1000), system: 5000 });
	process.resourceUsage = () => ({ userCPUTime: Math.round(rt.sinceStart() * 1000), systemCPUTime: 5000, maxRSS: 45000 });
	process.umask = () => 0o022;
	process.getuid = process.geteuid = process.getgid = process.getegid = () => 0;
	process.emitWarning = function emitWarning(warning, type = 'Warning', code) {
		const name = typeof type === 'object' ? type.type ?? 'Warning' : warning?.name ?? type;
		const text = warning instanceof Error ? warning.message : String(warning);
		const mark = typeof type === 'object' ? type.code : code;
		rt.host('write', 2, `(node:${process.pid}) ${mark ? `[${mark}] ` : ''}${name}: ${text}\n(Use \`node --trace-warnings ...\` to show where the warning was created)\n`);
		process.emit('warning', warning instanceof Error ? warning : Object.assign(new Error(text), { name, code: mark }));
	};
	process.binding = () => { throw new Error('No such module'); };
	process.setUncaughtExceptionCaptureCallback = (callback) => { rt.capture = callback; };
	process.stdin = undefined;
	rt.global('process', process);

	// --- what is written ---

	class Output extends EventEmitter {
		constructor(fd) {
			super();
			hide(this, 'fd', fd);
			this.writable = true;
			this.isTTY = undefined;
			delete this.isTTY;
			this.columns = undefined;
			delete this.columns;
		}
		write(data, encoding, callback) {
			if (typeof data !== 'string' && !(data instanceof Uint8Array))
				throw rt.invalidArgument('chunk', 'of type string or an instance of Buffer, TypedArray, or DataView', data);
			const text = typeof data === 'string' && typeof encoding === 'string' && !/^utf-?8$/i.test(encoding) ? rt.encode(data, encoding) : data;
			rt.host('write', this.fd, typeof text === 'string' ? text : text.slice().buffer);
			const done = typeof encoding === 'function' ? encoding : callback;
			if (typeof done === 'function') process.nextTick(done);
			return true;
		}
		end(data, encoding, callback) {
			if (data !== undefined && typeof data !== 'function') this.write(data, encoding);
			const done = [data, encoding, callback].find((value) => typeof value === 'function');
			if (done) process.nextTick(done);
			return this;
		}
		cork() {}
		uncork() {}
		getColorDepth() { return 1; }
		hasColors() { return false; }
		get writableLength() { return 0; }
		get writableHighWaterMark() { return 16384; }
	}
	Object.defineProperty(process, 'stdout', { value: new Output(1), enumerable: true, configurable: true });
	Object.defineProperty(process, 'stderr', { value: new Output(2), enumerable: true, configurable: true });

	// --- what is read: one part per round of the event loop, once somebody listens ---

	class Input extends EventEmitter {
		#started = false; #ended = false; #encoding = null; #decoder = null; #ready = []; #reads = false; #paused = false;
		fd = 0;
		readable = true;
		isRaw = false;
		setEncoding(name) {
			this.#encoding = name ?? 'utf8';
			this.#decoder = new rt.stringDecoder.StringDecoder(this.#encoding);
			return this;
		}
		on(name, listener) {
			super.on(name, listener);
			if (name === 'data') this.resume();
			if (name === 'readable') { this.#reads = true; this.#start(); }
			return this;
		}
		addListener(name, listener) { return this.on(name, listener); }
		once(name, listener) {
			super.once(name, listener);
			if (name === 'data') this.resume();
			if (name === 'readable') { this.#reads = true; this.#start(); }
			return this;
		}
		resume() { this.#paused = false; this.#start(); return this; }
		pause() { this.#paused = true; return this; }
		isPaused() { return this.#paused; }
		ref() { return this; }
		unref() { this.#paused = true; return this; }
		setRawMode() { return this; }
		destroy() { this.#ended = true; return this; }
		read() {
			const part = this.#ready.shift();
			return part === undefined ? null : part;
		}
		_part() {
			const bytes = rt.host('read', 0, 65536);
			if (typeof bytes === 'number' || bytes.byteLength === 0) {
				const rest = this.#decoder?.end();
				return rest || null;
			}
			const buffer = Buffer.from(bytes);
			return this.#decoder ? this.#decoder.write(buffer) : buffer;
		}
		#start() {
			if (this.#started || this.#ended) return;
			this.#started = true;
			rt.finish(() => this.#step());
		}
		#step() {
			this.#started = false;
			if (this.#paused || this.#ended) return;
			const part = this._part();
			if (part === null) {
				this.#ended = true;
				this.readable = false;
				if (this.#reads) this.emit('readable');
				this.emit('end');
				this.emit('close');
				return;
			}
			if (this.#reads) {
				this.#ready.push(part);
				this.emit('readable');
			} else this.emit('data', part);
			this.#start();
		}
		async *[Symbol.asyncIterator]() {
			for (;;) {
				await new Promise((resolve) => rt.finish(resolve));
				const part = this.#ended ? null : this._part();
				if (part === null) {
					this.#ended = true;
					return;
				}
				yield part;
			}
		}
		pipe(target, options) {
			this.on('data', (part) => target.write(part));
			if (target !== process.stdout && target !== process.stderr && options?.end !== false) this.on('end', () => target.end());
			return target;
		}
	}
	delete process.stdin;
	rt.lazy(process, 'stdin', () => new Input());

	// --- console ---

	const plainText = (args) => {
		if (args.length === 1) {
			const only = args[0];
			if (typeof only === 'string') return only;
		}
		return rt.format(...args);
	};
	const counts = new Map(), timers = new Map();
	let indent = '';
	function print(fd, args) {
		let text = plainText(args);
		if (indent) text = indent + text.replaceAll('\n', `\n${indent}`);
		// What a program puts in the place of process.stdout.write sees console.log too.
		(fd === 1 ? process.stdout : process.stderr).write(`${text}\n`);
	}
	function duration(ms) {
		if (ms >= 3600000) return `${Math.floor(ms / 3600000)}:${String(Math.floor(ms / 60000) % 60).padStart(2, '0')}:${String(Math.floor(ms / 1000) % 60).padStart(2, '0')} (h:mm:ss)`;
		if (ms >= 60000) return `${Math.floor(ms / 60000)}:${(ms / 1000 % 60).toFixed(3).padStart(6, '0')} (m:ss.mmm)`;
		return ms >= 1000 ? `${(ms / 1000).toFixed(3)}s` : `${Number(ms.toFixed(3))}ms`;
	}
	function table(data, columns) {
		if (data === null || typeof data !== 'object') return console.log(data);
		const show = (value) => rt.inspect(value, { maxArrayLength: 3, breakLength: Infinity, depth: value !== null && typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length > 2 ? -1 : 0 });
		const isMap = rt.types.isMap(data), isSet = rt.types.isSet(data);
		const first = isMap || isSet ? '(iteration index)' : '(index)';
		const rows = isMap ? [...data].map(([key, value], index) => [index, value, key]) : isSet ? [...data].map((value, index) => [index, value]) : Object.keys(data).map((key) => [key, data[key]]);
		const fields = columns ? [...columns] : [];
		let values = false;
		for (const [, row] of rows) {
			if (row !== null && (typeof row === 'object' || typeof row === 'function') && !isMap) {
				if (!columns) for (const key of Object.keys(row)) if (!fields.includes(key)) fields.push(key);
			} else values = true;
		}
		const head = [first, ...(isMap ? ['Key'] : []), ...(isMap ? [] : fields), ...(values || isMap ? ['Values'] : [])];
		const body = rows.map(([index, row, key]) => {
			const isObject = row !== null && typeof row === 'object' && !isMap;
			return [String(index), ...(isMap ? [show(key)] : fields.map((field) => isObject && Object.hasOwn(row, field) ? show(row[field]) : '')), ...(values || isMap ? [isObject ? '' : show(row)] : [])];
		});
		const width = (text) => { let size = 0; for (const letter of rt.stripVTControlCharacters(text)) size += /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u.test(letter) ? 2 : 1; return size; };
		const widths = head.map((name, index) => Math.max(...[name, ...body.map((row) => row[index])].map(width)) + 2);
		const filled = (text, index) => ` ${text}${' '.repeat(widths[index] - width(text) - 1)}`;
		const rule = (left, middle, right) => left + widths.map((size) => '─'.repeat(size)).join(middle) + right;
		const line = (row) => `│${row.map(filled).join('│')}│`;
		print(1, ['%s', [rule('┌', '┬', '┐'), line(head), rule('├', '┼', '┤'), ...body.map(line), rule('└', '┴', '┘')].join('\n')]);
	}
	const console = {
		log(...args) { print(1, args); },
		warn(...args) { print(2, args); },
		dir(value, options) { print(1, ['%s', rt.inspect(value, { customInspect: false, ...options })]); },
		time(label = 'default') {
			if (timers.has(`${label}`)) return process.emitWarning(`Label '${label}' already exists for console.time()`);
			timers.set(`${label}`, clock());
		},
		timeEnd(label = 'default') {
			if (!timers.has(`${label}`)) return process.emitWarning(`No such label '${label}' for console.timeEnd()`);
			console.log(`${label}: ${duration(clock() - timers.get(`${label}`))}`);
			timers.delete(`${label}`);
		},
		timeLog(label = 'default', ...data) {
			if (!timers.has(`${label}`)) return process.emitWarning(`No such label '${label}' for console.timeLog()`);
			console.log(`${label}: ${duration(clock() - timers.get(`${label}`))}`, ...data);
		},
		trace(...args) {
			const at = { name: 'Trace', message: args.length ? rt.format(...args) : '' };
			Error.captureStackTrace(at, console.trace);
			print(2, ['%s', `Trace${at.message ? `: ${at.message}` : ''}\n${at.stack.replace(/^(?! {4}at).*\n?/gm, '')}`]);
		},
		assert(condition, ...args) {
			if (condition) return;
			if (typeof args[0] === 'string') args[0] = `Assertion failed: ${args[0]}`;
			else args.unshift('Assertion failed' + (args.length ? ':' : ''));
			console.warn(...args);
		},
		clear() {},
		count(label = 'default') {
			const count = (counts.get(`${label}`) ?? 0) + 1;
			counts.set(`${label}`, count);
			console.log(`${label}: ${count}`);
		},
		countReset(label = 'default') { counts.delete(`${label}`); },
		group(...args) {
			if (args.length) console.log(...args);
			indent += '  ';
		},
		groupEnd() { indent = indent.slice(2); },
		table,
		debug(...args) { print(1, args); },
		info(...args) { print(1, args); },
		dirxml(...args) { print(1, args); },
		error(...args) { print(2, args); },
	};
	console.groupCollapsed = console.group;
	hide(console, 'Console', function Console() { return console; });
	Object.defineProperty(console, Symbol.toStringTag, { value: 'console', configurable: true });
	rt.global('console', console);

	// --- performance ---

	const entries = [];
	class PerformanceEntry {
		constructor(name, entryType, startTime, duration, detail) { Object.assign(this, { name, entryType, startTime, duration, detail: detail ?? null }); }
		toJSON() { return { ...this }; }
	}
	const find = (mark) => typeof mark === 'number' ? mark : entries.findLast((entry) => entry.name === mark)?.startTime;
	const ours = {
		now: () => rt.sinceStart(),
		mark(name, options) {
			const entry = new PerformanceEntry(name, 'mark', options?.startTime ?? ours.now(), 0, options?.detail);
			entries.push(entry);
			return entry;
		},
		measure(name, from, to) {
			const o = from !== null && typeof from === 'object' ? from : { start: from, end: to };
			const start = o.start === undefined ? 0 : find(o.start);
			if (start === undefined) throw new DOMException(`The "${o.start}" performance mark has not been set`, 'SyntaxError');
			const end = o.end === undefined ? ours.now() : find(o.end);
			const entry = new PerformanceEntry(name, 'measure', start, end - start, o.detail);
			entries.push(entry);
			return entry;
		},
		getEntries: () => [...entries],
		getEntriesByName: (name, type) => entries.filter((entry) => entry.name === name && (!type || entry.entryType === type)),
		getEntriesByType: (type) => entries.filter((entry) => entry.entryType === type),
		clearMarks(name) { clear('mark', name); },
		clearMeasures(name) { clear('measure', name); },
		eventLoopUtilization: () => ({ idle: 0, active: 0, utilization: 0 }),
		timerify: (callback) => callback,
		toJSON: () => ({ timeOrigin: ours.timeOrigin }),
	};
	function clear(type, name) {
		for (let i = entries.length - 1; i >= 0; i--) if (entries[i].entryType === type && (name === undefined || entries[i].name === name)) entries.splice(i, 1);
	}
	rt.lazy(ours, 'timeOrigin', () => Date.now() - rt.sinceStart());
	rt.global('performance', ours);
	rt.perfHooks = { performance: ours, PerformanceEntry, PerformanceObserver: class PerformanceObserver { observe() {} disconnect() {} }, monitorEventLoopDelay: () => ({ enable() {}, disable() {}, min: 0, max: 0, mean: 0 }) };
})();
