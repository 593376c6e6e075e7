//: sorts
const bubble = (a) => { a = [...a]; for (let i = a.length; i--;) for (let j = 0; j < i; j++) if (a[j] > a[j + 1]) [a[j], a[j + 1]] = [a[j + 1], a[j]]; return a; };
const quick = ([p, ...r]) => (p === undefined ? [] : [...quick(r.filter((x) => x < p)), p, ...quick(r.filter((x) => x >= p))]);
const merge = (a) => { if (a.length < 2) return a; const m = a.length >> 1, l = merge(a.slice(0, m)), r = merge(a.slice(m)), out = []; while (l.length && r.length) out.push(l[0] <= r[0] ? l.shift() : r.shift()); return [...out, ...l, ...r]; };
const data = [38, 27, 43, 3, 9, 82, 10, 3];
console.log(bubble(data), quick(data), merge(data), data);
//: heap
class Heap { constructor(f) { this.f = f; this.a = []; } push(x) { const a = this.a; a.push(x); for (let i = a.length - 1; i > 0;) { const p = (i - 1) >> 1; if (this.f(a[p], a[i]) <= 0) break; [a[p], a[i]] = [a[i], a[p]]; i = p; } return this; } pop() { const a = this.a, top = a[0], last = a.pop(); if (a.length) { a[0] = last; for (let i = 0; ;) { let k = 2 * i + 1; if (k >= a.length) break; if (k + 1 < a.length && this.f(a[k + 1], a[k]) < 0) k++; if (this.f(a[i], a[k]) <= 0) break; [a[i], a[k]] = [a[k], a[i]]; i = k; } } return top; } get size() { return this.a.length; } }
const h = new Heap((x, y) => x - y);
[5, 3, 8, 1, 9, 2].forEach((x) => h.push(x));
const out = []; while (h.size) out.push(h.pop());
console.log(out);
//: dijkstra
const g = { A: { B: 7, C: 9, F: 14 }, B: { A: 7, C: 10, D: 15 }, C: { A: 9, B: 10, D: 11, F: 2 }, D: { B: 15, C: 11, E: 6 }, E: { D: 6, F: 9 }, F: { A: 14, C: 2, E: 9 } };
const dist = Object.fromEntries(Object.keys(g).map((k) => [k, Infinity])), prev = {}, left = new Set(Object.keys(g));
dist.A = 0;
while (left.size) { const at = [...left].reduce((a, b) => (dist[a] <= dist[b] ? a : b)); left.delete(at); for (const [n, w] of Object.entries(g[at])) if (dist[at] + w < dist[n]) { dist[n] = dist[at] + w; prev[n] = at; } }
const path = ['E']; while (prev[path[0]]) path.unshift(prev[path[0]]);
console.log(dist, path.join('->'));
//: knapsack
const items = [[12, 4], [2, 2], [1, 1], [1, 2], [4, 10]], cap = 15, best = Array(cap + 1).fill(0);
for (const [w, v] of items) for (let c = cap; c >= w; c--) best[c] = Math.max(best[c], best[c - w] + v);
console.log(best, best[cap]);
//: lcs
const lcs = (a, b) => { const t = Array.from({ length: a.length + 1 }, () => Array(b.length + 1).fill('')); for (let i = 1; i <= a.length; i++) for (let j = 1; j <= b.length; j++) t[i][j] = a[i - 1] === b[j - 1] ? t[i - 1][j - 1] + a[i - 1] : t[i - 1][j].length >= t[i][j - 1].length ? t[i - 1][j] : t[i][j - 1]; return t.at(-1).at(-1); };
console.log(lcs('AGGTAB', 'GXTXAYB'), lcs('nematode knowledge', 'empty bottle'));
//: queens
const solve = (n, cols = []) => (cols.length === n ? [cols] : Array.from({ length: n }, (_, c) => c).filter((c) => cols.every((k, i) => k !== c && Math.abs(k - c) !== cols.length - i)).flatMap((c) => solve(n, [...cols, c])));
const all = solve(6);
console.log(all.length, all[0].map((c) => '.'.repeat(c) + 'Q' + '.'.repeat(5 - c)).join('\n'), solve(8).length);
//: topological
const deps = { app: ['lib', 'ui'], ui: ['lib', 'css'], lib: ['core'], css: [], core: [] };
const order = [], state = {};
const visit = (n) => { if (state[n] === 1) throw new Error('cycle at ' + n); if (state[n]) return; state[n] = 1; deps[n].forEach(visit); state[n] = 2; order.push(n); };
Object.keys(deps).forEach(visit); console.log(order);
deps.core.push('app'); for (const k in state) delete state[k];
try { visit('app'); } catch (e) { console.log(e.message); }
//: union-find
const parent = Array.from({ length: 8 }, (_, i) => i), find = (x) => (parent[x] === x ? x : (parent[x] = find(parent[x])));
for (const [a, b] of [[0, 1], [2, 3], [1, 3], [5, 6]]) parent[find(a)] = find(b);
const groups = {}; parent.forEach((_, i) => (groups[find(i)] ??= []).push(i));
console.log(groups, Object.keys(groups).length);
//: two-sum-three-sum
const two = (a, t) => { const m = new Map(); for (const [i, x] of a.entries()) { if (m.has(t - x)) return [m.get(t - x), i]; m.set(x, i); } return null; };
const three = (a) => { a.sort((x, y) => x - y); const out = new Set(); for (let i = 0; i < a.length; i++) for (let l = i + 1, r = a.length - 1; l < r;) { const s = a[i] + a[l] + a[r]; if (s === 0) out.add([a[i], a[l++], a[r--]].join()); else s < 0 ? l++ : r--; } return [...out]; };
console.log(two([2, 7, 11, 15], 26), two([1], 2), three([-1, 0, 1, 2, -1, -4]));
//: max-subarray
const kadane = (a) => { let best = -Infinity, at = 0, from = 0, range = []; a.forEach((x, i) => { if (at <= 0) { at = x; from = i; } else at += x; if (at > best) { best = at; range = [from, i]; } }); return { best, range }; };
console.log(kadane([-2, 1, -3, 4, -1, 2, 1, -5, 4]), kadane([-3, -1, -2]));
//: flood-fill
const grid = ['110000', '010011', '000011', '101000'].map((r) => [...r]);
let islands = 0; const sizes = [];
const fill = (r, c) => (grid[r]?.[c] === '1' ? ((grid[r][c] = '#'), 1 + fill(r + 1, c) + fill(r - 1, c) + fill(r, c + 1) + fill(r, c - 1)) : 0);
grid.forEach((row, r) => row.forEach((_, c) => { const s = fill(r, c); if (s) { islands++; sizes.push(s); } }));
console.log(islands, sizes, grid.map((r) => r.join('')).join('\n'));
//: coin-change
const ways = (coins, t) => coins.reduce((d, c) => { for (let i = c; i <= t; i++) d[i] += d[i - c]; return d; }, [1, ...Array(t).fill(0)])[t];
const fewest = (coins, t) => { const d = [0]; for (let i = 1; i <= t; i++) d[i] = Math.min(...coins.map((c) => (i >= c ? d[i - c] + 1 : Infinity))); return d[t]; };
console.log(ways([1, 5, 10, 25, 50], 100), fewest([1, 3, 4], 6), fewest([5], 3));
//: huffman
const text = 'abracadabra alakazam', f = {};
for (const c of text) f[c] = (f[c] ?? 0) + 1;
let nodes = Object.entries(f).map(([c, n]) => ({ c, n }));
while (nodes.length > 1) { nodes.sort((a, b) => a.n - b.n || (a.c < b.c ? -1 : 1)); const [l, r, ...rest] = nodes; nodes = [...rest, { c: l.c + r.c, n: l.n + r.n, l, r }]; }
const codes = {}; (function walk(n, p) { if (!n.l) codes[n.c] = p; else { walk(n.l, p + '0'); walk(n.r, p + '1'); } })(nodes[0], '');
console.log(codes, [...text].map((c) => codes[c]).join('').length, text.length * 8);
//: trie
class Trie { root = {}; add(w) { let n = this.root; for (const c of w) n = n[c] ??= {}; n.$ = true; return this; } *words(p = '', n = this.root) { if (n.$) yield p; for (const c of Object.keys(n).sort()) if (c !== '$') yield* this.words(p + c, n[c]); } find(p) { let n = this.root; for (const c of p) if (!(n = n[c])) return []; return [...this.words(p, n)]; } }
const t = ['car', 'card', 'care', 'cat', 'dog'].reduce((t, w) => t.add(w), new Trie());
console.log(t.find('car'), t.find('x'), t);
//: permutation-rank
const fact = [1]; for (let i = 1; i < 10; i++) fact[i] = fact[i - 1] * i;
const nth = (s, k) => { let rest = [...s].sort(), out = ''; while (rest.length) { const f = fact[rest.length - 1]; out += rest.splice(Math.floor(k / f), 1); k %= f; } return out; };
console.log(nth('abcd', 0), nth('abcd', 23), nth('0123456789', 999999));
//: sudoku
const rows = '53..7.... 6..195... .98....6. 8...6...3 4..8.3..1 7...2...6 .6....28. ...419..5 ....8..79'.split(' ').map((r) => [...r].map((c) => +c || 0));
const fits = (r, c, v) => { for (let i = 0; i < 9; i++) if (rows[r][i] === v || rows[i][c] === v || rows[r - r % 3 + Math.floor(i / 3)][c - c % 3 + i % 3] === v) return false; return true; };
const solve = () => { for (let r = 0; r < 9; r++) for (let c = 0; c < 9; c++) if (!rows[r][c]) { for (let v = 1; v < 10; v++) if (fits(r, c, v)) { rows[r][c] = v; if (solve()) return true; rows[r][c] = 0; } return false; } return true; };
console.log(solve()); console.log(rows.map((r) => r.join(' ')).join('\n'));
//: interval-merge
const merge = (l) => l.sort(([a], [b]) => a - b).reduce((out, [s, e]) => { const last = out.at(-1); if (last && s <= last[1]) last[1] = Math.max(last[1], e); else out.push([s, e]); return out; }, []);
console.log(merge([[1, 3], [8, 10], [2, 6], [15, 18], [17, 20]]), merge([]));
//: gray-and-josephus
console.log(Array.from({ length: 8 }, (_, i) => (i ^ (i >> 1)).toString(2).padStart(3, '0')), ((n, k) => { let p = Array.from({ length: n }, (_, i) => i + 1), i = 0; while (p.length > 1) { i = (i + k - 1) % p.length; p.splice(i, 1); } return p[0]; })(41, 3));
//: binary-tree-paths
const build = ([h, ...t]) => (h === undefined ? null : { v: h, l: build(t.filter((x) => x < h)), r: build(t.filter((x) => x >= h)) });
const paths = (n, p = []) => (!n ? [] : !n.l && !n.r ? [[...p, n.v]] : [...paths(n.l, [...p, n.v]), ...paths(n.r, [...p, n.v])]);
console.log(build([5, 3, 8, 1, 4]), paths(build([5, 3, 8, 1, 4, 9])).map((p) => p.join('>')));
//: astar-grid
const map = ['S.#.....', '..#.##.#', '....#...', '.##...#E'], W = 8, at = (x, y) => map[y]?.[x], key = (x, y) => `${x},${y}`;
const open = [[0, 0, 0, '']], best = new Map();
while (open.length) { open.sort((a, b) => a[2] + Math.abs(7 - a[0]) + 3 - a[1] - (b[2] + Math.abs(7 - b[0]) + 3 - b[1])); const [x, y, d, p] = open.shift(); if (at(x, y) === 'E') { console.log(d, p); break; } if (best.has(key(x, y))) continue; best.set(key(x, y), d); for (const [dx, dy, n] of [[1, 0, 'R'], [-1, 0, 'L'], [0, 1, 'D'], [0, -1, 'U']]) if (at(x + dx, y + dy) && at(x + dx, y + dy) !== '#') open.push([x + dx, y + dy, d + 1, p + n]); }
console.log(best.size > 5);
