// SPDX-License-Identifier: Apache-2.0
// util and assert.
(function () {
	'use strict';
	const rt = globalThis.__runtime;
	const custom = Symbol.for('nodejs.util.promisify.custom');

	// --- deep equality, loose and strict ---

	const sameValue = (a, b, strict) => strict ? Object.is(a, b) : a == b || (a !== a && b !== b);
	function ownKeys(object, strict) {
		const keys = Object.keys(object);
		if (strict) keys.push(...Object.getOwnPropertySymbols(object).filter((key) => Object.prototype.propertyIsEnumerable.call(object, key)));
		return keys;
	}
	function sameItems(a, b, strict, seen) {
		if (a.size !== b.size) return false;
		const left = [...a], right = [...b];
		const isMap = rt.types.isMap(a);
		return left.every((item) => {
			const at = right.findIndex((other) => isMap ? equal(item[0], other[0], strict, seen) && equal(item[1], other[1], strict, seen) : equal(item, other, strict, seen));
			if (at >= 0) right.splice(at, 1);
			return at >= 0;
		});
	}
	function equal(a, b, strict, seen = []) {
		if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return sameValue(a, b, strict);
		if (a === b) return true;
		if (strict && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
		const t = rt.types;
		if (Array.isArray(a) !== Array.isArray(b) || Object.prototype.toString.call(a) !== Object.prototype.toString.call(b)) return false;
		if (Array.isArray(a) && a.length !== b.length) return false;
		if (t.isDate(a) && a.getTime() !== b.getTime()) return false;
		if (t.isRegExp(a) && String(a) !== String(b)) return false;
		if (t.isNativeError(a) && (!t.isNativeError(b) || a.message !== b.message || a.name !== b.name)) return false;
		if (t.isBoxedPrimitive(a) && !(t.isBoxedPrimitive(b) && Object.is(a.valueOf(), b.valueOf()))) return false;
		if (t.isAnyArrayBuffer(a)) return Buffer.compare(rt.bytesOf(a), rt.bytesOf(b)) === 0;
		if (seen.some(([x, y]) => x === a && y === b)) return true;
		seen.push([a, b]);
		if ((t.isMap(a) || t.isSet(a)) && !sameItems(a, b, strict, seen)) return false;
		const keys = ownKeys(a, strict);
		const same = keys.length === ownKeys(b, strict).length && keys.every((key) => Object.prototype.propertyIsEnumerable.call(b, key) && equal(a[key], b[key], strict, seen));
		seen.pop();
		return same;
	}

	// --- util ---

	const colors = { reset: [0, 0], bold: [1, 22], dim: [2, 22], italic: [3, 23], underline: [4, 24], inverse: [7, 27], strikethrough: [9, 29], black: [30, 39], red: [31, 39], green: [32, 39],
		yellow: [33, 39], blue: [34, 39], magenta: [35, 39], cyan: [36, 39], white: [37, 39], gray: [90, 39], grey: [90, 39], bgRed: [41, 49], bgGreen: [42, 49], bgYellow: [43, 49], bgBlue: [44, 49] };
	function promisify(original) {
		if (typeof original !== 'function') throw rt.invalidArgument('original', 'of type function', original);
		if (original[custom]) return original[custom];
		const made = function (...args) {
			return new Promise((resolve, reject) => original.call(this, ...args, (error, ...values) => error ? reject(error) : resolve(values[0])));
		};
		Object.setPrototypeOf(made, Object.getPrototypeOf(original));
		return Object.defineProperties(made, Object.getOwnPropertyDescriptors(original));
	}
	promisify.custom = custom;
	function callbackify(original) {
		const made = function (...args) {
			const callback = args.pop();
			original.apply(this, args).then((value) => globalThis.process.nextTick(callback, null, value), (error) => {
				const reason = error ?? Object.assign(new Error('Promise was rejected with a falsy value'), { code: 'ERR_FALSY_VALUE_REJECTION', reason: error });
				globalThis.process.nextTick(callback, reason);
			});
		};
		return Object.defineProperty(made, 'name', { value: `${original.name}Callbackified` });
	}
	function parseArgs(config = {}) {
		const options = config.options ?? {};
		const args = [...(config.args ?? globalThis.process.argv.slice(2))];
		const values = Object.create(null), positionals = [];
		const fail = (code, text) => { throw rt.codedError(TypeError, code, text); };
		const store = (name, value) => { if (options[name]?.multiple) (values[name] ??= []).push(value); else values[name] = value; };
		while (args.length) {
			const arg = args.shift();
			if (arg === '--') { positionals.push(...args); break; }
			const long = /^--([^=]+)(?:=(.*))?$/s.exec(arg);
			const short = !long && /^-([^-])(.*)$/s.exec(arg);
			if (!long && !short) {
				if (!config.allowPositionals && config.strict !== false) fail('ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL', `Unexpected argument '${arg}'. This command does not take positional arguments`);
				positionals.push(arg);
				continue;
			}
			const name = long ? long[1] : Object.keys(options).find((key) => options[key].short === short[1]) ?? short[1];
			const option = options[name];
			if (!option && config.strict !== false) fail('ERR_PARSE_ARGS_UNKNOWN_OPTION', `Unknown option '${long ? `--${name}` : `-${short[1]}`}'` + (config.allowPositionals ? `. To specify a positional argument starting with a '-', place it at the end of the command after '--', as in '-- "${arg}"` : ''));
			if (option?.type === 'string') {
				const value = long ? long[2] ?? args.shift() : short[2] || args.shift();
				if (value === undefined) fail('ERR_PARSE_ARGS_INVALID_OPTION_VALUE', `Option '${option.short ? `-${option.short}, ` : ''}--${name} <value>' argument missing`);
				store(name, value);
			} else {
				store(name, long && long[2] !== undefined ? long[2] : true);
				if (short && short[2]) args.unshift(`-${short[2]}`);
			}
		}
		for (const name of Object.keys(options)) if (!(name in values) && 'default' in options[name]) values[name] = options[name].default;
		return { values, positionals };
	}
	const util = {
		inspect: rt.inspect, format: rt.format, formatWithOptions: rt.formatWithOptions, stripVTControlCharacters: rt.stripVTControlCharacters,
		types: rt.types, promisify, callbackify, parseArgs, TextEncoder, TextDecoder,
		isDeepStrictEqual: (a, b) => equal(a, b, true),
		inherits(type, base) {
			if (typeof base !== 'function') throw rt.invalidArgument('superCtor', 'of type function', base);
			Object.defineProperty(type, 'super_', { value: base, writable: true, configurable: true });
			Object.setPrototypeOf(type.prototype, base.prototype);
		},
		deprecate(callback, text, code) {
			let told = false;
			return function (...args) {
				if (!told) globalThis.process.emitWarning(text, 'DeprecationWarning', code);
				told = true;
				return new.target ? Reflect.construct(callback, args, new.target) : callback.apply(this, args);
			};
		},
		debuglog: () => Object.assign(() => {}, { enabled: false }),
		// Node asks whether the stream is a terminal, and here none is.
		styleText: (format, text, options) => options?.validateStream !== false ? text : [].concat(format).reduceRight((all, name) => `\u001b[${colors[name][0]}m${all}\u001b[${colors[name][1]}m`, text),
		toUSVString: (text) => String(text).toWellFormed(),
		aborted: (signal) => new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true })),
		isArray: Array.isArray, isBoolean: (value) => typeof value === 'boolean', isString: (value) => typeof value === 'string', isNumber: (value) => typeof value === 'number',
		isFunction: (value) => typeof value === 'function', isUndefined: (value) => value === undefined, isNull: (value) => value === null, isNullOrUndefined: (value) => value == null,
		isObject: (value) => value !== null && typeof value === 'object', isRegExp: rt.types.isRegExp, isDate: rt.types.isDate, isError: (value) => value instanceof Error,
		isPrimitive: (value) => value === null || (typeof value !== 'object' && typeof value !== 'function'),
		getSystemErrorName: () => 'EIO',
	};
	util.debug = util.debuglog;
	rt.util = util;

	// --- assert ---

	const shown = (value) => rt.inspect(value, { compact: false, customInspect: false, depth: 1000, maxArrayLength: Infinity, showHidden: false, showProxy: false, sorted: true, getters: true, breakLength: Infinity });
	const titles = { strictEqual: 'Expected values to be strictly equal:', deepStrictEqual: 'Expected values to be strictly deep-equal:', notStrictEqual: 'Expected "actual" to be strictly unequal to:',
		notDeepStrictEqual: 'Expected "actual" not to be strictly deep-equal to:', equal: 'Expected values to be loosely equal:', deepEqual: 'Expected values to be loosely deep-equal:', strictEqualObject: 'Expected "actual" to be reference-equal to "expected":' };

	// The longest common lines of the two texts, the rest marked with + and -.
	function difference(actual, expected) {
		const a = actual.split('\n'), b = expected.split('\n');
		let i = a.length - 1, j = b.length - 1;
		const end = [];
		while (i >= 0 && j >= 0 && a[i] === b[j] && (i > 0 && j > 0)) { end.unshift(`  ${a[i]}`); i--; j--; }
		const lines = [];
		const count = Math.max(i, j) + 1;
		for (let k = 0; k < count; k++) {
			if (k <= i && k <= j && (a[k] === b[k] || (a[k] + ',' === b[k]) || a[k] === b[k] + ',')) { lines.push(`  ${a[k]}`); continue; }
			if (k <= i && k <= j) { lines.push(`+ ${a[k]}`, `- ${b[k]}`); continue; }
			lines.push(k <= i ? `+ ${a[k]}` : `- ${b[k]}`);
		}
		return [...regroup(lines), ...end].join('\n');
	}
	// Node prints a run of + lines before the run of - lines it stands for.
	function regroup(lines) {
		const out = [];
		let minus = [];
		for (const line of lines) {
			if (line[0] === '-') { minus.push(line); continue; }
			if (line[0] === ' ') { out.push(...minus); minus = []; }
			out.push(line);
		}
		return [...out, ...minus];
	}
	const isSimple = (value) => (typeof value !== 'object' || value === null) && typeof value !== 'function';
	function words(operator, actual, expected) {
		const left = shown(actual), right = shown(expected);
		if (operator === 'notStrictEqual' || operator === 'notDeepStrictEqual') {
			const title = operator === 'notStrictEqual' && !isSimple(actual) ? 'Expected "actual" not to be reference-equal to "expected":' : titles[operator];
			return left.includes('\n') ? `${title}\n\n${left}\n` : `${title} ${left}`.replace(/:( )/, left.length > 5 || !isSimple(actual) ? ':\n\n' : ': ') + (left.length > 5 || !isSimple(actual) ? '\n' : '');
		}
		if (operator === 'strictEqual' || operator === 'deepStrictEqual') {
			let title = titles[operator];
			if (operator === 'strictEqual' && !isSimple(actual) && !isSimple(expected)) {
				if (left === right) return `Values have same structure but are not reference-equal:\n\n${left}\n`;
				title = titles.strictEqualObject;
			}
			if (!left.includes('\n') && !right.includes('\n') && left !== right) {
				if (left.length + right.length <= 12 && isSimple(actual) && isSimple(expected) && (actual !== 0 || expected !== 0)) return `${title}\n\n${left} !== ${right}\n`;
				const mark = left[0] === right[0] && /^['"]/.test(left) && isSimple(actual) ? caret(left, right) : '';
				return `${title}\n+ actual - expected\n\n+ ${left}\n- ${right}${mark}`;
			}
			return `${title}\n+ actual - expected\n\n${difference(left, right)}`;
		}
		return null;
	}
	function caret(left, right) {
		let at = 0;
		while (left[at] === right[at]) at++;
		return at > 2 && at < 80 ? `\n${' '.repeat(at + 2)}^` : '';
	}
	class AssertionError extends Error {
		constructor(options) {
			if (options === null || typeof options !== 'object') throw rt.invalidArgument('options', 'of type object', options);
			const { message, operator, actual, expected } = options;
			super(message !== undefined ? String(message) : words(operator, actual, expected) ?? `${rt.inspect(actual)} ${operator} ${rt.inspect(expected)}`);
			this.generatedMessage = message === undefined;
			rt.hide(this, 'name', 'AssertionError');
			this.code = 'ERR_ASSERTION';
			this.actual = actual;
			this.expected = expected;
			this.operator = operator;
			rt.hide(this, 'stack', this.stack.replace(/^Error/, 'AssertionError [ERR_ASSERTION]'));
		}
		toString() { return `${this.name} [${this.code}]: ${this.message}`; }
	}
	function fail(operator, actual, expected, message, generated) {
		if (message instanceof Error) throw message;
		const error = new AssertionError({ operator, actual, expected, message: message ?? generated });
		if (message === undefined) error.generatedMessage = true;
		throw error;
	}
	const missing = (count, wanted) => { if (count < wanted) throw rt.codedError(TypeError, 'ERR_MISSING_ARGS', 'The "actual" and "expected" arguments must be specified'); };
	// The text of the failed call, out of the program's source.
	function callText() {
		const at = {};
		const old = Error.prepareStackTrace;
		let place = null;
		Error.prepareStackTrace = (error, sites) => { place = sites.map((site) => rt.placeOf(site)).find(Boolean); return ''; };
		Error.captureStackTrace(at);
		Error.prepareStackTrace = old;
		if (!place) return null;
		// The engine points into the call, V8 prints it from its first name on.
		const start = [...place.text.matchAll(/(?:[\w$]+\.)*[\w$]+\(/g)].findLast((found) => found.index < place.column);
		if (!start) return null;
		const text = start.input.slice(start.index);
		let depth = 0;
		for (let i = start[0].length - 1; i < text.length; i++) {
			depth += text[i] === '(' ? 1 : text[i] === ')' ? -1 : 0;
			if (depth === 0) return text.slice(0, i + 1);
		}
		return null;
	}
	function ok(count, value, message) {
		if (value) return;
		if (count === 0) fail('==', value, true, undefined, 'No value argument passed to `assert.ok()`');
		const text = message === undefined ? callText() : null;
		fail('==', value, true, message, text ? `The expression evaluated to a falsy value:\n\n  ${text}\n` : `The expression evaluated to a falsy value`);
	}
	function assert(...args) { ok(args.length, args[0], args[1]); }

	function matches(error, expected, message) {
		if (expected === undefined) return;
		if (rt.types.isRegExp(expected)) {
			if (expected.test(String(error))) return;
			return fail('throws', error, expected, message, `The input did not match the regular expression ${rt.inspect(expected)}. Input:\n\n${rt.inspect(String(error))}\n`);
		}
		if (typeof expected === 'function') {
			if (expected.prototype !== undefined && error instanceof expected) return;
			if (Error.isPrototypeOf(expected)) {
				return fail('throws', error, expected, message, `The error is expected to be an instance of "${expected.name}". Received "${error?.constructor?.name}"\n\nError message:\n\n${error?.message}`);
			}
			if (expected.call({}, error) === true) return;
			return fail('throws', error, expected, message, `The ${expected.name ? `"${expected.name}"` : ''}validation function is expected to return "true". Received ${rt.inspect(expected.call({}, error))}\n\nCaught error:\n\n${error}`);
		}
		for (const key of [...Object.keys(expected), ...(expected instanceof Error ? ['name', 'message'] : [])]) {
			if (typeof error?.[key] === 'string' && rt.types.isRegExp(expected[key]) && expected[key].test(error[key])) continue;
			if (equal(error?.[key], expected[key], true)) continue;
			const part = (from) => Object.fromEntries(Object.keys(expected).filter((name) => name in from).map((name) => [name, from[name]]));
			const text = words('deepStrictEqual', part(error), part(expected));
			fail('throws', error, expected, message, text);
		}
	}
	const thrown = Symbol('nothing');
	function caughtBy(callback) {
		if (typeof callback !== 'function') throw rt.invalidArgument('fn', 'of type function', callback);
		try {
			callback();
		} catch (error) {
			return error;
		}
		return thrown;
	}
	async function rejectedBy(promise) {
		const waited = typeof promise === 'function' ? promise() : promise;
		if (typeof waited?.then !== 'function') throw rt.codedError(TypeError, 'ERR_INVALID_RETURN_VALUE', 'Expected instance of Promise to be returned from the "promiseFn" function but got ' + (waited === undefined ? 'undefined' : `type ${typeof waited}`) + '.');
		try {
			await waited;
		} catch (error) {
			return error;
		}
		return thrown;
	}
	function wantThrown(error, expected, message, name) {
		if (typeof expected === 'string') [expected, message] = [undefined, expected];
		if (error === thrown) {
			const kind = name === 'rejects' ? 'rejection' : 'exception';
			const type = typeof expected === 'function' && expected.name ? ` (${expected.name})` : '';
			fail(name, undefined, expected, message === undefined ? undefined : message instanceof Error ? message : `Missing expected ${kind}${type}: ${message}`, `Missing expected ${kind}${type}.`);
		}
		matches(error, expected, message);
	}
	function wantNone(error, message, name) {
		if (error === thrown) return;
		const kind = name === 'doesNotReject' ? 'rejection' : 'exception';
		fail(name, error, undefined, undefined, `Got unwanted ${kind}${typeof message === 'string' ? `: ${message}` : '.'}\nActual message: "${error?.message}"`);
	}
	const methods = {
		ok(...args) { ok(args.length, args[0], args[1]); },
		fail(message = 'Failed') {
			if (message instanceof Error) throw message;
			const error = new AssertionError({ message, operator: 'fail' });
			throw error;
		},
		equal(actual, expected, message) { missing(arguments.length, 2); if (!sameValue(actual, expected, false)) fail('==', actual, expected, message, `${rt.inspect(actual)} == ${rt.inspect(expected)}`); },
		notEqual(actual, expected, message) { missing(arguments.length, 2); if (sameValue(actual, expected, false)) fail('!=', actual, expected, message, `${rt.inspect(actual)} != ${rt.inspect(expected)}`); },
		strictEqual(actual, expected, message) { missing(arguments.length, 2); if (!Object.is(actual, expected)) fail('strictEqual', actual, expected, message); },
		notStrictEqual(actual, expected, message) { missing(arguments.length, 2); if (Object.is(actual, expected)) fail('notStrictEqual', actual, expected, message); },
		deepEqual(actual, expected, message) { if (!equal(actual, expected, false)) fail('deepEqual', actual, expected, message, `${titles.deepEqual}\n\n${shown(actual)}\n\nshould loosely deep-equal\n\n${shown(expected)}`); },
		deepStrictEqual(actual, expected, message) { missing(arguments.length, 2); if (!equal(actual, expected, true)) fail('deepStrictEqual', actual, expected, message); },
		notDeepEqual(actual, expected, message) { if (equal(actual, expected, false)) fail('notDeepEqual', actual, expected, message, `Expected "actual" not to be loosely deep-equal to:\n\n${shown(actual)}`); },
		notDeepStrictEqual(actual, expected, message) { if (equal(actual, expected, true)) fail('notDeepStrictEqual', actual, expected, message); },
		throws(callback, expected, message) { wantThrown(caughtBy(callback), expected, message, 'throws'); },
		doesNotThrow(callback, expected, message) { wantNone(caughtBy(callback), typeof expected === 'string' ? expected : message, 'doesNotThrow'); },
		async rejects(promise, expected, message) { wantThrown(await rejectedBy(promise), expected, message, 'rejects'); },
		async doesNotReject(promise, expected, message) { wantNone(await rejectedBy(promise), typeof expected === 'string' ? expected : message, 'doesNotReject'); },
		ifError(value) { if (value !== null && value !== undefined) fail('ifError', value, null, undefined, `ifError got unwanted exception: ${value instanceof Error ? value.message : rt.inspect(value)}`); },
		match(text, pattern, message) { if (!pattern.test(text)) fail('match', text, pattern, message, `The input did not match the regular expression ${rt.inspect(pattern)}. Input:\n\n${rt.inspect(text)}\n`); },
		doesNotMatch(text, pattern, message) { if (pattern.test(text)) fail('doesNotMatch', text, pattern, message, `The input was expected to not match the regular expression ${rt.inspect(pattern)}. Input:\n\n${rt.inspect(text)}\n`); },
	};
	Object.assign(assert, methods, { AssertionError });
	function strict(...args) { ok(args.length, args[0], args[1]); }
	Object.assign(strict, assert, { equal: methods.strictEqual, notEqual: methods.notStrictEqual, deepEqual: methods.deepStrictEqual, notDeepEqual: methods.notDeepStrictEqual });
	assert.strict = strict.strict = strict;
	rt.assert = assert;
})();
