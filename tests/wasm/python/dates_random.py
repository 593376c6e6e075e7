# SPDX-License-Identifier: Apache-2.0
# Dates, calendars, clocks, seeded random numbers and simulations.
#: date-arithmetic
from datetime import date, timedelta
d = date(2024, 2, 28)
print(d + timedelta(days=2), d - timedelta(weeks=9), (date(2025, 1, 1) - d).days, d.replace(year=2023), d.weekday(), d.isoweekday())
print(d.isocalendar(), d.timetuple().tm_yday, d.toordinal(), date.fromordinal(738000), date.fromisoformat("2020-12-31"))
#: timedelta-maths
from datetime import timedelta as T
t = T(days=1, hours=26, minutes=61, seconds=5, milliseconds=1500)
print(t, repr(t), t.total_seconds(), t / 2, t // T(hours=1), t % T(hours=1), -t, abs(-t), T(hours=1) / T(minutes=8))
print(T(microseconds=-1), T.max, str(T(0)), sum([T(1), T(2)], T()), divmod(T(10), T(3)), T(1) < T(hours=25))
#: datetime-format
from datetime import datetime
d = datetime(2024, 3, 5, 14, 7, 9, 123456)
print(d, d.isoformat(), d.isoformat(" ", "minutes"), d.strftime("%d/%m/%y %H:%M:%S.%f %j %a %b %p %I %U %w"), f"{d:%A, %d %B %Y}")
print(d.ctime(), d.date(), d.time(), datetime.combine(d.date(), d.time().replace(hour=0)), d.timetuple()[:6])
#: strptime
from datetime import datetime
for s, f in (("2024-02-29", "%Y-%m-%d"), ("Mar 3, 2021 5:06 PM", "%b %d, %Y %I:%M %p"), ("31/12/99", "%d/%m/%y"), ("2020-366", "%Y-%j"), ("12:30 +0530", "%H:%M %z"), ("2024 10 1", "%G %V %u")):
    print(datetime.strptime(s, f))
for s in ("2023-02-29", "2024-13-01", "x"):
    try: datetime.strptime(s, "%Y-%m-%d")
    except ValueError as e: print("bad", s)
#: fromisoformat
from datetime import datetime, date, time
for s in ("2024-01-02T03:04:05", "2024-01-02 03:04:05.678+02:00", "20240102T030405Z", "2024-W05-3"):
    print(datetime.fromisoformat(s))
print(time.fromisoformat("04:05:06.7"), date.fromisoformat("2024W011"))
try: date.fromisoformat("2024-1-1")
except ValueError: print("bad")
#: timezones-fixed
from datetime import datetime, timezone, timedelta
ist = timezone(timedelta(hours=5, minutes=30), "IST")
d = datetime(2024, 1, 1, 0, 0, tzinfo=ist)
u = d.astimezone(timezone.utc)
print(d, u, d == u, u.timestamp(), d.tzname(), d.utcoffset(), datetime.fromtimestamp(0, ist))
print(timezone(timedelta(hours=-3)), datetime.fromtimestamp(1e9, timezone.utc))
try: d < datetime(2024, 1, 1)
except TypeError as e: print(e)
#: tzinfo-class
from datetime import tzinfo, timedelta, datetime, timezone
class Paris(tzinfo):
    def utcoffset(self, d): return timedelta(hours=1) + self.dst(d)
    def dst(self, d): return timedelta(hours=1 if 4 <= d.month <= 9 else 0)
    def tzname(self, d): return "CEST" if self.dst(d) else "CET"
for m in (1, 7):
    d = datetime(2024, m, 1, 12, tzinfo=Paris())
    print(d, d.tzname(), d.astimezone(timezone.utc))
#: age-and-countdown
from datetime import date
def age(b, on): return on.year - b.year - ((on.month, on.day) < (b.month, b.day))
on = date(2024, 6, 15)
print([age(b, on) for b in (date(2000, 6, 15), date(2000, 6, 16), date(2024, 1, 1))])
nxt = min(d for d in (date(2024, 12, 25), date(2024, 7, 4), date(2023, 1, 1)) if d > on)
print(nxt, (nxt - on).days)
#: business-days
from datetime import date, timedelta
def workdays(a, b, off=()):
    return sum(1 for i in range((b - a).days) if (a + timedelta(i)).weekday() < 5 and a + timedelta(i) not in off)
print(workdays(date(2024, 1, 1), date(2024, 2, 1)), workdays(date(2024, 1, 1), date(2024, 2, 1), {date(2024, 1, 1), date(2024, 1, 15)}))
d, n = date(2024, 5, 30), 5
while n:
    d += timedelta(1)
    n -= d.weekday() < 5
print(d)
#: fridays-13
from datetime import date
print([f"{y}-{m:02}" for y in range(2023, 2027) for m in range(1, 13) if date(y, m, 13).weekday() == 4])
print([y for y in range(2000, 2031) if date(y, 12, 25).weekday() == 6])
print([y for y in range(1890, 1921) if y % 4 == 0 and (y % 100 or y % 400 == 0)])
#: easter
def easter(y):
    a, b, c = y % 19, y // 100, y % 100
    d = (19 * a + b - b // 4 - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    e = (32 + 2 * (b % 4) + 2 * (c // 4) - d - c % 4) % 7
    f = d + e - 7 * ((a + 11 * d + 22 * e) // 451) + 114
    return f"{y}-{f // 31:02}-{f % 31 + 1:02}"
print([easter(y) for y in (1961, 2000, 2019, 2024, 2038)])
#: zeller-doomsday
from datetime import date
def zeller(y, m, d):
    if m < 3: y, m = y - 1, m + 12
    return (d + 13 * (m + 1) // 5 + y + y // 4 - y // 100 + y // 400 + 5) % 7
print(all(zeller(d.year, d.month, d.day) == d.weekday() for d in map(date.fromordinal, range(700000, 740000, 37))))
print(["Mon Tue Wed Thu Fri Sat Sun".split()[zeller(*x)] for x in ((1969, 7, 20), (2000, 1, 1), (1815, 6, 18))])
#: calendar-text
import calendar
print(calendar.month(2024, 2))
print(calendar.TextCalendar(6).formatmonth(2023, 10), calendar.monthrange(2024, 2)[1], calendar.isleap(1900), calendar.leapdays(2000, 2030))
#: calendar-iteration
import calendar
c = calendar.Calendar(0)
print([d.isoformat() for d in c.itermonthdates(2024, 9)][:3], calendar.monthcalendar(2024, 9)[0], [int(w[4]) for w in calendar.monthcalendar(2024, 3)])
print(list(calendar.day_abbr), calendar.month_name[1], calendar.weekday(2024, 1, 1), calendar.timegm((1970, 1, 2, 0, 0, 0)))
print(calendar.HTMLCalendar().formatmonth(2024, 1).count("<td"))
#: time-gmtime
import time, calendar
t = time.gmtime(86400 * 365)
print(tuple(t), time.strftime("%Y-%m-%d %H:%M:%S", t), time.asctime(t), calendar.timegm(t))
p = time.strptime("2001-02-03", "%Y-%m-%d"); print(p.tm_wday, p.tm_yday, p.tm_isdst)
#: time-differences
import time
a = time.perf_counter(); m = time.monotonic(); p = time.process_time()
s = sum(range(10000))
print(time.perf_counter() - a >= 0, time.monotonic() - m >= 0, time.process_time() - p >= 0, time.time() > 1.6e9, time.perf_counter_ns() > 0)
t = time.monotonic(); time.sleep(0.02); print(time.monotonic() - t >= 0.019)
#: sched-module
import sched
now = [0]
s = sched.scheduler(lambda: now[0], lambda d: now.__setitem__(0, now[0] + d))
s.enter(5, 1, print, ("five",)); s.enter(2, 1, print, ("two",)); e = s.enter(3, 1, print, ("cancelled",)); s.enter(2, 0, print, ("first",))
s.cancel(e); s.run(); print(now, s.empty())
#: date-limits
from datetime import date, datetime, timedelta, MINYEAR, MAXYEAR
print(date.min, date.max, datetime.max, MINYEAR, MAXYEAR, date.resolution, datetime.resolution)
for f in (lambda: date(2023, 2, 29), lambda: date.max + timedelta(1), lambda: date(0, 1, 1), lambda: datetime(2020, 1, 1, 24)):
    try: f()
    except (ValueError, OverflowError) as e: print(type(e).__name__, e)
#: week-buckets
from datetime import date, timedelta
from itertools import groupby
days = [date(2023, 12, 28) + timedelta(2 * i) for i in range(8)]
for k, g in groupby(days, lambda d: d.isocalendar()[:2]):
    print(k, [f"{d:%d.%m.}" for d in g])
#: unix-epoch-conversions
from datetime import datetime, timezone, timedelta
for s in (0, 10**9, 2**31 - 1, 2**31, -1, 4102444800):
    print(s, datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=s), (datetime(1970, 1, 1) + timedelta(seconds=s)).isoformat())
print(int(datetime(2038, 1, 19, 3, 14, 8, tzinfo=timezone.utc).timestamp()))
#: julian-moon
from datetime import date
def jd(d): return d.toordinal() + 1721424.5
def phase(d): return (jd(d) - 2451549.5) % 29.53058867 / 29.53058867
for d in (date(2000, 1, 6), date(2024, 4, 8), date(2024, 10, 17)):
    print(d, jd(d), "●◐○◑"[int(phase(d) * 4 + 0.5) % 4], f"{phase(d):.3f}")
#: random-seeded
import random
random.seed(42)
print([random.randint(1, 6) for _ in range(10)], random.random(), random.choice("abcdef"), random.uniform(1, 2))
a = list(range(8)); random.shuffle(a); print(a, random.sample(range(100), 5), random.choices("HT", k=6), random.getrandbits(40))
#: random-distributions
import random
r = random.Random(7)
for f in (r.random, lambda: r.gauss(0, 1), lambda: r.normalvariate(5, 2), lambda: r.expovariate(0.5), lambda: r.triangular(0, 10, 3), lambda: r.betavariate(2, 3), lambda: r.paretovariate(3), lambda: r.vonmisesvariate(0, 4), lambda: r.gammavariate(2, 1), lambda: r.lognormvariate(0, 0.25), lambda: r.weibullvariate(1, 1.5)):
    print(f"{f():.9f}")
#: random-state
import random
r = random.Random("text seed")
s = r.getstate(); a = [r.random() for _ in range(3)]; r.setstate(s)
print(a == [r.random() for _ in range(3)], a[0], random.Random(b"bytes").randrange(10**6), random.Random(2**70).randrange(10**6), random.Random(-5).random())
print(r.choices(["a", "b", "c"], weights=[1, 2, 7], k=12), r.sample("abcd", counts=[1, 0, 2, 1], k=4), r.randbytes(4).hex())
#: monte-carlo-pi
import random
r = random.Random(1)
for n in (100, 1000, 20000):
    print(n, 4 * sum(r.random() ** 2 + r.random() ** 2 <= 1 for _ in range(n)) / n)
print(r.random())
#: lcg-mersenne-xorshift
def lcg(x):
    while True:
        x = (1103515245 * x + 12345) % 2**31
        yield x
def xorshift(x):
    while True:
        x ^= x << 13 & 0xFFFFFFFF; x ^= x >> 17; x ^= x << 5 & 0xFFFFFFFF
        yield x
from itertools import islice
print(list(islice(lcg(1), 5)), list(islice(xorshift(2463534242), 5)))
#: random-walk
import random
r = random.Random(99)
x = y = 0
path = []
for _ in range(50):
    dx, dy = r.choice([(0, 1), (1, 0), (0, -1), (-1, 0)])
    x += dx; y += dy; path.append((x, y))
print(path[-5:], abs(x) + abs(y), len(set(path)), max(path))
#: dice-statistics
import random
from collections import Counter
r = random.Random(3)
c = Counter(r.randint(1, 6) + r.randint(1, 6) for _ in range(3600))
for k in sorted(c):
    print(f"{k:2} {c[k]:4} {'#' * (c[k] // 20)}")
#: monty-hall
import random
r = random.Random(11)
win = {"stay": 0, "switch": 0}
for _ in range(3000):
    car, pick = r.randrange(3), r.randrange(3)
    win["stay"] += car == pick
    win["switch"] += car != pick
print(win, sum(win.values()))
#: deck-of-cards
import random
deck = [r + s for s in "♠♥♦♣" for r in "A23456789TJQK"]
random.Random(5).shuffle(deck)
hands = {p: sorted(deck[i::4][:5], key="A23456789TJQK".index if False else None) for i, p in enumerate("NESW")}
for p, h in hands.items():
    print(p, *h)
print(len(set(deck)))
#: birthday-paradox
from fractions import Fraction
def p(n):
    q = Fraction(1)
    for i in range(n): q *= Fraction(365 - i, 365)
    return float(1 - q)
for n in (5, 23, 57, 70): print(n, f"{p(n):.6f}")
print(next(n for n in range(365) if p(n) > 0.5))
#: queue-simulation
import random, heapq
r = random.Random(8)
t, free, waits = 0.0, 0.0, []
for _ in range(500):
    t += r.expovariate(1)
    start = max(t, free)
    waits.append(start - t)
    free = start + r.expovariate(1.25)
print(f"{sum(waits) / 500:.6f} {max(waits):.6f} {sum(w == 0 for w in waits)}")
#: markov-text
import random
from collections import defaultdict
words = "the cat sat on the mat and the cat ran and the dog sat on the cat".split()
m = defaultdict(list)
for a, b in zip(words, words[1:]): m[a].append(b)
r, w, out = random.Random(4), "the", []
while w in m and len(out) < 15:
    out.append(w); w = r.choice(m[w])
print(" ".join(out), {k: sorted(set(v)) for k, v in sorted(m.items())})
#: maze-generator
import random
r, W, H = random.Random(6), 8, 5
g = [["#"] * (2 * W + 1) for _ in range(2 * H + 1)]
def carve(x, y):
    g[2 * y + 1][2 * x + 1] = " "
    d = [(0, 1), (1, 0), (0, -1), (-1, 0)]; r.shuffle(d)
    for dx, dy in d:
        nx, ny = x + dx, y + dy
        if 0 <= nx < W and 0 <= ny < H and g[2 * ny + 1][2 * nx + 1] == "#":
            g[2 * y + 1 + dy][2 * x + 1 + dx] = " "
            carve(nx, ny)
carve(0, 0)
print("\n".join("".join(row) for row in g))
#: tic-tac-toe-minimax
L = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
memo = {}
def best(b, p):
    if (b, p) in memo: return memo[b, p]
    if any(b[i] == b[j] == b[k] != "." for i, j, k in L): return -1, None
    if "." not in b: return 0, None
    o = "O" if p == "X" else "X"
    memo[b, p] = r = max(((-best(b[:i] + p + b[i + 1:], o)[0], -i) for i in range(9) if b[i] == "."))
    return r
print(best("X...O....", "X"), best(".........", "X")[0], best("XX.OO....", "X"), len(memo))
#: genetic-onemax
import random
r = random.Random(12)
pop = [[r.randrange(2) for _ in range(24)] for _ in range(20)]
for gen in range(25):
    pop.sort(key=sum, reverse=True)
    if gen % 6 == 0: print(gen, sum(pop[0]))
    nxt = pop[:4]
    while len(nxt) < 20:
        a, b = r.sample(pop[:10], 2); k = r.randrange(24)
        c = a[:k] + b[k:]; c[r.randrange(24)] ^= 1
        nxt.append(c)
    pop = nxt
print(max(map(sum, pop)))
#: kmeans
import random
r = random.Random(2)
pts = [(r.gauss(cx, 1), r.gauss(cy, 1)) for cx, cy in ((0, 0), (10, 10), (0, 10)) for _ in range(20)]
cs = [pts[0], pts[25], pts[50]]
for _ in range(10):
    g = [[] for _ in cs]
    for p in pts: g[min(range(3), key=lambda i: (p[0] - cs[i][0]) ** 2 + (p[1] - cs[i][1]) ** 2)].append(p)
    cs = [(sum(x for x, _ in q) / len(q), sum(y for _, y in q) / len(q)) for q in g]
print([len(q) for q in g], [f"{x:.3f} {y:.3f}" for x, y in cs])
#: perceptron
w, b = [0, 0], 0
data = [((0, 0), 0), ((0, 1), 0), ((1, 0), 0), ((1, 1), 1)]
for ep in range(20):
    err = 0
    for (x, y), t in data:
        o = int(w[0] * x + w[1] * y + b > 0)
        d = t - o; err += abs(d); w[0] += d * x; w[1] += d * y; b += d
    if not err: break
print(ep, w, b, [int(w[0] * x + w[1] * y + b > 0) for (x, y), _ in data])
#: elementary-automaton
rule = 30
row = [0] * 31; row[15] = 1
for _ in range(12):
    print("".join(" #"[c] for c in row).rstrip())
    row = [rule >> (row[i - 1] * 4 + row[i] * 2 + row[(i + 1) % 31]) & 1 for i in range(31)]
#: secrets-lengths
import secrets, os, string
print(len(secrets.token_bytes(9)), len(secrets.token_hex(7)), len(secrets.token_urlsafe(12)), 0 <= secrets.randbelow(5) < 5, secrets.choice("x"))
pw = "".join(secrets.choice(string.ascii_letters) for _ in range(12))
print(len(pw), pw.isalpha(), len(os.urandom(5)), secrets.compare_digest("a", "a"), secrets.randbits(8) < 256)
