// SPDX-License-Identifier: Apache-2.0
// require and import: the modules of Node that are here, relative files, JSON
// and packages in node_modules; for the rest an error says why it cannot run.
(function () {
	'use strict';
	const rt = globalThis.__runtime;
	const path = rt.path;

	const os = {
		EOL: '\n', devNull: '/dev/null', arch: () => 'x64', platform: () => 'linux', type: () => 'Linux', release: () => '6.1.0', version: () => '#1 SMP', machine: () => 'x86_64',
		hostname: () => 'aisbx', homedir: () => rt.info().env.HOME || '/root', tmpdir: () => (rt.info().env.TMPDIR || '/tmp').replace(/(?<=.)\/$/, ''), endianness: () => 'LE',
		cpus: () => [{ model: 'WebAssembly', speed: 0, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } }], availableParallelism: () => 1, totalmem: () => 4294967296, freemem: () => 2147483648,
		loadavg: () => [0, 0, 0], uptime: () => Math.floor(rt.sinceStart() / 1000) + 100, networkInterfaces: () => ({}), userInfo: () => ({ uid: 0, gid: 0, username: 'root', homedir: os.homedir(), shell: '/bin/sh' }),
		constants: { signals: { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGKILL: 9, SIGTERM: 15 }, errno: {} },
	};
	class AsyncLocalStorage {
		#store;
		run(store, callback, ...args) {
			const old = this.#store;
			this.#store = store;
			try {
				return callback(...args);
			} finally {
				this.#store = old;
			}
		}
		enterWith(store) { this.#store = store; }
		getStore() { return this.#store; }
	}
	const builtins = {
		assert: () => rt.assert, 'assert/strict': () => rt.assert.strict, buffer: () => ({ Buffer, atob, btoa, kMaxLength: 2 ** 32, constants: { MAX_LENGTH: 2 ** 32, MAX_STRING_LENGTH: 2 ** 30 - 25 } }),
		console: () => console, constants: () => rt.fs.constants, crypto: () => rt.crypto, events: () => rt.EventEmitter, fs: () => rt.fs, 'fs/promises': () => rt.fs.promises,
		module: () => Module, os: () => os, path: () => path, 'path/posix': () => path, perf_hooks: () => rt.perfHooks, process: () => globalThis.process, punycode: () => ({ toASCII: rt.url.domainToASCII }),
		querystring: () => rt.querystring, readline: () => rt.readline, 'readline/promises': () => rt.readlinePromises, stream: () => rt.stream, 'stream/promises': () => rt.stream.promises,
		'stream/consumers': () => rt.streamConsumers, string_decoder: () => rt.stringDecoder, sys: () => rt.util, timers: () => rt.timers, 'timers/promises': () => rt.timersPromises,
		tty: () => ({ isatty: () => false }), url: () => rt.url, util: () => rt.util, 'util/types': () => rt.types,
		async_hooks: () => ({ AsyncLocalStorage, AsyncResource: class AsyncResource { runInAsyncScope(callback, self, ...args) { return callback.apply(self, args); } }, executionAsyncId: () => 1 }),
		vm: () => vm, v8: () => ({ serialize: (value) => Buffer.from(JSON.stringify(value)), deserialize: (bytes) => JSON.parse(bytes), getHeapStatistics: () => ({ total_heap_size: 6500000, used_heap_size: 5200000, heap_size_limit: 2 ** 31 }) }),
		diagnostics_channel: () => ({ channel: (name) => ({ name, hasSubscribers: false, publish() {}, subscribe() {} }) }),
	};
	const vm = {
		runInThisContext: (source, options) => rt.host('eval', source, typeof options === 'string' ? options : options?.filename ?? 'evalmachine.<anonymous>', false),
		createContext: (object = {}) => object,
		isContext: () => true,
		// One engine has one global object here: the names of the context go in by `with`.
		runInContext: (source, context) => new Function('context', 'source', 'with (context) { return eval(source); }')(new Proxy(context, { has: (target, key) => key !== 'source' && key !== 'eval', get: (target, key) => key in target ? target[key] : globalThis[key] }), source),
		runInNewContext: (source, context = {}) => vm.runInContext(source, context),
	};
	vm.Script = class Script {
		#source; #options;
		constructor(source, options) { new Function(`return function () {\n${source}\n}`); this.#source = source; this.#options = options; }
		runInThisContext() { return vm.runInThisContext(this.#source, this.#options); }
		runInContext(context) { return vm.runInContext(this.#source, context); }
		runInNewContext(context) { return vm.runInContext(this.#source, context ?? {}); }
	};

	const reasons = {
		child_process: 'needs a process of its own', cluster: 'needs a process of its own', worker_threads: 'needs threads', net: 'needs the network', tls: 'needs the network', http: 'needs the network',
		https: 'needs the network', http2: 'needs the network', dgram: 'needs the network', dns: 'needs the network', 'dns/promises': 'needs the network', inspector: 'needs a debugger', repl: 'needs a terminal', zlib: 'needs native code', wasi: 'needs a second engine', trace_events: 'needs native code', domain: 'needs native code', test: 'needs a process of its own', sqlite: 'needs native code',
	};
	const plainName = (name) => name.startsWith('node:') ? name.slice(5) : name;
	const isBuiltin = (name) => Object.hasOwn(builtins, plainName(name));
	function unavailable(name) {
		const plain = plainName(name);
		const error = new Error(`Cannot run here: '${plain}' ${reasons[plain]}, which WebAssembly has not; run with --driver native`);
		error.code = 'MODULE_NOT_FOUND';
		return error;
	}
	const loaded = Object.create(null);
	function builtin(name) {
		const plain = plainName(name);
		return loaded[plain] ??= builtins[plain]();
	}
	rt.builtin = builtin;

	// --- finding files ---

	const kindOf = (file) => {
		const found = rt.host('file.stat', file, true);
		return typeof found === 'string' ? JSON.parse(found).type : null;
	};
	const textOf = (file) => {
		const bytes = rt.host('file.read', file);
		if (typeof bytes === 'number') throw rt.systemError(bytes, 'open', file);
		return rt.utf8Text(new Uint8Array(bytes)).replace(/^\ufeff/, '');
	};
	const packageOf = (folder) => kindOf(`${folder}/package.json`) === 'file' ? JSON.parse(textOf(`${folder}/package.json`)) : null;
	function entryOf(exports, conditions, part = '.') {
		if (typeof exports === 'string') return part === '.' ? exports : null;
		if (exports === null || typeof exports !== 'object') return null;
		if (Array.isArray(exports)) return entryOf(exports[0], conditions, part);
		if (Object.keys(exports).some((key) => key.startsWith('.'))) return exports[part] === undefined ? null : entryOf(exports[part], conditions);
		for (const key of Object.keys(exports))
			if (key === 'default' || conditions.includes(key)) {
				const found = entryOf(exports[key], conditions, part);
				if (found) return found;
			}
		return null;
	}
	function findFile(base, folders = true) {
		if (kindOf(base) === 'file') return base;
		for (const end of ['.js', '.json', '.mjs', '.cjs']) if (kindOf(base + end) === 'file') return base + end;
		if (!folders || kindOf(base) !== 'dir') return null;
		const main = packageOf(base)?.main;
		return (main && findFile(path.resolve(base, main))) || findFile(`${base}/index`, false);
	}
	function findPackage(name, folder, conditions) {
		const [, plain, rest] = /^((?:@[^/]+\/)?[^/]+)(\/.*)?$/.exec(name) ?? [];
		if (!plain) return null;
		for (let at = folder; ; at = path.dirname(at)) {
			const root = path.join(at, 'node_modules', plain);
			if (kindOf(root) === 'dir') {
				const about = packageOf(root);
				if (about?.exports) {
					const entry = entryOf(about.exports, conditions, rest ? `.${rest}` : '.');
					if (entry) return path.join(root, entry);
				}
				return findFile(rest ? root + rest : root);
			}
			if (at === '/') return null;
		}
	}
	function find(name, folder, conditions) {
		if (/^\.{0,2}\//.test(name) || name === '.' || name === '..') return findFile(path.resolve(folder, name));
		return findPackage(name, folder, conditions);
	}

	// --- CommonJS ---

	const head = '(function (exports, require, module, __filename, __dirname) { ';
	function Module(id = '', parent) {
		this.id = id;
		this.path = path.dirname(id);
		this.exports = {};
		this.filename = null;
		this.loaded = false;
		this.children = [];
		this.paths = [];
		rt.hide(this, 'parent', parent);
	}
	const cache = Object.create(null);
	Object.assign(Module, { _cache: cache, builtinModules: Object.keys(builtins).sort(), isBuiltin, createRequire: (file) => makeRequire(new Module(file instanceof URL || String(file).startsWith('file:') ? rt.url.fileURLToPath(file) : file)), Module,
		wrap: (text) => `${head}${text}\n});`, _extensions: { '.js': null, '.json': null, '.node': null } });
	Module._nodeModulePaths = (from) => [path.join(from, 'node_modules')];

	function resolveFor(name, module) {
		if (typeof name !== 'string') throw rt.invalidArgument('id', 'of type string', name);
		if (name === '') throw rt.codedError(TypeError, 'ERR_INVALID_ARG_VALUE', "The argument 'id' must be a non-empty string. Received ''");
		if (isBuiltin(name)) return name;
		if (Object.hasOwn(reasons, plainName(name))) throw unavailable(name);
		if (name.startsWith('node:')) throw rt.codedError(Error, 'ERR_UNKNOWN_BUILTIN_MODULE', `No such built-in module: ${name}`);
		const file = find(name, module.path, ['node', 'require']);
		if (file) return file;
		const error = new Error(`Cannot find module '${name}'\nRequire stack:\n- ${module.filename ?? module.id}`);
		error.code = 'MODULE_NOT_FOUND';
		error.requireStack = [module.filename ?? module.id];
		throw error;
	}
	function makeRequire(module) {
		const require = function (name) {
			const file = resolveFor(name, module);
			return isBuiltin(file) ? builtin(file) : loadFile(file, module).exports;
		};
		Object.defineProperty(require, 'name', { value: 'require' });
		require.resolve = (name) => resolveFor(name, module);
		require.main = mainModule;
		require.cache = cache;
		require.extensions = Module._extensions;
		return require;
	}
	Module.prototype.require = function (name) { return makeRequire(this)(name); };
	let mainModule;

	function compile(text, file) {
		rt.sources.set(file, { text, shift: head.length });
		return rt.host('eval', `${head}${text.replace(/^#!.*/, '')}\n})`, file, false);
	}
	function run(module, wrapper) {
		wrapper.call(module.exports, module.exports, makeRequire(module), module, module.filename, module.path);
		module.loaded = true;
	}
	function loadFile(file, parent) {
		if (cache[file]) return cache[file];
		const module = cache[file] = new Module(file, parent);
		module.filename = file;
		parent?.children.push(module);
		try {
			if (file.endsWith('.json')) {
				try {
					module.exports = JSON.parse(textOf(file));
				} catch (error) {
					if (error instanceof SyntaxError) rt.hide(error, 'message', `${file}: ${error.message}`);
					throw error;
				}
				module.loaded = true;
			} else {
				const text = textOf(file);
				if (file.endsWith('.mjs') || (isModule(text) && !file.endsWith('.cjs')))
					throw rt.codedError(Error, 'ERR_REQUIRE_ESM', `require() of ES Module ${file} not supported.\nInstead change the require of ${path.basename(file)} to a dynamic import() which is available in all CommonJS modules.`);
				run(module, compile(text, file));
			}
		} catch (error) {
			delete cache[file];
			throw error;
		}
		return module;
	}
	rt.requireFile = (file) => loadFile(file).exports;

	// --- ES modules ---

	// Texts, templates and comments are taken out first, so that only code is looked at.
	const bare = (text) => text.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|(['"])(?:\\.|(?!\1)[^\\\n])*\1|`(?:\\.|[^\\`])*`/g, (part) => /^\//.test(part) ? ' ' : "''");
	function isModule(text) {
		return /^[ \t;}]*(?:import\s*(?:[\w$*{]|'')|import\s*'|export\s*(?:[*{]|default\b|const\b|let\b|var\b|class\b|function\b|async\b))/m.test(bare(text)) || /\bimport\.meta\b/.test(bare(text));
	}
	const isName = (name) => /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) && !/^(default|delete|in|new|class|function|return|if|else|for|while|do|switch|case|break|continue|var|let|const|this|null|true|false|void|typeof|try|catch|finally|throw|with|yield|await|enum|export|import|super|static|instanceof|debugger|extends|implements|interface|package|private|protected|public|arguments|eval)$/.test(name);
	function asModule(expression, value) {
		const names = value !== null && (typeof value === 'object' || typeof value === 'function') ? Object.getOwnPropertyNames(value).filter(isName) : [];
		return [`const value = ${expression};`, 'export default value;', ...names.map((name, index) => `const v${index} = value[${JSON.stringify(name)}]; export { v${index} as ${name} };`)].join('\n');
	}
	const withMeta = (text, file) => /\bimport\.meta\b/.test(text) ? text.replace(/\bimport\.meta\b/g, `__runtime.meta(${JSON.stringify(file)})`) : text;
	rt.meta = (file) => ({ __proto__: null, dirname: path.dirname(file), filename: file, url: rt.url.pathToFileURL(file).href,
		resolve: (name) => { const found = globalThis.__resolve(file, name); return found.startsWith('node:') ? found : rt.url.pathToFileURL(found).href; } });

	globalThis.__resolve = function (base, name) {
		if (isBuiltin(name)) return `node:${plainName(name)}`;
		if (Object.hasOwn(reasons, plainName(name))) throw unavailable(name);
		const from = base.startsWith('/') ? path.dirname(base) : rt.cwd();
		if (name.startsWith('file:')) return rt.url.fileURLToPath(name);
		if (/^\.{0,2}\//.test(name)) {
			const file = path.resolve(from, name);
			// import names files in full, but a program that does without is understood.
			const found = kindOf(file) === 'file' ? file : null;
			if (found) return found;
			throw rt.codedError(Error, 'ERR_MODULE_NOT_FOUND', `Cannot find module '${file}' imported from ${base}`);
		}
		const file = findPackage(name, from, ['node', 'import']);
		if (!file) throw rt.codedError(Error, 'ERR_MODULE_NOT_FOUND', `Cannot find package '${name}' imported from ${base}`);
		return file;
	};
	globalThis.__load = function (name) {
		if (name.startsWith('node:')) return asModule(`__runtime.builtin(${JSON.stringify(name)})`, builtin(name));
		if (name.endsWith('.json')) return `export default JSON.parse(${JSON.stringify(textOf(name))});`;
		const text = textOf(name);
		if (name.endsWith('.mjs') || isModule(text)) {
			rt.sources.set(name, { text, shift: 0 });
			return withMeta(text.replace(/^#!.*/, ''), name);
		}
		return asModule(`__runtime.requireFile(${JSON.stringify(name)})`, rt.requireFile(name));
	};

	function runModule(text, file) {
		rt.sources.set(file, { text, shift: 0 });
		const done = rt.host('eval', withMeta(text.replace(/^#!.*/, ''), file), file, true);
		rt.mainDone = false;
		Promise.resolve(done).then(() => { rt.mainDone = true; }, (error) => { rt.mainDone = true; rt.uncaught(error, 'uncaughtException'); });
	}
	rt.runMain = function (given) {
		const file = path.resolve(given);
		const text = textOf(file);
		if (file.endsWith('.mjs') || (isModule(text) && !file.endsWith('.cjs'))) return runModule(text, file);
		let wrapper;
		try {
			wrapper = compile(text, file);
		} catch (error) {
			// A file with await at its top is a module, though nothing else says so.
			if (!(error instanceof SyntaxError) || !/\bawait\b/.test(text) || file.endsWith('.cjs')) throw error;
			try {
				return runModule(text, file);
			} catch {
				throw error;
			}
		}
		mainModule = cache[file] = new Module('.');
		mainModule.filename = file;
		mainModule.path = path.dirname(file);
		globalThis.process.mainModule = mainModule;
		run(mainModule, wrapper);
	};
	rt.global('fetch', function fetch() {
		const error = new TypeError('fetch failed');
		rt.hide(error, 'cause', new Error("Cannot run here: 'fetch' needs the network, which WebAssembly has not; run with --driver native"));
		return Promise.reject(error);
	});
	rt.global('global', globalThis);
})();
