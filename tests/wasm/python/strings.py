# SPDX-License-Identifier: Apache-2.0
# Strings: methods, formatting, Unicode, text wrapping, templates, ciphers and puzzles.
#: reverse-words
s = "the quick  brown fox"
print(" ".join(w[::-1] for w in s.split()))
print(" ".join(reversed(s.split(" "))))
#: word-count
from collections import Counter
text = "It was the best of times, it was the worst of times"
words = [w.strip(".,").lower() for w in text.split()]
for w, n in sorted(Counter(words).items(), key=lambda p: (-p[1], p[0])):
    print(f"{w:<8}{'*' * n}")
#: anagram-groups
groups = {}
for w in "listen silent enlist google elgoog abc cab".split():
    groups.setdefault("".join(sorted(w)), []).append(w)
print([g for g in groups.values() if len(g) > 1])
#: palindromes
import string
def clean(s):
    return "".join(c for c in s.lower() if c in string.ascii_lowercase)
for s in ("A man, a plan, a canal: Panama", "Not this one", "Was it a car or a cat I saw?"):
    c = clean(s)
    print(s, "->", c == c[::-1])
#: caesar
def shift(s, k):
    return "".join(chr((ord(c) - b + k) % 26 + b) if c.isalpha() and (b := 65 if c.isupper() else 97) else c for c in s)
e = shift("Hello, World!", 3)
print(e, shift(e, -3))
for k in range(0, 26, 5):
    print(k, shift("Khoor", -k))
#: rot13-codec
import codecs
print(codecs.encode("Why did the chicken cross?", "rot13"))
print(codecs.decode("Gb trg gb gur bgure fvqr!", "rot_13"))
print(str.maketrans("abc", "xyz"))
#: vigenere
from itertools import cycle
def vig(s, key, sign=1):
    return "".join(chr((ord(c) - 65 + sign * (ord(k) - 65)) % 26 + 65) for c, k in zip(s, cycle(key)))
c = vig("ATTACKATDAWN", "LEMON")
print(c, vig(c, "LEMON", -1))
#: atbash-translate
import string
t = str.maketrans(string.ascii_lowercase, string.ascii_lowercase[::-1], "aeiou")
print("hello world example".translate(t))
print("remove".translate({ord("e"): None, ord("r"): "RR"}))
#: morse
M = dict(zip("abcdefghijklmnopqrstuvwxyz", ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..".split()))
enc = " ".join(M[c] for c in "sosmorse")
back = {v: k for k, v in M.items()}
print(enc, "".join(back[x] for x in enc.split()))
#: pig-latin
def pig(w):
    for i, c in enumerate(w):
        if c in "aeiou":
            return w[i:] + (w[:i] + "ay" if i else "way")
    return w + "ay"
print(" ".join(map(pig, "the quick brown apple rhythm".split())))
#: rail-fence
def rail(s, n):
    rows, r, d = [""] * n, 0, 1
    for c in s:
        rows[r] += c
        if r + d not in range(n):
            d = -d
        r += d
    return rows
print(rail("WEAREDISCOVEREDRUNATONCE", 3), "".join(rail("ATTACKATDAWN", 4)))
#: camel-snake
import re
snake = lambda s: re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", s).lower()
camel = lambda s: "".join(p.title() if i else p for i, p in enumerate(s.split("_")))
for s in ("camelCase", "HTTPResponseCode", "getX2Value"):
    print(s, snake(s), camel(snake(s)))
#: slugify
import re, unicodedata
def slug(s):
    s = unicodedata.normalize("NFKD", s).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", s.lower()).strip("-")
for s in ("Hello, World!", "Crème Brûlée à la carte", "  --  ", "Ünïcödé 101"):
    print(repr(slug(s)))
#: title-case
print("they're bill's friends".title(), "hello world".capitalize(), "MiXeD".swapcase())
import string
print(string.capwords("they're bill's  friends"))
print("straße".upper(), "ß".casefold(), "İ".lower() == "i̇")
#: split-variants
s = "a,b,,c,"
print(s.split(","), s.split(",", 1), s.rsplit(",", 2), "".split(","), "".split())
print("a  b\tc\n".split(), "l1\nl2\r\nl3".splitlines(), "l1\nl2\n".splitlines(True))
print("k=v=w".partition("="), "k=v=w".rpartition("="), "kv".partition("="))
#: strip-variants
print(repr("  x ".strip()), "xxhixx".strip("x"), "www.example.com".strip("cmowz."), repr("\t\n a".lstrip()))
print("test_file.py".removesuffix(".py"), "test_file".removeprefix("test_"), "abc".removesuffix("z"))
print("00042".lstrip("0"), "3.1400".rstrip("0"))
#: find-count-replace
s = "mississippi"
print(s.find("ss"), s.rfind("ss"), s.find("x"), s.index("p"), s.count("iss"), s.count(""))
print(s.replace("ss", "SS"), s.replace("i", "", 2), s.replace("", "-"))
try:
    s.index("q")
except ValueError as e:
    print(e)
#: startswith-endswith
names = ["a.py", "b.txt", "c.py", "_d.py"]
print([n for n in names if n.endswith((".py", ".pyw")) and not n.startswith("_")])
print("abcdef".startswith("cd", 2), "abcdef".endswith("cd", 0, 4))
print("abc" < "abd", "Z" < "a", "10" < "9", max("hello"), min("hello"))
#: justify
for w in ("a", "bb", "ccc"):
    print(w.ljust(6, ".") + "|" + w.rjust(6) + "|" + w.center(6, "*") + "|")
print("42".zfill(5), "-42".zfill(5), "+7".zfill(4), "abc".zfill(2))
#: predicates
for s in ("abc", "123", "abc1", "½", "Ⅷ", "", " ", "Abc Def", "a_b", "ÀÉ"):
    have = [m for m in ("isalpha", "isdigit", "isdecimal", "isnumeric", "isalnum", "isidentifier", "isupper", "istitle", "isspace", "isascii") if getattr(s, m)()]
    print(repr(s), have)
#: format-spec-numbers
n = 1234567.891
print(f"{n:,.2f}|{n:_.1f}|{n:e}|{n:.3g}|{n:15.1f}|{n:<15.0f}|{n:^+15.1f}|{n:015.2f}")
print(f"{42:b} {42:o} {42:x} {42:X} {42:#06x} {42:08b} {42:c} {-42:+d} {42: d}")
print(f"{0.1234:.1%} {1e10:g} {1e-5:g} {123456789:,} {1_000_000:_} {255:_b}")
#: format-method
print("{} {} {}".format(1, "b", [3]), "{1} {0}".format("a", "b"), "{x}-{y!r}".format(x=1, y="q"))
print("{0[1]} {1.real} {2[k]}".format([1, 2], 3, {"k": "v"}), "{{}} {:>{w}}".format("r", w=5))
print("{:%Y-%m-%d}".format(__import__("datetime").date(2024, 2, 29)))
#: percent-formatting
print("%d %5d|%-5d|%05d %+d" % (1, 2, 3, 4, 5), "%x %o %e %g %%" % (255, 8, 12345.678, 0.0001))
print("%s %r %a %c %c" % ("é", "é", "é", 65, "z"), "%(a)s=%(b).2f" % {"a": "k", "b": 2}, "%*d|%.*f" % (5, 42, 2, 3.14159))
try:
    "%d" % "x"
except TypeError as e:
    print(type(e).__name__)
#: fstring-features
x, name, w = 3.14159, "pi", 10
print(f"{name!r:>{w}} {x:.{2}f} {x=:.1f} {x = } {2 ** 5 = } {{literal}}")
print(f"{'nested ' + f'{x:.0f}'} {[i * i for i in range(3)]} {name.upper():*^8}")
print(f"{(lambda v: v + 1)(4)} {True and 'yes'} {None!s:>6} {x:{'>'}{8}.3}")
#: format-dunder
class Angle:
    def __init__(self, d): self.d = d
    def __format__(self, spec):
        if spec == "dms":
            m = round(self.d * 60)
            return f"{m // 60}°{m % 60:02}'"
        return format(self.d, spec)
a = Angle(12.25)
print(f"{a:dms} {a:.1f} {a:>8} {a}")
#: table-layout
rows = [("apple", 3, 1.5), ("banana", 12, 0.25), ("cherry", 150, 10)]
w = max(len(r[0]) for r in rows)
print(f"{'item':<{w}} {'qty':>5} {'price':>8}")
print("-" * (w + 15))
for n, q, p in rows:
    print(f"{n:<{w}} {q:>5} {p:>8.2f}")
#: ascii-box
def box(*lines):
    w = max(map(len, lines))
    return "\n".join(["┌" + "─" * (w + 2) + "┐", *(f"│ {l:<{w}} │" for l in lines), "└" + "─" * (w + 2) + "┘"])
print(box("hello", "a longer line", ""))
#: histogram
data = {"jan": 5, "feb": 12, "mar": 8}
for k, v in data.items():
    print(f"{k} {'█' * v} {v}")
top = max(data.values())
for level in range(top, 0, -4):
    print("".join(" # " if v >= level else "   " for v in data.values()).rstrip())
#: textwrap-fill
import textwrap
t = "The textwrap module provides some convenience functions, as well as TextWrapper, the class that does all the work."
print(textwrap.fill(t, 40, initial_indent="* ", subsequent_indent="  "))
print(textwrap.shorten(t, 45, placeholder="..."))
print(textwrap.wrap("averyveryverylongword in a line", 10))
#: textwrap-dedent
import textwrap
s = """
    def f():
        return 1

    print(f())
"""
print(textwrap.dedent(s).strip())
print(textwrap.indent("a\n\nb\n", "> "), textwrap.indent("a\n\nb\n", "> ", lambda l: True), sep="")
#: textwrap-options
import textwrap
w = textwrap.TextWrapper(width=20, max_lines=2, placeholder=" [more]", break_on_hyphens=False)
print(w.wrap("a well-known state-of-the-art example of a wrapper with options"))
print(textwrap.wrap("tab\there  and   spaces", 12, expand_tabs=True, tabsize=4, drop_whitespace=False))
print(textwrap.wrap("abcdefghij", 4, break_long_words=True), textwrap.wrap("", 5))
#: string-template
from string import Template
t = Template("$who owes ${amount}$$ to $whom")
print(t.substitute(who="Ann", amount=5, whom="Bob"))
print(t.safe_substitute(who="Ann"))
try:
    t.substitute(who="x")
except KeyError as e:
    print("missing", e)
print(t.get_identifiers(), t.is_valid(), Template("$").is_valid())
#: template-subclass
from string import Template
class Percent(Template):
    delimiter = "%"
    idpattern = r"[a-z]+(?:\.[a-z]+)*"
print(Percent("%a.b is %{c}, 100%%").substitute({"a.b": 1, "c": 2}))
#: string-formatter
from string import Formatter
class Upper(Formatter):
    def convert_field(self, v, c):
        return str(v).upper() if c == "u" else super().convert_field(v, c)
    def get_value(self, k, a, kw):
        return kw.get(k, f"<{k}>") if isinstance(k, str) else super().get_value(k, a, kw)
print(Upper().format("{0!u} {x} {y}", "abc", x=1))
print(list(Formatter().parse("a{b!r:>5}c{{")))
#: string-constants
import string
print(string.ascii_letters, string.digits, string.hexdigits, string.octdigits)
print(string.punctuation, len(string.printable), repr(string.whitespace))
print("".join(sorted(set(string.printable) - set(string.ascii_letters + string.digits + string.punctuation), key=ord)).encode())
#: expandtabs-columns
for line in ("a\tb\tc", "long\tx\ty", "1234567\t8\t9"):
    print(line.expandtabs(8))
    print(line.expandtabs(4).split())
#: unicode-names
import unicodedata
for c in "aé€中😀\t":
    print(f"U+{ord(c):04X}", unicodedata.name(c, "?"), unicodedata.category(c), unicodedata.east_asian_width(c))
print(unicodedata.lookup("GREEK SMALL LETTER ALPHA"), "\N{SNOWMAN}")
#: unicode-normalise
import unicodedata
a, b = "é", "e\u0301"
print(a == b, len(a), len(b))
for f in ("NFC", "NFD", "NFKC", "NFKD"):
    print(f, [hex(ord(c)) for c in unicodedata.normalize(f, "ﬁé²")])
print(unicodedata.numeric("½"), unicodedata.digit("²"), unicodedata.combining("\u0301"), unicodedata.decomposition("é"))
#: encodings-roundtrip
s = "naïve café €"
for enc in ("utf-8", "utf-16-le", "utf-32-be", "latin-1", "cp1252", "ascii"):
    try:
        b = s.encode(enc)
        print(enc, len(b), b[:8].hex(), b.decode(enc) == s)
    except UnicodeEncodeError as e:
        print(enc, "cannot encode", repr(s[e.start:e.end]))
#: encoding-errors
s = "a€b"
for how in ("ignore", "replace", "backslashreplace", "xmlcharrefreplace", "namereplace"):
    print(how, s.encode("ascii", how))
b = b"ok \xff\xfe end"
for how in ("ignore", "replace", "backslashreplace", "surrogateescape"):
    print(how, ascii(b.decode("utf-8", how)))
#: utf8-by-hand
def utf8(cp):
    if cp < 0x80: return bytes([cp])
    if cp < 0x800: return bytes([0xC0 | cp >> 6, 0x80 | cp & 63])
    if cp < 0x10000: return bytes([0xE0 | cp >> 12, 0x80 | cp >> 6 & 63, 0x80 | cp & 63])
    return bytes([0xF0 | cp >> 18, 0x80 | cp >> 12 & 63, 0x80 | cp >> 6 & 63, 0x80 | cp & 63])
for c in "Aé€😀":
    print(c, utf8(ord(c)).hex(" "), utf8(ord(c)) == c.encode())
#: emoji-lengths
s = "👨‍👩‍👧 flag 🇩🇪"
print(len(s), len(s.encode()), len(s.encode("utf-16-le")) // 2)
print([hex(ord(c)) for c in s[:5]])
print(s[::-1] == "".join(reversed(s)), ascii(s[:3]))
#: escapes-and-raw
print("tab\there", r"raw\tno", "\x41\u0042\U00000043\103", "\N{BULLET}")
print(repr("quote's"), repr('both \' and "'), repr("\x00\x1f\x7f\n"), ascii("ü"))
print("con" "cat" 'ed', len("""a
b"""), "line\
 joined")
#: slices
s = "abcdefghij"
print(s[2:5], s[:3], s[7:], s[-3:], s[:-3], s[::2], s[::-1], s[8:2:-2], repr(s[5:2]), s[-100:100])
print(slice(1, 8, 3).indices(5), s[slice(None, None, 3)])
print([s[i:i + 3] for i in range(0, len(s), 3)])
#: string-comparison-sort
w = ["banana", "Apple", "cherry", "apple", "Äpfel", "10", "9"]
print(sorted(w), sorted(w, key=str.lower), sorted(w, key=len, reverse=True))
import re
print(sorted(["f10", "f9", "f1", "g2"], key=lambda s: [int(x) if x.isdigit() else x for x in re.split(r"(\d+)", s)]))
#: vowels-consonants
s = "Programming in Python is fun"
v = sum(c in "aeiou" for c in s.lower())
print(v, sum(c.isalpha() for c in s) - v)
print({c: s.lower().count(c) for c in "aeiou"})
print("".join(c.upper() if i % 2 else c.lower() for i, c in enumerate(s)))
#: longest-unique-substring
def longest(s):
    start, best, last = 0, "", {}
    for i, c in enumerate(s):
        if last.get(c, -1) >= start:
            start = last[c] + 1
        last[c] = i
        best = max(best, s[start:i + 1], key=len)
    return best
print(longest("abcabcbb"), longest("pwwkew"), longest("bbbb"), repr(longest("")))
#: brackets
def balanced(s):
    stack, pairs = [], {")": "(", "]": "[", "}": "{"}
    for i, c in enumerate(s):
        if c in "([{":
            stack.append((c, i))
        elif c in pairs:
            if not stack or stack.pop()[0] != pairs[c]:
                return f"bad {c!r} at {i}"
    return f"unclosed {stack[-1]}" if stack else "ok"
for s in ("{[()]}", "([)]", "((", "a(b)c"):
    print(s, balanced(s))
#: isbn-mask-and-hide
card = "4111 1111 1111 1234"
print("*" * 12 + card.replace(" ", "")[-4:])
mail = "jane.doe@example.org"
user, _, host = mail.partition("@")
print(user[0] + "*" * (len(user) - 2) + user[-1] + "@" + host)
#: number-words
ones = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
tens = "  twenty thirty forty fifty sixty seventy eighty ninety".split(" ")
def say(n):
    if n < 20: return ones[n]
    if n < 100: return tens[n // 10] + ("-" + ones[n % 10] if n % 10 else "")
    if n < 1000: return ones[n // 100] + " hundred" + (" and " + say(n % 100) if n % 100 else "")
    return say(n // 1000) + " thousand" + (" " + say(n % 1000) if n % 1000 else "")
for n in (0, 13, 42, 100, 999, 12345):
    print(n, say(n))
#: ordinal-plural
def ordinal(n):
    return f"{n}{'th' if 11 <= n % 100 <= 13 else {1: 'st', 2: 'nd', 3: 'rd'}.get(n % 10, 'th')}"
print([ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 102, 111, 1003)])
print([f"{n} file{'s' * (n != 1)}" for n in range(3)])
#: human-sizes
def human(n):
    for u in ("B", "KiB", "MiB", "GiB"):
        if n < 1024 or u == "GiB":
            return f"{n:.1f} {u}" if u != "B" else f"{n} B"
        n /= 1024
for n in (0, 1023, 1024, 1536, 10**6, 5 * 2**30, 2**45):
    print(n, human(n))
#: duration-format
def fmt(s):
    out = []
    for name, k in (("d", 86400), ("h", 3600), ("m", 60), ("s", 1)):
        v, s = divmod(s, k)
        if v:
            out.append(f"{v}{name}")
    return " ".join(out) or "0s"
print([fmt(s) for s in (0, 59, 60, 3661, 90061, 86400)])
#: difflib-unified
import difflib
a = "one\ntwo\nthree\nfour\n".splitlines(True)
b = "one\n2\nthree\nfour\nfive\n".splitlines(True)
print("".join(difflib.unified_diff(a, b, "old", "new")), end="")
print("".join(difflib.ndiff(a, b)), end="")
#: difflib-context
import difflib
a, b = ["x", "y", "z"], ["x", "q", "z"]
for l in difflib.context_diff(a, b, "a.txt", "b.txt", lineterm=""):
    print(l)
print(list(difflib.restore(difflib.ndiff(a, b), 2)))
#: difflib-ratio
import difflib
s = difflib.SequenceMatcher(None, "abcd efgh", "bcde fgxh")
print(round(s.ratio(), 4), s.get_matching_blocks())
for op in s.get_opcodes():
    print(op)
print(difflib.get_close_matches("appel", ["ape", "apple", "peach", "puppy"]))
#: soundex
def soundex(w):
    codes = {c: str(d) for d, cs in enumerate(("bfpv", "cgjkqsxz", "dt", "l", "mn", "r"), 1) for c in cs}
    w = w.lower()
    out, prev = w[0].upper(), codes.get(w[0])
    for c in w[1:]:
        d = codes.get(c)
        if d and d != prev:
            out += d
        if c not in "hw":
            prev = d
    return (out + "000")[:4]
print([soundex(w) for w in ("Robert", "Rupert", "Ashcraft", "Tymczak", "Pfister", "Honeyman")])
#: shlex-split
import shlex
print(shlex.split("cp 'a file' \"b \\\"q\\\"\" c\\ d # no"), shlex.split("a # b", comments=True))
print(shlex.quote("it's"), shlex.join(["echo", "a b", "$x"]))
try:
    shlex.split("open 'quote")
except ValueError as e:
    print(e)
#: fnmatch-translate
import fnmatch, re
names = ["a.py", "b.txt", "test_a.py", "C.PY", "x1.log", "x2.log"]
print(fnmatch.filter(names, "*.py"), fnmatch.filter(names, "x[!1].log"), fnmatch.fnmatchcase("C.PY", "*.py"))
print([n for n in names if re.match(fnmatch.translate("?.*"), n)])
#: pangram-isogram
import string
pan = lambda s: set(string.ascii_lowercase) <= set(s.lower())
iso = lambda s: len(set(s.lower())) == len(s)
print(pan("The quick brown fox jumps over the lazy dog"), pan("hello"), iso("lumberjacks"), iso("isograms"))
#: hamming-xor
a, b = "karolin", "kathrin"
print(sum(x != y for x, y in zip(a, b)), bin(0b1011101 ^ 0b1001001).count("1"))
k = b"key"
c = bytes(x ^ k[i % 3] for i, x in enumerate(b"secret message"))
print(c.hex(), bytes(x ^ k[i % 3] for i, x in enumerate(c)))
#: wildcard-match
def match(p, s):
    if not p:
        return not s
    if p[0] == "*":
        return match(p[1:], s) or bool(s) and match(p, s[1:])
    return bool(s) and p[0] in ("?", s[0]) and match(p[1:], s[1:])
print([match(p, "abcde") for p in ("a*e", "a?c*", "*x*", "?????", "*", "abcd")])
#: justify-text
def justify(words, width):
    line, out = [], []
    for w in words + [None]:
        if w is None or sum(map(len, line)) + len(line) + len(w) > width:
            if w is None or len(line) == 1:
                out.append(" ".join(line).ljust(width))
            else:
                gaps, spaces = len(line) - 1, width - sum(map(len, line))
                out.append("".join(x + " " * (spaces // gaps + (i < spaces % gaps)) for i, x in enumerate(line[:-1])) + line[-1])
            line = []
        line.append(w)
    return out
for l in justify("This is an example of text justification by hand".split(), 16):
    print(f"|{l}|")
#: join-and-build
print(", ".join(["a", "b"]), "".join([]), "-".join("xyz"), "/".join(map(str, range(4))))
try:
    ",".join([1, 2])
except TypeError as e:
    print(e)
s = ""
for i in range(5):
    s += chr(97 + i) * i
print(s, "ab" * 3, "x" * -1 == "")
#: html-escape
import html
s = '<a href="x?a=1&b=2">it\'s</a>'
print(html.escape(s), html.escape(s, quote=False), sep="\n")
print(html.unescape("&lt;&eacute;&#8364;&#x41;&nbsp;&unknown;") == "<é€A\xa0&unknown;", html.unescape(html.escape(s)) == s)
#: markdown-mini
import re
def md(s):
    out = []
    for line in s.splitlines():
        m = re.match(r"(#+)\s+(.*)", line)
        line = f"<h{len(m[1])}>{m[2]}</h{len(m[1])}>" if m else f"<p>{line}</p>" if line else ""
        line = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", line)
        out.append(re.sub(r"\[(.+?)\]\((.+?)\)", r'<a href="\2">\1</a>', line))
    return "\n".join(x for x in out if x)
print(md("# Title\n\nSome **bold** text and a [link](http://x.y).\n## Sub"))
#: prefix-suffix-common
import os.path
print(os.path.commonprefix(["flower", "flow", "flight"]), repr(os.path.commonprefix(["dog", "car"])))
def rotations(a, b):
    return len(a) == len(b) and b in a + a
print(rotations("waterbottle", "erbottlewat"), rotations("ab", "abab"))
