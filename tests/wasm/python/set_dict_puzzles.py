# SPDX-License-Identifier: Apache-2.0
# One-line questions about sets and dictionaries, each over the same pairs.
#: set-union
def norm(r):
    return sorted(r) if isinstance(r, (set, frozenset)) else r
for a, b in (({1, 2, 3}, {2, 3, 4}), (set(), {1}), ({5}, {5}), ({1, 2}, {7, 8})):
    print(sorted(a), sorted(b), norm(a | b))
#: set-intersection
def norm(r):
    return sorted(r) if isinstance(r, (set, frozenset)) else r
for a, b in (({1, 2, 3}, {2, 3, 4}), (set(), {1}), ({5}, {5}), ({1, 2}, {7, 8})):
    print(sorted(a), sorted(b), norm(a & b))
#: set-symmetric
def norm(r):
    return sorted(r) if isinstance(r, (set, frozenset)) else r
for a, b in (({1, 2, 3}, {2, 3, 4}), (set(), {1}), ({5}, {5}), ({1, 2}, {7, 8})):
    print(sorted(a), sorted(b), norm(a ^ b))
#: set-subset
def norm(r):
    return sorted(r) if isinstance(r, (set, frozenset)) else r
for a, b in (({1, 2, 3}, {2, 3, 4}), (set(), {1}), ({5}, {5}), ({1, 2}, {7, 8})):
    print(sorted(a), sorted(b), norm(a <= b))
#: set-disjoint
def norm(r):
    return sorted(r) if isinstance(r, (set, frozenset)) else r
for a, b in (({1, 2, 3}, {2, 3, 4}), (set(), {1}), ({5}, {5}), ({1, 2}, {7, 8})):
    print(sorted(a), sorted(b), norm(a.isdisjoint(b)))
#: set-frozen
def norm(r):
    return sorted(r) if isinstance(r, (set, frozenset)) else r
for a, b in (({1, 2, 3}, {2, 3, 4}), (set(), {1}), ({5}, {5}), ({1, 2}, {7, 8})):
    print(sorted(a), sorted(b), norm(frozenset(a) | b))
#: set-jaccard
def norm(r):
    return sorted(r) if isinstance(r, (set, frozenset)) else r
for a, b in (({1, 2, 3}, {2, 3, 4}), (set(), {1}), ({5}, {5}), ({1, 2}, {7, 8})):
    print(sorted(a), sorted(b), norm(round(len(a & b) / len(a | b), 6) if a | b else 1.0))
#: set-power-size
def norm(r):
    return sorted(r) if isinstance(r, (set, frozenset)) else r
for a, b in (({1, 2, 3}, {2, 3, 4}), (set(), {1}), ({5}, {5}), ({1, 2}, {7, 8})):
    print(sorted(a), sorted(b), norm(2 ** len(a ^ b)))
#: set-cartesian
def norm(r):
    return sorted(r) if isinstance(r, (set, frozenset)) else r
for a, b in (({1, 2, 3}, {2, 3, 4}), (set(), {1}), ({5}, {5}), ({1, 2}, {7, 8})):
    print(sorted(a), sorted(b), norm({(x, y) for x in a for y in b if x < y}))
#: set-discard
def norm(r):
    return sorted(r) if isinstance(r, (set, frozenset)) else r
for a, b in (({1, 2, 3}, {2, 3, 4}), (set(), {1}), ({5}, {5}), ({1, 2}, {7, 8})):
    print(sorted(a), sorted(b), norm((lambda s: (s.discard(2), s)[1])(set(a))))
#: dict-merge
def norm(r):
    return r if isinstance(r, (dict, list, tuple, str, type(None))) else sorted(r)
for d, e in (({"a": 1, "b": 2}, {"b": 2, "c": 3}), ({}, {"x": 0}), ({"q": 5}, {"q": 6})):
    print(d, e, norm(d | e))
#: dict-common-keys
def norm(r):
    return r if isinstance(r, (dict, list, tuple, str, type(None))) else sorted(r)
for d, e in (({"a": 1, "b": 2}, {"b": 2, "c": 3}), ({}, {"x": 0}), ({"q": 5}, {"q": 6})):
    print(d, e, norm(d.keys() & e.keys()))
#: dict-all-keys
def norm(r):
    return r if isinstance(r, (dict, list, tuple, str, type(None))) else sorted(r)
for d, e in (({"a": 1, "b": 2}, {"b": 2, "c": 3}), ({}, {"x": 0}), ({"q": 5}, {"q": 6})):
    print(d, e, norm(d.keys() | e.keys()))
#: dict-same-items
def norm(r):
    return r if isinstance(r, (dict, list, tuple, str, type(None))) else sorted(r)
for d, e in (({"a": 1, "b": 2}, {"b": 2, "c": 3}), ({}, {"x": 0}), ({"q": 5}, {"q": 6})):
    print(d, e, norm(d.items() & e.items()))
#: dict-inverted
def norm(r):
    return r if isinstance(r, (dict, list, tuple, str, type(None))) else sorted(r)
for d, e in (({"a": 1, "b": 2}, {"b": 2, "c": 3}), ({}, {"x": 0}), ({"q": 5}, {"q": 6})):
    print(d, e, norm({v: k for k, v in d.items()}))
#: dict-summed
def norm(r):
    return r if isinstance(r, (dict, list, tuple, str, type(None))) else sorted(r)
for d, e in (({"a": 1, "b": 2}, {"b": 2, "c": 3}), ({}, {"x": 0}), ({"q": 5}, {"q": 6})):
    print(d, e, norm({k: d.get(k, 0) + e.get(k, 0) for k in sorted(d.keys() | e.keys())}))
#: dict-by-value
def norm(r):
    return r if isinstance(r, (dict, list, tuple, str, type(None))) else sorted(r)
for d, e in (({"a": 1, "b": 2}, {"b": 2, "c": 3}), ({}, {"x": 0}), ({"q": 5}, {"q": 6})):
    print(d, e, norm(sorted(d, key=d.get, reverse=True)))
#: dict-fromkeys
def norm(r):
    return r if isinstance(r, (dict, list, tuple, str, type(None))) else sorted(r)
for d, e in (({"a": 1, "b": 2}, {"b": 2, "c": 3}), ({}, {"x": 0}), ({"q": 5}, {"q": 6})):
    print(d, e, norm(dict.fromkeys(d, 0)))
#: dict-nested
def norm(r):
    return r if isinstance(r, (dict, list, tuple, str, type(None))) else sorted(r)
for d, e in (({"a": 1, "b": 2}, {"b": 2, "c": 3}), ({}, {"x": 0}), ({"q": 5}, {"q": 6})):
    print(d, e, norm({k: {"d": d.get(k), "e": e.get(k)} for k in sorted(d | e)}))
