//: factorial
const f = (n) => (n < 2n ? 1n : n * f(n - 1n));
console.log(f(30n), f(50n).toString().length, [1n, 2n], { n: 3n }, typeof 1n);
//: mixing
for (const t of [() => 1n + 1, () => Math.max(1n), () => BigInt(1.5), () => BigInt('12x'), () => 5n / 0n, () => JSON.stringify({ a: 1n }), () => 2n ** -1n]) try { console.log(t()); } catch (e) { console.log(e.name); }
//: compare
console.log(1n == 1, 1n === 1, 2n > 1, '3' > 2n, 0n ? 'yes' : 'no', [3n, 1, 2n].sort(), 10n > 9, Object.is(1n, 1n), typeof Object(1n), 1n < 1.5);
//: operators
console.log(7n / 2n, -7n / 2n, -7n % 3n, 2n ** 100n, 5n & 3n, 5n | 3n, 5n ^ 3n, ~5n, 1n << 70n, -1n >> 3n, -(3n), 0xffn, 0b101n);
//: conversions
console.log(Number(2n ** 64n), BigInt(Number.MAX_SAFE_INTEGER) + 2n, parseInt('123n'), BigInt('0xff'), BigInt('  7 '), String(10n ** 20n), (255n).toString(16), BigInt.asUintN(8, 257n), BigInt.asIntN(8, 255n), BigInt(true));
//: fibonacci-300
let [a, b] = [0n, 1n];
for (let i = 0; i < 300; i++) [a, b] = [b, a + b];
console.log(a, a % 1000007n);
//: modpow-rsa
const modpow = (b, e, m) => { let r = 1n; b %= m; while (e) { if (e & 1n) r = r * b % m; b = b * b % m; e >>= 1n; } return r; };
const p = 1000003n, q = 999983n, n = p * q, phi = (p - 1n) * (q - 1n), e = 65537n;
const inverse = (a, m) => { let [x, y, u, v] = [0n, 1n, m, a]; while (v) { const t = u / v; [x, y, u, v] = [y, x - t * y, v, u - t * v]; } return (x + m) % m; };
const d = inverse(e, phi), c = modpow(123456789n, e, n);
console.log(c, modpow(c, d, n));
//: is-prime
const pow = (b, e, m) => { let r = 1n; for (; e; e >>= 1n, b = b * b % m) if (e & 1n) r = r * b % m; return r; };
const prime = (n) => { if (n < 2n) return false; for (const p of [2n, 3n, 5n, 7n, 11n, 13n, 17n]) { if (n === p) return true; if (n % p === 0n) return false; } let d = n - 1n, s = 0; while (!(d & 1n)) { d >>= 1n; s++; } outer: for (const a of [2n, 3n, 5n, 7n, 11n, 13n, 17n]) { let x = pow(a, d, n); if (x === 1n || x === n - 1n) continue; for (let i = 1; i < s; i++) { x = x * x % n; if (x === n - 1n) continue outer; } return false; } return true; };
console.log([561n, 7919n, 2n ** 61n - 1n, 2n ** 67n - 1n, 1000000007n].map(prime));
//: sqrt-newton
const sqrt = (n) => { let x = n; let y = (x + 1n) / 2n; while (y < x) { x = y; y = (x + n / x) / 2n; } return x; };
console.log(sqrt(10n ** 60n), sqrt(2n * 10n ** 40n), sqrt(99n));
//: pi-digits
function* pi() { let [q, r, t, k, n, l] = [1n, 0n, 1n, 1n, 3n, 3n]; for (;;) { if (4n * q + r - t < n * t) { yield n; [q, r, n] = [10n * q, 10n * (r - n * t), 10n * (3n * q + r) / t - 10n * n]; } else [q, r, t, k, n, l] = [q * k, (2n * q + r) * l, t * l, k + 1n, (q * (7n * k) + 2n + r * l) / (t * l), l + 2n]; } }
let text = '';
for (const d of pi()) { text += d; if (text.length === 60) break; }
console.log(text);
//: base-conversion
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const to62 = (n) => { let t = ''; do { t = digits[Number(n % 62n)] + t; n /= 62n; } while (n); return t; };
const from62 = (t) => [...t].reduce((n, c) => n * 62n + BigInt(digits.indexOf(c)), 0n);
const big = 2n ** 90n + 12345n;
console.log(to62(big), from62(to62(big)) === big, to62(0n));
//: grouping
console.log((123456789012345678901234567890n).toLocaleString(), (1000n).toLocaleString('en-US'), `${-12n}`, [10n ** 18n].join());
//: egyptian-fractions
const gcd = (a, b) => (b ? gcd(b, a % b) : a);
const parts = (n, d) => { const out = []; while (n) { const u = (d + n - 1n) / n; out.push(`1/${u}`); [n, d] = [n * u - d, d * u]; const g = gcd(n, d); if (g) { n /= g; d /= g; } } return out; };
console.log(parts(6n, 14n), parts(5n, 121n));
