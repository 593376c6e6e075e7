//: reverse-words
const text = 'the quick brown fox jumps over the lazy dog';
console.log(text.split(' ').reverse().join(' '));
console.log([...text].reverse().join(''), text.replace(/\b\w/g, (c) => c.toUpperCase()));
//: palindromes
const isPalindrome = (s) => { const t = s.toLowerCase().replace(/[^a-z0-9]/g, ''); return t === [...t].reverse().join(''); };
for (const s of ['A man, a plan, a canal: Panama', 'Hello', 'Was it a car or a cat I saw?', '']) console.log(JSON.stringify(s), isPalindrome(s));
//: caesar
const shift = (s, k) => s.replace(/[a-z]/gi, (c) => { const base = c <= 'Z' ? 65 : 97; return String.fromCharCode((c.charCodeAt(0) - base + k + 26) % 26 + base); });
const secret = shift('Attack at Dawn!', 3);
console.log(secret, shift(secret, -3));
//: anagrams
const words = ['listen', 'silent', 'enlist', 'google', 'elgoog', 'abc', 'cab', 'xyz'];
const groups = new Map();
for (const w of words) {
	const key = [...w].sort().join('');
	groups.set(key, [...(groups.get(key) ?? []), w]);
}
console.log(groups, [...groups.values()].filter((g) => g.length > 1));
//: letter-frequency
const sample = 'She sells sea shells by the sea shore';
const freq = {};
for (const c of sample.toLowerCase()) if (/[a-z]/.test(c)) freq[c] = (freq[c] ?? 0) + 1;
console.log(Object.entries(freq).sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0])));
//: template-tag
function money(parts, ...values) {
	return parts.reduce((out, part, i) => out + part + (i < values.length ? (typeof values[i] === 'number' ? '$' + values[i].toFixed(2) : values[i]) : ''), '');
}
console.log(money`${'Tea'} costs ${2.5} and ${'cake'} ${4}`, String.raw`a\nb${1 + 1}`);
//: unicode-lengths
for (const s of ['abc', 'é', 'e\u0301', '😀', '👨‍👩‍👧', '日本']) console.log(s, s.length, [...s].length, s.codePointAt(0), encodeURIComponent(s));
console.log('e\u0301'.normalize('NFC') === 'é', 'ﬁ'.normalize('NFKC'), 'ß'.toUpperCase(), 'İ'.toLowerCase().length);
//: pad-table
const rows = [['apple', 3, 1.5], ['watermelon', 12, 0.25], ['fig', 100, 10]];
for (const [name, count, price] of rows) console.log(`${name.padEnd(12, '.')}${String(count).padStart(5)}${price.toFixed(2).padStart(8)}`);
//: word-wrap
function wrap(text, width) {
	const lines = [''];
	for (const word of text.split(/\s+/)) {
		if ((lines.at(-1) + ' ' + word).trim().length > width) lines.push(word);
		else lines[lines.length - 1] = (lines.at(-1) + ' ' + word).trim();
	}
	return lines;
}
console.log(wrap('Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor', 24).join('\n'));
//: case-conversions
const camel = (s) => s.replace(/[-_\s]+(.)/g, (_, c) => c.toUpperCase());
const snake = (s) => s.replace(/[A-Z]/g, (c) => '_' + c.toLowerCase());
const kebab = (s) => s.split(/(?=[A-Z])/).join('-').toLowerCase();
console.log(camel('some-long_variable name'), snake('someLongName'), kebab('backgroundColorRed'));
//: run-length
const encode = (s) => s.replace(/(.)\1*/g, (run, c) => run.length + c);
const decode = (s) => s.replace(/(\d+)(\D)/g, (_, n, c) => c.repeat(n));
const packed = encode('wwwwaaadexxxxxx');
console.log(packed, decode(packed));
//: slices-and-searches
const s = 'Hello, World';
console.log(s.slice(-5), s.substring(7, 3), s.substr(-5, 3), s.at(-1), s.indexOf('o', 5), s.lastIndexOf('o'), s.search(/W/), s.charAt(99) === '', s[99]);
console.log(s.includes('World'), s.startsWith('World', 7), s.endsWith('Hello', 5), s.split('', 3), s.split(/(,)/), s.concat('!', 1, null));
//: escapes-shown
console.log(['it\'s', "say \"hi\"", 'both \' and "', 'all \' " `', 'tab\there', 'line\nbreak', '\u0007', 'back\\slash']);
console.log({ 'key with space': 1, valid_key: 2, 3: 4, 'a-b': 5, 'it\'s': 6 });
//: levenshtein
function distance(a, b) {
	const row = Array.from({ length: b.length + 1 }, (_, i) => i);
	for (let i = 1; i <= a.length; i++) {
		let before = row[0];
		row[0] = i;
		for (let j = 1; j <= b.length; j++) {
			const old = row[j];
			row[j] = Math.min(row[j] + 1, row[j - 1] + 1, before + (a[i - 1] === b[j - 1] ? 0 : 1));
			before = old;
		}
	}
	return row[b.length];
}
console.log(distance('kitten', 'sitting'), distance('', 'abc'), distance('flaw', 'lawn'));
//: compare-order
const names = ['bob', 'Alice', 'carol', 'Bob', 'alice', 'Zed', 'émile', 'eve', 'item 10', 'item 2'];
console.log([...names].sort());
console.log([...names].sort((a, b) => a.localeCompare(b)));
console.log([...names].sort((a, b) => a.localeCompare(b, 'en', { numeric: true, sensitivity: 'base' })));
//: trim-and-replace
console.log(['  x ', '\t\ny\n', '\u00a0z\u00a0'].map((t) => [t.trim(), t.trimStart(), t.trimEnd()]));
console.log('a.b.c'.replace('.', '-'), 'a.b.c'.replaceAll('.', '-'), 'aaa'.replace(/a/g, '$&$&'), 'John Smith'.replace(/(\w+) (\w+)/, '$2, $1'), 'x'.replace('x', '$$'));
//: base64-and-uri
console.log(btoa('Hello, World!'), atob('SGVsbG8='), encodeURI('http://x.y/a b?c=d&e=é'), encodeURIComponent('a b&c=d/e?'), decodeURIComponent('%E2%82%AC'));
try { decodeURIComponent('%'); } catch (e) { console.log(e.name, e.message); }
//: longest-substring
function longest(s) {
	let start = 0, best = '';
	const seen = new Map();
	for (let i = 0; i < s.length; i++) {
		if (seen.get(s[i]) >= start) start = seen.get(s[i]) + 1;
		seen.set(s[i], i);
		if (i - start + 1 > best.length) best = s.slice(start, i + 1);
	}
	return best;
}
console.log(longest('abcabcbb'), longest('pwwkew'), longest('bbbb'), longest(''));
//: number-words
const ones = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve', 'thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen'];
const tens = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
function say(n) {
	if (n < 20) return ones[n];
	if (n < 100) return tens[Math.floor(n / 10)] + (n % 10 ? '-' + ones[n % 10] : '');
	if (n < 1000) return ones[Math.floor(n / 100)] + ' hundred' + (n % 100 ? ' and ' + say(n % 100) : '');
	return say(Math.floor(n / 1000)) + ' thousand' + (n % 1000 ? ' ' + say(n % 1000) : '');
}
for (const n of [0, 13, 42, 100, 115, 999, 1234, 70001]) console.log(n, say(n));
//: long-strings
console.log(['x'.repeat(60), 'y'.repeat(60)], { text: 'word '.repeat(30) });
console.log('a'.repeat(100).length, ['line one\nline two that is rather longer than the first one\nand three']);
//: vowels-and-consonants
const phrase = 'Programming in JavaScript';
const kinds = [...phrase].reduce((acc, c) => {
	const kind = /[aeiou]/i.test(c) ? 'vowel' : /[a-z]/i.test(c) ? 'consonant' : 'other';
	return { ...acc, [kind]: (acc[kind] || '') + c };
}, {});
console.log(kinds);
//: well-formed
console.log('a\ud800b'.isWellFormed(), 'ok'.isWellFormed(), 'a\ud800'.toWellFormed().charCodeAt(1).toString(16), ['\ud83d']);
console.log('abc' < 'abd', 'Z' < 'a', '10' < '9', 10 < 9, '10' < 9, 'b' > 'a' && 'a' > 'B');
