//: multiply
const mul = (a, b) => a.map((r) => b[0].map((_, j) => r.reduce((s, x, k) => s + x * b[k][j], 0)));
console.log(mul([[1, 2], [3, 4]], [[5, 6], [7, 8]]), mul([[1, 0, 2]], [[1], [2], [3]]));
//: determinant-inverse
const minor = (m, i, j) => m.filter((_, r) => r !== i).map((r) => r.filter((_, c) => c !== j));
const det = (m) => (m.length === 1 ? m[0][0] : m[0].reduce((s, x, j) => s + (j % 2 ? -1 : 1) * x * det(minor(m, 0, j)), 0));
const inv = (m) => { const d = det(m); return m.map((r, i) => r.map((_, j) => ((i + j) % 2 ? -1 : 1) * det(minor(m, j, i)) / d)); };
console.log(det([[2, -3, 1], [2, 0, -1], [1, 4, 5]]), inv([[4, 7], [2, 6]]), det([[1, 2], [2, 4]]));
//: gauss
const solve = (a) => { const n = a.length; for (let i = 0; i < n; i++) { let p = i; for (let r = i; r < n; r++) if (Math.abs(a[r][i]) > Math.abs(a[p][i])) p = r; [a[i], a[p]] = [a[p], a[i]]; for (let r = 0; r < n; r++) if (r !== i) { const f = a[r][i] / a[i][i]; for (let c = i; c <= n; c++) a[r][c] -= f * a[i][c]; } } return a.map((r, i) => +(r[n] / r[i]).toFixed(6)); };
console.log(solve([[2, 1, -1, 8], [-3, -1, 2, -11], [-2, 1, 2, -3]]));
//: spiral
const spiral = (m) => (m.length ? [...m[0], ...spiral(m.slice(1).map((r) => [...r].reverse())[0]?.map((_, c) => m.slice(1).map((r) => r[r.length - 1 - c])) ?? [])] : []);
console.log(spiral([[1, 2, 3], [4, 5, 6], [7, 8, 9]]));
const n = 5, g = Array.from({ length: n }, () => Array(n).fill(0));
for (let k = 1, x = 0, y = 0, dx = 1, dy = 0; k <= n * n; k++) { g[y][x] = k; if (g[y + dy]?.[x + dx] !== 0) [dx, dy] = [-dy, dx]; x += dx; y += dy; }
console.log(g); console.log(g.map((r) => r.map((v) => String(v).padStart(2)).join(' ')).join('\n'));
//: rotate-90
const m = [[1, 2, 3], [4, 5, 6]], rot = (m) => m[0].map((_, c) => m.map((r) => r[c]).reverse());
console.log(rot(m), rot(rot(m)), rot(rot(rot(rot(m)))));
//: power-fibonacci
const mul = ([a, b, c, d], [e, f, g, h]) => [a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h];
const pow = (m, n) => { let r = [1n, 0n, 0n, 1n]; for (; n; n >>= 1, m = mul(m, m)) if (n & 1) r = mul(r, m); return r; };
console.log(pow([1n, 1n, 1n, 0n], 100)[1], pow([1n, 1n, 1n, 0n], 500)[1]);
//: life
let w = ['.....', '..#..', '...#.', '.###.', '.....', '.....'];
const step = (g) => g.map((r, y) => [...r].map((c, x) => { let n = 0; for (let dy = -1; dy < 2; dy++) for (let dx = -1; dx < 2; dx++) if ((dy || dx) && g[y + dy]?.[x + dx] === '#') n++; return n === 3 || (n === 2 && c === '#') ? '#' : '.'; }).join(''));
for (let i = 0; i < 4; i++) w = step(w);
console.log(w.join('\n'));
//: pascal
const rows = [[1]];
while (rows.length < 8) rows.push([1, ...rows.at(-1).slice(1).map((x, i) => x + rows.at(-1)[i]), 1]);
console.log(rows.map((r) => r.join(' ').padStart(12 + r.join(' ').length / 2)).join('\n'), rows[7].reduce((a, b) => a + b));
//: path-sums
const g = [[1, 3, 1], [1, 5, 1], [4, 2, 1]], d = g.map((r) => [...r]);
for (let y = 0; y < 3; y++) for (let x = 0; x < 3; x++) if (x || y) d[y][x] += Math.min(d[y - 1]?.[x] ?? Infinity, d[y]?.[x - 1] ?? Infinity);
console.log(d, d[2][2]);
//: magic-square
const magic = (n) => { const m = Array.from({ length: n }, () => Array(n).fill(0)); for (let k = 1, r = 0, c = n >> 1; k <= n * n; k++) { m[r][c] = k; const [a, b] = [(r + n - 1) % n, (c + 1) % n]; [r, c] = m[a][b] ? [(r + 1) % n, c] : [a, b]; } return m; };
console.log(magic(3), magic(5).map((r) => r.reduce((a, b) => a + b)));
console.table(magic(3));
//: mandelbrot
for (let y = 1.2; y >= -1.2; y -= 0.3) { let line = ''; for (let x = -2; x <= 0.6; x += 0.08) { let a = 0, b = 0, n = 0; while (n < 30 && a * a + b * b < 4) { [a, b] = [a * a - b * b + x, 2 * a * b + y]; n++; } line += n === 30 ? '#' : n > 8 ? '+' : n > 4 ? '.' : ' '; } console.log(line); }
//: regression
const x = [1, 2, 3, 4, 5], y = [2.2, 4.1, 6.2, 7.9, 10.1], avg = (a) => a.reduce((s, v) => s + v, 0) / a.length;
const mx = avg(x), my = avg(y), slope = x.reduce((s, v, i) => s + (v - mx) * (y[i] - my), 0) / x.reduce((s, v) => s + (v - mx) ** 2, 0);
console.log(slope.toFixed(4), (my - slope * mx).toFixed(4), x.map((v) => +(slope * v + my - slope * mx).toFixed(2)));
//: nested-matrix-shown
console.log([[1, 2], [3, [4, [5, [6]]]]], Array.from({ length: 7 }, (_, i) => Array.from({ length: 7 }, (_, j) => i * j)), [[0.5, -1.25], [100, 1e-7]]);
console.log(Array.from({ length: 4 }, () => Array(4).fill(null)));
