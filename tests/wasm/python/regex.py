# SPDX-License-Identifier: Apache-2.0
# Regular expressions: matching, groups, substitution, tokenizers and validators.
#: findall-basics
import re
s = "Tel 555-1234, fax 555-9876; room 12"
print(re.findall(r"\d+", s), re.findall(r"(\d{3})-(\d{4})", s))
print(re.search(r"fax (\S+);", s).group(1), re.match("fax", s))
#: named-groups
import re
m = re.fullmatch(r"(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)", "2024-02-29")
print(m.groupdict(), m["y"], m.span("m"), m.lastgroup, m.re.groups)
print(m.expand(r"\g<d>.\g<m>.\g<y>"))
#: sub-function
import re
print(re.sub(r"\d+", lambda m: str(int(m[0]) * 2), "3 apples, 12 pears"))
print(re.sub(r"(\w+) (\w+)", r"\2 \1", "hello world foo bar"), re.subn("a", "b", "banana", count=2))
print(re.sub(r"(?i)python", "Py", "Python PYTHON python"))
#: split-keep
import re
print(re.split(r"[,;]\s*", "a, b;c,  d"), re.split(r"([+\-*/])", "3+4*2-1"), re.split(r"\s+", " lead"))
print(re.split(r"(?<=\.)\s", "One. Two. Three."), re.split(r"x*", "axbc"), re.split(",", "a,b,c", maxsplit=1))
#: lookaround
import re
print(re.findall(r"\w+(?=!)", "wow! hi there! end"), re.findall(r"(?<=\$)\d+", "cost $30 or $45, 50"))
print(re.findall(r"\b(?!un)\w+able\b", "unable capable stable"), re.findall(r"(?<!-)\b\d+", "5 -6 7"))
print(re.sub(r"(?<=\d)(?=(\d{3})+$)", ",", "1234567"))
#: greedy-lazy
import re
s = "<b>one</b><b>two</b>"
print(re.findall(r"<b>.*</b>", s), re.findall(r"<b>.*?</b>", s), re.findall(r"<b>([^<]*)</b>", s))
print(re.match(r"a{2,3}", "aaaa")[0], re.match(r"a{2,3}?", "aaaa")[0])
#: backreferences
import re
print(re.findall(r"\b(\w+) \1\b", "this is is a test test"), re.search(r"(?P<q>['\"]).*?(?P=q)", "say \"it's\" ok")[0])
print(bool(re.fullmatch(r"(.+)\1", "abcabc")), [w for w in ("noon", "abba", "abcd") if re.fullmatch(r"(.)(.)\2\1", w)])
#: flags
import re
t = "first line\nSecond line\nthird"
print(re.findall(r"^\w+", t), re.findall(r"^\w+", t, re.M), re.findall(r"line$", t, re.M))
print(re.search(r"first.*third", t), bool(re.search(r"first.*third", t, re.S)), re.findall("SECOND", t, re.I))
print(re.compile(r"""
    (\d+)   # number
    \s*     # space
    (px|em) # unit
    """, re.X).findall("10px 2 em 3pt"))
#: finditer-positions
import re
for m in re.finditer(r"[aeiou]+", "beautiful queue"):
    print(m.start(), m.end(), m.group())
print([m.span() for m in re.finditer(r"(?=(aba))", "ababa")])
#: tokenizer
import re
spec = [("NUM", r"\d+(?:\.\d+)?"), ("ID", r"[A-Za-z_]\w*"), ("OP", r"[+\-*/=()]"), ("WS", r"\s+"), ("BAD", r".")]
rx = re.compile("|".join(f"(?P<{n}>{p})" for n, p in spec))
print([(m.lastgroup, m[0]) for m in rx.finditer("total = price * 1.5 + (x2 ? 3)") if m.lastgroup != "WS"])
#: email-check
import re
rx = re.compile(r"[\w.+-]+@(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z]{2,}", re.I)
for a in ("a@b.co", "john.doe+tag@mail.example.org", "no at.com", "x@-bad.com", "x@y", "a@b..c"):
    print(a, bool(rx.fullmatch(a)))
#: ipv4-check
import re
octet = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
rx = re.compile(rf"{octet}(?:\.{octet}){{3}}")
print([(a, bool(rx.fullmatch(a))) for a in ("1.2.3.4", "255.255.255.255", "256.1.1.1", "01.2.3.4", "1.2.3")])
#: log-parse
import re
from collections import Counter
log = """127.0.0.1 - - [10/Oct/2023:13:55:36] "GET /a HTTP/1.1" 200 512
10.0.0.5 - - [10/Oct/2023:13:55:40] "POST /b HTTP/1.1" 404 0
127.0.0.1 - - [10/Oct/2023:13:56:01] "GET /a HTTP/1.1" 200 731
broken line"""
rx = re.compile(r'(\S+) .*?\[(.+?)\] "(\w+) (\S+) .*?" (\d+) (\d+)')
rows = [m.groups() for m in map(rx.match, log.splitlines()) if m]
print(Counter(r[4] for r in rows), sum(int(r[5]) for r in rows), rows[1])
#: password-rules
import re
rules = {"length": r".{8,}", "lower": r".*[a-z]", "upper": r".*[A-Z]", "digit": r".*\d", "other": r".*[^\w\s]"}
for p in ("secret", "Secret123", "S3cret!pass", "ALLCAPS1!"):
    print(p, [n for n, r in rules.items() if not re.match(r, p)] or "fine")
#: template-engine
import re
def render(t, **kw):
    return re.sub(r"\{\{\s*(\w+)(?:\|(\w+))?\s*\}\}", lambda m: getattr(str(kw.get(m[1], "")), m[2] or "strip")(), t)
print(render("Hi {{ name|title }}, you are {{age}} and {{ x }}.", name="ann lee", age=30))
#: bytes-regex
import re
data = b"\x00\x01HEAD\x00len=42\xff"
print(re.search(rb"len=(\d+)", data)[1], re.findall(rb"[A-Z]+", data), re.sub(rb"[^\x20-\x7e]", b".", data))
try:
    re.search("a", b"a")
except TypeError:
    print("mixed")
#: escape-literal
import re
s = "1+1=2 (really?)"
print(re.escape(s), bool(re.fullmatch(re.escape(s), s)), bool(re.fullmatch(s, s)))
print(re.sub(r"[.]", r"\\.", "a.b"), re.sub("x", "\\n", "axb").split("\n"))
#: pattern-errors
import re
for p in ("(", "[a", "*a", "a{2,1}", "(?P<1>a)", r"\1", "(?<=a+)b"):
    try:
        re.compile(p)
        print(p, "fine")
    except re.error as e:
        print(p, e.pos, type(e).__name__)
#: conditional-group
import re
rx = re.compile(r"(\()?\w+(?(1)\))")
print([bool(rx.fullmatch(s)) for s in ("(abc)", "abc", "(abc", "abc)")])
print(re.findall(r"(a)|(b)", "abc"), re.match(r"(a)?(b)?", "b").groups("-"))
#: atomic-possessive
import re
print(re.match(r"a++b", "aaab")[0], re.match(r"a++ab", "aaab"), re.match(r"(?>a+)b", "aab")[0])
print(re.fullmatch(r"\d*+\w", "123"), re.fullmatch(r"\d*\w", "123")[0])
#: unicode-classes
import re
print(re.findall(r"\w+", "naïve Ωmega 中文 x1"), re.findall(r"\w+", "naïve Ωmega", re.A), re.findall(r"\d", "1٣५"))
print(re.sub(r"[^\W\d_]", "L", "aé1_中"), re.findall("[à-ü]", "déjà vu"))
#: csv-by-regex
import re
rx = re.compile(r'(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))')
for line in ('a,b,c', '"x, y",2,"say ""hi"""', ',,'):
    print([(a.replace('""', '"') if a else b) for a, b in rx.findall(line)])
#: url-parts
import re
rx = re.compile(r"(?P<scheme>\w+)://(?:(?P<user>[^@/]+)@)?(?P<host>[^:/?#]+)(?::(?P<port>\d+))?(?P<path>/[^?#]*)?(?:\?(?P<q>[^#]*))?(?:#(?P<f>.*))?")
for u in ("http://example.com", "https://bob@h.org:8080/a/b?x=1&y=2#top", "ftp://files/x"):
    print({k: v for k, v in rx.match(u).groupdict().items() if v})
#: roman-regex
import re
rx = re.compile(r"M{0,3}(CM|CD|D?C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})")
print([(r, bool(rx.fullmatch(r))) for r in ("XIV", "IIII", "MCMXCIV", "VX", "CCC", "IC")])
#: duration-parse
import re
def seconds(s):
    m = re.fullmatch(r"(?:(\d+)d)?\s*(?:(\d+)h)?\s*(?:(\d+)m)?\s*(?:(\d+)s)?", s)
    if not m or not m[0]:
        raise ValueError(s)
    return sum(int(g or 0) * k for g, k in zip(m.groups(), (86400, 3600, 60, 1)))
print([seconds(s) for s in ("1h 30m", "2d", "45s", "1d2h3m4s")])
seconds("soon")
#: scanner
import re
sc = re.Scanner([(r"[0-9]+", lambda s, t: int(t)), (r"[a-z]+", lambda s, t: t.upper()), (r"\s+", None)])
print(sc.scan("12 abc 7 ! rest"))
print(sc.scan("1 2 three"))
#: strip-comments
import re
code = 'x = "# not"  # yes\ny = 1 # two\n# whole\nz = \'a#b\''
rx = re.compile(r"(\"[^\"]*\"|'[^']*')|#[^\n]*")
print(re.sub(r"[ \t]+$", "", rx.sub(lambda m: m[1] or "", code), flags=re.M))
#: pattern-attributes
import re
p = re.compile(r"(?P<a>x)(y)?(?P<b>z)", re.I | re.M)
print(p.pattern, p.groups, dict(p.groupindex), p.flags & re.I != 0, p == re.compile(p.pattern, re.M | re.I))
m = p.search("__XZ__", 1)
print(m.groups(), m.regs, m.pos, m.endpos, m.string, m.lastindex, bool(m))
#: hex-colours
import re
for c in ("#fff", "#1a2B3c", "#12", "red", "#ggg"):
    m = re.fullmatch(r"#([0-9a-f]{3}|[0-9a-f]{6})", c, re.I)
    if m:
        h = m[1] if len(m[1]) == 6 else "".join(x * 2 for x in m[1])
        print(c, tuple(int(h[i:i + 2], 16) for i in (0, 2, 4)))
    else:
        print(c, None)
#: multiline-config
import re
cfg = "[a]\nx = 1\n; note\ny=two words\n[b]\nz =3\n"
out, sec = {}, None
for line in cfg.splitlines():
    if m := re.match(r"\[(\w+)\]", line):
        sec = out.setdefault(m[1], {})
    elif m := re.match(r"(\w+)\s*=\s*(.*)", line):
        sec[m[1]] = m[2]
print(out)
