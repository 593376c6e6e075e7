# SPDX-License-Identifier: Apache-2.0
# One-line questions about lists, each over the same lists.
#: sorted-key
def solve(xs):
    return sorted(xs, key=lambda v: -v)
for xs in ([3, 1, 4, 1, 5, 9, 2, 6], [7], [], [8, 8, 1], list(range(6))):
    print(xs, "->", solve(xs))
#: enumerate
def solve(xs):
    return list(enumerate(xs, 5))
for xs in ([3, 1, 4, 1, 5, 9, 2, 6], [7], [], [8, 8, 1], list(range(6))):
    print(xs, "->", solve(xs))
#: zip-shift
def solve(xs):
    return list(zip(xs, xs[1:]))
for xs in ([3, 1, 4, 1, 5, 9, 2, 6], [7], [], [8, 8, 1], list(range(6))):
    print(xs, "->", solve(xs))
#: step
def solve(xs):
    return xs[::2], xs[1::2]
for xs in ([3, 1, 4, 1, 5, 9, 2, 6], [7], [], [8, 8, 1], list(range(6))):
    print(xs, "->", solve(xs))
#: rotate
def solve(xs):
    return xs[2:] + xs[:2]
for xs in ([3, 1, 4, 1, 5, 9, 2, 6], [7], [], [8, 8, 1], list(range(6))):
    print(xs, "->", solve(xs))
#: counts
def solve(xs):
    return sorted((v, xs.count(v)) for v in set(xs))
for xs in ([3, 1, 4, 1, 5, 9, 2, 6], [7], [], [8, 8, 1], list(range(6))):
    print(xs, "->", solve(xs))
#: partition
def solve(xs):
    return [v for v in xs if v % 2], [v for v in xs if not v % 2]
for xs in ([3, 1, 4, 1, 5, 9, 2, 6], [7], [], [8, 8, 1], list(range(6))):
    print(xs, "->", solve(xs))
#: argmax
def solve(xs):
    return max(range(len(xs)), key=xs.__getitem__, default=None)
for xs in ([3, 1, 4, 1, 5, 9, 2, 6], [7], [], [8, 8, 1], list(range(6))):
    print(xs, "->", solve(xs))
#: running
def solve(xs):
    return list(__import__("itertools").accumulate(xs))
for xs in ([3, 1, 4, 1, 5, 9, 2, 6], [7], [], [8, 8, 1], list(range(6))):
    print(xs, "->", solve(xs))
#: diffs
def solve(xs):
    return [b - a for a, b in zip(xs, xs[1:])]
for xs in ([3, 1, 4, 1, 5, 9, 2, 6], [7], [], [8, 8, 1], list(range(6))):
    print(xs, "->", solve(xs))
#: chunks
def solve(xs):
    return [xs[i:i + 3] for i in range(0, len(xs), 3)]
for xs in ([3, 1, 4, 1, 5, 9, 2, 6], [7], [], [8, 8, 1], list(range(6))):
    print(xs, "->", solve(xs))
#: second
def solve(xs):
    return sorted(set(xs))[-2:-1]
for xs in ([3, 1, 4, 1, 5, 9, 2, 6], [7], [], [8, 8, 1], list(range(6))):
    print(xs, "->", solve(xs))
#: product
def solve(xs):
    return __import__("math").prod(xs)
for xs in ([3, 1, 4, 1, 5, 9, 2, 6], [7], [], [8, 8, 1], list(range(6))):
    print(xs, "->", solve(xs))
#: index-map
def solve(xs):
    return {v: i for i, v in enumerate(xs)}
for xs in ([3, 1, 4, 1, 5, 9, 2, 6], [7], [], [8, 8, 1], list(range(6))):
    print(xs, "->", solve(xs))
#: is-sorted
def solve(xs):
    return all(a <= b for a, b in zip(xs, xs[1:]))
for xs in ([3, 1, 4, 1, 5, 9, 2, 6], [7], [], [8, 8, 1], list(range(6))):
    print(xs, "->", solve(xs))
#: groups
def solve(xs):
    return [(k, len(list(g))) for k, g in __import__("itertools").groupby(xs)]
for xs in ([3, 1, 4, 1, 5, 9, 2, 6], [7], [], [8, 8, 1], list(range(6))):
    print(xs, "->", solve(xs))
#: median
def solve(xs):
    return sorted(xs)[len(xs) // 2] if xs else None
for xs in ([3, 1, 4, 1, 5, 9, 2, 6], [7], [], [8, 8, 1], list(range(6))):
    print(xs, "->", solve(xs))
#: string
def solve(xs):
    return "-".join(map(str, xs))
for xs in ([3, 1, 4, 1, 5, 9, 2, 6], [7], [], [8, 8, 1], list(range(6))):
    print(xs, "->", solve(xs))
#: takewhile
def solve(xs):
    return list(__import__("itertools").takewhile(lambda v: v < 8, xs))
for xs in ([3, 1, 4, 1, 5, 9, 2, 6], [7], [], [8, 8, 1], list(range(6))):
    print(xs, "->", solve(xs))
#: compress
def solve(xs):
    return list(__import__("itertools").compress(xs, [1, 0, 1, 1]))
for xs in ([3, 1, 4, 1, 5, 9, 2, 6], [7], [], [8, 8, 1], list(range(6))):
    print(xs, "->", solve(xs))
