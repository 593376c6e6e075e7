# SPDX-License-Identifier: Apache-2.0
# Classic algorithms: sorting, searching, graphs, dynamic programming, strings, greedy choices.
#: quicksort
def quicksort(a):
    if len(a) < 2:
        return a
    p, *rest = a
    return quicksort([x for x in rest if x < p]) + [p] + quicksort([x for x in rest if x >= p])
print(quicksort([3, 6, 1, 8, 2, 9, 2]))
#: mergesort-inversions
def count(a):
    if len(a) < 2:
        return a, 0
    m = len(a) // 2
    l, x = count(a[:m])
    r, y = count(a[m:])
    out, inv, i, j = [], x + y, 0, 0
    while i < len(l) and j < len(r):
        if l[i] <= r[j]:
            out.append(l[i]); i += 1
        else:
            out.append(r[j]); j += 1; inv += len(l) - i
    return out + l[i:] + r[j:], inv
print(count([5, 3, 8, 1, 9, 2, 7]))
#: heapsort-by-hand
def sift(a, i, n):
    while (c := 2 * i + 1) < n:
        if c + 1 < n and a[c + 1] > a[c]:
            c += 1
        if a[i] >= a[c]:
            break
        a[i], a[c] = a[c], a[i]
        i = c
def heapsort(a):
    n = len(a)
    for i in range(n // 2 - 1, -1, -1):
        sift(a, i, n)
    for e in range(n - 1, 0, -1):
        a[0], a[e] = a[e], a[0]
        sift(a, 0, e)
data = [(i * 37) % 101 for i in range(20)]
heapsort(data)
print(data)
#: counting-sort
def counting_sort(xs):
    lo, hi = min(xs), max(xs)
    buckets = [0] * (hi - lo + 1)
    for x in xs:
        buckets[x - lo] += 1
    return [lo + i for i, n in enumerate(buckets) for _ in range(n)]
print(counting_sort([4, -2, 7, 4, 0, -2, 3]))
#: radix-sort
nums = [170, 45, 75, 90, 802, 24, 2, 66]
base = 1
while max(nums) // base:
    rows = [[] for _ in range(10)]
    for n in nums:
        rows[n // base % 10].append(n)
    nums = [n for row in rows for n in row]
    print(base, nums)
    base *= 10
#: insertion-sort-trace
a = [9, 4, 7, 1]
for i in range(1, len(a)):
    k, j = a[i], i
    while j and a[j - 1] > k:
        a[j] = a[j - 1]
        j -= 1
    a[j] = k
    print(f"after {i}: {a}")
#: bubble-sort-swaps
a = list("python")
swaps = 0
for end in range(len(a) - 1, 0, -1):
    for i in range(end):
        if a[i] > a[i + 1]:
            a[i], a[i + 1] = a[i + 1], a[i]
            swaps += 1
print("".join(a), swaps)
#: shell-sort
a = [62, 83, 18, 53, 7, 17, 95, 86, 47, 69, 25, 28]
gap = len(a) // 2
while gap:
    for i in range(gap, len(a)):
        t, j = a[i], i
        while j >= gap and a[j - gap] > t:
            a[j] = a[j - gap]
            j -= gap
        a[j] = t
    print(gap, a)
    gap //= 2
#: quickselect
def kth(a, k):
    p = a[len(a) // 2]
    lo = [x for x in a if x < p]
    eq = [x for x in a if x == p]
    if k < len(lo):
        return kth(lo, k)
    if k < len(lo) + len(eq):
        return p
    return kth([x for x in a if x > p], k - len(lo) - len(eq))
v = [7, 2, 9, 4, 4, 1, 8]
print([kth(v, i) for i in range(len(v))])
#: binary-search-steps
def find(a, x):
    lo, hi, steps = 0, len(a) - 1, 0
    while lo <= hi:
        steps += 1
        mid = (lo + hi) // 2
        if a[mid] == x:
            return mid, steps
        if a[mid] < x:
            lo = mid + 1
        else:
            hi = mid - 1
    return -1, steps
table = list(range(0, 1000, 7))
for x in (0, 7, 500, 994, 999):
    print(x, find(table, x))
#: bfs-shortest-path
from collections import deque
g = {"A": "BC", "B": "AD", "C": "AD", "D": "BCE", "E": "D"}
def path(s, t):
    prev, q = {s: None}, deque([s])
    while q:
        u = q.popleft()
        if u == t:
            out = []
            while u:
                out.append(u)
                u = prev[u]
            return out[::-1]
        for v in g[u]:
            if v not in prev:
                prev[v] = u
                q.append(v)
print(" -> ".join(path("A", "E")))
#: dfs-iterative
g = {1: [2, 3], 2: [4], 3: [4, 5], 4: [6], 5: [6], 6: []}
stack, seen = [1], []
while stack:
    u = stack.pop()
    if u in seen:
        continue
    seen.append(u)
    stack.extend(reversed(g[u]))
print(seen)
#: dijkstra
import heapq
edges = {"a": {"b": 7, "c": 9, "f": 14}, "b": {"c": 10, "d": 15}, "c": {"d": 11, "f": 2}, "d": {"e": 6}, "f": {"e": 9}, "e": {}}
dist, q = {}, [(0, "a")]
while q:
    d, u = heapq.heappop(q)
    if u in dist:
        continue
    dist[u] = d
    for v, w in edges[u].items():
        heapq.heappush(q, (d + w, v))
for k in sorted(dist):
    print(k, dist[k])
#: bellman-ford-negative
edges = [(0, 1, 4), (0, 2, 5), (1, 3, -3), (2, 1, -6), (3, 4, 2)]
INF = float("inf")
d = [0] + [INF] * 4
for _ in range(4):
    for u, v, w in edges:
        d[v] = min(d[v], d[u] + w)
print(d)
print("negative cycle:", any(d[u] + w < d[v] for u, v, w in edges))
#: floyd-warshall
INF = 10**9
w = [[0, 3, INF, 7], [8, 0, 2, INF], [5, INF, 0, 1], [2, INF, INF, 0]]
n = len(w)
for k in range(n):
    for i in range(n):
        for j in range(n):
            w[i][j] = min(w[i][j], w[i][k] + w[k][j])
for row in w:
    print(*row)
#: kruskal-mst
class Forest:
    def __init__(self, n):
        self.p = list(range(n))
    def find(self, x):
        while self.p[x] != x:
            self.p[x] = self.p[self.p[x]]
            x = self.p[x]
        return x
    def join(self, a, b):
        a, b = self.find(a), self.find(b)
        self.p[a] = b
        return a != b
f = Forest(5)
e = [(2, 0, 1), (3, 0, 3), (1, 1, 2), (4, 1, 3), (7, 2, 4), (5, 3, 4)]
tree = [x for x in sorted(e) if f.join(x[1], x[2])]
print(tree, sum(x[0] for x in tree))
#: prim-mst
import heapq
g = {0: [(1, 4), (2, 1)], 1: [(0, 4), (2, 2), (3, 5)], 2: [(0, 1), (1, 2), (3, 8)], 3: [(1, 5), (2, 8)]}
seen, q, total = set(), [(0, 0)], 0
while q:
    w, u = heapq.heappop(q)
    if u not in seen:
        seen.add(u)
        total += w
        print("take", u, "for", w)
        for v, c in g[u]:
            heapq.heappush(q, (c, v))
print(total)
#: topological-kahn
from collections import deque
deps = {"shirt": ["tie"], "tie": ["jacket"], "trousers": ["shoes", "belt"], "belt": ["jacket"], "socks": ["shoes"], "shoes": [], "jacket": []}
deg = {k: 0 for k in deps}
for vs in deps.values():
    for v in vs:
        deg[v] += 1
q = deque(sorted(k for k in deg if deg[k] == 0))
order = []
while q:
    u = q.popleft()
    order.append(u)
    for v in deps[u]:
        deg[v] -= 1
        if not deg[v]:
            q.append(v)
print(order)
#: tarjan-scc
g = {0: [1], 1: [2], 2: [0, 3], 3: [4], 4: [5], 5: [3], 6: [5]}
index, low, stack, out = {}, {}, [], []
def visit(v):
    index[v] = low[v] = len(index)
    stack.append(v)
    for w in g[v]:
        if w not in index:
            visit(w)
            low[v] = min(low[v], low[w])
        elif w in stack:
            low[v] = min(low[v], index[w])
    if low[v] == index[v]:
        comp = []
        while True:
            w = stack.pop()
            comp.append(w)
            if w == v:
                break
        out.append(sorted(comp))
for v in g:
    if v not in index:
        visit(v)
print(out)
#: bipartite-check
def colour(g):
    c = {}
    for s in g:
        if s in c:
            continue
        c[s] = 0
        todo = [s]
        while todo:
            u = todo.pop()
            for v in g[u]:
                if v not in c:
                    c[v] = 1 - c[u]
                    todo.append(v)
                elif c[v] == c[u]:
                    return None
    return c
print(colour({1: [2, 4], 2: [1, 3], 3: [2, 4], 4: [1, 3]}))
print(colour({1: [2, 3], 2: [1, 3], 3: [1, 2]}))
#: connected-components-grid
grid = ["##..#", "#...#", "..#..", ".##.#"]
cells = {(r, c) for r, row in enumerate(grid) for c, ch in enumerate(row) if ch == "#"}
sizes = []
while cells:
    todo = [cells.pop()]
    n = 0
    while todo:
        r, c = todo.pop()
        n += 1
        for p in ((r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)):
            if p in cells:
                cells.remove(p)
                todo.append(p)
    sizes.append(n)
print(sorted(sizes))
#: flood-fill
img = [list("aabb"), list("abbb"), list("aacc")]
def fill(r, c, new):
    old = img[r][c]
    def go(r, c):
        if 0 <= r < len(img) and 0 <= c < len(img[0]) and img[r][c] == old:
            img[r][c] = new
            for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                go(r + dr, c + dc)
    go(r, c)
fill(0, 3, "*")
print("\n".join(map("".join, img)))
#: a-star-maze
import heapq
maze = ["S.#.", "..#.", ".#..", "...E"]
pos = {ch: (r, row.index(ch)) for r, row in enumerate(maze) for ch in "SE" if ch in row}
goal = pos["E"]
h = lambda p: abs(p[0] - goal[0]) + abs(p[1] - goal[1])
q, best = [(h(pos["S"]), 0, pos["S"])], {}
while q:
    f, g, p = heapq.heappop(q)
    if p in best:
        continue
    best[p] = g
    if p == goal:
        break
    for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0)):
        r, c = p[0] + dr, p[1] + dc
        if 0 <= r < 4 and 0 <= c < 4 and maze[r][c] != "#":
            heapq.heappush(q, (g + 1 + h((r, c)), g + 1, (r, c)))
print("shortest:", best[goal])
#: max-flow
from collections import deque
cap = [[0, 10, 10, 0], [0, 0, 2, 8], [0, 0, 0, 9], [0, 0, 0, 0]]
flow = 0
while True:
    prev, q = {0: 0}, deque([0])
    while q and 3 not in prev:
        u = q.popleft()
        for v in range(4):
            if v not in prev and cap[u][v]:
                prev[v] = u
                q.append(v)
    if 3 not in prev:
        break
    v, push = 3, 10**9
    while v:
        push = min(push, cap[prev[v]][v]); v = prev[v]
    v = 3
    while v:
        cap[prev[v]][v] -= push; cap[v][prev[v]] += push; v = prev[v]
    flow += push
print(flow)
#: knapsack-01
items = [("map", 9, 150), ("water", 13, 200), ("tin", 38, 100), ("apple", 39, 40), ("camera", 32, 30), ("socks", 4, 50)]
best = {0: (0, ())}
for name, w, v in items:
    for used in sorted(best, reverse=True):
        if used + w <= 60:
            val, names = best[used]
            cand = (val + v, names + (name,))
            if cand > best.get(used + w, (0, ())):
                best[used + w] = cand
print(max(best.values()))
#: coin-change-ways
coins, target = [1, 2, 5, 10, 20, 50], 100
ways = [1] + [0] * target
for c in coins:
    for t in range(c, target + 1):
        ways[t] += ways[t - c]
print(ways[target], ways[:12])
#: coin-change-fewest
def fewest(coins, t):
    best = [0] + [None] * t
    for i in range(1, t + 1):
        opts = [best[i - c] + 1 for c in coins if c <= i and best[i - c] is not None]
        best[i] = min(opts) if opts else None
    return best[t]
print(fewest([1, 3, 4], 6), fewest([5, 7], 13), fewest([5, 7], 24))
#: longest-common-subsequence
def lcs(a, b):
    t = [[""] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            t[i + 1][j + 1] = t[i][j] + x if x == y else max(t[i][j + 1], t[i + 1][j], key=len)
    return t[-1][-1]
print(lcs("AGGTAB", "GXTXAYB"), lcs("thisisatest", "testing123testing"))
#: edit-distance
def levenshtein(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        prev, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            prev, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, prev + (x != y))
    return row[-1]
for a, b in [("kitten", "sitting"), ("flaw", "lawn"), ("", "abc"), ("same", "same")]:
    print(f"{a!r:10} {b!r:10} {levenshtein(a, b)}")
#: longest-increasing-subsequence
from bisect import bisect_left
def lis(a):
    tails = []
    for x in a:
        i = bisect_left(tails, x)
        tails[i:i + 1] = [x]
    return len(tails)
print(lis([10, 9, 2, 5, 3, 7, 101, 18]), lis(list(range(10))[::-1]), lis([0, 8, 4, 12, 2, 10, 6, 14, 1, 9]))
#: kadane
def kadane(a):
    best = cur = a[0]
    start = s = e = 0
    for i, x in enumerate(a[1:], 1):
        if cur < 0:
            cur, start = x, i
        else:
            cur += x
        if cur > best:
            best, s, e = cur, start, i
    return best, a[s:e + 1]
print(kadane([-2, 1, -3, 4, -1, 2, 1, -5, 4]))
#: matrix-chain
from functools import lru_cache
dims = (40, 20, 30, 10, 30)
@lru_cache(None)
def cost(i, j):
    if i == j:
        return 0, f"M{i}"
    return min((cost(i, k)[0] + cost(k + 1, j)[0] + dims[i - 1] * dims[k] * dims[j], f"({cost(i, k)[1]}{cost(k + 1, j)[1]})") for k in range(i, j))
print(cost(1, len(dims) - 1))
#: rod-cutting
price = [0, 1, 5, 8, 9, 10, 17, 17, 20]
best = [0]
for n in range(1, 9):
    best.append(max(price[k] + best[n - k] for k in range(1, n + 1)))
print(best)
#: subset-sum
nums = [3, 34, 4, 12, 5, 2]
reach = {0: []}
for n in nums:
    for s, used in list(reach.items()):
        reach.setdefault(s + n, used + [n])
print(reach.get(9), reach.get(30), len(reach))
#: word-break
def breaks(s, words):
    memo = {len(s): [[]]}
    for i in range(len(s) - 1, -1, -1):
        memo[i] = [[w] + r for w in words if s.startswith(w, i) for r in memo[i + len(w)]]
    return [" ".join(x) for x in memo[0]]
print(*breaks("catsanddog", ["cat", "cats", "and", "sand", "dog"]), sep="\n")
#: egg-drop
def drops(eggs, floors):
    f, n = [0] * (eggs + 1), 0
    while f[eggs] < floors:
        n += 1
        for e in range(eggs, 0, -1):
            f[e] += f[e - 1] + 1
    return n
print([drops(2, n) for n in (1, 10, 36, 100)], drops(3, 1000))
#: n-queens
def queens(n, row=0, cols=(), found=None):
    if row == n:
        return 1
    return sum(queens(n, row + 1, cols + (c,)) for c in range(n) if all(c != k and abs(c - k) != row - r for r, k in enumerate(cols)))
print([queens(n) for n in range(1, 8)])
#: sudoku-4x4
g = [[1, 0, 0, 4], [0, 0, 1, 0], [0, 1, 0, 0], [4, 0, 0, 2]]
def ok(r, c, v):
    br, bc = r // 2 * 2, c // 2 * 2
    return v not in g[r] and all(g[i][c] != v for i in range(4)) and all(g[br + i][bc + j] != v for i in (0, 1) for j in (0, 1))
def solve():
    for r in range(4):
        for c in range(4):
            if not g[r][c]:
                for v in range(1, 5):
                    if ok(r, c, v):
                        g[r][c] = v
                        if solve():
                            return True
                        g[r][c] = 0
                return False
    return True
print(solve())
for row in g:
    print(row)
#: permutations-recursive
def perms(s):
    if not s:
        yield ""
    for i, c in enumerate(s):
        for rest in perms(s[:i] + s[i + 1:]):
            yield c + rest
print(list(perms("abc")), sum(1 for _ in perms("abcdef")))
#: power-set
def power(xs):
    return [[x for i, x in enumerate(xs) if m >> i & 1] for m in range(1 << len(xs))]
for s in power(["a", "b", "c"]):
    print(s)
#: hanoi
def hanoi(n, a="A", b="B", c="C"):
    if n:
        yield from hanoi(n - 1, a, c, b)
        yield a + c
        yield from hanoi(n - 1, b, a, c)
moves = list(hanoi(4))
print(len(moves), " ".join(moves))
#: kmp-search
def table(p):
    t, k = [0], 0
    for c in p[1:]:
        while k and p[k] != c:
            k = t[k - 1]
        k += p[k] == c
        t.append(k)
    return t
def search(s, p):
    t, k, hits = table(p), 0, []
    for i, c in enumerate(s):
        while k and p[k] != c:
            k = t[k - 1]
        k += p[k] == c
        if k == len(p):
            hits.append(i - k + 1)
            k = t[k - 1]
    return hits
print(table("aabaaab"), search("abababcabab", "abab"))
#: rabin-karp
def rk(s, p, b=256, m=101):
    n, k, out = len(s), len(p), []
    hi = pow(b, k - 1, m)
    hp = hs = 0
    for i in range(k):
        hp = (hp * b + ord(p[i])) % m
        hs = (hs * b + ord(s[i])) % m
    for i in range(n - k + 1):
        if hs == hp and s[i:i + k] == p:
            out.append(i)
        if i < n - k:
            hs = ((hs - ord(s[i]) * hi) * b + ord(s[i + k])) % m
    return out
print(rk("the cat catches the catfish", "cat"))
#: z-function
def z(s):
    out, l, r = [0] * len(s), 0, 0
    for i in range(1, len(s)):
        if i < r:
            out[i] = min(r - i, out[i - l])
        while i + out[i] < len(s) and s[out[i]] == s[i + out[i]]:
            out[i] += 1
        if i + out[i] > r:
            l, r = i, i + out[i]
    return out
print(z("aabcaabxaaaz"))
#: longest-palindrome
def pal(s):
    best = ""
    for i in range(len(s)):
        for l, r in ((i, i), (i, i + 1)):
            while l >= 0 and r < len(s) and s[l] == s[r]:
                l, r = l - 1, r + 1
            best = max(best, s[l + 1:r], key=len)
    return best
print(pal("forgeeksskeegfor"), pal("abacdfgdcaba"), pal(""))
#: trie-autocomplete
trie = {}
for w in "car card care cat dog dot".split():
    node = trie
    for c in w:
        node = node.setdefault(c, {})
    node["$"] = w
def complete(prefix):
    node = trie
    for c in prefix:
        node = node.get(c, {})
    out, todo = [], [node]
    while todo:
        n = todo.pop()
        for k, v in n.items():
            out.append(v) if k == "$" else todo.append(v)
    return sorted(out)
print(complete("car"), complete("do"), complete("x"))
#: huffman
import heapq
from collections import Counter
def codes(text):
    q = [(n, i, c) for i, (c, n) in enumerate(sorted(Counter(text).items()))]
    heapq.heapify(q)
    k = len(q)
    while len(q) > 1:
        a, b = heapq.heappop(q), heapq.heappop(q)
        heapq.heappush(q, (a[0] + b[0], k, (a[2], b[2])))
        k += 1
    out = {}
    def walk(t, p):
        if isinstance(t, str):
            out[t] = p or "0"
        else:
            walk(t[0], p + "0"); walk(t[1], p + "1")
    walk(q[0][2], "")
    return out
c = codes("abracadabra")
print(c, sum(len(c[x]) for x in "abracadabra"))
#: run-length
from itertools import groupby
def enc(s):
    return "".join(f"{len(list(g))}{c}" for c, g in groupby(s))
def dec(s):
    out, n = "", ""
    for c in s:
        if c.isdigit():
            n += c
        else:
            out, n = out + c * int(n), ""
    return out
s = "WWWWWBBBWWWWWWWWWWWWB"
print(enc(s), dec(enc(s)) == s)
#: burrows-wheeler
def bwt(s):
    s += "$"
    return "".join(r[-1] for r in sorted(s[i:] + s[:i] for i in range(len(s))))
def undo(b):
    t = [""] * len(b)
    for _ in b:
        t = sorted(c + r for c, r in zip(b, t))
    return next(r for r in t if r.endswith("$"))[:-1]
print(bwt("banana"), undo(bwt("banana")))
#: lzw
def compress(s):
    d, w, out = {chr(i): i for i in range(256)}, "", []
    for c in s:
        if w + c in d:
            w += c
        else:
            out.append(d[w]); d[w + c] = len(d); w = c
    return out + ([d[w]] if w else [])
print(compress("TOBEORNOTTOBEORTOBEORNOT"))
#: convex-hull
def cross(o, a, b):
    return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])
def half(ps):
    h = []
    for p in ps:
        while len(h) > 1 and cross(h[-2], h[-1], p) <= 0:
            h.pop()
        h.append(p)
    return h[:-1]
pts = sorted({(0, 0), (2, 1), (4, 0), (4, 4), (2, 3), (0, 4), (1, 2)})
print(half(pts) + half(pts[::-1]))
#: shoelace-area
poly = [(0, 0), (4, 0), (4, 3), (1, 5)]
s = sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in zip(poly, poly[1:] + poly[:1]))
print(f"area {abs(s) / 2}, {'counter-clockwise' if s > 0 else 'clockwise'}")
#: point-in-polygon
def inside(p, poly):
    x, y = p
    r = False
    for (a, b), (c, d) in zip(poly, poly[1:] + poly[:1]):
        if (b > y) != (d > y) and x < (c - a) * (y - b) / (d - b) + a:
            r = not r
    return r
sq = [(0, 0), (10, 0), (10, 10), (5, 4), (0, 10)]
print([inside(p, sq) for p in [(5, 2), (5, 6), (1, 7), (11, 5)]])
#: interval-merge
def merge(iv):
    out = []
    for a, b in sorted(iv):
        if out and a <= out[-1][1]:
            out[-1][1] = max(out[-1][1], b)
        else:
            out.append([a, b])
    return out
print(merge([(8, 10), (1, 3), (2, 6), (15, 18), (17, 20)]))
#: meeting-rooms
m = [(0, 30), (5, 10), (15, 20), (9, 16)]
ev = sorted([(s, 1) for s, _ in m] + [(e, -1) for _, e in m])
n = peak = 0
for t, d in ev:
    n += d
    peak = max(peak, n)
    print(t, n)
print("rooms:", peak)
#: activity-selection
jobs = [("a", 1, 4), ("b", 3, 5), ("c", 0, 6), ("d", 5, 7), ("e", 8, 9), ("f", 5, 9)]
end, picked = 0, []
for name, s, f in sorted(jobs, key=lambda j: j[2]):
    if s >= end:
        picked.append(name)
        end = f
print(picked)
#: gale-shapley
men = {"x": "abc", "y": "bac", "z": "abc"}
women = {"a": "yxz", "b": "xyz", "c": "xyz"}
free, pair, nxt = list(men), {}, dict.fromkeys(men, 0)
while free:
    m = free.pop(0)
    w = men[m][nxt[m]]
    nxt[m] += 1
    if w not in pair:
        pair[w] = m
    elif women[w].index(m) < women[w].index(pair[w]):
        free.append(pair[w]); pair[w] = m
    else:
        free.append(m)
print(sorted(pair.items()))
#: majority-vote
def majority(a):
    c = n = 0
    for x in a:
        if n == 0:
            c = x
        n += 1 if x == c else -1
    return c if a.count(c) > len(a) // 2 else None
print(majority([2, 2, 1, 1, 2, 2]), majority([1, 2, 3]))
#: dutch-flag
a = [2, 0, 1, 2, 1, 0, 0]
lo = mid = 0
hi = len(a) - 1
while mid <= hi:
    if a[mid] == 0:
        a[lo], a[mid] = a[mid], a[lo]; lo += 1; mid += 1
    elif a[mid] == 1:
        mid += 1
    else:
        a[mid], a[hi] = a[hi], a[mid]; hi -= 1
print(a)
#: two-sum-three-sum
def two(a, t):
    seen = {}
    for i, x in enumerate(a):
        if t - x in seen:
            return seen[t - x], i
        seen[x] = i
def three(a):
    out = set()
    a = sorted(a)
    for i, x in enumerate(a):
        l, r = i + 1, len(a) - 1
        while l < r:
            s = x + a[l] + a[r]
            if s == 0:
                out.add((x, a[l], a[r]))
            if s < 0:
                l += 1
            else:
                r -= 1
    return sorted(out)
print(two([2, 7, 11, 15], 26), three([-1, 0, 1, 2, -1, -4]))
#: sliding-window-max
from collections import deque
def windows(a, k):
    q = deque()
    for i, x in enumerate(a):
        while q and a[q[-1]] <= x:
            q.pop()
        q.append(i)
        if q[0] <= i - k:
            q.popleft()
        if i >= k - 1:
            yield a[q[0]]
print(list(windows([1, 3, -1, -3, 5, 3, 6, 7], 3)))
#: trapping-rain
def water(h):
    l, r, lm, rm, total = 0, len(h) - 1, 0, 0, 0
    while l < r:
        if h[l] < h[r]:
            lm = max(lm, h[l]); total += lm - h[l]; l += 1
        else:
            rm = max(rm, h[r]); total += rm - h[r]; r -= 1
    return total
print(water([0, 1, 0, 2, 1, 0, 1, 3, 2, 1, 2, 1]))
#: spiral-matrix
def spiral(m):
    while m:
        yield from m[0]
        m = [list(r) for r in zip(*m[1:])][::-1]
print(list(spiral([[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]])))
#: reservoir-sample
import random
rng = random.Random(2024)
keep = []
for i in range(1000):
    if len(keep) < 5:
        keep.append(i)
    elif (j := rng.randrange(i + 1)) < 5:
        keep[j] = i
print(sorted(keep))
#: fenwick-tree
class Fenwick:
    def __init__(self, n):
        self.t = [0] * (n + 1)
    def add(self, i, v):
        while i < len(self.t):
            self.t[i] += v
            i += i & -i
    def total(self, i):
        s = 0
        while i:
            s += self.t[i]
            i -= i & -i
        return s
f = Fenwick(10)
for i in range(1, 11):
    f.add(i, i * i)
print([f.total(i) for i in range(11)])
#: segment-tree-min
a = [5, 2, 8, 6, 3, 7, 1, 4]
n = len(a)
t = [0] * n + a
for i in range(n - 1, 0, -1):
    t[i] = min(t[2 * i], t[2 * i + 1])
def query(l, r):
    res, l, r = 10**9, l + n, r + n
    while l < r:
        if l & 1: res = min(res, t[l]); l += 1
        if r & 1: r -= 1; res = min(res, t[r])
        l, r = l >> 1, r >> 1
    return res
print(query(0, 3), query(2, 6), query(0, 8))
#: lru-cache-by-hand
from collections import OrderedDict
class LRU:
    def __init__(self, n):
        self.n, self.d = n, OrderedDict()
    def get(self, k):
        if k in self.d:
            self.d.move_to_end(k)
            return self.d[k]
    def put(self, k, v):
        self.d[k] = v
        self.d.move_to_end(k)
        if len(self.d) > self.n:
            print("evict", self.d.popitem(last=False))
c = LRU(2)
c.put(1, "a"); c.put(2, "b"); c.get(1); c.put(3, "c"); c.put(4, "d")
print(list(c.d), c.get(2))
#: avl-heights
class Node:
    def __init__(self, k):
        self.k, self.l, self.r, self.h = k, None, None, 1
H = lambda n: n.h if n else 0
def fix(n):
    n.h = 1 + max(H(n.l), H(n.r))
    return n
def right(y):
    x = y.l; y.l = x.r; x.r = fix(y) and y
    return fix(x)
def left(x):
    y = x.r; x.r = y.l; y.l = fix(x) and x
    return fix(y)
def insert(n, k):
    if not n:
        return Node(k)
    if k < n.k: n.l = insert(n.l, k)
    else: n.r = insert(n.r, k)
    fix(n)
    b = H(n.l) - H(n.r)
    if b > 1:
        if k >= n.l.k: n.l = left(n.l)
        return right(n)
    if b < -1:
        if k < n.r.k: n.r = right(n.r)
        return left(n)
    return n
root = None
for k in range(1, 64):
    root = insert(root, k)
print(root.k, root.h)
#: binary-tree-traversals
t = ("F", ("B", ("A", None, None), ("D", ("C", None, None), None)), ("G", None, ("I", None, None)))
pre = lambda t: [t[0], *pre(t[1]), *pre(t[2])] if t else []
ino = lambda t: [*ino(t[1]), t[0], *ino(t[2])] if t else []
post = lambda t: [*post(t[1]), *post(t[2]), t[0]] if t else []
print("".join(pre(t)), "".join(ino(t)), "".join(post(t)))
level = [t]
while level:
    print([n[0] for n in level])
    level = [c for n in level for c in n[1:] if c]
#: linked-list-reverse
class N:
    def __init__(self, v, nxt=None):
        self.v, self.next = v, nxt
    def __iter__(self):
        n = self
        while n:
            yield n.v
            n = n.next
head = None
for v in "edcba":
    head = N(v, head)
print(*head)
prev = None
while head:
    head.next, prev, head = prev, head, head.next
print(*prev)
#: floyd-cycle
f = lambda x: (x * x + 1) % 255
slow, fast = f(3), f(f(3))
while slow != fast:
    slow, fast = f(slow), f(f(fast))
mu, slow = 0, 3
while slow != fast:
    slow, fast, mu = f(slow), f(fast), mu + 1
lam, fast = 1, f(slow)
while slow != fast:
    fast, lam = f(fast), lam + 1
print("start", mu, "length", lam)
#: tsp-brute
from itertools import permutations
d = [[0, 10, 15, 20], [10, 0, 35, 25], [15, 35, 0, 30], [20, 25, 30, 0]]
best = min(((sum(d[a][b] for a, b in zip((0,) + p, p + (0,))), p) for p in permutations((1, 2, 3))))
print(best)
#: held-karp
from itertools import combinations
d = [[0, 2, 9, 10, 7], [1, 0, 6, 4, 3], [15, 7, 0, 8, 3], [6, 3, 12, 0, 11], [9, 7, 5, 6, 0]]
n = len(d)
C = {(1 << k, k): d[0][k] for k in range(1, n)}
for size in range(2, n):
    for sub in combinations(range(1, n), size):
        bits = sum(1 << k for k in sub)
        for k in sub:
            C[bits, k] = min(C[bits ^ 1 << k, m] + d[m][k] for m in sub if m != k)
print(min(C[2**n - 2, k] + d[k][0] for k in range(1, n)))
#: topological-graphlib
from graphlib import TopologicalSorter
ts = TopologicalSorter({"app": {"lib", "log"}, "lib": {"core"}, "log": {"core"}, "core": set()})
ts.prepare()
while ts.is_active():
    ready = sorted(ts.get_ready())
    print(ready)
    ts.done(*ready)
#: graphlib-cycle
from graphlib import TopologicalSorter, CycleError
try:
    list(TopologicalSorter({1: [2], 2: [3], 3: [1]}).static_order())
except CycleError as e:
    print(e.args[0], len(e.args[1]))
#: gray-code
for i in range(8):
    g = i ^ i >> 1
    print(f"{i:03b} {g:03b}")
#: bitmask-tricks
x = 0b1011_0100
print(bin(x & -x), bin(x & x - 1), x.bit_count(), x.bit_length())
print([i for i in range(8) if x >> i & 1])
m = x
while m:
    m = (m - 1) & x
    if m < 40:
        print(m, end=" ")
print()
