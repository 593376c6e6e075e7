# SPDX-License-Identifier: Apache-2.0
# Containers and iteration: collections, itertools, functools, heapq, bisect, operator, comprehensions.
#: counter-arithmetic
from collections import Counter
a, b = Counter("aabbbc"), Counter(a=1, b=1, d=4)
print(sorted((a + b).items()), sorted((a - b).items()), sorted((a & b).items()), sorted((a | b).items()))
print(a.most_common(2), a.total(), a["zz"], +Counter(x=-1, y=2), sorted(a.elements()))
#: counter-update
from collections import Counter
c = Counter()
for w in "red blue red green blue blue".split():
    c[w] += 1
c.subtract({"red": 5})
print(c["red"], c.most_common(1), dict(c), c == Counter(blue=3, green=1, red=-3))
#: defaultdict-group
from collections import defaultdict
d = defaultdict(list)
for name, team in [("ann", "x"), ("bob", "y"), ("cid", "x")]:
    d[team].append(name)
print(dict(d), d["new"], "new" in d, d.get("other"), d.default_factory is list)
#: defaultdict-tree
from collections import defaultdict
import json
Tree = lambda: defaultdict(Tree)
t = Tree()
t["a"]["b"]["c"] = 1
t["a"]["d"] = 2
print(json.dumps(t))
#: ordereddict
from collections import OrderedDict
d = OrderedDict(a=1, b=2, c=3)
d.move_to_end("a")
d.move_to_end("c", last=False)
print(list(d), d.popitem(), d.popitem(last=False), d == OrderedDict(b=2))
print(OrderedDict(x=1, y=2) == OrderedDict(y=2, x=1), dict(x=1, y=2) == dict(y=2, x=1), list(reversed(OrderedDict(p=1, q=2))))
#: deque-ops
from collections import deque
d = deque([1, 2, 3], maxlen=4)
d.append(4); d.append(5); d.appendleft(0)
print(d, d.maxlen)
d.rotate(1); print(list(d))
d.extendleft("ab"); print(list(d), d.pop(), d.popleft(), d.count(0))
#: deque-tail
from collections import deque
lines = (f"line {i}" for i in range(1000))
print(list(deque(lines, maxlen=3)))
d = deque("abc"); d.insert(1, "X"); d.remove("c"); d.reverse()
print("".join(d), d.index("X"), d.copy() == d)
#: namedtuple
from collections import namedtuple
P = namedtuple("P", "x y z", defaults=(0,))
p = P(1, y=2)
print(p, p.x, p[1], p._replace(x=9), p._asdict(), P._fields, P._field_defaults, P._make([4, 5, 6]))
try:
    p.x = 3
except AttributeError:
    print("immutable")
#: chainmap
from collections import ChainMap
base, user = {"colour": "red", "size": 1}, {"size": 2}
c = ChainMap(user, base)
print(c["size"], c["colour"], sorted(c), len(c.maps))
k = c.new_child({"colour": "blue"})
k["new"] = 1
print(k["colour"], k.parents["colour"], user, dict(sorted(k.items())))
#: userdict
from collections import UserDict
class Lower(UserDict):
    def __setitem__(self, k, v):
        super().__setitem__(k.lower(), v)
    def __missing__(self, k):
        return f"no {k}"
d = Lower(ABC=1)
d["DeF"] = 2
print(d, d["x"], "abc" in d, d.data)
#: userlist-userstring
from collections import UserList, UserString
class Loud(UserList):
    def append(self, x):
        print("adding", x)
        super().append(x)
l = Loud([1])
l.append(2)
print(l + [3], l * 2, type(l[:1]).__name__, UserString("abc").upper() + "d")
#: abc-mapping
from collections.abc import Mapping, Sequence
class Squares(Mapping):
    def __init__(self, n): self.n = n
    def __getitem__(self, k):
        if k in range(self.n): return k * k
        raise KeyError(k)
    def __iter__(self): return iter(range(self.n))
    def __len__(self): return self.n
s = Squares(4)
print(dict(s), s.get(9, "none"), 3 in s, list(s.values()), s == {0: 0, 1: 1, 2: 4, 3: 9}, isinstance([], Sequence))
#: abc-mutablesequence
from collections.abc import MutableSequence
class Even(MutableSequence):
    def __init__(self): self.a = []
    def __len__(self): return len(self.a)
    def __getitem__(self, i): return self.a[i]
    def __setitem__(self, i, v): self.a[i] = v
    def __delitem__(self, i): del self.a[i]
    def insert(self, i, v):
        if v % 2: raise ValueError("odd")
        self.a.insert(i, v)
e = Even()
e.extend([2, 4, 6]); e.reverse(); e += [8]
print(list(e), e.pop(0), e.index(8), 4 in e)
#: abc-set
from collections.abc import Set
class Bits(Set):
    def __init__(self, it): self.v = sum(1 << i for i in set(it))
    def __contains__(self, i): return bool(self.v >> i & 1)
    def __iter__(self): return (i for i in range(self.v.bit_length()) if i in self)
    def __len__(self): return self.v.bit_count()
a, b = Bits([1, 3, 5]), Bits([3, 4, 5])
print(list(a & b), list(a | b), list(a - b), list(a ^ b), a <= b, a.isdisjoint([2]))
#: abc-hooks
from collections.abc import Iterable, Hashable, Callable, Sized, Iterator
class A:
    def __len__(self): return 0
    def __iter__(self): return iter(())
for x in (A(), [], "", {}.keys(), 3, print, iter([])):
    print([c.__name__ for c in (Iterable, Iterator, Hashable, Callable, Sized) if isinstance(x, c)])
#: dict-merge
a, b = {"x": 1, "y": 2}, {"y": 3, "z": 4}
print(a | b, b | a, {**a, **b, "w": 0})
a |= [("q", 9)]
print(a, a.keys() & b.keys(), sorted(a.items() - b.items()), list(reversed(a)))
#: dict-methods
d = dict.fromkeys("abc", 0)
print(d.setdefault("a", 9), d.setdefault("z", 9), d.pop("b"), d.pop("no", None), d.popitem(), d)
d.update(c=5, e=6); print(d, d.get("q"), len(d))
v = d.values(); d["n"] = 1; print(list(v))
del d["n"]; d.clear(); print(d)
#: dict-invert-sort
ages = {"bob": 25, "ann": 31, "cid": 25}
print(sorted(ages, key=ages.get), sorted(ages.items(), key=lambda kv: (-kv[1], kv[0])))
inv = {}
for k, v in ages.items():
    inv.setdefault(v, []).append(k)
print(inv, max(ages, key=ages.get), {v: k for k, v in ages.items()})
#: dict-nested-update
def merge(a, b):
    return {k: merge(a[k], b[k]) if isinstance(a.get(k), dict) and isinstance(b.get(k), dict) else b.get(k, a.get(k)) for k in a | b}
def flat(d, p=""):
    for k, v in d.items():
        yield from flat(v, p + k + ".") if isinstance(v, dict) else [(p + k, v)]
m = merge({"a": {"x": 1, "y": 2}, "b": 1}, {"a": {"y": 3}, "c": 4})
print(m, dict(flat(m)))
#: dict-change-while-iterating
d = {1: "a", 2: "b"}
try:
    for k in d:
        d[k + 10] = "c"
except RuntimeError as e:
    print(e)
for k in list(d):
    if k > 5:
        del d[k]
print(d)
#: dict-keys-equal
d = {1: "int"}
d[1.0] = "float"
d[True] = "bool"
print(d, len(d), hash(1) == hash(1.0) == hash(True))
try:
    d[[1]] = 0
except TypeError:
    print("unhashable")
#: set-algebra
a, b = {1, 2, 3, 4}, {3, 4, 5}
print(a & b, a | b, a - b, a ^ b, {1, 2} < a, a.issuperset({1}), a.isdisjoint({9}))
a.discard(99); a.remove(1); a.update([7, 8]); a -= {7}
print(a, len({1, 1.0, True}), frozenset([1, 2]) in {frozenset([2, 1])})
#: set-dedupe
seen = set()
xs = [3, 1, 3, 2, 1, 5]
print([x for x in xs if not (x in seen or seen.add(x))], list(dict.fromkeys(xs)), sorted(set(xs)))
print(sorted(set("mississippi")), sorted({len(w) for w in "a bb cc ddd".split()}))
#: list-methods
a = [3, 1, 2]
a.append(5); a.extend((8, 9)); a.insert(0, 7); a.remove(1)
print(a, a.pop(), a.pop(0), a.index(5), a.count(2))
a.reverse(); print(a); a.sort(reverse=True); print(a, a.copy() is a)
b = a; b += [0]; print(a is b, a); a.clear(); print(b)
#: list-slices-assign
a = list(range(10))
a[2:5] = ["x"]; print(a)
a[::2] = [0] * len(a[::2]); print(a)
del a[-3:]; print(a); a[len(a):] = [1, 2]; a[:0] = ["s"]; print(a)
try:
    a[::2] = [1]
except ValueError as e:
    print(e)
#: list-aliasing
grid = [[0] * 3] * 2
grid[0][0] = 1
good = [[0] * 3 for _ in range(2)]
good[0][0] = 1
print(grid, good)
def f(x, acc=[]):
    acc.append(x)
    return acc
print(f(1), f(2), f(3, []), f(4))
#: sort-stability
rows = [("b", 2), ("a", 2), ("c", 1), ("a", 1)]
print(sorted(rows, key=lambda r: r[1]), sorted(rows, key=lambda r: r[0], reverse=True))
rows.sort(key=lambda r: r[0]); rows.sort(key=lambda r: r[1], reverse=True)
print(rows, sorted("bA aC".split(), key=str.casefold))
#: sort-cmp-key
from functools import cmp_to_key
nums = ["3", "30", "34", "5", "9"]
print("".join(sorted(nums, key=cmp_to_key(lambda a, b: 1 if a + b < b + a else -1))))
try:
    sorted([1, "a"])
except TypeError as e:
    print(e)
#: unpacking
a, *b, c = range(6)
(x, y), [z, *w] = (1, 2), "hey"
print(a, b, c, x, y, z, w, [*range(3), *"ab"], {**{"k": 1}}, (*[1],))
first, = [42]
i, j = 1, 2
i, j = j, i
print(first, i, j)
try:
    p, q = [1, 2, 3]
except ValueError as e:
    print(e)
#: comprehension-puzzles
print([x * y for x in range(1, 4) for y in range(x, 4)], [[i * j for j in range(3)] for i in range(3)])
print({x % 3: x for x in range(10)}, {c for c in "aab"} == {"a", "b"}, [y for x in [[1], [2, 3]] for y in x])
print([("fizz" * (i % 3 == 0) + "buzz" * (i % 5 == 0)) or i for i in range(1, 16)])
#: comprehension-scope
x = "outer"
print([x for x in range(3)], x)
print([(y := v * 2) for v in (1, 2)], y)
fs = [lambda: i for i in range(3)]
gs = [lambda i=i: i for i in range(3)]
print([f() for f in fs], [g() for g in gs])
#: walrus
import io
f = io.StringIO("abcdefgh")
while chunk := f.read(3):
    print(chunk)
print([r for n in range(6) if (r := n * n) % 2 == 0], (m := 5) + m)
#: itertools-accumulate
from itertools import accumulate
import operator
print(list(accumulate([1, 2, 3, 4])), list(accumulate([1, 2, 3, 4], operator.mul)), list(accumulate([3, 1, 4, 1, 5], max)))
print(list(accumulate([100, -30, 20], initial=0)), list(accumulate(range(5), lambda a, _: 3.5 * a * (1 - a), initial=0.5)))
#: itertools-combinatorics
from itertools import combinations, permutations, product, combinations_with_replacement as cwr
print(list(combinations("abc", 2)), list(permutations("abc", 2)))
print(list(product("ab", [0, 1])), list(cwr("ab", 3)), sum(1 for _ in product(range(4), repeat=3)))
#: itertools-groupby
from itertools import groupby
rows = [("fruit", "apple"), ("fruit", "pear"), ("veg", "leek"), ("fruit", "fig")]
print({k: [r[1] for r in g] for k, g in groupby(rows, key=lambda r: r[0])})
print([(k, [r[1] for r in g]) for k, g in groupby(sorted(rows), key=lambda r: r[0])])
print([(b - a + 1, a) for a, b in ((g[0], g[-1]) for g in ([v for _, v in g] for _, g in groupby(enumerate([1, 2, 3, 7, 8, 10]), lambda p: p[1] - p[0])))])
#: itertools-slicing
from itertools import count, cycle, repeat, islice, takewhile, dropwhile
print(list(islice(count(10, 5), 4)), list(islice(cycle("ab"), 5)), list(repeat(7, 3)))
print(list(takewhile(lambda x: x < 5, [1, 4, 6, 1])), list(dropwhile(lambda x: x < 5, [1, 4, 6, 1])))
print(list(islice("abcdefg", 1, 6, 2)), next(islice(count(), 100, None)))
#: itertools-zip-chain
from itertools import chain, zip_longest, pairwise, starmap, compress, filterfalse, tee
print(list(chain([1], "ab", (2,))), list(chain.from_iterable([[1, 2], [3]])), list(zip_longest("abc", "x", fillvalue="-")))
print(list(pairwise("abcd")), list(starmap(pow, [(2, 3), (3, 2)])), list(compress("abcd", [1, 0, 1, 0])), list(filterfalse(str.isdigit, "a1b2")))
a, b = tee(range(3)); next(a)
print(list(zip(a, b)))
#: itertools-recipes
from itertools import islice, chain, combinations, zip_longest, cycle
def batched(it, n):
    it = iter(it)
    while b := tuple(islice(it, n)):
        yield b
def roundrobin(*its):
    its = list(map(iter, its))
    while its:
        for i in list(its):
            try:
                yield next(i)
            except StopIteration:
                its.remove(i)
print(list(batched(range(7), 3)), "".join(roundrobin("ABC", "D", "EF")))
print(list(chain.from_iterable(combinations([1, 2, 3], r) for r in range(4))))
#: zip-strict
print(list(zip([1, 2], "ab", strict=True)), list(zip(*[(1, "a"), (2, "b")])), dict(zip("xy", (1, 2))))
try:
    list(zip([1], [1, 2], strict=True))
except ValueError as e:
    print(e)
#: enumerate-reversed-range
print(list(enumerate("ab", 1)))
print(list(reversed(range(0, 10, 3))), range(10)[2:8:2], range(0, 10, 2).index(6), 7 in range(0, 10, 2))
print(range(0) == range(5, 2), len(range(10, 0, -3)), range(5).count(2), list(range(3, -3, -2)))
#: any-all-sum-min
print(any([]), all([]))
print(sum([[1], [2]], []), min("b", "a"), max([], default="none"), sum(x * x for x in range(5)))
print(max(["aa", "b", "ccc"], key=len), min({3: "x", 1: "y"}), all(x > 0 for x in (1, 2)), next((x for x in (1, 5, 9) if x > 4), None))
#: map-filter-reduce
from functools import reduce
print(list(map(lambda a, b: a + b, [1, 2], [10, 20])), list(filter(None, [0, 1, "", "a", None])))
print(reduce(lambda a, d: a * 10 + d, [1, 2, 3], 0), reduce(lambda f, g: lambda x: g(f(x)), [lambda x: x + 1, lambda x: x * 2])(5))
try:
    reduce(max, [])
except TypeError as e:
    print(e)
#: functools-partial
from functools import partial, partialmethod
base2 = partial(int, base=2)
print(base2("1010"), base2.func is int, base2.keywords, partial(print, "a", sep="-")("b", "c"))
class Cell:
    alive = False
    def set(self, s): self.alive = s
    kill = partialmethod(set, False)
    live = partialmethod(set, True)
c = Cell(); c.live(); print(c.alive); c.kill(); print(c.alive)
#: functools-caches
from functools import lru_cache, cache, cached_property
@lru_cache(maxsize=2)
def f(x):
    print("compute", x)
    return x * x
f(1); f(2); f(1); f(3); f(2)
print(f.cache_info()); f.cache_clear(); print(f.cache_info().currsize)
class A:
    @cached_property
    def v(self):
        print("once")
        return 42
a = A(); print(a.v, a.v, vars(a))
#: cache-fibonacci
from functools import cache
@cache
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
for n in range(0, 91, 15):
    print(n, fib(n))
print(fib.cache_info())
#: functools-singledispatch
from functools import singledispatch
@singledispatch
def show(x): return f"object {x!r}"
@show.register
def _(x: int): return f"int {x:+d}"
@show.register(list)
def _(x): return "[" + "; ".join(map(show, x)) + "]"
@show.register(str)
@show.register(bytes)
def _(x): return f"text {len(x)}"
print(show(3), show([1, "ab", 2.5]), show(True), show(b"xyz"), show.dispatch(bool)(7))
#: functools-total-ordering
from functools import total_ordering
@total_ordering
class V:
    def __init__(self, s): self.t = tuple(map(int, s.split(".")))
    def __eq__(self, o): return self.t == o.t
    def __lt__(self, o): return self.t < o.t
    def __repr__(self): return ".".join(map(str, self.t))
print(sorted(map(V, ["1.10", "1.9.3", "1.9"])), V("2.0") >= V("1.9"), V("1") <= V("1"), max(V("0.9"), V("0.10")))
#: functools-wraps
from functools import wraps
def trace(f):
    @wraps(f)
    def inner(*a, **k):
        r = f(*a, **k)
        print(f"{f.__name__}{a}{k or ''} = {r}")
        return r
    return inner
@trace
def add(a, b=1):
    "adds"
    return a + b
add(1); add(2, b=5)
print(add.__name__, add.__doc__, add.__wrapped__(3))
#: heapq-basics
import heapq
h = [9, 4, 7, 1, 8]
heapq.heapify(h)
heapq.heappush(h, 3)
print(h, heapq.heappushpop(h, 0), heapq.heapreplace(h, 10), [heapq.heappop(h) for _ in range(len(h))])
print(heapq.nlargest(2, [5, 1, 8, 3]), heapq.nsmallest(2, "banana"), heapq.nlargest(1, [{"v": 1}, {"v": 7}], key=lambda d: d["v"]))
#: heapq-merge
import heapq
print(list(heapq.merge([1, 4, 9], [2, 3], [0, 10])), list(heapq.merge("ca", "b", reverse=True)))
print(list(heapq.merge(["a", "ccc"], ["bb"], key=len)))
#: priority-queue
import heapq, itertools
tie = itertools.count()
q = []
for p, job in [(2, "write"), (1, "plan"), (3, "test"), (1, "talk")]:
    heapq.heappush(q, (p, next(tie), job))
while q:
    print(heapq.heappop(q))
#: running-median
import heapq
lo, hi = [], []
for x in [5, 15, 1, 3, 8, 7]:
    heapq.heappush(lo, -heapq.heappushpop(hi, x))
    if len(lo) > len(hi):
        heapq.heappush(hi, -heapq.heappop(lo))
    print(x, hi[0] if len(hi) > len(lo) else (hi[0] - lo[0]) / 2)
#: bisect-grades
import bisect
grade = lambda s: "FDCBA"[bisect.bisect([60, 70, 80, 90], s)]
print([grade(s) for s in (33, 60, 77, 80, 89, 90, 100)])
a = [1, 3, 3, 5]
print(bisect.bisect_left(a, 3), bisect.bisect_right(a, 3), bisect.bisect(a, 9))
bisect.insort(a, 4); bisect.insort_left(a, 3); print(a)
print(bisect.bisect_left([("a", 1), ("b", 5)], 5, key=lambda r: r[1]))
#: operator-getters
from operator import itemgetter, attrgetter, methodcaller
rows = [{"n": "b", "v": 2}, {"n": "a", "v": 2}, {"n": "c", "v": 1}]
print(sorted(rows, key=itemgetter("v", "n")), itemgetter(1, -1)("abc"), itemgetter(slice(1, 3))("abcd"))
print(attrgetter("real", "imag")(3 + 4j), methodcaller("replace", "a", "b")("banana"), attrgetter("__class__.__name__")(1))
#: operator-functions
import operator as op
print([f(7, 3) for f in (op.add, op.sub, op.mul, op.truediv, op.floordiv, op.mod, op.pow, op.and_, op.or_, op.xor, op.lshift, op.rshift)])
print([f(1, 2) for f in (op.lt, op.le, op.eq, op.ne, op.ge, op.gt)], op.neg(3), op.not_(0), op.truth("a"), op.index(True), op.contains([1], 1))
a = [1]; print(op.iadd(a, [2]) is a, op.concat("a", "b"), op.countOf("aab", "a"), op.indexOf("abc", "c"), op.length_hint(iter([1, 2])))
#: array-typed
from array import array
a = array("i", [1, 2, 3])
a.append(4); a.extend([5]); a[1:3] = array("i", [9])
print(a, a.tolist(), a.itemsize, a.typecode, a.index(9), a.count(1))
b = array("d", [0.5, 1.5]); print(b, b.tobytes().hex(), array("B", b"abc"))
try:
    array("b", [200])
except OverflowError:
    print("too big")
#: memoryview
data = bytearray(b"abcdefgh")
m = memoryview(data)
m[0:2] = b"XY"
print(data, m[2:5].tobytes(), m.nbytes, m.readonly, m.format, m[::2].tolist())
w = m.cast("H"); print(w.shape, w.itemsize, [hex(x) for x in w])
m.release()
try:
    m[0]
except ValueError as e:
    print(e)
#: bytearray-edit
b = bytearray(b"hello")
b[0] = 72; b.append(33); b.extend(b"??"); del b[-1]; b[1:3] = b"EL"
print(b, b.find(b"l"), b.decode(), bytes(3), bytes([65, 66]), b"%d%%" % 5, bytes.fromhex("de ad"), b"ab".hex(":"))
print(list(b"az"), b"abc"[0], b"abc"[:1], b"a" in b"abc", b"x,y".split(b","), b"\xff" > b"a")
#: tuple-behaviour
t = 1, "a", [2]
t[2].append(3)
print(t, t + (4,), t * 2, t.index("a"), (1, 2) < (1, 3), () == tuple(), len((1,)))
try:
    t[2] += [5]
except TypeError:
    print("error but", t)
#: queue-kinds
import queue
for q in (queue.Queue(), queue.LifoQueue(), queue.PriorityQueue(), queue.SimpleQueue()):
    for x in (3, 1, 2):
        q.put(x)
    print(type(q).__name__, [q.get() for _ in range(3)], q.empty())
try:
    queue.Queue().get_nowait()
except queue.Empty:
    print("empty")
try:
    b = queue.Queue(maxsize=1); b.put(1); b.put_nowait(2)
except queue.Full:
    print("full", b.qsize())
#: copy-depth
import copy
a = {"x": [1, [2]], "t": (1, [2])}
s, d = copy.copy(a), copy.deepcopy(a)
a["x"][1].append(3)
print(s, d, s["x"] is a["x"], d["x"] is a["x"])
l = [1]; l.append(l); m = copy.deepcopy(l); print(m[1] is m, m)
#: copy-hooks
import copy
class P:
    def __init__(self, v): self.v = v
    def __copy__(self): return P(self.v + "-copy")
    def __deepcopy__(self, memo): return P(self.v + "-deep")
p = P("a")
print(copy.copy(p).v, copy.deepcopy([p, p])[1].v)
x = copy.deepcopy([p, p]); print(x[0] is x[1])
#: pprint-nested
from pprint import pprint, pformat, saferepr
data = {"name": "x" * 20, "items": [{"id": i, "tags": ["a" * i, "b"]} for i in range(4)], "z": {"b": 1, "a": 2}}
pprint(data, width=50)
pprint(data, depth=2, compact=True)
print(pformat([1, [2, [3, [4]]]], width=8, indent=2), saferepr({"b": 1, "a": 2}))
#: reprlib
import reprlib
print(reprlib.repr(list(range(100))), reprlib.repr("x" * 200), reprlib.repr({i: i for i in range(9)}))
class N:
    def __init__(self): self.kids = [self]
    @reprlib.recursive_repr("<...>")
    def __repr__(self): return f"N({self.kids!r})"
print(N())
#: matrix-idioms
m = [[1, 2, 3], [4, 5, 6]]
print(list(zip(*m)), [list(r)[::-1] for r in zip(*m)], sum(map(sum, m)), [x for r in m for x in r])
print([[r[i] for r in m] for i in range(3)], [max(c) for c in zip(*m)], [[int(i == j) for j in range(3)] for i in range(3)])
#: chunk-and-window
xs = list(range(10))
print([xs[i:i + 4] for i in range(0, len(xs), 4)], list(zip(*[iter(xs)] * 3)), [xs[i::3] for i in range(3)])
print(list(zip(xs, xs[1:]))[:3], [sum(xs[i:i + 3]) for i in range(8)])
#: flatten
def flat(x):
    for i in x:
        if isinstance(i, (list, tuple)):
            yield from flat(i)
        else:
            yield i
print(list(flat([1, [2, (3, [4, []])], "ab", [[[5]]]])))
print(sum([[1], [2, 3]], []), [*map(str, flat([[1], [[2]]]))])
#: partition-transpose-dict
xs = range(10)
odd, even = [], []
for x in xs:
    (odd if x % 2 else even).append(x)
print(odd, even)
recs = [{"a": 1, "b": 2}, {"a": 3, "b": 4}]
print({k: [r[k] for r in recs] for k in recs[0]}, [dict(zip(("a", "b"), t)) for t in zip([1, 3], [2, 4])])
#: iterator-protocol
class Countdown:
    def __init__(self, n): self.n = n
    def __iter__(self): return self
    def __next__(self):
        if self.n <= 0: raise StopIteration
        self.n -= 1
        return self.n + 1
c = Countdown(3)
print(list(c), list(c), next(c, "done"))
print(list(iter(iter([1, 2, 0, 3]).__next__, 0)))
#: getitem-iteration
class Old:
    def __getitem__(self, i):
        if i >= 3: raise IndexError
        return i * 10
o = Old()
print(list(o), 20 in o, list(zip(o, "ab")), [*o], max(o))
a, b, c = o
print(a + b + c)
#: topN-report
sales = [("n", "apple", 30), ("s", "pear", 12), ("n", "pear", 8), ("s", "apple", 5), ("n", "fig", 41)]
from collections import defaultdict
by = defaultdict(lambda: defaultdict(int))
for region, item, n in sales:
    by[region][item] += n
for r in sorted(by):
    print(r, sum(by[r].values()), max(by[r], key=by[r].get), dict(by[r]))
