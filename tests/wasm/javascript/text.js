//: csv-summary
const csv = `region,product,units,price
north,apple,10,0.5
south,apple,7,0.55
north,pear,3,0.8
south,fig,12,0.2`;
const [head, ...lines] = csv.split('\n').map((l) => l.split(','));
const rows = lines.map((l) => Object.fromEntries(head.map((h, i) => [h, isNaN(l[i]) ? l[i] : Number(l[i])])));
console.table(rows);
const by = rows.reduce((m, r) => ({ ...m, [r.region]: (m[r.region] ?? 0) + r.units * r.price }), {});
console.log(by);
//: markdown-to-html
const md = '# Title\n\nSome **bold** and *it* with `code`.\n\n- one\n- two\n\n[link](http://x.y)';
const inline = (t) => t.replace(/\*\*(.+?)\*\*/g, '<b>$1</b>').replace(/\*(.+?)\*/g, '<i>$1</i>').replace(/`(.+?)`/g, '<code>$1</code>').replace(/\[(.+?)\]\((.+?)\)/g, '<a href="$2">$1</a>');
console.log(md.split(/\n{2,}/).map((b) => (b.startsWith('# ') ? `<h1>${inline(b.slice(2))}</h1>` : b.startsWith('- ') ? `<ul>${b.split('\n').map((l) => `<li>${inline(l.slice(2))}</li>`).join('')}</ul>` : `<p>${inline(b)}</p>`)).join('\n'));
//: ini-parser
const ini = '; comment\nglobal=1\n[server]\nhost = local\nport=80\n\n[db]\nname="main db"\n';
const out = {}; let at = out;
for (const line of ini.split('\n')) { const s = /^\[(.+)\]$/.exec(line), kv = /^(\w+)\s*=\s*"?(.*?)"?$/.exec(line); if (s) at = out[s[1]] = {}; else if (kv) at[kv[1]] = /^\d+$/.test(kv[2]) ? +kv[2] : kv[2]; }
console.log(out);
//: columns
const table = [['Name', 'Qty', 'Price'], ['Tea', '2', '3.50'], ['Chocolate', '11', '12.00']];
const widths = table[0].map((_, i) => Math.max(...table.map((r) => r[i].length)));
console.log(table.map((r) => r.map((c, i) => (i ? c.padStart(widths[i]) : c.padEnd(widths[i]))).join(' | ')).join('\n' + widths.map((w) => '-'.repeat(w)).join('-+-') + '\n'));
//: template-engine
const render = (t, d) => t.replace(/\{\{#each (\w+)\}\}([\s\S]*?)\{\{\/each\}\}/g, (_, k, body) => d[k].map((x) => render(body, typeof x === 'object' ? x : { this: x })).join('')).replace(/\{\{(\w+)(?:\|(\w+))?\}\}/g, (_, k, f) => { const v = d[k] ?? ''; return f === 'upper' ? String(v).toUpperCase() : v; });
console.log(render('Hi {{name|upper}}!\n{{#each list}}* {{n}} ({{v}})\n{{/each}}{{missing}}end', { name: 'bo', list: [{ n: 'a', v: 1 }, { n: 'b', v: 2 }] }));
//: line-diff
const a = 'one\ntwo\nthree\nfour'.split('\n'), b = 'one\n2\nthree\nfour\nfive'.split('\n');
const t = Array.from({ length: a.length + 1 }, () => Array(b.length + 1).fill(0));
for (let i = a.length; i--;) for (let j = b.length; j--;) t[i][j] = a[i] === b[j] ? t[i + 1][j + 1] + 1 : Math.max(t[i + 1][j], t[i][j + 1]);
for (let i = 0, j = 0; i < a.length || j < b.length;) if (a[i] === b[j]) { console.log(' ', a[i]); i++; j++; } else if (j >= b.length || (i < a.length && t[i + 1][j] >= t[i][j + 1])) console.log('-', a[i++]); else console.log('+', b[j++]);
//: readability
const text = 'The cat sat. The dog, however, ran away quickly! Did it come back? Nobody knows.';
const sentences = text.match(/[^.!?]+[.!?]/g).map((s) => s.trim()), words = text.match(/[a-z]+/gi);
console.log({ sentences: sentences.length, words: words.length, average: +(words.length / sentences.length).toFixed(2), longest: words.reduce((a, b) => (b.length > a.length ? b : a)), unique: new Set(words.map((w) => w.toLowerCase())).size });
//: slug-and-truncate
const slug = (s) => s.normalize('NFD').replace(/[\u0300-\u036f]/g, '').toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
const cut = (s, n) => (s.length <= n ? s : s.slice(0, n - 1).replace(/\s+\S*$/, '') + '…');
console.log(slug('  Crème Brûlée & Café — 2024! '), cut('The quick brown fox jumps', 16), cut('short', 10));
//: morse
const code = { A: '.-', B: '-...', C: '-.-.', D: '-..', E: '.', H: '....', L: '.-..', O: '---', S: '...', W: '.--', R: '.-.', ' ': '/' };
const back = Object.fromEntries(Object.entries(code).map(([k, v]) => [v, k]));
const m = [...'HELLO WORLD'].map((c) => code[c] ?? '?').join(' ');
console.log(m, m.split(' ').map((x) => back[x]).join(''));
//: vigenere-rot13
const vig = (t, k, d = 1) => [...t].map((c, i) => (/[A-Z]/.test(c) ? String.fromCharCode((c.charCodeAt() - 65 + d * (k.charCodeAt(i % k.length) - 65) + 26) % 26 + 65) : c)).join('');
console.log(vig('ATTACKATDAWN', 'LEMON'), vig(vig('ATTACKATDAWN', 'LEMON'), 'LEMON', -1), 'Hello'.replace(/[a-z]/gi, (c) => String.fromCharCode(c.charCodeAt() + (c.toLowerCase() < 'n' ? 13 : -13))));
//: justify
const words = 'This is an example of text justification done well'.split(' '), W = 18, lines = [[]];
for (const w of words) ([...lines.at(-1), w].join(' ').length > W ? lines.push([w]) : lines.at(-1).push(w));
console.log(lines.map((l, i) => { if (i === lines.length - 1 || l.length === 1) return l.join(' ').padEnd(W); const gaps = l.length - 1, room = W - l.join('').length; return l.reduce((s, w, k) => s + ' '.repeat(Math.floor(room / gaps) + (k <= room % gaps ? 1 : 0)) + w); }).map((l) => `|${l}|`).join('\n'));
//: xml-ish
const xml = '<a id="1"><b>text</b><b x="y"/><c><d>deep</d></c></a>';
const stack = [{ kids: [] }];
for (const [, close, tag, attrs, self, text] of xml.matchAll(/<(\/?)(\w+)((?:\s+\w+="[^"]*")*)\s*(\/?)>|([^<]+)/g)) { if (text) stack.at(-1).kids.push(text); else if (close) stack.pop(); else { const n = { tag, attrs: Object.fromEntries([...attrs.matchAll(/(\w+)="([^"]*)"/g)].map((m) => m.slice(1))), kids: [] }; stack.at(-1).kids.push(n); if (!self) stack.push(n); } }
console.dir(stack[0].kids[0], { depth: null });
//: log-report
const log = ['10:01 alice login', '10:02 bob login', '10:05 alice buy 30', '10:07 bob buy 12.5', '10:09 alice buy 7', '10:12 alice logout'];
const users = {};
for (const line of log) { const [time, who, what, sum] = line.split(' '); const u = (users[who] ??= { actions: 0, spent: 0, first: time }); u.actions++; u.last = time; if (what === 'buy') u.spent += Number(sum); }
console.log(users); console.log(Object.entries(users).map(([n, u]) => `${n}: ${u.spent.toFixed(2)}`).join('\n'));
//: histogram
const d = { jan: 12, feb: 30, mar: 7 };
for (const [k, v] of Object.entries(d)) console.log(`${k} ${'█'.repeat(v / 2)}${v % 2 ? '▌' : ''} ${v}`);
for (let level = 30; level > 0; level -= 10) console.log(Object.values(d).map((v) => (v >= level ? '##' : '  ')).join(' ').trimEnd());
//: bigrams
const t = 'she sells sea shells'.replace(/ /g, '_'), m = {};
for (let i = 0; i + 1 < t.length; i++) m[t.slice(i, i + 2)] = (m[t.slice(i, i + 2)] ?? 0) + 1;
console.log(Object.entries(m).filter(([, n]) => n > 1).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)));
//: ordinals-plurals
const ord = (n) => n + (['th', 'st', 'nd', 'rd'][(n % 100 >> 3) ^ 1 && n % 10] || 'th');
console.log([1, 2, 3, 4, 11, 12, 13, 21, 102, 111].map(ord), [0, 1, 2].map((n) => `${n} file${n === 1 ? '' : 's'}`));
//: hexdump
const bytes = Buffer.from('Hello, hexdump!\n\x00\xff end', 'latin1');
for (let i = 0; i < bytes.length; i += 16) { const p = bytes.subarray(i, i + 16); console.log(i.toString(16).padStart(8, '0'), [...p].map((b) => b.toString(16).padStart(2, '0')).join(' ').padEnd(47), [...p].map((b) => (b > 31 && b < 127 ? String.fromCharCode(b) : '.')).join('')); }
//: toml-numbers
const src = 'a = 1\nb = -2.5\nc = "x"\nd = [1, 2, 3]\ne = true\nf = 2024-01-01';
console.log(Object.fromEntries(src.split('\n').map((l) => { const [, k, v] = /^(\w+) = (.*)$/.exec(l); try { return [k, JSON.parse(v)]; } catch { return [k, new Date(v)]; } })));
