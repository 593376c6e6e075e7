//: iso
const d = new Date(Date.UTC(2024, 1, 29, 12, 30, 45, 123));
console.log(d, d.toISOString(), d.toJSON(), JSON.stringify({ d }), d.getTime(), +d, [d], { d });
//: utc-parts
const d = new Date('2023-12-31T23:59:59.999Z');
console.log(d.getUTCFullYear(), d.getUTCMonth(), d.getUTCDate(), d.getUTCDay(), d.getUTCHours(), d.getUTCMinutes(), d.getUTCSeconds(), d.getUTCMilliseconds());
d.setUTCMilliseconds(1000);
console.log(d.toISOString());
//: arithmetic
const day = 86400000, a = new Date('2024-01-01'), b = new Date('2024-12-25');
console.log((b - a) / day, new Date(a.getTime() + 59 * day).toISOString().slice(0, 10), Math.floor((b - a) / (7 * day)));
a.setUTCMonth(13); console.log(a.toISOString());
a.setUTCDate(0); console.log(a.toISOString());
//: leap-years
const leap = (y) => (y % 4 === 0 && y % 100 !== 0) || y % 400 === 0;
console.log([1900, 2000, 2023, 2024, 2100].map((y) => [y, leap(y), new Date(Date.UTC(y, 2, 0)).getUTCDate()]));
//: text-forms
const d = new Date(Date.UTC(2024, 6, 4, 9, 5, 3));
console.log(d.toUTCString()); console.log(d.toString()); console.log(d.toDateString()); console.log(d.toTimeString()); console.log(`${d}`, d + 1);
//: locale-forms
const d = new Date(Date.UTC(2024, 6, 4, 15, 5, 3));
console.log(d.toLocaleDateString()); console.log(d.toLocaleTimeString()); console.log(d.toLocaleString());
console.log(d.toLocaleDateString('en-US', { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' }));
console.log(d.toLocaleDateString('en-GB'), d.toLocaleDateString('en-US', { month: 'short', day: 'numeric' }), d.toLocaleTimeString('en-US', { hour: '2-digit', minute: '2-digit' }));
console.log(d.toLocaleString('en-US', { timeZone: 'UTC', hour12: false }), d.toLocaleDateString('en-CA'), d.toLocaleDateString('de-DE'));
//: invalid
const bad = new Date('nonsense');
console.log(bad, String(bad), bad.getTime(), isNaN(bad), JSON.stringify(bad));
try { bad.toISOString(); } catch (e) { console.log(e.name, e.message); }
console.log(new Date(2024, 0, NaN).getTime(), new Date(undefined).getTime(), new Date(null).getTime(), new Date(8.64e15 + 1).getTime());
//: parse-forms
for (const t of ['2024-03-10', '2024-03-10T10:00', '2024-03-10T10:00:00Z', '2024-03-10T10:00:00+02:00', 'March 10, 2024', '10 Mar 2024 08:00 UTC', 'Sun, 10 Mar 2024 10:00:00 GMT', '2024-3-1', '2024', '2024-02'])
	console.log(t.padEnd(30), new Date(t).toISOString());
//: calendar
const calendar = (y, m) => {
	const first = new Date(Date.UTC(y, m, 1)), days = new Date(Date.UTC(y, m + 1, 0)).getUTCDate(), lead = (first.getUTCDay() + 6) % 7;
	const cells = [...Array(lead).fill('  '), ...Array.from({ length: days }, (_, i) => String(i + 1).padStart(2))];
	return ['Mo Tu We Th Fr Sa Su', ...Array.from({ length: Math.ceil(cells.length / 7) }, (_, i) => cells.slice(i * 7, i * 7 + 7).join(' '))].join('\n');
};
console.log(calendar(2024, 1)); console.log(calendar(2023, 9));
//: week-number
const week = (t) => { const d = new Date(t); d.setUTCDate(d.getUTCDate() + 4 - (d.getUTCDay() || 7)); return Math.ceil(((d - Date.UTC(d.getUTCFullYear(), 0, 1)) / 86400000 + 1) / 7); };
console.log(['2024-01-01', '2024-12-30', '2023-01-01', '2020-12-31', '2024-06-15'].map((t) => [t, week(t)]));
//: ages
const age = (born, on) => { const b = new Date(born), n = new Date(on); let a = n.getUTCFullYear() - b.getUTCFullYear(); if (n.getUTCMonth() < b.getUTCMonth() || (n.getUTCMonth() === b.getUTCMonth() && n.getUTCDate() < b.getUTCDate())) a--; return a; };
console.log(age('1990-06-15', '2024-06-14'), age('1990-06-15', '2024-06-15'), age('2000-02-29', '2023-02-28'));
//: durations
const show = (ms) => { const parts = [[86400000, 'd'], [3600000, 'h'], [60000, 'm'], [1000, 's']]; let text = ''; for (const [n, u] of parts) { const v = Math.floor(ms / n); ms %= n; if (v) text += `${v}${u} `; } return text.trim() || '0s'; };
console.log([0, 59000, 3661000, 90061000, 31536000000].map(show));
//: format-helper
const pad = (n, w = 2) => String(n).padStart(w, '0');
const format = (d, f) => f.replace(/YYYY|MM|DD|hh|mm|ss|SSS/g, (k) => ({ YYYY: d.getUTCFullYear(), MM: pad(d.getUTCMonth() + 1), DD: pad(d.getUTCDate()), hh: pad(d.getUTCHours()), mm: pad(d.getUTCMinutes()), ss: pad(d.getUTCSeconds()), SSS: pad(d.getUTCMilliseconds(), 3) })[k]);
console.log(format(new Date(1e12), 'YYYY/MM/DD hh:mm:ss.SSS'), format(new Date(0), 'DD.MM.YYYY'));
//: sorting-dates
const list = ['2024-05-01', '2023-11-30', '2024-01-15'].map((t) => new Date(t));
console.log(list.sort((a, b) => a - b), new Date(Math.max(...list)), list[0] < list[1], list[0] == new Date(list[0]), list[0].getTime() === new Date(list[0]).getTime());
//: business-days
let d = new Date('2024-03-28'), left = 5;
const holidays = new Set(['2024-03-29', '2024-04-01']);
while (left) { d = new Date(d.getTime() + 86400000); const iso = d.toISOString().slice(0, 10); if (d.getUTCDay() % 6 && !holidays.has(iso)) { left--; console.log(iso); } }
//: intl-format
const d = new Date(Date.UTC(2024, 0, 5, 8, 9));
console.log(new Intl.DateTimeFormat('en-US').format(d), new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }).format(d), new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric' }).format(d));
//: epoch-edges
console.log(new Date(0), new Date(-1), new Date(8.64e15), new Date(Date.UTC(99, 0)), new Date(-62198755200000), new Date(253402300800000));
console.log(Date.UTC(1970), Date.length, typeof Date.now(), typeof Date(), new Date(2020, 5).getMonth());
