// SPDX-License-Identifier: Apache-2.0
// Errors as V8 words them: the stack begins with the error itself, and messages
// of the engine are put into V8's words with the help of the source text.
(function () {
	'use strict';
	const rt = globalThis.__runtime;
	// file name -> { text, shift }: shift is what the CommonJS wrapper adds to line 1.
	rt.sources = new Map();

	function placeOf(site) {
		const entry = rt.sources.get(site.getFileName());
		if (!entry) return null;
		entry.lines ??= entry.text.split('\n');
		const line = site.getLineNumber();
		const column = site.getColumnNumber() - (line === 1 ? entry.shift : 0);
		return { text: entry.lines[line - 1] ?? '', line, column };
	}
	rt.placeOf = placeOf;

	const isInner = (site) => (site.getFileName() ?? '').startsWith('node:aisbx/');

	// The index after the bracket that closes the one at `at`, going back.
	function backOverBrackets(text, at) {
		let depth = 0;
		for (let i = at; i >= 0; i--) {
			if (')]}'.includes(text[i])) depth++;
			else if ('([{'.includes(text[i]) && --depth === 0) return i;
		}
		return 0;
	}

	// The expression that ends before `end`: names, dots, indices and calls.
	function expressionBefore(text, end) {
		let at = end;
		while (at > 0) {
			const last = text[at - 1];
			if (/[\w$.#?]/.test(last)) at--;
			else if (last === ']' || last === ')') at = backOverBrackets(text, at - 1);
			else break;
		}
		return text.slice(at, end);
	}

	// V8 prints a call as (...), and what is no name as (intermediate value).
	function asCallee(expression) {
		let text = expression.replace(/^(await|return|new|typeof|yield)\b/, '');
		for (let i = text.indexOf('('); i > 0; i = text.indexOf('(', i + 5)) {
			let depth = 0, end = i;
			do depth += text[end] === '(' ? 1 : text[end] === ')' ? -1 : 0; while (depth && ++end < text.length);
			text = `${text.slice(0, i)}(...)${text.slice(end + 1)}`;
		}
		text = text.replace(/\[(['"])([\w$]+)\1\]/g, '.$2');
		if (text.startsWith('(')) text = `(intermediate value)${/\)((?:\.[\w$]+|\[[^\]]*\])+)$/.exec(text)?.[1] ?? ''}`;
		return text;
	}

	function calleeAt(place) {
		if (!place) return null;
		const from = place.column - 1;
		const rest = place.text.slice(from);
		const member = /^\??\.?\s*(#?[\w$]+)/.exec(rest);
		if (!member) return null;
		let end = from + member[0].length;
		// A call through an index: the position is the one of the object.
		let more;
		if (place.text[end] === '(' && /^\([^()]*\)\(/.test(place.text.slice(end))) return `${asCallee(expressionBefore(place.text, end))}(...)`;
		while ((more = /^(\.[\w$]+|\[[^\]]*\])(?=[\s(.[])/.exec(place.text.slice(end)))) end += more[0].length;
		const whole = expressionBefore(place.text, end);
		const before = place.text.slice(0, end - whole.length);
		// `new X().f` is a value without a name, and so is what follows a closed text or template.
		if (/\bnew\s+$/.test(before) && /^[\w$.]+\(/.test(whole) && /[.\]][\w$]*$/.test(whole)) return `(intermediate value)${/\)((?:\.[\w$]+|\[[^\]]*\])+)$/.exec(whole)?.[1] ?? ''}`;
		const text = /(['"`])((?:\\.|(?!\1).)*)\1$/.exec(before);
		if (text && whole.startsWith('.')) return `"${text[2]}"${whole}`;
		return asCallee(whole) || null;
	}

	function argumentAt(place, name) {
		const found = place && new RegExp(`${name}\\s*\\(\\s*([^,()]*)`).exec(place.text.slice(Math.max(0, place.column - 1 - name.length)));
		return found ? found[1].trim() : null;
	}

	const isLiteral = (text) => text !== null && /^(-?[\d.]+|null|undefined|true|false|NaN|(['"])[^'"]*\2)$/.test(text);

	const nullish = ' is not iterable (cannot read property Symbol(Symbol.iterator))';
	const kindOf = (text) => /^-?\d/.test(text) ? `number ${text}` : /^(true|false)$/.test(text) ? `boolean ${text}` :
		/^(undefined|null)$/.test(text) ? text : /^(\{.*\}|[\w$.]+)$/.test(text) ? 'object' : null;

	// What the engine calls a value V8 calls by its expression, which is looked up from `place` on.
	function iterableMessage(where, value) {
		const { place, native } = where;
		if (!place) return `${value || 'object'}${nullish}`;
		if (native) {
			const text = argumentAt(place, native);
			if (native === 'fromEntries' && /^(undefined|null)$/.test(value)) return `${value} is not iterable`;
			return `${value || kindOf(text ?? '') || 'object'}${nullish}`;
		}
		const from = place.text.slice(place.column - 1);
		const before = place.text.slice(0, place.column - 1);
		for (const text of [from, place.text]) {
			const loop = /^(?:.*?)\bfor\s*(?:await\s*)?\(\s*(?:const|let|var)\s+[^;]*?\bof\s+(.*?)\)\s*(?:[{;\w]|$)/.exec(text);
			const taken = /^.*?(?:const|let|var)\s*\[[^=;]*\]\s*=\s*([\w$.]+)/.exec(text);
			const spread = /\.\.\.\s*([\w$.]+)/.exec(text);
			// An expression which says what it is must agree with what the engine found.
			const fits = (text) => !/^(null|undefined)$/.test(text) || text === value;
			const at = (found) => found && fits(found[1]) ? text.indexOf(found[0]) + found[0].length : Infinity;
			const first = Math.min(at(loop), at(taken), at(spread));
			if (first === Infinity) continue;
			if (first === at(loop)) return `${asCallee(loop[1])} is not iterable`;
			if (first === at(taken)) return taken[1].includes('.') && value ? `${value}${nullish}` : `${taken[1]} is not iterable`;
			if (/^\d/.test(spread[1]) || (/[\w$]\([^[\]]*$/.test(before + text.slice(0, text.indexOf('...'))) && value !== 'undefined' && value !== 'null'))
				return 'Spread syntax requires ...iterable[Symbol.iterator] to be a function';
			return `${spread[1]} is not iterable`;
		}
		return `${value || 'object'}${nullish}`;
	}

	// The first name of a pattern and the expression it is taken from.
	function destructured(place) {
		if (!place) return null;
		for (const text of [place.text.slice(place.column - 1), place.text]) {
			const found = /^[^({]*\{\s*([\w$]+)[^{}]*\}\s*=\s*([\w$.[\]'"()]+?)\s*(?:;|,|\)|\}|$)/.exec(text) ?? (text === place.text && /\b(?:const|let|var)\s*\{\s*([\w$]+)[^{}]*\}\s*=\s*([\w$.[\]'"()]+?)\s*(?:;|,|\)|\}|$)/.exec(text));
			if (found) return [found[1], asCallee(found[2])];
			const parameter = /\(\s*\{\s*([\w$]+)[^{}]*\}/.exec(text);
			if (parameter) return [parameter[1], 'undefined'];
		}
		return null;
	}

	const assigned = (place) => place && assignment.exec(place.text.slice(place.column - 1)) || place && assignment.exec(place.text);
	const assignment = /(?:\.([\w$]+)|(?<=[\w$)\]])\[\s*(['"]?)([^\]]+?)\2\s*\])\s*(?:[-+*/%&|^]|\*\*|<<|>>>?|\?\?|&&|\|\|)?=(?![=>])/;
	const assignedName = (place) => { const found = assigned(place); return found ? found[1] ?? found[3] : null; };

	// The class in the program whose body has such a getter, or Object.
	function classWithGetter(name) {
		for (const { text } of rt.sources.values()) {
			const at = text.search(new RegExp(`\\bget\\s+${name}\\s*\\(`));
			const found = at >= 0 && [...text.slice(0, at).matchAll(/\bclass\s+([\w$]+)|[=(]\s*\{/g)].at(-1);
			if (found && found[1]) return found[1];
		}
		return 'Object';
	}

	const rules = [
		[/^cannot (read|set) property '(.*)' of (undefined|null)$/s, ([, verb, name, value], where) =>
			verb === 'read' && name === 'Symbol.iterator' ? iterableMessage(where, value) :
			`Cannot ${verb} properties of ${value} (${verb === 'read' ? 'reading' : 'setting'} '${name}')`],
		[/^not a function$/, (m, where) => {
			if (where.native === 'Promise') return `Promise resolver ${argumentAt(where.place, 'Promise') || 'undefined'} is not a function`;
			if (where.native) {
				const text = argumentAt(where.place, where.native);
				if (where.native === 'sort' || where.native === 'toSorted') return 'The comparison function must be either a function or undefined';
				return `${text === '' ? 'undefined' : (text ?? 'value').replace(/^(['"])(.*)\1$/, '$2')} is not a function`;
			}
			// A call of `new X` on what is no constructor says so.
			if (where.place && /\bnew\s+[\w$.]*$/.test(where.place.text.slice(0, where.place.column - 1))) return `${calleeAt(where.place)} is not a constructor`;
			return `${calleeAt(where.place) ?? '(intermediate value)'} is not a function`;
		}],
		[/^not a constructor$/, (m, where) => {
			const child = new RegExp(`class\\s+${where.name || 'X'}\\s+extends\\s+null\\b`);
			if (where.place && child.test(where.place.text)) return `Super constructor null of ${where.name} is not a constructor`;
			return `${calleeAt(where.place) ?? '(intermediate value)'} is not a constructor`;
		}],
		[/^value is not iterable$/, (m, where) => iterableMessage(where, '')],
		[/^'(.*)' is read-only$/, ([, name], where) => {
			const at = where.place ? where.place.text.slice(where.place.column - 1) : '';
			const before = where.place ? where.place.text.slice(0, where.place.column - 1) : '';
			const member = assignedName(where.place);
			if ((at.startsWith(name) && !/[.[]\s*$/.test(before)) || (member !== name && !assigned(where.place))) return 'Assignment to constant variable.';
			return `Cannot assign to read only property '${name}' of object '${/^\d+$/.test(name) ? '[object Array]' : '#<Object>'}'`;
		}],
		[/^no setter for property$/, (m, where) => `Cannot set property ${assignedName(where.place)} of #<${classWithGetter(assignedName(where.place))}> which has only a getter`],
		[/^object is not extensible$/, (m, where) => {
			const size = where.native === 'push' && /freeze\(\s*\[([^\]]*)\]/.exec(where.place?.text ?? '');
			const name = where.native === 'push' ? (size ? String(size[1] === '' ? 0 : size[1].split(',').length) : '0') : assignedName(where.place);
			if (where.native === 'defineProperty') return `Cannot define property ${/,\s*['"]?([\w$]+)/.exec(where.place?.text ?? '')?.[1]}, object is not extensible`;
			return `Cannot add property ${name}, object is not extensible`;
		}],
		[/^could not delete property$/, (m, where) => `Cannot delete property '${/delete\s+.*?\.([\w$]+)\s*(?:[;)]|$)/.exec(where.place?.text ?? '')?.[1] ?? ''}' of #<Object>`],
		[/^(.*) is not initialized$/, ([, name]) => name === 'this' ?
			"Must call super constructor in derived class before accessing 'this' or returning from derived constructor" :
			`Cannot access '${name}' before initialization`],
		[/^class constructors must be invoked with 'new'$/, (m, where) => `Class constructor ${where.name} cannot be invoked without 'new'`],
		[/^private class field '(.*)' does not exist$/, ([, name], where) =>
			where.place && new RegExp(`\\${name}\\s*=[^=]`).test(where.place.text) ?
				`Cannot write private member ${name} to an object whose class did not declare it` :
				`Cannot read private member ${name} from an object whose class did not declare it`],
		[/^empty array$/, () => 'Reduce of empty array with no initial value'],
		[/^invalid array length$/, () => 'Invalid array length'],
		[/^invalid array index$/, (m, where) => where.native === 'ArrayBuffer' ? 'Invalid array buffer length' : `Invalid typed array length: ${argumentAt(where.place, where.native ?? '')}`],
		[/^invalid repeat count$|^invalid count value$/i, (m, where) => `Invalid count value: ${argumentAt(where.place, 'repeat')}`],
		[/^invalid number of digits$/, (m, where) => where.native === 'toPrecision' ?
			'toPrecision() argument must be between 1 and 100' :
			`${where.native}() ${where.native === 'toFixed' ? 'digits argument' : 'argument'} must be between 0 and 100`],
		[/^toString\(\) radix argument must be/, () => 'toString() radix argument must be between 2 and 36'],
		[/^radix must be between/, () => 'toString() radix must be between 2 and 36'],
		[/^cannot convert BigInt to number$/, (m, where) => where.native || where.unary ? 'Cannot convert a BigInt value to a number' :
			'Cannot mix BigInt and other types, use explicit conversions'],
		[/^cannot convert bigint to number$/i, () => 'Cannot convert a BigInt value to a number'],
		[/^BigInt division by zero$|^division by zero$/i, () => 'Division by zero'],
		[/^cannot convert symbol to string$/, () => 'Cannot convert a Symbol value to a string'],
		[/^cannot convert symbol to number$/, () => 'Cannot convert a Symbol value to a number'],
		[/^cannot convert to BigInt: not an integer$/, (m, where) => {
			const text = argumentAt(where.place, 'BigInt');
			return `The number ${text} cannot be converted to a BigInt because it is not an integer`;
		}],
		[/^invalid BigInt literal$/, (m, where) => `Cannot convert ${(argumentAt(where.place, 'BigInt') ?? '').replace(/^['"]|['"]$/g, '')} to a BigInt`],
		[/^cannot convert to BigInt$|^cannot convert to bigint$/i, (m, where) => `Cannot convert ${argumentAt(where.place, 'BigInt')} to a BigInt`],
		[/^(BigInt are forbidden in JSON.stringify|Do not know how to serialize a BigInt|bigint are forbidden in JSON.stringify)$/i, () => 'Do not know how to serialize a BigInt'],
		[/^Date value is NaN$/, () => 'Invalid time value'],
		[/^expecting hex digit$|^malformed UTF-8$|^invalid character$|^expecting %$/, () => 'URI malformed'],
		[/^invalid 'in' operand$/, (m, where) => {
			const found = /(['"]?)([\w$]+)\1\s+in\s+(?:(['"])([^'"]*)\3|([\w$.]+))/.exec(where.place?.text ?? '');
			return found ? `Cannot use 'in' operator to search for '${found[2]}' in ${found[4] ?? found[5]}` : "Cannot use 'in' operator to search for a key in a value";
		}],
		[/^invalid 'instanceof' right operand$/, (m, where) => /instanceof\s+\d/.test(where.place?.text ?? '') ?
			"Right-hand side of 'instanceof' is not an object" : "Right-hand side of 'instanceof' is not callable"],
		[/^invalid code point$/, (m, where) => `Invalid code point ${argumentAt(where.place, 'fromCodePoint')}`],
		[/^bad normalization form$/, () => 'The normalization form should be one of NFC, NFD, NFKC, NFKD.'],
		[/^out of bound$/, () => 'Offset is outside the bounds of the DataView'],
		[/^revoked proxy$/, () => 'Cannot perform \'get\' on a proxy that has been revoked'],
		[/^proxy: set returned false$|^proxy: cannot set property$/, (m, where) => `'set' on proxy: trap returned falsish for property '${assignedName(where.place)}'`],
		[/^proxy: deleteProperty returned false$/, () => "'deleteProperty' on proxy: trap returned falsish"],
		[/^not an object$/, (m, where) => {
			const literal = argumentAt(where.place, where.native ?? '');
			if (where.native === 'Map' || where.native === 'fromEntries') return `Iterator value ${/\[\s*([^,\]]+)/.exec(where.place?.text ?? '')?.[1] ?? ''} is not an entry object`;
			if (where.native === 'WeakSet' || where.native === 'add') return 'Invalid value used in weak set';
			if (where.native === 'set') return 'Invalid value used as weak map key';
			if (where.native === 'Proxy') return 'Cannot create proxy with a non-object as target or handler';
			if (where.native === 'create' || where.native === 'setPrototypeOf') return `Object prototype may only be an Object or null: ${literal}`;
			if (where.native?.startsWith('define')) return `Object.${where.native} called on non-object`;
			return where.native ? `Reflect.${where.native} called on non-object` : 'value is not an object';
		}],
		[/^invalid value used as WeakMap key$|^invalid value used as weakmap key$/i, () => 'Invalid value used as weak map key'],
		[/^invalid value used in WeakSet$|^invalid value used in weakset$/i, () => 'Invalid value used in weak set'],
		[/^bigint argument with unary \+$/, () => 'Cannot convert a BigInt value to a number'],
		[/^BigInt negative exponent$/, () => 'Exponent must be non-negative'],
		[/^not a symbol$/, (m, where) => `${(argumentAt(where.place, where.native ?? '') ?? '').replace(/^(['"])(.*)\1$/, '$2')} is not a symbol`],
		[/^object prototype may only be an Object or null$/i, (m, where) => `Object prototype may only be an Object or null: ${argumentAt(where.place, where.native ?? '') ?? ''}`],
		[/^regexp must have the 'g' flag$/, (m, where) => `String.prototype.${where.native} called with a non-global RegExp argument`],
		[/^invalid length$/, (m, where) => `byte length of ${where.native} should be a multiple of ${{ Uint16Array: 2, Int16Array: 2, Float64Array: 8, BigInt64Array: 8, BigUint64Array: 8 }[where.native] ?? 4}`],
		[/^promise self resolution$/i, () => 'Chaining cycle detected for promise #<Promise>'],
		[/^circular prototype chain$/, () => 'Cyclic __proto__ value'],
		[/^generator is already running$|^cannot invoke a running generator$/, () => 'Generator is already running'],
		[/^iterator does not have a throw method$/, () => 'The iterator does not provide a \'throw\' method'],
		[/^toPrimitive$|^cannot convert object to primitive value$|^toPrimitive must return/i, () => 'Cannot convert object to primitive value'],
		[/^property is not configurable$/, (m, where) => `Cannot redefine property: ${/,\s*['"]?([\w$]+)/.exec(where.place?.text ?? '')?.[1]}`],
		[/^iterator result must be an object$|^iterator must return an object$/i, () => 'Iterator result is not an object'],
		[/^Cannot convert undefined or null to object$|^cannot convert to object$/, (m, where) => {
			const found = !where.native && destructured(where.place);
			if (!found) return 'Cannot convert undefined or null to object';
			return `Cannot destructure property '${found[0]}' of '${found[1]}' as it is ${found[1] === 'null' ? 'null' : 'undefined'}.`;
		}],
	];

	const regexpWords = { "expecting ')'": 'Unterminated group', 'nothing to repeat': 'Nothing to repeat',
		'unterminated character class': 'Unterminated character class', 'extraneous characters at the end': 'Unmatched \')\'',
		'unexpected end': '\\ at end of pattern', "expecting ']'": 'Unterminated character class',
		'invalid class range': 'Range out of order in character class', 'invalid group': 'Invalid group',
		'invalid repetition count': 'numbers out of order in {} quantifier', 'duplicate group name': 'Duplicate capture group name' };

	// An error the program made itself stands where it says `new` or `super`.
	function isOwn(place) {
		if (!place) return true;
		const at = place.text.slice(place.column - 1);
		return /^(new\s+)?([\w$]+\.)*[\w$]*(Error|Exception|Failure)\b\s*\(|^super\b/.test(at) || /(Error|Exception)\s*$/.test(place.text.slice(0, place.column - 1));
	}

	function inV8Words(message, sites) {
		if (sites.length === 0) return rules.find(([pattern]) => pattern.test(message))?.[1](rules.find(([pattern]) => pattern.test(message))[0].exec(message), {}) ?? null;
		const native = sites[0].isNative() ? sites[0].getFunctionName() : null;
		const first = sites.find((site) => !site.isNative() && !isInner(site));
		const place = first ? placeOf(first) : null;
		if (!native && isOwn(place)) return null;
		const where = { native, place, name: sites[0].getFunctionName(), unary: false };
		for (const [pattern, words] of rules) {
			const found = pattern.exec(message);
			if (found) return words(found, where);
		}
		if (native === 'RegExp') {
			const source = argumentAt(place, 'RegExp');
			const reason = regexpWords[message];
			if (reason && isLiteral(source)) return `Invalid regular expression: /${source.slice(1, -1)}/: ${reason}`;
		}
		return null;
	}

	function siteText(site) {
		const name = site.getFunctionName();
		const file = site.getFileName();
		const place = placeOf(site);
		const where = site.isNative() || !file ? '<anonymous>' :
			`${file}:${site.getLineNumber()}:${place ? place.column : site.getColumnNumber()}`;
		const wrapper = rt.sources.has(file) && (!name || name === '<anonymous>' || name === '<eval>') && rt.sources.get(file).shift > 0;
		const shown = name && name !== '<anonymous>' && name !== '<eval>' ? (site.isConstructor?.() ? `new ${name}` : name) : wrapper ? 'Object.<anonymous>' : '';
		return shown ? `    at ${shown} (${where})` : `    at ${where}`;
	}

	const nativeToString = Error.prototype.toString;
	function header(error) {
		try {
			return nativeToString.call(error);
		} catch {
			return 'Error';
		}
	}

	Error.prepareStackTrace = function (error, sites) {
		try {
			const own = Object.getOwnPropertyDescriptor(error, 'message');
			if (own && typeof own.value === 'string' && /^[a-z'B-DR]|^Cannot convert undefined|^(.* )?is not/.test(own.value)) {
				const words = inV8Words(own.value, sites);
				if (words !== null && words !== own.value)
					Object.defineProperty(error, 'message', { value: words, writable: true, configurable: true, enumerable: false });
			}
			const frames = ['', ...sites.filter((site) => !isInner(site)).map(siteText)].join('\n');
			return Error.isError(error) ? { frames } : header(error) + frames;
		} catch {
			return 'Error';
		}
	};
	// V8 writes the text when somebody first looks at it, so a name given later is in it.
	const slot = Object.getOwnPropertyDescriptor(Error.prototype, 'stack');
	Object.defineProperty(Error.prototype, 'stack', { configurable: true, enumerable: false,
		get() {
			const value = slot.get.call(this);
			if (value === null || typeof value !== 'object') return value;
			const text = header(this) + value.frames;
			slot.set.call(this, text);
			return text;
		},
		set(value) {
			// The engine takes a text only; V8 takes anything.
			if (typeof value === 'string') slot.set.call(this, value);
			else rt.hide(this, 'stack', value);
		},
	});
	const nativeCapture = Error.captureStackTrace;
	rt.hide(Error, 'captureStackTrace', function captureStackTrace(object, above) {
		nativeCapture.call(Error, object, above ?? captureStackTrace);
		const own = Object.getOwnPropertyDescriptor(object, 'stack');
		if (own && own.value !== null && typeof own.value === 'object') rt.hide(object, 'stack', header(object) + own.value.frames);
	});
	const nativeAny = Promise.any;
	rt.hide(Promise, 'any', function any(list) {
		// The engine's own AggregateError comes without a text.
		const promise = nativeAny.call(this, list);
		return promise.then(undefined, (error) => {
			if (error instanceof AggregateError && !Object.hasOwn(error, 'message')) {
				rt.hide(error, 'message', 'All promises were rejected');
				rt.hide(error, 'stack', 'AggregateError: All promises were rejected');
			}
			throw error;
		});
	});

	// --- JSON ---

	function jsonError(text, at, words, whole) {
		const error = new SyntaxError('');
		let message;
		if (words) message = `${words}${whole ? '' : ' in JSON'} at position ${at}`;
		else if (at >= text.length) message = 'Unexpected end of JSON input';
		else {
			const near = text.length <= 40 ? `"${text}"` :
				`${at > 10 ? '...' : ''}"${text.slice(Math.max(0, at - 10), at + 10)}"${at + 10 < text.length ? '...' : ''}`;
			message = `Unexpected token '${String.fromCodePoint(text.codePointAt(at))}', ${near} is not valid JSON`;
		}
		rt.hide(error, 'message', message);
		rt.hide(error, 'stack', error.stack.replace(/^SyntaxError(: )?/, `SyntaxError: ${message}`));
		return error;
	}

	// Walks a text which is not JSON up to the place where V8 stops, and says why.
	function whyNotJson(text) {
		let at = 0;
		const space = () => { while (/[ \t\n\r]/.test(text[at] ?? '')) at++; };
		const fail = (words, whole) => { throw jsonError(text, at, words, whole); };
		function string() {
			for (at++; text[at] !== '"'; at++) {
				if (at >= text.length) fail('Unterminated string');
				if (text[at] < ' ') fail('Bad control character in string literal');
				if (text[at] !== '\\') continue;
				at++;
				if (at >= text.length) fail('Unterminated string');
				if (text[at] === 'u') {
					for (let i = 0; i < 4; i++) {
						at++;
						if (!/[0-9a-fA-F]/.test(text[at] ?? '')) fail('Bad Unicode escape');
					}
				} else if (!'"\\/bfnrt'.includes(text[at])) fail('Bad escaped character');
			}
			at++;
		}
		const digits = () => { while (/[0-9]/.test(text[at] ?? '')) at++; };
		const isDigit = () => /[0-9]/.test(text[at] ?? '');
		function number() {
			if (text[at] === '-' && (at++, !isDigit())) fail('No number after minus sign');
			if (text[at] === '0') {
				at++;
				if (isDigit()) fail('Unexpected number');
			} else digits();
			if (text[at] === '.') {
				at++;
				if (!isDigit()) fail('Unterminated fractional number');
				digits();
			}
			if (/[eE]/.test(text[at] ?? '')) {
				at++;
				if (/[-+]/.test(text[at] ?? '')) at++;
				if (!isDigit()) fail('Exponent part is missing a number');
				digits();
			}
		}
		function word(expected) {
			for (const letter of expected) {
				if (text[at] !== letter) fail();
				at++;
			}
		}
		function list() {
			at++;
			space();
			if (text[at] === ']') return void at++;
			for (;;) {
				value();
				space();
				if (text[at] === ']') return void at++;
				if (text[at] !== ',') fail("Expected ',' or ']' after array element");
				at++;
			}
		}
		function object() {
			at++;
			space();
			if (text[at] === '}') return void at++;
			for (let first = true; ; first = false) {
				space();
				if (text[at] !== '"') fail(first ? "Expected property name or '}'" : 'Expected double-quoted property name');
				string();
				space();
				if (text[at] !== ':') fail("Expected ':' after property name");
				at++;
				value();
				space();
				if (text[at] === '}') return void at++;
				if (text[at] !== ',') fail("Expected ',' or '}' after property value");
				at++;
			}
		}
		function value() {
			space();
			const next = text[at];
			if (next === '{') object();
			else if (next === '[') list();
			else if (next === '"') string();
			else if (next === '-' || isDigit()) number();
			else if (next === 't') word('true');
			else if (next === 'f') word('false');
			else if (next === 'n') word('null');
			else fail();
		}
		value();
		space();
		if (at < text.length) fail('Unexpected non-whitespace character after JSON', true);
	}

	const nativeParse = JSON.parse;
	rt.hide(JSON, 'parse', function parse(text, reviver) {
		try {
			return nativeParse(text, reviver);
		} catch (error) {
			if (!(error instanceof SyntaxError) || typeof text === 'symbol') throw error;
			const whole = String(text);
			if (/^(undefined|\[object Object\])$/.test(whole)) {
				const other = new SyntaxError(`"${whole}" is not valid JSON`);
				throw other;
			}
			whyNotJson(whole);
			throw error;
		}
	});

	const constructorOf = (object) => Array.isArray(object) ? 'Array' : object.constructor?.name || 'Object';
	const step = (key, owner) => Array.isArray(owner) ? `index ${key}` : `property '${key}'`;

	function cycleWords(root) {
		const path = [];
		function walk(object, key, owner) {
			if (object === null || typeof object !== 'object') return null;
			const known = path.findIndex((entry) => entry.object === object);
			if (known >= 0) {
				const loop = path.slice(known);
				const middle = loop.slice(1).map((entry) => `    |     ${step(entry.key, entry.owner)} -> object with constructor '${constructorOf(entry.object)}'`);
				const shown = middle.length > 2 ? [middle[0], '    |     ...', middle[middle.length - 1]] : middle;
				return ['Converting circular structure to JSON', `    --> starting at object with constructor '${constructorOf(object)}'`,
					...shown, `    --- ${step(key, owner)} closes the circle`].join('\n');
			}
			path.push({ object, key, owner });
			for (const name of Object.keys(object)) {
				const words = walk(object[name], name, object);
				if (words) return words;
			}
			path.pop();
			return null;
		}
		return walk(root);
	}

	const nativeStringify = JSON.stringify;
	rt.hide(JSON, 'stringify', function stringify(value, replacer, space) {
		try {
			return nativeStringify(value, replacer, space);
		} catch (error) {
			if (!(error instanceof TypeError) || error.message !== 'circular reference') throw error;
			throw new TypeError(cycleWords(value) ?? 'Converting circular structure to JSON');
		}
	});

	// --- errors of Node's own library ---

	rt.codedError = function (Base, code, message) {
		const error = new Base(message);
		error.code = code;
		rt.hide(error, 'stack', error.stack.replace(/^([\w.]+)/, `$1 [${code}]`));
		return error;
	};

	const describe = (value) => {
		if (value === null || value === undefined) return ` Received ${value}`;
		if (typeof value === 'function') return ` Received function ${value.name}`;
		if (typeof value === 'object')
			return value.constructor?.name ? ` Received an instance of ${value.constructor.name}` : ` Received ${rt.inspect(value, { depth: -1 })}`;
		let text = rt.inspect(value, { colors: false });
		if (text.length > 28) text = text.slice(0, 25) + '...';
		return ` Received type ${typeof value} (${text})`;
	};
	rt.invalidArgument = (name, expected, value) => rt.codedError(TypeError, 'ERR_INVALID_ARG_TYPE',
		`The "${name}" ${name.includes('.') ? 'property' : 'argument'} must be ${expected}.${describe(value)}`);
	rt.outOfRange = (name, range, value) => rt.codedError(RangeError, 'ERR_OUT_OF_RANGE',
		`The value of "${name}" is out of range. It must be ${range}. Received ${value}`);
})();
