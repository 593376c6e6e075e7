// SPDX-License-Identifier: Apache-2.0
// crypto: digests, HMAC, key derivation by PBKDF2 and random values.
(function () {
	'use strict';
	const rt = globalThis.__runtime;
	const rotate = (value, by) => value << by | value >>> 32 - by;

	// The message with its 1 bit, zeros and length, as all these digests want it.
	function padded(bytes, block, lengthSize, small) {
		const size = Math.ceil((bytes.length + 1 + lengthSize) / block) * block;
		const whole = new Uint8Array(size);
		whole.set(bytes);
		whole[bytes.length] = 0x80;
		const view = new DataView(whole.buffer);
		const bits = BigInt(bytes.length) * 8n;
		view.setBigUint64(size - 8, bits, small);
		return view;
	}
	const wordsOut = (words, small) => {
		const view = new DataView(new ArrayBuffer(words.length * 4));
		words.forEach((word, index) => view.setInt32(index * 4, word, small));
		return new Uint8Array(view.buffer);
	};

	function md5(bytes) {
		const shifts = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21];
		const sines = Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32) | 0);
		const view = padded(bytes, 64, 8, true);
		let [a0, b0, c0, d0] = [0x67452301, 0xefcdab89 | 0, 0x98badcfe | 0, 0x10325476];
		for (let at = 0; at < view.byteLength; at += 64) {
			let a = a0, b = b0, c = c0, d = d0;
			for (let i = 0; i < 64; i++) {
				let f, g;
				if (i < 16) f = b & c | ~b & d, g = i;
				else if (i < 32) f = d & b | ~d & c, g = (5 * i + 1) % 16;
				else if (i < 48) f = b ^ c ^ d, g = (3 * i + 5) % 16;
				else f = c ^ (b | ~d), g = 7 * i % 16;
				const next = a + f + sines[i] + view.getInt32(at + 4 * g, true) | 0;
				a = d;
				d = c;
				c = b;
				b = b + rotate(next, shifts[(i >> 4) * 4 + i % 4]) | 0;
			}
			a0 = a0 + a | 0;
			b0 = b0 + b | 0;
			c0 = c0 + c | 0;
			d0 = d0 + d | 0;
		}
		return wordsOut([a0, b0, c0, d0], true);
	}
	function sha1(bytes) {
		const view = padded(bytes, 64, 8, false);
		const h = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
		const w = new Int32Array(80);
		for (let at = 0; at < view.byteLength; at += 64) {
			for (let i = 0; i < 80; i++) w[i] = i < 16 ? view.getInt32(at + 4 * i) : rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
			let [a, b, c, d, e] = h;
			for (let i = 0; i < 80; i++) {
				const [f, k] = i < 20 ? [b & c | ~b & d, 0x5a827999] : i < 40 ? [b ^ c ^ d, 0x6ed9eba1] : i < 60 ? [b & c | b & d | c & d, 0x8f1bbcdc] : [b ^ c ^ d, 0xca62c1d6];
				const next = rotate(a, 5) + f + e + k + w[i] | 0;
				e = d;
				d = c;
				c = rotate(b, 30);
				b = a;
				a = next;
			}
			[a, b, c, d, e].forEach((value, index) => { h[index] = h[index] + value | 0; });
		}
		return wordsOut(h, false);
	}

	// The constants of SHA-2 are the fractions of roots of primes: 64 bits of each.
	const primes = [];
	for (let n = 2; primes.length < 80; n++) if (primes.every((prime) => n % prime)) primes.push(n);
	function root(value, degree) {
		let low = 0n, high = value;
		while (low < high) {
			const middle = low + high + 1n >> 1n;
			if (middle ** degree <= value) low = middle;
			else high = middle - 1n;
		}
		return low;
	}
	const mask64 = (1n << 64n) - 1n;
	const fraction = (prime, degree) => root(BigInt(prime) << 64n * degree, degree) & mask64;
	const cubes = primes.map((prime) => fraction(prime, 3n));
	const squares = primes.slice(0, 16).map((prime) => fraction(prime, 2n));
	const high32 = (value) => Number(value >> 32n) | 0;
	const low32 = (value) => Number(value & 0xffffffffn) | 0;
	const k256 = Int32Array.from(cubes.slice(0, 64), high32);
	const k512 = Int32Array.from(cubes.flatMap((value) => [high32(value), low32(value)]));

	// The turns of bits are written out: a call for each would take most of the time.
	function sha256(start, size) {
		return function (bytes) {
			const view = padded(bytes, 64, 8, false);
			const h = Int32Array.from(start);
			const w = new Int32Array(64);
			for (let at = 0; at < view.byteLength; at += 64) {
				for (let i = 0; i < 64; i++) {
					if (i < 16) { w[i] = view.getInt32(at + 4 * i); continue; }
					const x = w[i - 15], y = w[i - 2];
					w[i] = w[i - 16] + ((x >>> 7 | x << 25) ^ (x >>> 18 | x << 14) ^ x >>> 3) + w[i - 7] + ((y >>> 17 | y << 15) ^ (y >>> 19 | y << 13) ^ y >>> 10) | 0;
				}
				let [a, b, c, d, e, f, g, i7] = h;
				for (let i = 0; i < 64; i++) {
					const one = i7 + ((e >>> 6 | e << 26) ^ (e >>> 11 | e << 21) ^ (e >>> 25 | e << 7)) + (e & f ^ ~e & g) + k256[i] + w[i] | 0;
					const two = ((a >>> 2 | a << 30) ^ (a >>> 13 | a << 19) ^ (a >>> 22 | a << 10)) + (a & b ^ a & c ^ b & c) | 0;
					i7 = g;
					g = f;
					f = e;
					e = d + one | 0;
					d = c;
					c = b;
					b = a;
					a = one + two | 0;
				}
				[a, b, c, d, e, f, g, i7].forEach((value, index) => { h[index] = h[index] + value | 0; });
			}
			return wordsOut(Array.from(h), false).slice(0, size);
		};
	}

	// 64-bit words as pairs of 32-bit halves: BigInt would be ten times slower.
	function sha512(start, size) {
		return function (bytes) {
			const view = padded(bytes, 128, 16, false);
			const h = Int32Array.from(start.flatMap((value) => [high32(value), low32(value)]));
			const w = new Int32Array(160);
			const r = new Int32Array(16);
			const carry = (sum) => Math.floor(sum / 2 ** 32);
			for (let at = 0; at < view.byteLength; at += 128) {
				for (let i = 0; i < 160; i += 2) {
					if (i < 32) { w[i] = view.getInt32(at + 4 * i); w[i + 1] = view.getInt32(at + 4 * i + 4); continue; }
					const xh = w[i - 30], xl = w[i - 29], yh = w[i - 4], yl = w[i - 3];
					const s0h = (xh >>> 1 | xl << 31) ^ (xh >>> 8 | xl << 24) ^ xh >>> 7;
					const s0l = (xl >>> 1 | xh << 31) ^ (xl >>> 8 | xh << 24) ^ (xl >>> 7 | xh << 25);
					const s1h = (yh >>> 19 | yl << 13) ^ (yl >>> 29 | yh << 3) ^ yh >>> 6;
					const s1l = (yl >>> 19 | yh << 13) ^ (yh >>> 29 | yl << 3) ^ (yl >>> 6 | yh << 26);
					const low = (w[i - 31] >>> 0) + (s0l >>> 0) + (w[i - 13] >>> 0) + (s1l >>> 0);
					w[i + 1] = low;
					w[i] = w[i - 32] + s0h + w[i - 14] + s1h + carry(low);
				}
				r.set(h);
				for (let i = 0; i < 160; i += 2) {
					const eh = r[8], el = r[9], ah = r[0], al = r[1];
					const s1h = (eh >>> 14 | el << 18) ^ (eh >>> 18 | el << 14) ^ (el >>> 9 | eh << 23);
					const s1l = (el >>> 14 | eh << 18) ^ (el >>> 18 | eh << 14) ^ (eh >>> 9 | el << 23);
					const low1 = (r[15] >>> 0) + (s1l >>> 0) + ((el & r[11] ^ ~el & r[13]) >>> 0) + (k512[i + 1] >>> 0) + (w[i + 1] >>> 0);
					const high1 = r[14] + s1h + (eh & r[10] ^ ~eh & r[12]) + k512[i] + w[i] + carry(low1) | 0;
					const s0h = (ah >>> 28 | al << 4) ^ (al >>> 2 | ah << 30) ^ (al >>> 7 | ah << 25);
					const s0l = (al >>> 28 | ah << 4) ^ (ah >>> 2 | al << 30) ^ (ah >>> 7 | al << 25);
					const low2 = (s0l >>> 0) + ((al & r[3] ^ al & r[5] ^ r[3] & r[5]) >>> 0);
					const high2 = s0h + (ah & r[2] ^ ah & r[4] ^ r[2] & r[4]) + carry(low2) | 0;
					r.copyWithin(2, 0, 14);
					const baseLow = r[9] >>> 0, addLow = low1 % 2 ** 32;
					r[9] = baseLow + addLow;
					r[8] = r[8] + high1 + carry(baseLow + addLow);
					const sum = addLow + low2 % 2 ** 32;
					r[1] = sum;
					r[0] = high1 + high2 + carry(sum);
				}
				for (let i = 0; i < 16; i += 2) {
					const low = (h[i + 1] >>> 0) + (r[i + 1] >>> 0);
					h[i + 1] = low;
					h[i] = h[i] + r[i] + carry(low);
				}
			}
			return wordsOut(Array.from(h), false).slice(0, size);
		};
	}
	const start224 = [0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939, 0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4];
	const digests = { md5, sha1, sha256: sha256(squares.slice(0, 8).map(high32), 32), sha224: sha256(start224, 28),
		sha512: sha512(squares.slice(0, 8), 64), sha384: sha512(squares.slice(8, 16), 48) };
	const nameOf = (name) => String(name).toLowerCase().replace(/^rsa-/, '').replace(/^sha-/, 'sha');
	const digestOf = (name) => {
		const digest = Object.hasOwn(digests, nameOf(name)) ? digests[nameOf(name)] : null;
		if (!digest) {
			const error = new Error('Digest method not supported');
			error.code = 'ERR_CRYPTO_INVALID_DIGEST';
			throw error;
		}
		return digest;
	};
	const inBytes = (data, encoding) => {
		if (typeof data === 'string') return rt.encode(data, encoding);
		if (ArrayBuffer.isView(data) || rt.types.isAnyArrayBuffer(data)) return rt.bytesOf(data);
		throw rt.invalidArgument('data', 'of type string or an instance of Buffer, TypedArray, or DataView', data);
	};
	const out = (bytes, encoding) => encoding && encoding !== 'buffer' ? rt.bufferOf(bytes).toString(encoding) : rt.bufferOf(bytes);
	const joined = (parts) => parts.length === 1 ? parts[0] : Buffer.concat(parts);

	class Hash {
		#digest; #parts = []; #done = false;
		constructor(name) { this.#digest = digestOf(name); }
		update(data, encoding) {
			if (this.#done) throw rt.codedError(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
			this.#parts.push(inBytes(data, encoding).slice());
			return this;
		}
		digest(encoding) {
			if (this.#done) throw rt.codedError(Error, 'ERR_CRYPTO_HASH_FINALIZED', 'Digest already called');
			this.#done = true;
			return out(this.#digest(joined(this.#parts)), encoding);
		}
		copy() {
			const other = new Hash('md5');
			other.#digest = this.#digest;
			other.#parts = [...this.#parts];
			return other;
		}
	}
	function hmac(name, key, data) {
		const digest = digestOf(name);
		const block = /^sha(512|384)$/.test(nameOf(name)) ? 128 : 64;
		const short = key.length > block ? digest(key) : key;
		const pad = (byte) => { const bytes = new Uint8Array(block).fill(byte); short.forEach((value, index) => { bytes[index] ^= value; }); return bytes; };
		return digest(Buffer.concat([pad(0x5c), digest(Buffer.concat([pad(0x36), data]))]));
	}
	class Hmac {
		#name; #key; #parts = [];
		constructor(name, key) {
			digestOf(name);
			this.#name = name;
			this.#key = inBytes(key);
		}
		update(data, encoding) { this.#parts.push(inBytes(data, encoding).slice()); return this; }
		digest(encoding) { return out(hmac(this.#name, this.#key, joined(this.#parts)), encoding); }
	}
	function pbkdf2Sync(password, salt, rounds, size, name) {
		const key = inBytes(password), start = inBytes(salt);
		const blocks = [];
		for (let i = 1, got = 0; got < size; i++) {
			let last = hmac(name, key, Buffer.concat([start, Uint8Array.of(i >> 24, i >> 16, i >> 8, i)]));
			const sum = last.slice();
			for (let k = 1; k < rounds; k++) {
				last = hmac(name, key, last);
				for (let j = 0; j < sum.length; j++) sum[j] ^= last[j];
			}
			blocks.push(sum);
			got += sum.length;
		}
		return Buffer.concat(blocks).subarray(0, size);
	}

	const randomBytes = (size, callback) => {
		const bytes = rt.bufferOf(new Uint8Array(rt.host('random', size)));
		if (!callback) return bytes;
		rt.finish(() => callback(null, bytes));
	};
	function getRandomValues(array) {
		if (!rt.types.isTypedArray(array)) throw new DOMException('The data argument must be an integer-type TypedArray', 'TypeMismatchError');
		rt.bytesOf(array).set(new Uint8Array(rt.host('random', array.byteLength)));
		return array;
	}
	function randomUUID() {
		const bytes = randomBytes(16);
		bytes[6] = bytes[6] & 15 | 64;
		bytes[8] = bytes[8] & 63 | 128;
		return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
	}
	function randomInt(low, high, callback) {
		if (high === undefined || typeof high === 'function') [low, high, callback] = [0, low, high];
		if (!(high > low)) throw rt.outOfRange('max', `greater than the value of "min" (${low})`, high);
		const value = low + Number(randomBytes(8).readBigUInt64LE() % BigInt(high - low));
		if (!callback) return value;
		rt.finish(() => callback(null, value));
	}
	const subtle = { async digest(name, data) { return new Uint8Array(digestOf(typeof name === 'object' ? name.name : name)(rt.bytesOf(data))).buffer; } };
	const webcrypto = { getRandomValues, randomUUID, subtle };
	Object.defineProperty(webcrypto, Symbol.toStringTag, { value: 'Crypto' });
	rt.crypto = {
		createHash: (name) => new Hash(name), createHmac: (name, key) => new Hmac(name, key), hash: (name, data, encoding = 'hex') => out(digestOf(name)(inBytes(data)), encoding),
		Hash, Hmac, randomBytes, randomUUID, randomInt, getRandomValues, pbkdf2Sync, webcrypto, subtle,
		pbkdf2(...args) { const callback = args.pop(); const key = pbkdf2Sync(...args); rt.finish(() => callback(null, key)); },
		randomFillSync: getRandomValues,
		getHashes: () => ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'],
		timingSafeEqual(a, b) {
			if (a.byteLength !== b.byteLength) throw rt.codedError(RangeError, 'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH', 'Input buffers must have the same byte length');
			return Buffer.compare(rt.bytesOf(a), rt.bytesOf(b)) === 0;
		},
	};
	rt.global('crypto', webcrypto);
})();
