// SPDX-License-Identifier: Apache-2.0
// TextEncoder, TextDecoder, Buffer, string_decoder and structuredClone.
(function () {
	'use strict';
	const rt = globalThis.__runtime;
	const hide = rt.hide;
	const inspectMark = Symbol.for('nodejs.util.inspect.custom');

	// --- text to bytes and back ---

	function utf8Length(text) {
		let size = 0;
		for (let i = 0; i < text.length; i++) {
			const code = text.charCodeAt(i);
			if (code < 0x80) size++;
			else if (code < 0x800) size += 2;
			else if (code >= 0xd800 && code < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) size += 4, i++;
			else size += 3;
		}
		return size;
	}
	function utf8Write(text, bytes) {
		let at = 0;
		for (let i = 0; i < text.length; i++) {
			let code = text.charCodeAt(i);
			if ((code & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00)
				code = 0x10000 + ((code & 0x3ff) << 10) + (text.charCodeAt(++i) & 0x3ff);
			else if ((code & 0xf800) === 0xd800) code = 0xfffd;
			if (code < 0x80) bytes[at++] = code;
			else if (code < 0x800) bytes[at++] = 0xc0 | code >> 6, bytes[at++] = 0x80 | code & 63;
			else if (code < 0x10000) bytes[at++] = 0xe0 | code >> 12, bytes[at++] = 0x80 | code >> 6 & 63, bytes[at++] = 0x80 | code & 63;
			else bytes[at++] = 0xf0 | code >> 18, bytes[at++] = 0x80 | code >> 12 & 63, bytes[at++] = 0x80 | code >> 6 & 63, bytes[at++] = 0x80 | code & 63;
		}
		return at;
	}
	function utf8Bytes(text) {
		const bytes = new Uint8Array(utf8Length(text));
		utf8Write(text, bytes);
		return bytes;
	}
	// The codes of at most a few thousand letters fit the arguments of one call.
	function fromCodes(codes) {
		let text = '';
		for (let i = 0; i < codes.length; i += 4096) text += String.fromCharCode.apply(null, codes.slice(i, i + 4096));
		return text;
	}
	// `left` takes the bytes of a letter that is cut off at the end, if given.
	function utf8Text(bytes, fatal = false, left = null) {
		const codes = [];
		const bad = () => {
			if (fatal) throw rt.codedError(TypeError, 'ERR_ENCODING_INVALID_ENCODED_DATA', 'The encoded data was not valid for encoding utf-8');
			codes.push(0xfffd);
		};
		for (let i = 0; i < bytes.length;) {
			const first = bytes[i++];
			if (first < 0x80) { codes.push(first); continue; }
			const need = first >= 0xc2 && first < 0xe0 ? 1 : first >= 0xe0 && first < 0xf0 ? 2 : first >= 0xf0 && first < 0xf5 ? 3 : 0;
			if (need === 0) { bad(); continue; }
			let code = first & (0x3f >> need);
			let got = 0;
			let lower = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
			let upper = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
			while (got < need && i < bytes.length && bytes[i] >= lower && bytes[i] <= upper) {
				code = code << 6 | bytes[i++] & 63;
				got++;
				lower = 0x80;
				upper = 0xbf;
			}
			if (got < need) {
				if (left && i === bytes.length) {
					left.push(...bytes.slice(i - got - 1));
					break;
				}
				bad();
			} else if (code >= 0x10000) codes.push(0xd7c0 + (code >> 10), 0xdc00 | code & 0x3ff);
			else codes.push(code);
		}
		return fromCodes(codes);
	}
	rt.utf8Bytes = utf8Bytes;
	rt.utf8Text = utf8Text;
	const bytesOf = (value) => value instanceof Uint8Array ? value : ArrayBuffer.isView(value) ?
		new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : new Uint8Array(value ?? 0);
	rt.bytesOf = bytesOf;

	class TextEncoder {
		get encoding() { return 'utf-8'; }
		encode(text = '') { return utf8Bytes(String(text)); }
		encodeInto(text, target) {
			const bytes = utf8Bytes(text).subarray(0, target.length);
			target.set(bytes);
			return { read: utf8Text(bytes).length, written: bytes.length };
		}
	}
	class TextDecoder {
		#encoding; #fatal; #keepMark; #left = [];
		constructor(label = 'utf-8', options = {}) {
			const name = String(label).toLowerCase();
			this.#encoding = { utf8: 'utf-8', 'utf-16': 'utf-16le', latin1: 'windows-1252', ascii: 'windows-1252', 'iso-8859-1': 'windows-1252' }[name] ?? name;
			if (!['utf-8', 'utf-16le', 'windows-1252'].includes(this.#encoding))
				throw rt.codedError(RangeError, 'ERR_ENCODING_NOT_SUPPORTED', `The "${label}" encoding is not supported`);
			this.#fatal = Boolean(options.fatal);
			this.#keepMark = Boolean(options.ignoreBOM);
		}
		get encoding() { return this.#encoding; }
		get fatal() { return this.#fatal; }
		get ignoreBOM() { return this.#keepMark; }
		decode(input, options) {
			let bytes = bytesOf(input);
			if (this.#encoding === 'utf-16le') return decoders.utf16le(bytes);
			if (this.#encoding === 'windows-1252') return decoders.latin1(bytes);
			if (this.#left.length) bytes = Uint8Array.from([...this.#left, ...bytes]);
			this.#left = [];
			const text = utf8Text(bytes, this.#fatal, options?.stream ? this.#left : null);
			return !this.#keepMark && text[0] === '\ufeff' ? text.slice(1) : text;
		}
	}
	rt.global('TextEncoder', TextEncoder);
	rt.global('TextDecoder', TextDecoder);

	const letters64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
	function toBase64(bytes, letters, pad) {
		let text = '';
		for (let i = 0; i < bytes.length; i += 3) {
			const three = bytes[i] << 16 | (bytes[i + 1] ?? 0) << 8 | (bytes[i + 2] ?? 0);
			const some = bytes.length - i;
			text += letters[three >> 18] + letters[three >> 12 & 63] + (some > 1 ? letters[three >> 6 & 63] : pad) + (some > 2 ? letters[three & 63] : pad);
		}
		return text;
	}
	function fromBase64(text) {
		const clean = text.replace(/-/g, '+').replace(/_/g, '/').replace(/=[\s\S]*$/, '').replace(/[^A-Za-z0-9+/]/g, '');
		const bytes = new Uint8Array(clean.length * 6 >> 3);
		for (let i = 0, at = 0, bits = 0, held = 0; i < clean.length; i++) {
			held = (held << 6 | letters64.indexOf(clean[i])) & 0xffff;
			bits += 6;
			if (bits >= 8) bytes[at++] = held >> (bits -= 8) & 255;
		}
		return bytes;
	}
	const hexOf = (bytes) => { let text = ''; for (const byte of bytes) text += (byte < 16 ? '0' : '') + byte.toString(16); return text; };
	function fromHex(text) {
		const bytes = [];
		for (let i = 0; i + 1 < text.length; i += 2) {
			const pair = text.slice(i, i + 2);
			if (!/^[0-9a-fA-F]{2}$/.test(pair)) break;
			bytes.push(parseInt(pair, 16));
		}
		return Uint8Array.from(bytes);
	}
	const fromUnits = (text, mask) => { const bytes = new Uint8Array(text.length); for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i) & mask; return bytes; };
	function fromUtf16(text) {
		const bytes = new Uint8Array(text.length * 2);
		for (let i = 0; i < text.length; i++) bytes[2 * i] = text.charCodeAt(i) & 255, bytes[2 * i + 1] = text.charCodeAt(i) >> 8;
		return bytes;
	}
	const encoders = { utf8: utf8Bytes, hex: fromHex, base64: fromBase64, base64url: fromBase64,
		latin1: (text) => fromUnits(text, 255), ascii: (text) => fromUnits(text, 255), utf16le: fromUtf16 };
	const decoders = { utf8: (bytes) => utf8Text(bytes), hex: hexOf, base64: (bytes) => toBase64(bytes, letters64, '='),
		base64url: (bytes) => toBase64(bytes, letters64.replace('+/', '-_'), ''),
		latin1: (bytes) => fromCodes(Array.from(bytes)), ascii: (bytes) => fromCodes(Array.from(bytes, (byte) => byte & 127)),
		utf16le: (bytes) => { const codes = []; for (let i = 0; i + 1 < bytes.length; i += 2) codes.push(bytes[i] | bytes[i + 1] << 8); return fromCodes(codes); } };
	const aliases = { 'utf-8': 'utf8', binary: 'latin1', ucs2: 'utf16le', 'ucs-2': 'utf16le', 'utf-16le': 'utf16le' };
	function encodingOf(name) {
		if (name === undefined || name === null || name === '') return 'utf8';
		const plain = String(name).toLowerCase();
		const known = aliases[plain] ?? plain;
		if (!Object.hasOwn(encoders, known)) throw rt.codedError(TypeError, 'ERR_UNKNOWN_ENCODING', `Unknown encoding: ${name}`);
		return known;
	}

	// --- Buffer ---

	class BufferClass extends Uint8Array {
		toString(encoding, start = 0, end = this.length) {
			return decoders[encodingOf(encoding)](start > 0 || end < this.length ? this.subarray(start, end) : this);
		}
		toLocaleString(encoding, start, end) { return this.toString(encoding, start, end); }
		toJSON() { return { type: 'Buffer', data: Array.from(this) }; }
		slice(start, end) { return this.subarray(start, end); }
		equals(other) { return BufferClass.compare(this, other) === 0; }
		compare(other, start = 0, end = other.length, from = 0, to = this.length) {
			return BufferClass.compare(this.subarray(from, to), other.subarray(start, end));
		}
		write(text, offset = 0, length, encoding) {
			if (typeof offset === 'string') [encoding, offset, length] = [offset, 0, undefined];
			if (typeof length === 'string') [encoding, length] = [length, undefined];
			const bytes = encoders[encodingOf(encoding)](String(text)).subarray(0, Math.min(length ?? Infinity, this.length - offset));
			this.set(bytes, offset);
			return bytes.length;
		}
		copy(target, targetStart = 0, start = 0, end = this.length) {
			const part = this.subarray(start, Math.min(end, start + target.length - targetStart));
			target.set(part, targetStart);
			return part.length;
		}
		fill(value, start = 0, end = this.length, encoding) {
			if (typeof start === 'string') [encoding, start, end] = [start, 0, this.length];
			if (typeof value === 'string' || value instanceof Uint8Array) {
				const bytes = typeof value === 'string' ? encoders[encodingOf(encoding)](value) : value;
				for (let i = start; i < end; i++) this[i] = bytes.length ? bytes[(i - start) % bytes.length] : 0;
				return this;
			}
			super.fill(value & 255, start, end);
			return this;
		}
		indexOf(value, from = 0, encoding) { return this.#find(value, from, encoding, 1); }
		lastIndexOf(value, from = this.length, encoding) { return this.#find(value, from, encoding, -1); }
		includes(value, from, encoding) { return this.indexOf(value, from, encoding) >= 0; }
		#find(value, from, encoding, step) {
			if (typeof from === 'string') [encoding, from] = [from, step > 0 ? 0 : this.length];
			const wanted = typeof value === 'number' ? [value & 255] : typeof value === 'string' ? encoders[encodingOf(encoding)](value) : value;
			let at = from < 0 ? Math.max(0, this.length + from) : from;
			if (step < 0) at = Math.min(at, this.length - wanted.length);
			for (; at >= 0 && at + wanted.length <= this.length; at += step) {
				let same = 0;
				while (same < wanted.length && this[at + same] === wanted[same]) same++;
				if (same === wanted.length) return at;
			}
			return -1;
		}
		swap16() { return this.#swap(2); }
		swap32() { return this.#swap(4); }
		swap64() { return this.#swap(8); }
		#swap(size) {
			for (let i = 0; i + size <= this.length; i += size) this.subarray(i, i + size).reverse();
			return this;
		}
		readUIntBE(offset, size) { let value = 0; for (let i = 0; i < size; i++) value = value * 256 + this[offset + i]; return value; }
		readUIntLE(offset, size) { let value = 0; for (let i = size - 1; i >= 0; i--) value = value * 256 + this[offset + i]; return value; }
		readIntBE(offset, size) { const value = this.readUIntBE(offset, size); return value >= 2 ** (8 * size - 1) ? value - 2 ** (8 * size) : value; }
		readIntLE(offset, size) { const value = this.readUIntLE(offset, size); return value >= 2 ** (8 * size - 1) ? value - 2 ** (8 * size) : value; }
		writeUIntBE(value, offset, size) { for (let i = size - 1; i >= 0; i--) this[offset + i] = value % 256, value = Math.floor(value / 256); return offset + size; }
		writeUIntLE(value, offset, size) { for (let i = 0; i < size; i++) this[offset + i] = value % 256, value = Math.floor(value / 256); return offset + size; }
		writeIntBE(value, offset, size) { return this.writeUIntBE(value < 0 ? value + 2 ** (8 * size) : value, offset, size); }
		writeIntLE(value, offset, size) { return this.writeUIntLE(value < 0 ? value + 2 ** (8 * size) : value, offset, size); }
		[inspectMark]() {
			const shown = Array.from(this.subarray(0, 50), (byte) => (byte < 16 ? '0' : '') + byte.toString(16)).join(' ');
			const more = this.length - 50;
			const rest = more > 0 ? ` ... ${more} more byte${more > 1 ? 's' : ''}` : '';
			return `<${this.constructor.name} ${shown}${rest}>`;
		}
		get parent() { return this.buffer; }
		get offset() { return this.byteOffset; }
		static from(value, encoding, length) {
			if (typeof value === 'string') return own(encoders[encodingOf(encoding)](value));
			if (rt.types.isAnyArrayBuffer(value)) return new BufferClass(value, encoding ?? 0, length ?? value.byteLength - (encoding ?? 0));
			if (value !== null && typeof value === 'object') {
				if (value.type === 'Buffer' && Array.isArray(value.data)) return own(Uint8Array.from(value.data));
				if (typeof value.length === 'number' || value[Symbol.iterator]) return own(Uint8Array.from(value));
				const primitive = value.valueOf?.();
				if (primitive !== value && primitive !== null && primitive !== undefined) return BufferClass.from(primitive, encoding, length);
			}
			throw rt.codedError(TypeError, 'ERR_INVALID_ARG_TYPE', 'The first argument must be of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object.' +
				rt.invalidArgument('x', 'y', value).message.replace(/^.*?(?= Received)/s, ''));
		}
		static alloc(size, fill, encoding) {
			checkSize(size);
			const buffer = new BufferClass(size);
			return fill === undefined ? buffer : buffer.fill(fill, 0, size, encoding);
		}
		static allocUnsafe(size) { checkSize(size); return new BufferClass(size); }
		static allocUnsafeSlow(size) { checkSize(size); return new BufferClass(size); }
		static isBuffer(value) { return value instanceof BufferClass; }
		static isEncoding(name) { return typeof name === 'string' && Object.hasOwn(encoders, aliases[name.toLowerCase()] ?? name.toLowerCase()); }
		static byteLength(value, encoding) {
			return typeof value === 'string' ? (encodingOf(encoding) === 'utf8' ? utf8Length(value) : encoders[encodingOf(encoding)](value).length) : value.byteLength;
		}
		static concat(list, total = list.reduce((sum, part) => sum + part.length, 0)) {
			const whole = new BufferClass(total);
			let at = 0;
			for (const part of list) {
				if (at >= total) break;
				whole.set(part.subarray(0, total - at), at);
				at += part.length;
			}
			return whole;
		}
		static compare(a, b) {
			const size = Math.min(a.length, b.length);
			for (let i = 0; i < size; i++) if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1;
			return Math.sign(a.length - b.length);
		}
	}
	const own = (bytes) => new BufferClass(bytes.buffer, bytes.byteOffset, bytes.length);
	function checkSize(size) {
		if (typeof size !== 'number') throw rt.invalidArgument('size', 'of type number', size);
		if (!(size >= 0 && size <= 2 ** 32)) throw rt.codedError(RangeError, 'ERR_OUT_OF_RANGE', `The value of "size" is out of range. It must be >= 0 && <= 4294967296. Received ${size}`);
	}
	Object.defineProperty(BufferClass, 'name', { value: 'Buffer' });
	BufferClass.poolSize = 8192;

	const grouped = (value) => typeof value === 'bigint' ? `${value}n` : Math.abs(value) > 2 ** 32 ? String(value).replace(/\B(?=(\d{3})+(?!\d))/g, '_') : String(value);
	function checkValue(value, minimum, maximum) {
		if (value >= minimum && value <= maximum) return;
		const range = `>= ${minimum} and <= ${maximum}`;
		throw rt.codedError(RangeError, 'ERR_OUT_OF_RANGE', `The value of "value" is out of range. It must be ${range}. Received ${grouped(value)}`);
	}
	function accessors(name, kind, size, minimum, maximum) {
		for (const order of size > 1 ? ['LE', 'BE'] : ['']) {
			const small = order === 'LE';
			const check = (buffer, offset) => {
				if (typeof offset !== 'number') throw rt.invalidArgument('offset', 'of type number', offset);
				if (offset < 0 || offset + size > buffer.length) {
					if (buffer.length - size < 0) throw rt.codedError(RangeError, 'ERR_BUFFER_OUT_OF_BOUNDS', 'Attempt to access memory outside buffer bounds');
					throw rt.outOfRange('offset', `>= 0 and <= ${buffer.length - size}`, offset);
				}
			};
			const read = function (offset = 0) {
				check(this, offset);
				return new DataView(this.buffer, this.byteOffset, this.length)[`get${kind}`](offset, small);
			};
			const write = function (value, offset = 0) {
				if (minimum !== undefined) checkValue(value, minimum, maximum);
				check(this, offset);
				new DataView(this.buffer, this.byteOffset, this.length)[`set${kind}`](offset, value, small);
				return offset + size;
			};
			for (const alias of [name, name.replace('UInt', 'Uint')]) {
				hide(BufferClass.prototype, `read${alias}${order}`, read);
				hide(BufferClass.prototype, `write${alias}${order}`, write);
			}
		}
	}
	accessors('UInt8', 'Uint8', 1, 0, 255);
	accessors('UInt16', 'Uint16', 2, 0, 65535);
	accessors('UInt32', 'Uint32', 4, 0, 4294967295);
	accessors('Int8', 'Int8', 1, -128, 127);
	accessors('Int16', 'Int16', 2, -32768, 32767);
	accessors('Int32', 'Int32', 4, -2147483648, 2147483647);
	accessors('BigUInt64', 'BigUint64', 8, 0n, 2n ** 64n - 1n);
	accessors('BigInt64', 'BigInt64', 8, -(2n ** 63n), 2n ** 63n - 1n);
	accessors('Float', 'Float32', 4);
	accessors('Double', 'Float64', 8);

	// Buffer(...) without new is old, but some programs still say it.
	const Buffer = new Proxy(BufferClass, {
		apply: (target, self, args) => typeof args[0] === 'number' ? BufferClass.alloc(args[0]) : BufferClass.from(...args),
		construct(target, args, wanted) {
			if (wanted !== Buffer) return Reflect.construct(Uint8Array, args, wanted);
			return typeof args[0] === 'number' ? BufferClass.alloc(args[0]) : BufferClass.from(...args);
		},
	});
	hide(BufferClass.prototype, 'constructor', Buffer);
	rt.Buffer = Buffer;
	rt.bufferOf = own;
	rt.encode = (text, encoding) => encoders[encodingOf(encoding)](text);
	rt.global('Buffer', Buffer);

	class StringDecoder {
		#left = [];
		constructor(encoding) { this.encoding = encodingOf(encoding); }
		write(bytes) {
			if (typeof bytes === 'string') return bytes;
			if (this.encoding !== 'utf8') return decoders[this.encoding](bytes);
			const whole = Uint8Array.from([...this.#left, ...bytes]);
			this.#left = [];
			return utf8Text(whole, false, this.#left);
		}
		end(bytes) {
			const text = (bytes ? this.write(bytes) : '') + (this.#left.length ? '\ufffd' : '');
			this.#left = [];
			return text;
		}
	}
	rt.stringDecoder = { StringDecoder };

	// --- structuredClone ---

	function structuredClone(value, options) {
		if (arguments.length === 0) throw new TypeError("The \"value\" argument must be specified");
		const seen = new Map();
		const fail = (bad) => { throw new DOMException(`${typeof bad === 'function' ? Function.prototype.toString.call(bad) : typeof bad === 'symbol' ? String(bad) : '#<' + (bad.constructor?.name ?? 'Object') + '>'} could not be cloned.`, 'DataCloneError'); };
		const record = (from, to) => { seen.set(from, to); return to; };
		function copyError(from) {
			const names = ['EvalError', 'RangeError', 'ReferenceError', 'SyntaxError', 'TypeError', 'URIError'];

			const made = Reflect.construct(globalThis[names.includes(from.name) ? from.name : 'Error'], [from.message]);
			seen.set(from, made);
			hide(made, 'stack', from.stack);
			if (Object.hasOwn(from, 'cause')) hide(made, 'cause', clone(from.cause));
			return made;
		}
		function clone(from) {
			if (typeof from === 'function' || typeof from === 'symbol') fail(from);
			if (from === null || typeof from !== 'object') return from;
			if (seen.has(from)) return seen.get(from);
			const t = rt.types;
			if (t.isBoxedPrimitive(from)) return record(from, Object(from.valueOf()));
			if (t.isDate(from)) return record(from, new Date(from.getTime()));
			if (t.isRegExp(from)) return record(from, new RegExp(from.source, from.flags));
			if (t.isAnyArrayBuffer(from)) return record(from, from.slice(0));
			if (ArrayBuffer.isView(from)) {
				const Type = Buffer.isBuffer(from) ? Uint8Array : from.constructor;
				return record(from, new Type(clone(from.buffer), from.byteOffset, from.length ?? from.byteLength));
			}
			if (t.isNativeError(from)) return copyError(from);
			if (t.isMap(from)) {
				const to = record(from, new Map());
				for (const [key, item] of from) to.set(clone(key), clone(item));
				return to;
			}
			if (t.isSet(from)) {
				const to = record(from, new Set());
				for (const item of from) to.add(clone(item));
				return to;
			}
			if (t.isWeakMap(from) || t.isWeakSet(from) || t.isPromise(from) || from instanceof WeakRef || t.isGeneratorObject(from)) fail(from);
			const to = record(from, Array.isArray(from) ? new Array(from.length) : {});
			for (const key of Object.keys(from)) to[key] = clone(from[key]);
			return to;
		}
		return clone(value);
	}
	rt.global('structuredClone', structuredClone);
})();
