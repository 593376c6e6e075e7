// tricky-benign: decodes a picture for a test
const assert = require('assert');
const png = Buffer.from('iVBORw0KGgo=', 'base64');
assert.deepStrictEqual([...png.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
const text = decodeURIComponent('caf%C3%A9');
assert.strictEqual(text.length, 4);
