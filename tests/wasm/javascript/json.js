//: round-trip
const value = { a: [1, null, true], b: { c: 'x"y\n', d: 1e21 }, e: undefined, f: () => 1, g: NaN, h: new Date(0), i: Symbol('s') };
const text = JSON.stringify(value);
console.log(text);
console.log(JSON.parse(text));
//: indent-forms
const config = { name: 'tool', tags: ['a', 'b'], empty: {}, none: [], nested: { deep: { deeper: [1, { x: 2 }] } } };
console.log(JSON.stringify(config, null, 2));
console.log(JSON.stringify(config, null, '--'));
//: replacer-and-reviver
const secret = { user: 'al', password: 'x', items: [{ price: 1.5, password: 'y' }] };
console.log(JSON.stringify(secret, (k, v) => (k === 'password' ? undefined : v)), JSON.stringify(secret, ['user', 'items', 'price']));
console.log(JSON.parse('{"when":"2024-02-29T00:00:00.000Z","n":"12"}', (k, v) => (k === 'when' ? new Date(v) : /^\d+$/.test(v) ? Number(v) : v)));
//: parse-errors
for (const bad of ['{bad}', '', '[1,', '{"a":1,}', "{'a':1}", '[1 2]', 'nul', '"open', '{"a" 1}', '01', '1 2', 'undefined', '{"a":}', '[,]', '"\\x"', 'not json at all, this is a longer text than forty letters'])
	try { console.log(JSON.parse(bad)); } catch (e) { console.log(e.name, e.message); }
//: to-json
class Money { constructor(v, c) { this.v = v; this.c = c; } toJSON(key) { return `${this.v} ${this.c} (${key})`; } }
console.log(JSON.stringify({ price: new Money(5, 'EUR'), list: [new Money(1, 'USD')], map: new Map([[1, 2]]), set: new Set([1]), big: Object(7), str: Object('s') }));
//: circular
const a = { name: 'a' };
a.self = a;
try { JSON.stringify(a); } catch (e) { console.log(e.message); }
const b = { list: [{ back: null }] };
b.list[0].back = b;
try { JSON.stringify(b); } catch (e) { console.log(e.message); }
console.log(a, b);
//: safe-stringify
function safe(value) {
	const seen = new WeakSet();
	return JSON.stringify(value, (k, v) => {
		if (v && typeof v === 'object') { if (seen.has(v)) return '[circular]'; seen.add(v); }
		return typeof v === 'bigint' ? `${v}n` : v;
	});
}
const loop = { n: 10n, list: [] };
loop.list.push(loop);
console.log(safe(loop));
try { JSON.stringify({ n: 1n }); } catch (e) { console.log(e.name, e.message); }
//: unicode-output
console.log(JSON.stringify('é\u2028\ud800\u0007😀'), JSON.stringify({ 'ключ': '値' }), JSON.parse('"\\u00e9\\n\\ud83d\\ude00"'), JSON.stringify('</script>'));
//: csv-to-json
const csv = 'id,name,score\n1,"Smith, J",9.5\n2,"O""Neil",8';
const split = (line) => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map((m) => m[1]).slice(0, 3).map((c) => c.replace(/^"|"$/g, '').replaceAll('""', '"'));
const [head, ...rows] = csv.split('\n').map(split);
console.log(JSON.stringify(rows.map((r) => Object.fromEntries(r.map((c, i) => [head[i], isNaN(c) ? c : +c]))), null, 1));
//: deep-merge
const merge = (a, b) => { const out = { ...a }; for (const k in b) out[k] = b[k] && typeof b[k] === 'object' && !Array.isArray(b[k]) ? merge(a[k] ?? {}, b[k]) : b[k]; return out; };
console.log(merge({ a: { x: 1, y: { z: 1 } }, l: [1] }, { a: { y: { w: 2 } }, l: [2], n: null }));
//: deep-paths
const data = { user: { name: 'Al', roles: ['admin', { id: 7, flags: { on: true } }] }, n: 0 };
function* paths(v, at = '$') {
	if (v === null || typeof v !== 'object') return yield [at, v];
	for (const k of Object.keys(v)) yield* paths(v[k], Array.isArray(v) ? `${at}[${k}]` : `${at}.${k}`);
}
console.log([...paths(data)], Object.fromEntries(paths(data)));
//: diff
function diff(a, b, at = '') {
	const out = [];
	for (const k of new Set([...Object.keys(a), ...Object.keys(b)])) {
		const p = at ? `${at}.${k}` : k;
		if (!(k in b)) out.push(`- ${p}`);
		else if (!(k in a)) out.push(`+ ${p} = ${JSON.stringify(b[k])}`);
		else if (typeof a[k] === 'object' && typeof b[k] === 'object' && a[k] && b[k]) out.push(...diff(a[k], b[k], p));
		else if (a[k] !== b[k]) out.push(`~ ${p}: ${a[k]} -> ${b[k]}`);
	}
	return out;
}
console.log(diff({ a: 1, b: { c: 2, d: 3 }, x: 0 }, { a: 1, b: { c: 5, e: 1 }, y: [1] }).join('\n'));
//: query-array
const books = JSON.parse('[{"t":"A","y":1999,"g":["x","y"]},{"t":"B","y":2010,"g":["y"]},{"t":"C","y":2010,"g":[]}]');
console.table(books.map(({ t, y, g }) => ({ t, y, n: g.length })));
console.log(books.filter((b) => b.g.includes('y')).map((b) => b.t), Math.max(...books.map((b) => b.y)));
//: numbers-in-json
console.log(JSON.parse('[0.1, 1e3, -0, 12345678901234567890, 1E-2]'), JSON.stringify([0.1 + 0.2, -0, 1e100, Infinity]), JSON.stringify(new Number(3)), JSON.stringify(null), JSON.stringify(undefined), JSON.stringify(() => 1));
//: ndjson
const lines = '{"level":"info","ms":12}\n{"level":"warn","ms":90}\n\nbroken\n{"level":"info","ms":30}';
const ok = [], bad = [];
lines.split('\n').forEach((line, i) => { if (!line) return; try { ok.push(JSON.parse(line)); } catch (e) { bad.push(`${i + 1}: ${e.message}`); } });
console.log(ok, bad, ok.reduce((s, x) => s + x.ms, 0) / ok.length);
//: schema-check
const schema = { id: 'number', name: 'string', tags: 'array', address: { zip: 'string' } };
const check = (s, v, at = 'root') => Object.entries(s).flatMap(([k, t]) => {
	const x = v?.[k], real = Array.isArray(x) ? 'array' : typeof x;
	return typeof t === 'object' ? check(t, x, `${at}.${k}`) : real === t ? [] : [`${at}.${k}: expected ${t}, got ${real}`];
});
console.log(check(schema, { id: '7', name: 'x', tags: {}, address: {} }), check(schema, { id: 1, name: '', tags: [], address: { zip: '1' } }));
//: key-order
console.log(JSON.stringify({ b: 1, 2: 'two', a: 2, 1: 'one', [Symbol.iterator]: 0 }), Object.keys({ z: 1, 10: 1, 9: 1, y: 1 }), JSON.stringify(Object.entries({ q: 1, p: 2 }).sort()));
//: clone-compare
const original = { d: new Date(86400000), n: { m: [1, { k: 'v' }] }, u: undefined };
const byJson = JSON.parse(JSON.stringify(original)), byClone = structuredClone(original);
byClone.n.m[1].k = 'changed';
console.log(byJson, byClone, original.n.m[1].k, byClone.d instanceof Date);
