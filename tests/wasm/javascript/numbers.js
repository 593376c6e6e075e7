//: primes-sieve
const limit = 100;
const sieve = new Array(limit + 1).fill(true);
sieve[0] = sieve[1] = false;
for (let i = 2; i * i <= limit; i++) {
	if (!sieve[i]) continue;
	for (let j = i * i; j <= limit; j += i) sieve[j] = false;
}
const primes = sieve.flatMap((yes, n) => (yes ? [n] : []));
console.log(primes.length, primes);
//: floating-sums
console.log(0.1 + 0.2, 0.1 * 3, 1 / 3, 2 / 3);
console.log(Math.abs(0.3 - (0.1 + 0.2)) < Number.EPSILON);
console.log([0.1, 0.2, 0.3].reduce((a, b) => a + b), 1e21 + 1, 1e-7, -0, [-0], 5e-324, 1.7976931348623157e308);
//: rounding-ways
for (const x of [2.5, -2.5, 1.005, 0.5, 1.45, 8.345]) {
	console.log(x, Math.round(x), Math.floor(x), Math.ceil(x), Math.trunc(x), x.toFixed(1), x.toFixed(2), x.toPrecision(2));
}
//: number-bases
const n = 3735928559;
console.log(n.toString(2), n.toString(8), n.toString(16), n.toString(36));
console.log(parseInt('ff', 16), parseInt('0b11', 2), Number('0b101'), Number('0o17'), Number('0xff'), parseInt('12abc'), parseInt(''), Number(''));
console.log((0.1).toString(2), (255.5).toString(16), (-7).toString(3));
//: gcd-lcm
const gcd = (a, b) => (b ? gcd(b, a % b) : Math.abs(a));
const lcm = (a, b) => (a / gcd(a, b)) * b;
console.log(gcd(1071, 462), lcm(21, 6), [12, 18, 30].reduce(gcd), Array.from({ length: 20 }, (_, i) => i + 1).reduce(lcm));
//: fibonacci-memo
const memo = new Map();
function fib(n) {
	if (n < 2) return n;
	if (memo.has(n)) return memo.get(n);
	const value = fib(n - 1) + fib(n - 2);
	memo.set(n, value);
	return value;
}
console.log([10, 20, 50, 78, 90].map(fib), memo.size);
//: statistics
const data = [12, 15, 11, 19, 24, 15, 9, 30];
const mean = data.reduce((s, x) => s + x, 0) / data.length;
const variance = data.reduce((s, x) => s + (x - mean) ** 2, 0) / (data.length - 1);
const sorted = data.toSorted((a, b) => a - b);
const median = (sorted[3] + sorted[4]) / 2;
const counts = {};
for (const x of data) counts[x] = (counts[x] || 0) + 1;
console.log({ mean, variance, deviation: Math.sqrt(variance), median, min: Math.min(...data), max: Math.max(...data) });
console.log(counts);
//: grouping-locale
console.log((1234567.891).toLocaleString(), (0).toLocaleString(), (-9876.5).toLocaleString('en-US'), (1e15).toLocaleString());
console.log((1234.5).toLocaleString('en-US', { minimumFractionDigits: 2 }), (0.256).toLocaleString('en-US', { style: 'percent' }));
console.log((99.999).toLocaleString('en-US', { style: 'currency', currency: 'USD' }), (5).toLocaleString('en-US', { minimumIntegerDigits: 2 }));
//: integer-limits
console.log(Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 2 ** 53 === 2 ** 53 + 1, Number.isSafeInteger(2 ** 53));
console.log(1 << 31, (1 << 31) >>> 0, -1 >>> 28, ~5, 5 & 3, 5 | 3, 5 ^ 3, 2 ** 32 | 0);
//: collatz
let best = [0, 0];
for (let start = 1; start < 3000; start++) {
	let n = start, steps = 0;
	while (n !== 1) { n = n % 2 ? 3 * n + 1 : n / 2; steps++; }
	if (steps > best[1]) best = [start, steps];
}
console.log('start %d takes %d steps', ...best);
//: pi-series
let leibniz = 0;
for (let k = 0; k < 1000; k++) leibniz += (k % 2 ? -1 : 1) * 4 / (2 * k + 1);
let nilakantha = 3;
for (let k = 2, s = 1; k < 200; k += 2, s = -s) nilakantha += s * 4 / (k * (k + 1) * (k + 2));
console.log(leibniz, nilakantha, Math.abs(nilakantha - Math.PI) < 1e-6);
//: quadratic
function roots(a, b, c) {
	const d = b * b - 4 * a * c;
	if (d < 0) return { re: -b / (2 * a), im: Math.sqrt(-d) / (2 * a) };
	return [(-b + Math.sqrt(d)) / (2 * a), (-b - Math.sqrt(d)) / (2 * a)];
}
console.log(roots(1, -3, 2), roots(1, 2, 5), roots(2, 4, 2));
//: bad-numbers
console.log(Number('12px'), +[], +{}, +[5], +null, +undefined, +true, +'  42  ', Number('1e3'), NaN === NaN, Object.is(NaN, NaN));
console.log(isNaN('abc'), Number.isNaN('abc'), [NaN].includes(NaN), [NaN].indexOf(NaN), typeof NaN, 1 / 0, -1 / 0, 0 / 0);
//: perfect-numbers
const divisors = (n) => { const all = []; for (let i = 1; i <= n / 2; i++) if (n % i === 0) all.push(i); return all; };
for (let n = 2; n <= 500; n++) if (divisors(n).reduce((a, b) => a + b, 0) === n) console.log(n, divisors(n));
//: roman
const table = [[1000, 'M'], [900, 'CM'], [500, 'D'], [400, 'CD'], [100, 'C'], [90, 'XC'], [50, 'L'], [40, 'XL'], [10, 'X'], [9, 'IX'], [5, 'V'], [4, 'IV'], [1, 'I']];
const toRoman = (n) => table.reduce((text, [value, letter]) => { while (n >= value) { text += letter; n -= value; } return text; }, '');
const values = { I: 1, V: 5, X: 10, L: 50, C: 100, D: 500, M: 1000 };
const fromRoman = (s) => [...s].reduce((sum, c, i) => sum + (values[c] < (values[s[i + 1]] ?? 0) ? -values[c] : values[c]), 0);
for (const year of [4, 1994, 2024, 3999]) console.log(year, toRoman(year), fromRoman(toRoman(year)) === year);
//: range-errors
for (const f of [() => (1).toFixed(101), () => (10).toString(1), () => new Array(-5), () => 'ab'.repeat(-1), () => (1.5).toPrecision(0), () => (3).toExponential(-1)]) {
	try { console.log(f()); } catch (e) { console.log(e.name + ': ' + e.message); }
}
//: exponent-forms
console.log((123456).toExponential(), (123456).toExponential(2), (0.00015).toExponential(), (1e300 * 1e10), 123e-20, 1e5, 1e20, 1e21, 0.000001, 0.0000001);
console.log(1_000_000, 0xff, 0b1010, 0o17, .5, 5., 1e3);
//: power-mod
function powmod(base, exp, mod) {
	let result = 1;
	base %= mod;
	while (exp > 0) {
		if (exp & 1) result = (result * base) % mod;
		base = (base * base) % mod;
		exp >>= 1;
	}
	return result;
}
console.log(powmod(3, 200, 13), powmod(7, 12345, 1009), powmod(2, 10, 1000));
//: math-functions
console.log(Math.hypot(3, 4), Math.cbrt(27), Math.sign(-3), Math.log2(8), Math.log10(1000), Math.clz32(1), Math.fround(5.5), Math.imul(3, 4));
console.log(Math.max(), Math.min(), Math.max(1, NaN), Math.expm1(0), Math.atan2(1, 1), Math.sinh(1), Math.E);
//: temperature-table
console.log('C'.padStart(6), 'F'.padStart(8), 'K'.padStart(9));
for (let c = -20; c <= 40; c += 15) console.log(c.toString().padStart(6), (c * 9 / 5 + 32).toFixed(1).padStart(8), (c + 273.15).toFixed(2).padStart(9));
//: loan
const principal = 20000, rate = 0.05 / 12, months = 36;
const payment = principal * rate / (1 - (1 + rate) ** -months);
let balance = principal, interest = 0;
for (let m = 1; m <= months; m++) {
	const part = balance * rate;
	interest += part;
	balance -= payment - part;
	if (m % 12 === 0) console.log(`month ${m}: ${balance.toFixed(2)}`);
}
console.log(payment.toFixed(2), interest.toFixed(2));
//: digital-root
const root = (n) => { let steps = 0; while (n > 9) { n = [...String(n)].reduce((s, d) => s + +d, 0); steps++; } return { root: n, steps }; };
console.log([0, 9, 38, 99999, 493193].map(root));
