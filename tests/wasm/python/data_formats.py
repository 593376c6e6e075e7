# SPDX-License-Identifier: Apache-2.0
# Data formats: json, csv, configparser, toml, xml, html, urls, base64, hashes, struct, pickle, zlib, sqlite3, email.
#: json-roundtrip
import json
d = {"name": "Zoë", "n": [1, 2.5, -3e10, None, True], "nested": {"a": {}}, "e": ""}
s = json.dumps(d)
print(s, json.loads(s) == d)
print(json.dumps(d, ensure_ascii=False, sort_keys=True, separators=(",", ":")))
print(json.dumps(d, indent=2))
#: json-errors
import json
for s in ("{", "[1,]", "{'a': 1}", "nul", '{"a" 1}', '"open', "", "1 2"):
    try:
        print(json.loads(s))
    except json.JSONDecodeError as e:
        print(repr(s), e.msg, e.pos, e.lineno, e.colno)
#: json-custom-encoder
import json
from datetime import date
from decimal import Decimal
class Enc(json.JSONEncoder):
    def default(self, o):
        if isinstance(o, (set, frozenset)): return sorted(o)
        if isinstance(o, date): return o.isoformat()
        if isinstance(o, Decimal): return float(o)
        return super().default(o)
print(json.dumps({"s": {3, 1}, "d": date(2020, 2, 3), "m": Decimal("1.5")}, cls=Enc))
try:
    json.dumps(object, cls=Enc)
except TypeError as e:
    print(e)
#: json-hooks
import json
from decimal import Decimal
print(json.loads('{"a": 1.10}', parse_float=Decimal), json.loads('[1]', parse_int=str))
print(json.loads('{"__c__": true, "r": 1, "i": 2}', object_hook=lambda d: complex(d["r"], d["i"]) if "__c__" in d else d))
print(json.loads('{"a": 1, "a": 2}', object_pairs_hook=list), json.loads("NaN") != json.loads("NaN"), json.loads("[-Infinity]"))
#: json-keys-and-floats
import json
print(json.dumps({1: "a", None: "b", True: "c", 2.5: "d"}), json.dumps([1e100, 0.1, 1.0, float("inf")]))
try:
    json.dumps(float("nan"), allow_nan=False)
except ValueError as e:
    print(type(e).__name__)
print(json.dumps({(1, 2): 3, "k": 1}, skipkeys=True), json.dumps("\u2028\x00\"\\/\n\ud83d"))
#: json-lines
import json, io
f = io.StringIO('{"u": "a", "n": 1}\n{"u": "b", "n": 5}\n\n{"u": "a", "n": 2}\n')
tot = {}
for line in f:
    if line.strip():
        r = json.loads(line)
        tot[r["u"]] = tot.get(r["u"], 0) + r["n"]
print(tot)
dec = json.JSONDecoder()
print(dec.raw_decode('[1, 2] tail'), list(json.JSONEncoder().iterencode([1, {"a": 2}])))
#: json-path
import json
doc = json.loads('{"a": [{"b": 1}, {"b": [10, 20]}], "c": {"d": null}}')
def get(d, path):
    for p in path.split("."):
        d = d[int(p)] if isinstance(d, list) else d[p]
    return d
def leaves(d, p=""):
    if isinstance(d, (dict, list)):
        for k, v in d.items() if isinstance(d, dict) else enumerate(d):
            yield from leaves(v, f"{p}/{k}")
    else:
        yield p, d
print(get(doc, "a.1.b.0"), list(leaves(doc)))
#: csv-read
import csv, io
t = 'name,qty,note\napple,3,"red, ripe"\npear,,"say ""hi"""\n"multi\nline",7,x\n'
for r in csv.reader(io.StringIO(t)):
    print(r)
print([dict(r) for r in csv.DictReader(io.StringIO(t))][0])
#: csv-write
import csv, io
b = io.StringIO()
w = csv.writer(b)
w.writerow(["a", 1, 2.5, None, 'q"q', "x,y", "new\nline"])
csv.writer(b, delimiter=";", quoting=csv.QUOTE_ALL).writerows([[1, "b"], ["", "c"]])
csv.writer(b, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n").writerow([1, "t"])
print(repr(b.getvalue()))
#: csv-dictwriter
import csv, io
b = io.StringIO()
w = csv.DictWriter(b, ["id", "name"], extrasaction="ignore", restval="-", lineterminator="\n")
w.writeheader()
w.writerows([{"id": 1, "name": "a", "zzz": 0}, {"id": 2}])
print(b.getvalue(), end="")
try:
    csv.DictWriter(b, ["id"]).writerow({"x": 1})
except ValueError as e:
    print(type(e).__name__)
#: csv-dialects
import csv, io
csv.register_dialect("pipes", delimiter="|", quotechar="'", skipinitialspace=True, escapechar="\\")
print(list(csv.reader(io.StringIO("a| 'b|c'|d\\|e\n"), "pipes")), csv.list_dialects())
d = csv.Sniffer().sniff("a;b;c\n1;2;3\n4;5;6\n")
print(d.delimiter, csv.Sniffer().has_header("name,age\nann,31\nbob,25\n"))
#: csv-pivot
import csv, io
from collections import defaultdict
src = "month,item,n\njan,a,1\njan,b,2\nfeb,a,3\nfeb,a,4\n"
t = defaultdict(dict)
for r in csv.DictReader(io.StringIO(src)):
    t[r["month"]][r["item"]] = t[r["month"]].get(r["item"], 0) + int(r["n"])
cols = sorted({c for r in t.values() for c in r})
print("month", *cols, sep="\t")
for m, r in t.items():
    print(m, *(r.get(c, 0) for c in cols), sep="\t")
#: configparser
import configparser
c = configparser.ConfigParser()
c.read_string("""[DEFAULT]
debug = no
[server]
host = example.org
port = 8080
url = http://%(host)s:%(port)s/
[paths]
list =
    one
    two
""")
print(c.sections(), c["server"]["url"], c.getint("server", "port") + 1, c.getboolean("server", "debug"), c["paths"]["list"].split())
print(c.get("server", "none", fallback="?"), c.has_option("paths", "debug"), c["server"].getfloat("port"))
#: configparser-write
import configparser, io
c = configparser.ConfigParser(interpolation=configparser.ExtendedInterpolation(), allow_no_value=True)
c["a"] = {"x": "1", "Y": "${x}2"}
c["b"] = {"z": "${a:x}", "flag": None}
b = io.StringIO(); c.write(b)
print(b.getvalue(), c["b"]["z"], c["a"]["y"])
try:
    c.add_section("a")
except configparser.DuplicateSectionError as e:
    print(e.section)
#: configparser-errors
import configparser
for s in ("x = 1", "[a]\nx\n", "[a]\nx=1\nx=2", "[a]\nx=%(nope)s"):
    c = configparser.ConfigParser()
    try:
        c.read_string(s); print(c["a"]["x"])
    except configparser.Error as e:
        print(type(e).__name__)
#: tomllib
import tomllib
d = tomllib.loads("""title = "x"
[owner]
dob = 1979-05-27T07:32:00Z
n = [1, 2.5, 0xff, inf]
[[item]]
a = 1
[[item]]
a = {b = true}
""")
print(d["owner"]["dob"], d["owner"]["n"], d["item"])
try:
    tomllib.loads("a = \n")
except tomllib.TOMLDecodeError:
    print("bad toml")
#: xml-parse
import xml.etree.ElementTree as ET
r = ET.fromstring('<lib><book id="1"><t>A</t><p>5.50</p></book><book id="2"><t>B</t></book><!-- c --></lib>')
for b in r.findall("book"):
    print(b.get("id"), b.findtext("t"), b.findtext("p", "n/a"), [e.tag for e in b])
print(r.find(".//book[@id='2']/t").text, len(list(r.iter())), r.find("nope"), ET.tostring(r[0], encoding="unicode"))
#: xml-build
import xml.etree.ElementTree as ET
r = ET.Element("root", v="1")
for i in range(2):
    e = ET.SubElement(r, "item", {"n": str(i)}); e.text = f"<{i} & more>"; e.tail = "\n"
ET.indent(r)
print(ET.tostring(r, encoding="unicode"))
r.remove(r[0]); r[0].set("x", 'q"'); print(ET.tostring(r), ET.tostring(ET.Element("e"), short_empty_elements=False))
#: xml-namespaces-errors
import xml.etree.ElementTree as ET
r = ET.fromstring('<a xmlns="urn:x" xmlns:y="urn:y"><y:b z="1"/></a>')
print(r.tag, r[0].tag, r.find("p:b", {"p": "urn:y"}).attrib)
for s in ("<a><b></a>", "<a", "", "<a>&x;</a>"):
    try:
        ET.fromstring(s)
    except ET.ParseError as e:
        print(e.code, e.position)
#: xml-iterparse
import xml.etree.ElementTree as ET, io
for ev, e in ET.iterparse(io.BytesIO(b"<r><a>1</a><b><c/></b></r>"), ["start", "end"]):
    print(ev, e.tag)
p = ET.XMLPullParser(["end"]); p.feed("<x><y/>"); print([e.tag for _, e in p.read_events()])
#: minidom-sax
from xml.dom.minidom import parseString
import xml.sax
d = parseString("<a k='v'><b>t</b><b/></a>")
print([n.nodeName for n in d.documentElement.childNodes], d.documentElement.getAttribute("k"), d.getElementsByTagName("b")[0].firstChild.data)
print(d.toprettyxml(indent=" "))
class H(xml.sax.ContentHandler):
    def startElement(self, n, a): print("start", n, dict(a))
    def characters(self, c): print("text", c)
xml.sax.parseString(b"<x y='1'>hey</x>", H())
#: htmlparser
from html.parser import HTMLParser
class P(HTMLParser):
    def __init__(self): super().__init__(); self.links, self.text = [], []
    def handle_starttag(self, t, a):
        if t == "a": self.links.append(dict(a).get("href"))
    def handle_data(self, d):
        if d.strip(): self.text.append(d.strip())
p = P(); p.feed("<h1>T &amp; U</h1><p>See <a href='/x'>this</a> and <a>that</a><br>"); p.close()
print(p.links, p.text)
#: html-table
from html import escape
rows = [("a<b", 1), ("x&y", 2)]
print("<table>\n" + "\n".join("  <tr>" + "".join(f"<td>{escape(str(c))}</td>" for c in r) + "</tr>" for r in rows) + "\n</table>")
from html.entities import name2codepoint
print(name2codepoint["euro"], chr(name2codepoint["alpha"]))
#: urllib-parse
from urllib.parse import urlparse, urljoin, urlunparse, urlsplit
u = urlparse("https://bob:pw@Example.com:8443/a/b;p?q=1&r=2#frag")
print(u, u.hostname, u.port, u.username, u.geturl())
print([urljoin("http://a/b/c/d", x) for x in ("e", "/e", "../e", "?q", "//h/x", "http://z/")], urlunparse(("http", "h", "/p", "", "q=1", "")))
print(urlsplit("//h/p").netloc, urlsplit("mailto:a@b").path, u._replace(fragment="", query="").geturl())
#: urllib-query
from urllib.parse import quote, unquote, quote_plus, unquote_plus, urlencode, parse_qs, parse_qsl
print(quote("a b/ü&?"), quote("a/b", safe=""), unquote("%C3%BC%20x"), quote_plus("a b+c"), unquote_plus("a+b%2Bc"))
print(urlencode({"q": "x y", "n": 1}), urlencode([("k", [1, 2])], doseq=True), parse_qs("a=1&a=2&b=&c", keep_blank_values=True), parse_qsl("x=1&y=%20"))
#: base64
import base64
d = bytes(range(0, 256, 17))
for f in ("b64encode", "urlsafe_b64encode", "b32encode", "b16encode", "b85encode", "a85encode", "b32hexencode"):
    e = getattr(base64, f)(d)
    print(f, e.decode(), getattr(base64, f.replace("encode", "decode"))(e) == d)
print(base64.b64decode("aGk="), base64.b64encode("é".encode()).decode(), base64.encodebytes(b"x" * 60))
#: base64-errors
import base64, binascii
for s in ("aGk", "a", "aGk=!", "===="):
    try:
        print(s, base64.b64decode(s))
    except binascii.Error as e:
        print(s, type(e).__name__)
print(binascii.hexlify(b"\x00\xff"), binascii.unhexlify("c0de"), binascii.crc32(b"abc"), binascii.crc_hqx(b"abc", 0))
#: base64-by-hand
A = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
def b64(b):
    bits = "".join(f"{x:08b}" for x in b)
    bits += "0" * (-len(bits) % 6)
    s = "".join(A[int(bits[i:i + 6], 2)] for i in range(0, len(bits), 6))
    return s + "=" * (-len(s) % 4)
for w in (b"", b"M", b"Ma", b"Man", b"light work."):
    print(w, b64(w))
#: hash-many
import hashlib
for n in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_256", "blake2b", "blake2s"):
    h = hashlib.new(n, b"hello")
    print(n, h.digest_size, h.block_size, h.hexdigest()[:32])
h = hashlib.sha256(); h.update(b"he"); c = h.copy(); h.update(b"llo")
print(h.hexdigest() == hashlib.sha256(b"hello").hexdigest(), c.hexdigest()[:8], hashlib.shake_128(b"x").hexdigest(8))
#: blake2-options
import hashlib
print(hashlib.blake2b(b"m", digest_size=16).hexdigest(), hashlib.blake2b(b"m", key=b"k", digest_size=8).hexdigest())
print(hashlib.blake2s(b"m", salt=b"s", person=b"p", digest_size=8).hexdigest(), hashlib.sha3_512(b"").hexdigest()[:40])
print(sorted(hashlib.algorithms_guaranteed)[:4])
#: hmac
import hmac, hashlib
k, m = b"secret", b"message"
t = hmac.new(k, m, hashlib.sha256)
print(t.hexdigest(), t.name, hmac.compare_digest(t.digest(), hmac.digest(k, m, "sha256")))
def by_hand(k, m):
    k = k.ljust(64, b"\0")
    i = hashlib.sha256(bytes(x ^ 0x36 for x in k) + m).digest()
    return hashlib.sha256(bytes(x ^ 0x5C for x in k) + i).hexdigest()
print(by_hand(k, m) == t.hexdigest())
#: merkle-and-pow
import hashlib
H = lambda b: hashlib.sha256(b).hexdigest()
level = [H(x.encode()) for x in "abcde"]
while len(level) > 1:
    level = [H((a + b).encode()) for a, b in zip(level[::2], level[1::2] + level[-1:])]
print(level[0])
n = 0
while not H(f"block{n}".encode()).startswith("000"):
    n += 1
print(n, H(f"block{n}".encode())[:12])
#: uuid-named
import uuid
u = uuid.uuid5(uuid.NAMESPACE_URL, "http://example.org/")
print(u, u.version, u.hex, u.int % 1000, uuid.uuid3(uuid.NAMESPACE_DNS, "python.org"))
print(uuid.UUID("{12345678-1234-5678-1234-567812345678}").bytes.hex(), uuid.UUID(int=5), len(str(uuid.uuid4())), uuid.uuid4().version, uuid.UUID(int=1) < uuid.UUID(int=2))
#: struct-pack
import struct
p = struct.pack(">BHIq4s?f", 1, 2, 3, -4, b"ab", True, 1.5)
print(p.hex(), struct.unpack(">BHIq4s?f", p), struct.calcsize("<BI"), struct.calcsize("=hhl"))
print([x for x in struct.iter_unpack("<H", b"\1\0\2\0\xff\xff")], struct.unpack_from("<I", b"xx\x01\0\0\0", 2))
try:
    struct.pack("B", 256)
except struct.error as e:
    print(type(e).__name__)
#: struct-header
import struct, io
def bmp(w, h):
    row = (w * 3 + 3) // 4 * 4
    return struct.pack("<2sIHHIIiiHHIIiiII", b"BM", 54 + row * h, 0, 0, 54, 40, w, h, 1, 24, 0, row * h, 2835, 2835, 0, 0) + bytes(row * h)
b = bmp(3, 2)
magic, size, *_ = struct.unpack_from("<2sI", b)
print(magic, size, len(b), struct.unpack_from("<ii", b, 18))
s = struct.Struct("!HB"); buf = bytearray(6); s.pack_into(buf, 2, 258, 7); print(buf, s.size, s.format)
#: float-bits
import struct
for x in (0.0, -0.0, 1.0, 0.1, float("inf"), 5e-324):
    n = struct.unpack(">Q", struct.pack(">d", x))[0]
    print(x, f"{n:016x}", n >> 63, (n >> 52 & 0x7FF) - 1023, hex(n & (1 << 52) - 1))
print(struct.unpack("<f", struct.pack("<f", 0.1))[0], struct.pack("<e", 1.5).hex())
#: varint
def enc(n):
    out = bytearray()
    while True:
        b, n = n & 127, n >> 7
        out.append(b | (128 if n else 0))
        if not n: return bytes(out)
def dec(b):
    return sum((x & 127) << 7 * i for i, x in enumerate(b))
for n in (0, 127, 128, 300, 2**35):
    print(n, enc(n).hex(), dec(enc(n)) == n)
#: pickle-roundtrip
import pickle
class P:
    def __init__(self, x): self.x = x
    def __eq__(self, o): return self.x == o.x
d = {"a": [1, (2, 3)], "s": {4}, "b": b"x", "c": 1 + 2j, "o": P([5]), "f": len}
for proto in (0, 2, 5):
    assert pickle.loads(pickle.dumps(d, proto)) == d
    print(proto, pickle.dumps([1, "a"], proto))
l = []; l.append(l); m = pickle.loads(pickle.dumps(l)); print(m[0] is m)
#: pickle-hooks
import pickle
class C:
    def __init__(self, n): self.n, self.cache = n, "big"
    def __getstate__(self): return {"n": self.n}
    def __setstate__(self, s): self.__dict__.update(s, cache="rebuilt")
class R:
    def __init__(self, v): self.v = v
    def __reduce__(self): return R, (self.v * 2,)
print(vars(pickle.loads(pickle.dumps(C(3)))), pickle.loads(pickle.dumps(R(4))).v)
try:
    pickle.dumps(lambda: 0)
except (pickle.PicklingError, AttributeError):
    print("no lambdas")
#: pickle-restricted
import pickle, io
class Safe(pickle.Unpickler):
    def find_class(self, m, n):
        if (m, n) == ("collections", "OrderedDict"):
            return super().find_class(m, n)
        raise pickle.UnpicklingError(f"forbidden {m}.{n}")
from collections import OrderedDict
from fractions import Fraction
print(list(Safe(io.BytesIO(pickle.dumps(OrderedDict(a=1)))).load().items()))
try:
    Safe(io.BytesIO(pickle.dumps(Fraction(1, 2)))).load()
except pickle.UnpicklingError as e:
    print(e)
#: pickletools
import pickle, pickletools
pickletools.dis(pickle.dumps((1, "a", [None]), 2))
print(len(pickletools.optimize(pickle.dumps(["x", "x"], 4))))
import copyreg
print(callable(copyreg.pickle))
#: zlib-roundtrip
import zlib
d = b"the quick brown fox " * 50
for lvl in (0, 1, 9):
    c = zlib.compress(d, lvl)
    print(lvl, len(c) < len(d), zlib.decompress(c) == d)
print(zlib.crc32(b"hello"), zlib.adler32(b"hello"), zlib.crc32(b"lo", zlib.crc32(b"hel")) == zlib.crc32(b"hello"))
try:
    zlib.decompress(b"nonsense")
except zlib.error:
    print("bad data")
#: zlib-streaming
import zlib
c, d = zlib.compressobj(6, zlib.DEFLATED, -15), zlib.decompressobj(-15)
parts = [c.compress(f"row {i}\n".encode()) for i in range(100)] + [c.flush()]
out = b"".join(d.decompress(p) for p in parts) + d.flush()
print(out.count(b"\n"), out[:12], d.eof, d.unused_data)
#: gzip-bz2
import gzip, bz2, io
d = b"abc\n" * 100
b = io.BytesIO()
with gzip.GzipFile(fileobj=b, mode="wb", mtime=0) as f: f.write(d)
print(b.getvalue()[:4].hex(), gzip.decompress(b.getvalue()) == d, bz2.decompress(bz2.compress(d)) == d)
with gzip.open(io.BytesIO(b.getvalue()), "rt") as f: print(f.readline().strip(), sum(1 for _ in f))
#: zipfile-memory
import zipfile, io
b = io.BytesIO()
with zipfile.ZipFile(b, "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("a.txt", "alpha" * 20)
    z.writestr("d/b.txt", b"beta")
with zipfile.ZipFile(b) as z:
    print(z.namelist(), z.read("d/b.txt"), z.getinfo("a.txt").file_size, z.testzip(), zipfile.is_zipfile(b))
    print([p.name for p in sorted(zipfile.Path(z).iterdir(), key=lambda p: p.name)])
    try: z.read("none")
    except KeyError as e: print("missing")
#: tarfile-memory
import tarfile, io
b = io.BytesIO()
with tarfile.open(fileobj=b, mode="w:gz") as t:
    for n, d in (("x.txt", b"xx"), ("sub/y.txt", b"yyy")):
        i = tarfile.TarInfo(n); i.size = len(d); i.mtime = 0
        t.addfile(i, io.BytesIO(d))
b.seek(0)
with tarfile.open(fileobj=b) as t:
    print([(m.name, m.size, m.isfile()) for m in t], t.extractfile("sub/y.txt").read())
#: sqlite-basics
import sqlite3
c = sqlite3.connect(":memory:")
c.execute("create table t (id integer primary key, name text, price real)")
c.executemany("insert into t (name, price) values (?, ?)", [("pen", 1.5), ("ink", 4.25), ("pad", 3)])
print(c.execute("select count(*), sum(price), max(name) from t").fetchone())
for r in c.execute("select id, name from t where price > :p order by price desc", {"p": 2}):
    print(r)
print(c.total_changes, c.execute("update t set price = price * 2").rowcount)
#: sqlite-rows-functions
import sqlite3
c = sqlite3.connect(":memory:")
c.row_factory = sqlite3.Row
c.create_function("rev", 1, lambda s: s[::-1])
class Prod:
    def __init__(self): self.p = 1
    def step(self, x): self.p *= x
    def finalize(self): return self.p
c.create_aggregate("prod", 1, Prod)
r = c.execute("select rev('abc') as a, (select prod(value) from json_each('[2,3,7]')) as b").fetchone()
print(r["a"], r["b"], r.keys(), tuple(r))
#: sqlite-transactions
import sqlite3
c = sqlite3.connect(":memory:")
c.execute("create table a (n int check (n >= 0), u unique)")
try:
    with c:
        c.execute("insert into a values (1, 'x')")
        c.execute("insert into a values (-1, 'y')")
except sqlite3.IntegrityError as e:
    print(e)
print(c.execute("select count(*) from a").fetchone(), c.in_transaction)
for q in ("selec 1", "select * from none", "select ?"):
    try: c.execute(q)
    except sqlite3.Error as e: print(type(e).__name__, e)
#: sqlite-joins-windows
import sqlite3
c = sqlite3.connect(":memory:")
c.executescript("""create table d (id, n); create table e (n, d, s);
insert into d values (1,'dev'),(2,'ops'),(3,'hr');
insert into e values ('a',1,10),('b',1,30),('c',2,20);""")
print(c.execute("select d.n, count(e.n), coalesce(sum(s),0) from d left join e on e.d = d.id group by d.id order by 1").fetchall())
print(c.execute("select n, s, rank() over (partition by d order by s desc), sum(s) over (order by n) from e order by n").fetchall())
print(c.execute("with recursive f(a,b) as (values(0,1) union all select b,a+b from f limit 10) select group_concat(a) from f").fetchone())
#: sqlite-file
import sqlite3, os
with sqlite3.connect("shop.db") as c:
    c.execute("create table s (k, v blob)")
    c.execute("insert into s values (?, ?)", ("x", b"\0\1"))
c.close()
d = sqlite3.connect("shop.db")
print(d.execute("select k, v, typeof(v) from s").fetchall(), os.path.exists("shop.db"), list(d.iterdump())[1])
#: email-build
from email.message import EmailMessage
m = EmailMessage()
m["From"], m["To"], m["Subject"] = "a@x.org", "Bob <b@y.org>", "Grüße"
m.set_content("Hello\nthere\n")
print(m.as_string())
print(m["to"].addresses[0].display_name, m.get_content_type())
#: email-parse
import email, email.utils
from email import policy
m = email.message_from_string("Subject: =?utf-8?q?Hi_=C3=BC?=\nContent-Type: multipart/mixed; boundary=B\n\n--B\n\none\n--B\nContent-Type: text/html\n\n<b>\n--B--\n", policy=policy.default)
print(m["subject"], m.is_multipart(), [p.get_content_type() for p in m.walk()], m.get_payload(0).get_content())
print(email.utils.parseaddr("Al B <a@b>"), email.utils.formataddr(("X", "x@y")), email.utils.parsedate_to_datetime("Mon, 20 Nov 1995 19:12:08 -0500"))
#: quopri-uu-mime
import quopri, mimetypes, binascii
print(quopri.encodestring("é = x".encode()), quopri.decodestring(b"=C3=A9").decode(), binascii.b2a_uu(b"abc"))
print([mimetypes.guess_type(n) for n in ("a.html", "b.tar.gz", "c.unknownext", "d.png")], mimetypes.guess_extension("text/plain"))
from email.header import Header, decode_header
print(Header("ü", "utf-8").encode(), decode_header("=?utf-8?b?w7w=?="))
#: plistlib
import plistlib, datetime
d = {"a": 1, "b": [True, 2.5, "x"], "c": b"raw", "d": datetime.datetime(2020, 1, 2, 3, 4, 5)}
x = plistlib.dumps(d)
print(x.decode().splitlines()[3:6], plistlib.loads(x) == d)
b = plistlib.dumps(d, fmt=plistlib.FMT_BINARY); print(b[:8], plistlib.loads(b) == d)
#: ipaddress-networks
import ipaddress as ip
n = ip.ip_network("192.168.10.0/26")
print(n.num_addresses, n.netmask, n.broadcast_address, list(n.hosts())[:2], ip.ip_address("192.168.10.63") in n)
print([str(s) for s in n.subnets(new_prefix=28)], n.supernet(), n.overlaps(ip.ip_network("192.168.10.32/27")))
print([str(x) for x in ip.collapse_addresses([ip.ip_network("10.0.0.0/25"), ip.ip_network("10.0.0.128/25")])])
#: ipaddress-v6
import ipaddress as ip
a = ip.ip_address("2001:db8::1")
print(a.exploded, a.compressed, int(a) % 1000, a.reverse_pointer[:12], a.is_loopback, ip.ip_address("::ffff:1.2.3.4").ipv4_mapped)
for s in ("1.2.3", "1.2.3.256", "10.0.0.1/8", "::g"):
    try: print(ip.ip_network(s))
    except ValueError as e: print(s, type(e).__name__)
print(sorted(map(ip.ip_address, ["10.0.0.10", "10.0.0.9"])), ip.ip_address("10.0.0.1") + 300, ip.ip_interface("1.2.3.4/24").network)
#: xmlrpc-json-compare
import xmlrpc.client as x
s = x.dumps(({"a": [1, 2.5, True, "t"]},), "call.me")
(args, name) = x.loads(s)
print(name, args, s.count("<value>"), x.Fault(4, "no").faultString)
print(x.loads(x.dumps((x.Binary(b"\1"),), methodresponse=True))[0][0].data)
#: http-cookies-status
from http.cookies import SimpleCookie
from http import HTTPStatus
c = SimpleCookie("a=1; b=\"two words\"")
c["a"]["path"] = "/"; c["z"] = "q"; c["z"]["max-age"] = 5
print(c["b"].value, c["a"].OutputString(), c["z"].output(), sorted(c))
print(HTTPStatus(404).phrase, HTTPStatus.OK.value, HTTPStatus.NOT_FOUND == 404, HTTPStatus["CREATED"].description)
#: logging-stdout
import logging, sys
h = logging.StreamHandler(sys.stdout)
h.setFormatter(logging.Formatter("%(levelname)-8s %(name)s:%(lineno)d %(message)s"))
log = logging.getLogger("app.db"); log.addHandler(h); log.setLevel(logging.INFO); log.propagate = False
log.debug("hidden"); log.info("got %d rows", 5); log.warning("slow"); log.error("x %s", {"a": 1})
print(log.isEnabledFor(10), log.getEffectiveLevel(), logging.getLevelName(30), log.parent.name)
#: logging-exception-filters
import logging, sys, io
buf = io.StringIO()
logging.basicConfig(stream=buf, format="{levelname}|{message}", style="{", level="DEBUG")
class F(logging.Filter):
    def filter(self, r): r.msg = r.msg.upper(); return "secret" not in r.msg.lower()
logging.getLogger().handlers[0].addFilter(F())
logging.info("hello"); logging.info("a secret")
try: 1 / 0
except ZeroDivisionError: logging.exception("failed")
out = buf.getvalue().splitlines()
print(out[0], out[1], out[-1], len([l for l in out if "SECRET" in l]))
#: logging-dictconfig
import logging.config
logging.config.dictConfig({"version": 1, "formatters": {"f": {"format": "%(name)s-%(message)s"}},
  "handlers": {"c": {"class": "logging.StreamHandler", "stream": "ext://sys.stdout", "formatter": "f"}},
  "loggers": {"x": {"level": "INFO", "handlers": ["c"], "propagate": False}}, "disable_existing_loggers": False})
logging.getLogger("x").info("one"); logging.getLogger("x.y").info("two"); logging.LoggerAdapter(logging.getLogger("x"), {"a": 1}).info("three")
#: argparse-basic
import argparse
p = argparse.ArgumentParser(prog="tool", description="Does things.")
p.add_argument("files", nargs="+"); p.add_argument("-n", "--num", type=int, default=3); p.add_argument("-v", action="count", default=0)
p.add_argument("--mode", choices=["fast", "slow"]); p.add_argument("--flag", action=argparse.BooleanOptionalAction)
print(p.parse_args(["a", "b", "-vv", "--num=7", "--no-flag"]), p.parse_known_args(["x", "--zzz"])[1])
print(p.format_usage())
#: argparse-subcommands
import argparse
p = argparse.ArgumentParser(prog="git")
s = p.add_subparsers(dest="cmd", required=True)
a = s.add_parser("add"); a.add_argument("path"); a.set_defaults(f=lambda n: f"adding {n.path}")
c = s.add_parser("commit", aliases=["ci"]); c.add_argument("-m", required=True); c.set_defaults(f=lambda n: f"commit {n.m!r}")
for argv in (["add", "x.py"], ["ci", "-m", "msg"]):
    n = p.parse_args(argv); print(n.cmd, n.f(n))
p.parse_args(["push"])
#: argparse-errors
import argparse
p = argparse.ArgumentParser(exit_on_error=False)
p.add_argument("--n", type=int); g = p.add_mutually_exclusive_group(); g.add_argument("--a", action="store_true"); g.add_argument("--b", action="store_const", const=5)
for argv in (["--n", "x"], ["--a", "--b"], ["--n", "4", "--b"]):
    try: print(p.parse_args(argv))
    except argparse.ArgumentError as e: print(e)
#: argparse-help
import argparse
p = argparse.ArgumentParser(prog="x", epilog="bye", add_help=False)
p.add_argument("src", help="the source"); p.add_argument("--level", metavar="N", type=int, default=2, help="level (default %(default)s)")
print(p.format_help())
print(vars(p.parse_args(["s"])))
#: getopt-optparse
import getopt, optparse
print(getopt.getopt(["-a", "-b", "v", "--long=1", "rest"], "ab:", ["long="]), getopt.gnu_getopt(["x", "-a"], "a"))
try: getopt.getopt(["-z"], "a")
except getopt.GetoptError as e: print(e)
p = optparse.OptionParser(); p.add_option("-q", action="store_false", dest="v", default=True); p.add_option("-n", type="int")
o, a = p.parse_args(["-q", "-n", "5", "f"]); print(o.v, o.n, a)
#: codecs-incremental
import codecs, io
d = codecs.getincrementaldecoder("utf-8")()
print([d.decode(bytes([b])) for b in "é€".encode()], d.decode(b"", True))
print(codecs.BOM_UTF8, "x".encode("utf-8-sig"), b"\xef\xbb\xbfx".decode("utf-8-sig"), codecs.lookup("latin1").name)
codecs.register_error("stars", lambda e: ("*" * (e.end - e.start), e.end)); print("aéö".encode("ascii", "stars"), codecs.encode(b"ab", "hex"), "münchen.de".encode("idna"), "ü".encode("punycode"))
#: io-stringio-bytesio
import io
s = io.StringIO("one\ntwo\nthree")
print(s.readline(), s.read(2), s.tell(), s.seek(0), s.readlines(), s.read() == "")
b = io.BytesIO(b"abcdef"); b.seek(-2, 2); print(b.read(), b.getbuffer()[1], b.truncate(3), b.getvalue())
t = io.TextIOWrapper(io.BytesIO(b"a\r\nb\rc\n"), encoding="ascii", newline=None); print(t.readlines(), t.newlines)
r = io.BufferedReader(io.BytesIO(b"12345"), 2); print(r.peek(1)[:1], r.read(3), r.read1(9))
#: wave-colors
import wave, io, colorsys, math, struct
b = io.BytesIO()
with wave.open(b, "wb") as w:
    w.setparams((1, 2, 8000, 0, "NONE", "x"))
    w.writeframes(b"".join(struct.pack("<h", i * 100) for i in range(10)))
b.seek(0)
with wave.open(b) as w: print(w.getparams()[:4], w.readframes(2).hex())
print(colorsys.rgb_to_hsv(1, 0, 0), colorsys.hsv_to_rgb(0.5, 1, 1), [round(x, 3) for x in colorsys.rgb_to_hls(0.2, 0.4, 0.6)])
