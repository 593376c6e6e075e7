//: overflow
const u8 = new Uint8Array([255, 256, -1, 1.9]), c8 = new Uint8ClampedArray([300, -5, 1.5]), i8 = new Int8Array([128, 200]);
console.log(u8, c8, i8, new Float32Array([0.1]), new Int16Array(2), new BigInt64Array([1n, -1n]));
//: shared-buffer
const buf = new ArrayBuffer(8), bytes = new Uint8Array(buf), words = new Uint32Array(buf);
words[0] = 0x01020304;
console.log(bytes, words, buf, buf.slice(0, 4), bytes.subarray(1, 3), words.byteLength, Uint32Array.BYTES_PER_ELEMENT);
//: data-view
const v = new DataView(new ArrayBuffer(16));
v.setInt16(0, -2); v.setFloat64(2, Math.PI); v.setUint32(10, 0xdeadbeef, true);
console.log(v.getUint16(0), v.getFloat64(2), v.getUint8(10).toString(16), v.getInt32(10), v.byteLength);
try { v.getInt32(14); } catch (e) { console.log(e.name, e.message); }
//: array-methods
const f = Float64Array.from([3, 1, 2], (x) => x * 1.5);
console.log(f.sort(), f.map((x) => x * 2), f.reduce((a, b) => a + b), f.indexOf(3), f.includes(1.5), [...f.entries()], f.join('|'), Array.from(f), f.toReversed());
//: bits
const bits = (n) => (n >>> 0).toString(2).padStart(32, '0').replace(/(.{8})(?=.)/g, '$1_');
console.log(bits(5), bits(-5), bits(1 << 30), ((0b1010 ^ 0b0110) >>> 0).toString(2));
let n = 0b101101, count = 0;
while (n) { n &= n - 1; count++; }
console.log(count, 0xff & ~0x0f, 1 << 33, -9 >> 1, -9 >>> 28);
//: bitset
class BitSet { constructor(n) { this.w = new Uint32Array((n + 31) >> 5); } add(i) { this.w[i >> 5] |= 1 << (i & 31); return this; } has(i) { return (this.w[i >> 5] & (1 << (i & 31))) !== 0; } *[Symbol.iterator]() { for (let i = 0; i < this.w.length * 32; i++) if (this.has(i)) yield i; } }
console.log([...new BitSet(100).add(3).add(64).add(99)], new BitSet(40).add(31));
//: sieve-big
const N = 200000, s = new Uint8Array(N + 1);
let count = 0, last = 0;
for (let i = 2; i <= N; i++) { if (s[i]) continue; count++; last = i; for (let j = i * 2; j <= N; j += i) s[j] = 1; }
console.log(count, last);
//: endianness
const little = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;
const swap32 = (n) => ((n & 0xff) << 24 | (n & 0xff00) << 8 | (n >> 8) & 0xff00 | n >>> 24) >>> 0;
console.log(little, swap32(0x11223344).toString(16));
//: float-bits
const view = new DataView(new ArrayBuffer(8));
const bits = (x) => { view.setFloat64(0, x); return view.getBigUint64(0).toString(16).padStart(16, '0'); };
for (const x of [1, -1, 0.1, 0, -0, Infinity, NaN, Number.MIN_VALUE]) console.log(x, bits(x));
console.log(Math.fround(0.1), new Float32Array([16777217])[0]);
//: long-typed
console.log(new Uint8Array(200).map((_, i) => i), new Float32Array(3).fill(1 / 3));
//: set-and-copy
const a = new Uint8Array(8);
a.set([1, 2, 3], 2); a.copyWithin(5, 2, 4); a.fill(9, 0, 1);
console.log(a, a.slice(-3), new Uint8Array(a.buffer, 2, 3), a.at(-1), Object.keys(a).length);
try { a.set([1, 2], 7); } catch (e) { console.log(e.name); }
//: text-bytes
const bytes = new TextEncoder().encode('héllo €😀');
console.log(bytes, new TextDecoder().decode(bytes), bytes.length, new TextDecoder().decode(new Uint8Array([0xff, 65, 0xe2, 0x82])), new TextDecoder('utf-16le').decode(new Uint8Array([104, 0, 105, 0])));
//: checksum
const crc = (text) => { let c = ~0; for (const b of new TextEncoder().encode(text)) { c ^= b; for (let k = 0; k < 8; k++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1; } return (~c >>> 0).toString(16); };
const adler = (t) => { let a = 1, b = 0; for (const c of t) { a = (a + c.charCodeAt()) % 65521; b = (b + a) % 65521; } return ((b << 16 | a) >>> 0).toString(16); };
console.log(crc('123456789'), adler('Wikipedia'), crc(''));
//: typed-errors
for (const f of [() => new Uint8Array(-1), () => new Uint16Array(new ArrayBuffer(3)), () => new Uint32Array(new ArrayBuffer(8), 1), () => Uint8Array(1), () => new BigInt64Array([1])]) try { f(); console.log('fine'); } catch (e) { console.log(e.name); }
//: image-histogram
const w = 16, h = 8, px = new Uint8ClampedArray(w * h).map((_, i) => (i % w) * 17), hist = new Uint16Array(4);
for (const p of px) hist[p >> 6]++;
console.log(hist, [...hist].map((n) => '#'.repeat(n / 4)));
