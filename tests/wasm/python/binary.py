# SPDX-License-Identifier: Apache-2.0
# Codes of struct, digests and codecs, each over the same values.
#: code-uint8
import struct
for order in "<>!=":
    fmt = order + 'B'
    b = struct.pack(fmt, 200)
    print(order, struct.calcsize(fmt), b.hex() if order != "=" else len(b), struct.unpack(fmt, b))
#: code-int16
import struct
for order in "<>!=":
    fmt = order + 'h'
    b = struct.pack(fmt, -300)
    print(order, struct.calcsize(fmt), b.hex() if order != "=" else len(b), struct.unpack(fmt, b))
#: code-int32
import struct
for order in "<>!=":
    fmt = order + 'i'
    b = struct.pack(fmt, -70000)
    print(order, struct.calcsize(fmt), b.hex() if order != "=" else len(b), struct.unpack(fmt, b))
#: code-uint32
import struct
for order in "<>!=":
    fmt = order + 'I'
    b = struct.pack(fmt, 4000000000)
    print(order, struct.calcsize(fmt), b.hex() if order != "=" else len(b), struct.unpack(fmt, b))
#: code-uint64
import struct
for order in "<>!=":
    fmt = order + 'Q'
    b = struct.pack(fmt, 9223372036854775808)
    print(order, struct.calcsize(fmt), b.hex() if order != "=" else len(b), struct.unpack(fmt, b))
#: code-f32
import struct
for order in "<>!=":
    fmt = order + 'f'
    b = struct.pack(fmt, 1.5)
    print(order, struct.calcsize(fmt), b.hex() if order != "=" else len(b), struct.unpack(fmt, b))
#: code-f16
import struct
for order in "<>!=":
    fmt = order + 'e'
    b = struct.pack(fmt, 0.25)
    print(order, struct.calcsize(fmt), b.hex() if order != "=" else len(b), struct.unpack(fmt, b))
#: code-bool
import struct
for order in "<>!=":
    fmt = order + '?'
    b = struct.pack(fmt, True)
    print(order, struct.calcsize(fmt), b.hex() if order != "=" else len(b), struct.unpack(fmt, b))
#: code-chars
import struct
for order in "<>!=":
    fmt = order + '5s'
    b = struct.pack(fmt, b'abc')
    print(order, struct.calcsize(fmt), b.hex() if order != "=" else len(b), struct.unpack(fmt, b))
#: code-pascal
import struct
for order in "<>!=":
    fmt = order + '4p'
    b = struct.pack(fmt, b'ab')
    print(order, struct.calcsize(fmt), b.hex() if order != "=" else len(b), struct.unpack(fmt, b))
#: hash-md5
import hashlib, hmac
for d in (b"", b"abc", b"x" * 1000):
    print(len(d), hashlib.md5(d).hexdigest())
print(hmac.new(b"key", b"msg", "md5").hexdigest())
#: hash-sha1
import hashlib, hmac
for d in (b"", b"abc", b"x" * 1000):
    print(len(d), hashlib.sha1(d).hexdigest())
print(hmac.new(b"key", b"msg", "sha1").hexdigest())
#: hash-sha256
import hashlib, hmac
for d in (b"", b"abc", b"x" * 1000):
    print(len(d), hashlib.sha256(d).hexdigest())
print(hmac.new(b"key", b"msg", "sha256").hexdigest())
#: hash-sha384
import hashlib, hmac
for d in (b"", b"abc", b"x" * 1000):
    print(len(d), hashlib.sha384(d).hexdigest())
print(hmac.new(b"key", b"msg", "sha384").hexdigest())
#: hash-sha3-224
import hashlib, hmac
for d in (b"", b"abc", b"x" * 1000):
    print(len(d), hashlib.sha3_224(d).hexdigest())
print(hmac.new(b"key", b"msg", "sha3_224").hexdigest())
#: hash-sha3-256
import hashlib, hmac
for d in (b"", b"abc", b"x" * 1000):
    print(len(d), hashlib.sha3_256(d).hexdigest())
print(hmac.new(b"key", b"msg", "sha3_256").hexdigest())
#: hash-sha3-384
import hashlib, hmac
for d in (b"", b"abc", b"x" * 1000):
    print(len(d), hashlib.sha3_384(d).hexdigest())
print(hmac.new(b"key", b"msg", "sha3_384").hexdigest())
#: hash-blake2b
import hashlib, hmac
for d in (b"", b"abc", b"x" * 1000):
    print(len(d), hashlib.blake2b(d).hexdigest())
print(hmac.new(b"key", b"msg", "blake2b").hexdigest())
#: hash-blake2s
import hashlib, hmac
for d in (b"", b"abc", b"x" * 1000):
    print(len(d), hashlib.blake2s(d).hexdigest())
print(hmac.new(b"key", b"msg", "blake2s").hexdigest())
#: codec-utf-16
for t in ("plain", "naïve", "日本", "Привет", "€"):
    try:
        b = t.encode('utf-16')
        print(t, b.hex(), b.decode('utf-16') == t)
    except UnicodeError as e:
        print(t, type(e).__name__)
#: codec-utf-16-be
for t in ("plain", "naïve", "日本", "Привет", "€"):
    try:
        b = t.encode('utf-16-be')
        print(t, b.hex(), b.decode('utf-16-be') == t)
    except UnicodeError as e:
        print(t, type(e).__name__)
#: codec-utf-7
for t in ("plain", "naïve", "日本", "Привет", "€"):
    try:
        b = t.encode('utf-7')
        print(t, b.hex(), b.decode('utf-7') == t)
    except UnicodeError as e:
        print(t, type(e).__name__)
#: codec-latin-1
for t in ("plain", "naïve", "日本", "Привет", "€"):
    try:
        b = t.encode('latin-1')
        print(t, b.hex(), b.decode('latin-1') == t)
    except UnicodeError as e:
        print(t, type(e).__name__)
#: codec-cp437
for t in ("plain", "naïve", "日本", "Привет", "€"):
    try:
        b = t.encode('cp437')
        print(t, b.hex(), b.decode('cp437') == t)
    except UnicodeError as e:
        print(t, type(e).__name__)
#: codec-iso8859-15
for t in ("plain", "naïve", "日本", "Привет", "€"):
    try:
        b = t.encode('iso8859-15')
        print(t, b.hex(), b.decode('iso8859-15') == t)
    except UnicodeError as e:
        print(t, type(e).__name__)
#: codec-shift-jis
for t in ("plain", "naïve", "日本", "Привет", "€"):
    try:
        b = t.encode('shift_jis')
        print(t, b.hex(), b.decode('shift_jis') == t)
    except UnicodeError as e:
        print(t, type(e).__name__)
#: codec-gb18030
for t in ("plain", "naïve", "日本", "Привет", "€"):
    try:
        b = t.encode('gb18030')
        print(t, b.hex(), b.decode('gb18030') == t)
    except UnicodeError as e:
        print(t, type(e).__name__)
#: codec-euc-kr
for t in ("plain", "naïve", "日本", "Привет", "€"):
    try:
        b = t.encode('euc-kr')
        print(t, b.hex(), b.decode('euc-kr') == t)
    except UnicodeError as e:
        print(t, type(e).__name__)
#: codec-ascii
for t in ("plain", "naïve", "日本", "Привет", "€"):
    try:
        b = t.encode('ascii')
        print(t, b.hex(), b.decode('ascii') == t)
    except UnicodeError as e:
        print(t, type(e).__name__)
#: codec-punycode
for t in ("plain", "naïve", "日本", "Привет", "€"):
    try:
        b = t.encode('punycode')
        print(t, b.hex(), b.decode('punycode') == t)
    except UnicodeError as e:
        print(t, type(e).__name__)
#: codec-unicode-escape
for t in ("plain", "naïve", "日本", "Привет", "€"):
    try:
        b = t.encode('unicode_escape')
        print(t, b.hex(), b.decode('unicode_escape') == t)
    except UnicodeError as e:
        print(t, type(e).__name__)
#: codec-raw-unicode-escape
for t in ("plain", "naïve", "日本", "Привет", "€"):
    try:
        b = t.encode('raw_unicode_escape')
        print(t, b.hex(), b.decode('raw_unicode_escape') == t)
    except UnicodeError as e:
        print(t, type(e).__name__)
