//: emails
const pattern = /^[\w.+-]+@[\w-]+(\.[\w-]+)+$/;
for (const mail of ['a@b.co', 'first.last+tag@sub.example.org', 'no-at.example', 'x@y', '@z.com']) console.log(mail.padEnd(32), pattern.test(mail));
//: named-groups
const date = /(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)/;
const found = date.exec('released on 2024-03-15, yes');
console.log(found.groups, found.index, { ...found.groups }, '2024-03-15'.replace(date, '$<day>.$<month>.$<year>'));
console.log(found);
//: match-all
const text = 'x=1; yy=22; zzz=333';
for (const m of text.matchAll(/(\w+)=(\d+)/g)) console.log(m[0], m[1], Number(m[2]), m.index);
console.log(text.match(/\d+/g), text.match(/q/g), text.match(/(\w)=/));
//: sticky-lexer
const rules = [['number', /\d+(\.\d+)?/y], ['name', /[a-z]\w*/iy], ['op', /[-+*/=()]/y], ['space', /\s+/y]];
function* lex(source) {
	let at = 0;
	outer: while (at < source.length) {
		for (const [type, re] of rules) {
			re.lastIndex = at;
			const m = re.exec(source);
			if (!m) continue;
			at = re.lastIndex;
			if (type !== 'space') yield [type, m[0]];
			continue outer;
		}
		throw new SyntaxError(`unexpected ${source[at]} at ${at}`);
	}
}
console.log([...lex('area = 3.14 * (r + 2)')]);
try { [...lex('a ? b')]; } catch (e) { console.log(e.message); }
//: lookaround
console.log('1234567.89'.replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ','), 'price: $42, cost: €17'.match(/(?<=[$€])\d+/g), 'foobar foobaz'.match(/foo(?!bar)\w+/)[0]);
//: unicode-properties
console.log('Héllo Wörld 123 — ñ'.match(/\p{L}+/gu), 'аБв'.match(/\p{Lu}/u)[0], '😀a😎'.match(/\p{Emoji_Presentation}/gu), /^.$/u.test('😀'), /^.$/.test('😀'));
//: flags-and-source
const r = /a\/b[/]c/gimsuy;
console.log(r, r.source, r.flags, r.global, r.lastIndex, String(new RegExp('a/b')), new RegExp('x', 'g'), RegExp('\\d+').test('a1'));
//: last-index
const g = /o/g;
const s = 'foo boo';
while (g.test(s)) console.log(g.lastIndex);
console.log(g.lastIndex, s.replace(/o/g, (m, at) => at));
//: backreferences
console.log(/(\w)\1/.exec('hello')[0], 'the the cat cat sat'.replace(/\b(\w+) \1\b/g, '$1'), /(?<q>['"]).*?\k<q>/.exec(`say "it's" now`)[0]);
//: log-lines
const log = `2024-01-05 10:00:01 ERROR [db] timeout after 30s
2024-01-05 10:00:02 INFO [web] GET /index 200
2024-01-05 10:00:03 ERROR [web] GET /x 500`;
const entries = log.split('\n').map((line) => /^(\S+) (\S+) (\w+) \[(\w+)\] (.*)$/.exec(line).slice(1));
console.log(entries);
console.log(entries.filter((e) => e[2] === 'ERROR').map((e) => e[4]));
//: split-by-regexp
console.log('a1b22c333'.split(/\d+/), 'a1b22c'.split(/(\d+)/), 'one, two;three  four'.split(/[,;\s]+/), 'camelCaseString'.split(/(?=[A-Z])/), ''.split(/x/), 'abc'.split(/(?:)/u));
//: replace-function
console.log('2 apples and 13 pears'.replace(/(\d+) (\w+?)s?\b/g, (all, n, thing, at) => `${thing}x${n * 2}@${at}`));
console.log('{name} is {age}, {none}'.replace(/\{(\w+)\}/g, (_, k) => ({ name: 'Al', age: 5 })[k] ?? `<${k}>`));
//: greedy-lazy
const html = '<b>one</b><b>two</b>';
console.log(html.match(/<b>.*<\/b>/)[0], html.match(/<b>.*?<\/b>/)[0], html.replace(/<[^>]+>/g, ''), [...html.matchAll(/<b>(.*?)<\/b>/g)].map((m) => m[1]));
//: multiline-dotall
const doc = 'first line\nsecond line\nthird';
console.log(doc.match(/^\w+/gm), doc.match(/line$/gm), /first.*third/.test(doc), /first.*third/s.test(doc), doc.replace(/^/gm, '> '));
//: bad-patterns
for (const p of ['(', '[a', '*a', 'a{2,1}', '\\', '(?<n>a)(?<n>b)'])
	try { new RegExp(p); console.log(p, 'fine'); } catch (e) { console.log(p, e instanceof SyntaxError, e.name); }
//: ip-and-hex
const ip = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;
console.log(['192.168.1.1', '256.1.1.1', '1.2.3', '0.0.0.0'].map((x) => ip.test(x)), ['#fff', '#12345G', '#a1b2c3'].map((x) => /^#(?:[\da-f]{3}){1,2}$/i.test(x)));
//: escape-helper
const escape = (t) => t.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
console.log(escape('1+1=2? (yes)'), 'cost (in $): 5'.search(new RegExp(escape('($)'.slice(0, 2)))), new RegExp(escape('a.b')).test('aXb'));
//: indices-flag
const m = /a(?<Z>z)?/d.exec('xaz');
console.log(m.indices[0], m.indices[1], m.indices.groups.Z);
//: symbol-protocol
const custom = { [Symbol.replace]: (text, value) => `<${text}:${value}>`, [Symbol.split]: (text) => [...text, 'end'], [Symbol.match]: () => ['mine'] };
console.log('ab'.replace(custom, 'v'), 'ab'.split(custom), 'ab'.match(custom));
//: password-rules
const checks = { length: /.{8,}/, lower: /[a-z]/, upper: /[A-Z]/, digit: /\d/, symbol: /[^\w\s]/ };
for (const word of ['secret', 'Passw0rd!', 'LONGBUTNOLOWER1']) console.log(word, Object.keys(checks).filter((k) => !checks[k].test(word)));
