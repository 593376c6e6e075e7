//: encodings
const b = Buffer.from('Héllo €', 'utf8');
console.log(b, b.length, b.toString('hex'), b.toString('base64'), b.toString('latin1').length, b.toString('ascii').length, Buffer.from('aGk=', 'base64').toString(), Buffer.from('6869', 'hex').toString(), b.toString('base64url'), Buffer.from([104, 105, 256]).toJSON());
//: concat-slice
const a = Buffer.from('abc'), c = Buffer.concat([a, Buffer.from('def'), Buffer.alloc(2, '-')]);
const s = c.subarray(1, 4); s[0] = 88;
console.log(c.toString(), s.toString(), c.slice(-2).toString(), c.equals(Buffer.from('aXcdef--')), Buffer.compare(a, c), a.compare(a), Buffer.isBuffer(s), Buffer.byteLength('€'));
//: numbers
const b = Buffer.alloc(24);
b.writeUInt8(255, 0); b.writeInt16BE(-2, 1); b.writeUInt32LE(0xdeadbeef, 3); b.writeFloatBE(1.5, 7); b.writeDoubleLE(Math.PI, 11); console.log(b, b.readUInt8(0), b.readInt16BE(1), b.readUInt32LE(3).toString(16), b.readFloatBE(7), b.readDoubleLE(11), b.readIntBE(1, 2), b.readUIntLE(3, 3)); b.writeBigUInt64BE(2n ** 60n, 16); console.log(b.readBigUInt64BE(16), b.readBigInt64LE(16));
for (const f of [() => b.readUInt32BE(22), () => b.writeUInt8(256, 0), () => b.readInt8('x'), () => Buffer.alloc(-1)]) try { f(); } catch (e) { console.log(e.code, e.message); }
//: searching
const b = Buffer.from('the cat sat on the mat');
console.log(b.indexOf('at'), b.indexOf('at', 6), b.lastIndexOf('the'), b.includes('dog'), b.indexOf(116), b.indexOf(Buffer.from('sat')), b.indexOf('zz'));
//: fill-and-write
const b = Buffer.alloc(10, 'ab'); console.log(b.toString(), b.fill(0x2e, 2, 5).toString(), b.write('XYZ', 7), b.toString(), b.copy(b, 0, 7), b.toString(), b.swap16().toString());
//: iterate
const b = Buffer.from([1, 2, 3]);
for (const x of b) console.log(x); console.log([...b.entries()], b.map((x) => x * 2), b.reverse(), JSON.stringify(b), b instanceof Uint8Array, Array.from(b), b.at(-1), b.buffer instanceof ArrayBuffer);
//: long-shown
console.log(Buffer.alloc(60, 1), Buffer.alloc(0), [Buffer.from('x')], { b: Buffer.from('y') }, new Uint8Array(Buffer.from('z')));
//: invalid-utf8
console.log(JSON.stringify(Buffer.from([0xff, 0xfe, 65, 0xf0, 0x9f, 0x98]).toString()), Buffer.from('\ud800').toString('hex'), Buffer.from('zz', 'hex').length, Buffer.from('a b=c', 'base64').length);
try { Buffer.from(5); } catch (e) { console.log(e.code, e.message); } try { Buffer.from('x', 'nope'); } catch (e) { console.log(e.code, e.message); }
//: binary-format
const pack = (r) => { const n = Buffer.from(r.name); const b = Buffer.alloc(7 + n.length); b.writeUInt16BE(0xcafe, 0); b.writeUInt32BE(r.id, 2); b.writeUInt8(n.length, 6); n.copy(b, 7); return b; };
const unpack = (b) => ({ magic: b.readUInt16BE(0).toString(16), id: b.readUInt32BE(2), name: b.toString('utf8', 7, 7 + b[6]) });
const b = pack({ id: 123456, name: 'née' }); console.log(b, unpack(b));
//: hashes
const c = require('crypto');
for (const h of ['md5', 'sha1', 'sha256', 'sha512', 'sha384', 'sha224']) console.log(h, c.createHash(h).update('hello').update(' world').digest('hex'));
console.log(c.createHash('sha256').update('').digest('base64'), c.createHash('md5').update(Buffer.alloc(1000, 7)).digest('hex'), c.createHash('sha512').update('é'.repeat(300)).digest('hex').slice(0, 32));
//: hmac-and-kdf
const c = require('crypto');
console.log(c.createHmac('sha256', 'key').update('data').digest('hex'), c.createHmac('sha512', Buffer.alloc(200, 1)).update('x').digest('base64'), c.pbkdf2Sync('pw', 'salt', 100, 20, 'sha1').toString('hex'), c.timingSafeEqual(Buffer.from('a'), Buffer.from('a')));
try { c.createHash('nope'); } catch (e) { console.log(e.message); } const h = c.createHash('sha1').update('a'); console.log(h.copy().update('b').digest('hex'), h.digest('hex')); try { h.update('x'); } catch (e) { console.log(e.code); }
//: random-shapes
const c = require('crypto'); console.log(c.randomBytes(8).length, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/.test(crypto.randomUUID()), c.randomInt(5) < 5, c.randomInt(3, 4), crypto.getRandomValues(new Uint8Array(4)).length, c.randomUUID() !== c.randomUUID(), Math.random() < 1, Math.random() !== Math.random());
//: blockchain
const { createHash } = require('crypto'); const hash = (b) => createHash('sha256').update(b.i + b.prev + b.data + b.nonce).digest('hex');
const chain = []; for (const [i, data] of ['start', 'pay 5', 'pay 7'].entries()) { const b = { i, prev: chain.at(-1)?.hash ?? '', data, nonce: 0 }; while (!(b.hash = hash(b)).startsWith('0')) b.nonce++; chain.push(b); }
console.log(chain, chain.every((b) => hash(b) === b.hash)); chain[1].data = 'pay 500'; console.log(chain.map((b) => hash(b) === b.hash));
//: web-digest
crypto.subtle.digest('SHA-256', new TextEncoder().encode('abc')).then((d) => console.log(Buffer.from(d).toString('hex'), d.byteLength));
