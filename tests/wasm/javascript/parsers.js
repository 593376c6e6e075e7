//: calculator
function evaluate(src) {
	const t = src.match(/\d+(?:\.\d+)?|[-+*/^()]/g); let i = 0;
	const primary = () => { const k = t[i++]; if (k === '(') { const v = sum(); if (t[i++] !== ')') throw new Error('missing )'); return v; } if (k === '-') return -primary(); if (!/\d/.test(k)) throw new Error(`unexpected ${k}`); return +k; };
	const power = () => { const b = primary(); return t[i] === '^' ? (i++, b ** power()) : b; };
	const term = () => { let v = power(); while (t[i] === '*' || t[i] === '/') v = t[i++] === '*' ? v * power() : v / power(); return v; };
	const sum = () => { let v = term(); while (t[i] === '+' || t[i] === '-') v = t[i++] === '+' ? v + term() : v - term(); return v; };
	const v = sum(); if (i < t.length) throw new Error(`rest: ${t.slice(i).join('')}`); return v;
}
for (const s of ['1+2*3', '(1+2)*3', '2^3^2', '-4/2', '10/4-1', '(1', '1 2', '*3']) try { console.log(s, '=', evaluate(s)); } catch (e) { console.log(s, '!', e.message); }
//: shunting-yard
const prec = { '+': 1, '-': 1, '*': 2, '/': 2 };
const rpn = (s) => { const out = [], ops = []; for (const t of s.match(/\d+|\S/g)) if (/\d/.test(t)) out.push(t); else if (t === '(') ops.push(t); else if (t === ')') { while (ops.at(-1) !== '(') out.push(ops.pop()); ops.pop(); } else { while (prec[ops.at(-1)] >= prec[t]) out.push(ops.pop()); ops.push(t); } return [...out, ...ops.reverse()]; };
const run = (q) => q.reduce((s, t) => { if (t in prec) { const b = s.pop(), a = s.pop(); s.push({ '+': a + b, '-': a - b, '*': a * b, '/': a / b }[t]); } else s.push(+t); return s; }, [])[0];
console.log(rpn('3 + 4 * (2 - 1)').join(' '), run(rpn('3 + 4 * (2 - 1)')), run(rpn('8/4/2')));
//: json-by-hand
const parse = (s) => { let i = 0; const ws = () => { while (/\s/.test(s[i])) i++; }; const val = () => { ws(); const c = s[i]; if (c === '{') { const o = {}; i++; ws(); while (s[i] !== '}') { const k = val(); ws(); i++; o[k] = val(); ws(); if (s[i] === ',') i++; ws(); } i++; return o; } if (c === '[') { const a = []; i++; ws(); while (s[i] !== ']') { a.push(val()); ws(); if (s[i] === ',') i++; ws(); } i++; return a; } if (c === '"') { let t = ''; while (s[++i] !== '"') t += s[i]; i++; return t; } const m = /^(true|false|null|-?[\d.]+)/.exec(s.slice(i)); i += m[0].length; return { true: true, false: false, null: null }[m[0]] ?? (m[0] === 'null' ? null : +m[0]); }; return val(); };
console.log(parse(' {"a": [1, -2.5, {"b": "x"}], "c": true, "d": []} '));
//: lisp
const read = (t) => { const k = t.shift(); if (k !== '(') return isNaN(k) ? k : +k; const l = []; while (t[0] !== ')') l.push(read(t)); t.shift(); return l; };
const env = { '+': (...a) => a.reduce((x, y) => x + y), '*': (...a) => a.reduce((x, y) => x * y), '<': (a, b) => a < b, '-': (a, b) => a - b };
const ev = (x, e) => { if (typeof x === 'number') return x; if (typeof x === 'string') { if (x in e) return e[x]; throw new ReferenceError(`unbound ${x}`); } const [h, ...a] = x; if (h === 'if') return ev(a[0], e) ? ev(a[1], e) : ev(a[2], e); if (h === 'define') return void (e[a[0]] = ev(a[1], e)); if (h === 'lambda') return (...v) => ev(a[1], Object.assign(Object.create(e), Object.fromEntries(a[0].map((n, i) => [n, v[i]])))); return ev(h, e)(...a.map((y) => ev(y, e))); };
const lisp = (s) => ev(read(s.match(/[()]|[^\s()]+/g)), env);
lisp('(define fact (lambda (n) (if (< n 2) 1 (* n (fact (- n 1))))))');
console.log(lisp('(fact 10)'), lisp('(+ 1 2 (* 3 4))'));
try { lisp('(nope 1)'); } catch (e) { console.log(e.name, e.message); }
//: brackets
const balanced = (s) => { const st = []; const p = { ')': '(', ']': '[', '}': '{' }; for (const [i, c] of [...s].entries()) { if ('([{'.includes(c)) st.push([c, i]); else if (p[c] && st.pop()?.[0] !== p[c]) return `bad ${c} at ${i}`; } return st.length ? `open ${st.at(-1)[0]} at ${st.at(-1)[1]}` : 'ok'; };
console.log(['([]{})', '(]', '((', '', 'a(b[c]d)e)'].map(balanced));
//: brainf
const run = (src) => { const m = new Uint8Array(100); let p = 0, out = ''; const jump = {}, st = []; [...src].forEach((c, i) => { if (c === '[') st.push(i); if (c === ']') { const j = st.pop(); jump[i] = j; jump[j] = i; } }); for (let i = 0; i < src.length; i++) switch (src[i]) { case '>': p++; break; case '<': p--; break; case '+': m[p]++; break; case '-': m[p]--; break; case '.': out += String.fromCharCode(m[p]); break; case '[': if (!m[p]) i = jump[i]; break; case ']': if (m[p]) i = jump[i]; } return out; };
console.log(run('++++++++[>++++[>++>+++>+++>+<<<<-]>+>+>->>+[<]<-]>>.>---.+++++++..+++.>>.<-.<.+++.------.--------.>>+.'));
//: regex-matcher
const match = (p, t) => { const here = (p, t) => { if (!p) return true; if (p[1] === '*') { do if (here(p.slice(2), t)) return true; while (t && (t[0] === p[0] || p[0] === '.') && (t = t.slice(1), true)); return false; } if (p === '$') return !t; return !!t && (p[0] === '.' || p[0] === t[0]) && here(p.slice(1), t.slice(1)); }; if (p[0] === '^') return here(p.slice(1), t); do if (here(p, t)) return true; while (t && (t = t.slice(1), true)); return false; };
console.log(match('^ab*c$', 'abbbc'), match('b.d', 'abcd'), match('^x', 'ax'), match('a*$', ''));
//: url-router
const route = (p) => { const keys = []; const re = new RegExp('^' + p.replace(/:(\w+)/g, (_, k) => (keys.push(k), '([^/]+)')).replace('*', '(.*)') + '$'); return (u) => { const m = re.exec(u); return m && Object.fromEntries(keys.map((k, i) => [k, decodeURIComponent(m[i + 1])])); }; };
console.log(route('/users/:id/posts/:post')('/users/7/posts/a%20b'), route('/x/*')('/x/y/z'), route('/a')('/b'));
//: command-line
const parse = (a) => a.reduce((o, x, i) => { const l = /^--(no-)?([\w-]+)(?:=(.*))?$/.exec(x), s = /^-(\w+)$/.exec(x); if (l) o[l[2]] = l[3] ?? !l[1]; else if (s) for (const c of s[1]) o[c] = true; else o._.push(x); return o; }, { _: [] });
console.log(parse(['build', '--out=dist', '-vx', '--no-color', 'src', '--deep']));
//: state-machine-strings
const words = (s) => { const out = []; let q = null, w = '', esc = false; for (const c of s) { if (esc) { w += c; esc = false; } else if (c === '\\') esc = true; else if (q) c === q ? (q = null) : (w += c); else if (c === '"' || c === "'") q = c; else if (c === ' ') { if (w) out.push(w); w = ''; } else w += c; } if (q) throw new SyntaxError(`open ${q}`); return w ? [...out, w] : out; };
console.log(words('run "two words" a\\ b \'it is\' end'));
try { words('bad "quote'); } catch (e) { console.log(String(e)); }
//: polynomial
const poly = (s) => s.replace(/\s/g, '').match(/[+-]?[^+-]+/g).reduce((p, t) => { const [, c, x, e] = /^([+-]?\d*)(x?)(?:\^(\d+))?$/.exec(t); const k = x ? +(e ?? 1) : 0; p[k] = (p[k] ?? 0) + (/\d/.test(c) ? +c : +(c + '1')); return p; }, []);
const p = poly('3x^2 - x + 5 + x^2');
console.log(p, p.reduceRight((v, c = 0) => v * 2 + c, 0), p.map((c, k) => c * k).slice(1));
//: semver
const cmp = (a, b) => { const [x, y] = [a, b].map((v) => v.split('-')[0].split('.').map(Number)); for (let i = 0; i < 3; i++) if (x[i] !== y[i]) return x[i] - y[i]; return (b.includes('-') ? 1 : 0) - (a.includes('-') ? 1 : 0); };
console.log(['1.10.0', '1.2.0', '1.2.0-beta', '0.9.12'].sort(cmp), /^(\d+)\.(\d+)\.(\d+)(?:-([\w.]+))?$/.exec('2.0.1-rc.1').slice(1));
