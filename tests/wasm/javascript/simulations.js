//: seeded-generator
const rng = (s) => () => { s |= 0; s = s + 0x6d2b79f5 | 0; let t = Math.imul(s ^ s >>> 15, 1 | s); t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t; return ((t ^ t >>> 14) >>> 0) / 4294967296; };
const r = rng(42);
console.log(Array.from({ length: 5 }, r), Array.from({ length: 10 }, () => Math.floor(r() * 6) + 1));
//: monte-carlo
let s = 12345; const rand = () => (s = (s * 1103515245 + 12345) % 2147483648) / 2147483648;
let inside = 0; for (let i = 0; i < 20000; i++) if (rand() ** 2 + rand() ** 2 < 1) inside++;
console.log(inside, 4 * inside / 20000);
//: shuffle-deal
let s = 7; const rnd = (n) => (s = (s * 16807) % 2147483647) % n;
const deck = ['♠', '♥', '♦', '♣'].flatMap((x) => 'A23456789TJQK'.split('').map((v) => v + x));
for (let i = deck.length - 1; i; i--) { const j = rnd(i + 1); [deck[i], deck[j]] = [deck[j], deck[i]]; }
console.log(deck.slice(0, 13).join(' '), new Set(deck).size);
//: random-walk
let s = 99; const rnd = () => ((s = (s * 48271) % 2147483647) / 2147483647);
let x = 0, y = 0, far = 0; const seen = new Set(['0,0']);
for (let i = 0; i < 500; i++) { const d = Math.floor(rnd() * 4); x += [1, -1, 0, 0][d]; y += [0, 0, 1, -1][d]; seen.add(`${x},${y}`); far = Math.max(far, Math.abs(x) + Math.abs(y)); }
console.log({ x, y, far, seen: seen.size });
//: bank-queue
let s = 3; const exp = (m) => { s = (s * 16807) % 2147483647; return -m * Math.log(1 - s / 2147483647); };
let clock = 0, free = 0, waited = 0, longest = 0;
for (let i = 0; i < 200; i++) { clock += exp(5); const start = Math.max(clock, free); waited += start - clock; longest = Math.max(longest, start - clock); free = start + exp(4); }
console.log((waited / 200).toFixed(3), longest.toFixed(3), clock.toFixed(1));
//: predator-prey
let a = 40, b = 9; const out = [];
for (let t = 0; t <= 50; t++) { if (t % 10 === 0) out.push({ t, prey: Math.round(a), hunters: Math.round(b) }); for (let k = 0; k < 10; k++) { const da = 0.1 * a - 0.02 * a * b, db = 0.01 * a * b - 0.3 * b; a += da / 10; b += db / 10; } }
console.table(out);
//: projectile
const g = 9.81; let [x, y, vx, vy, t] = [0, 0, 20, 25, 0], top = 0;
do { x += vx * 0.01; vy -= g * 0.01; y += vy * 0.01; t += 0.01; top = Math.max(top, y); } while (y > 0);
console.log(x.toFixed(2), t.toFixed(2), top.toFixed(2));
//: elevator
const calls = [3, 7, 1, 5]; let at = 4, moved = 0; const log = [];
while (calls.length) { calls.sort((p, q) => Math.abs(p - at) - Math.abs(q - at) || p - q); const to = calls.shift(); moved += Math.abs(to - at); log.push(`${at}→${to}`); at = to; }
console.log(log.join(', '), moved);
//: cellular-automaton
let row = Array(31).fill(0); row[15] = 1;
for (let i = 0; i < 12; i++) { console.log(row.map((c) => (c ? '█' : ' ')).join('').trimEnd()); row = row.map((_, k) => (30 >> ((row[k - 1] ?? 0) * 4 + row[k] * 2 + (row[k + 1] ?? 0))) & 1); }
//: tic-tac-toe
const wins = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]], won = (b, p) => wins.some((w) => w.every((i) => b[i] === p));
let nodes = 0;
const best = (b, p) => { nodes++; if (won(b, 'O')) return { v: 1 }; if (won(b, 'X')) return { v: -1 }; const free = b.flatMap((c, i) => (c ? [] : [i])); if (!free.length) return { v: 0 }; let top = null; for (const i of free) { const n = [...b]; n[i] = p; const v = best(n, p === 'O' ? 'X' : 'O').v; if (!top || (p === 'O' ? v > top.v : v < top.v)) top = { v, i }; } return top; };
console.log(best(['X', 'O', 'X', null, 'O', null, null, 'X', null], 'O'), nodes);
//: genetic
let s = 5; const rnd = () => ((s = (s * 16807) % 2147483647) - 1) / 2147483646;
const goal = 'HELLO', abc = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', letter = () => abc[Math.floor(rnd() * 26)], fit = (w) => [...w].filter((c, i) => c === goal[i]).length;
let pop = Array.from({ length: 60 }, () => Array.from({ length: 5 }, letter).join('')), gen = 0;
while (fit(pop[0]) < 5 && gen < 500) { pop.sort((a, b) => fit(b) - fit(a)); pop = pop.map((w, i) => (i < 10 ? w : [...pop[Math.floor(rnd() * 10)]].map((c) => (rnd() < 0.15 ? letter() : c)).join(''))); gen++; pop.sort((a, b) => fit(b) - fit(a)); }
console.log(pop[0], gen);
//: event-queue
const q = []; const at = (t, f) => { q.push({ t, f }); q.sort((a, b) => a.t - b.t); }; let now = 0;
at(5, () => console.log(now, 'five')); at(1, function again() { console.log(now, 'tick'); if (now < 7) at(now + 3, again); });
while (q.length) { const { t, f } = q.shift(); now = t; f(); }
//: compound-portfolio
const years = [0.07, -0.12, 0.21, 0.03]; let v = 1000;
for (const [i, r] of years.entries()) { v = (v + 100) * (1 + r); console.log(`year ${i + 1}: ${v.toFixed(2).padStart(9)} ${r >= 0 ? '+' : ''}${(r * 100).toFixed(1)}%`); }
//: vending-machine
class Machine { #coins = 0; #stock = new Map([['cola', [2, 150]], ['water', [0, 100]]]); insert(c) { if (![10, 20, 50, 100].includes(c)) throw new RangeError(`no coin of ${c}`); this.#coins += c; return this; } pick(n) { const s = this.#stock.get(n); if (!s) throw new Error(`no ${n}`); if (!s[0]) throw new Error(`${n} is sold out`); if (this.#coins < s[1]) throw new Error(`${s[1] - this.#coins} more`); s[0]--; let rest = this.#coins - s[1]; this.#coins = 0; const change = []; for (const c of [100, 50, 20, 10]) while (rest >= c) { change.push(c); rest -= c; } return change; } }
const m = new Machine();
console.log(m.insert(100).insert(100).pick('cola'));
for (const f of [() => m.pick('cola'), () => m.insert(3), () => m.pick('water'), () => m.pick('tea')]) try { f(); } catch (e) { console.log(`${e}`); }
