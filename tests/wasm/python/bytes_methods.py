# SPDX-License-Identifier: Apache-2.0
# Each method of bytes and bytearray over the same values.
#: hex
values = [b"abcab", b"", b"A\x00b", b"\xff\xfe", b"42"]
for v in values:
    r = v.hex("-", 2)
    print(v, r, bytearray(v).hex("-", 2) == r)
#: decode
values = [b"abcab", b"", b"A\x00b", b"\xff\xfe", b"42"]
for v in values:
    r = v.decode("latin-1")
    print(v, r, bytearray(v).decode("latin-1") == r)
#: swapcase
values = [b"abcab", b"", b"A\x00b", b"\xff\xfe", b"42"]
for v in values:
    r = v.swapcase()
    print(v, r, bytearray(v).swapcase() == r)
#: split
values = [b"abcab", b"", b"A\x00b", b"\xff\xfe", b"42"]
for v in values:
    r = v.split(b"b")
    print(v, r, bytearray(v).split(b"b") == r)
#: replace
values = [b"abcab", b"", b"A\x00b", b"\xff\xfe", b"42"]
for v in values:
    r = v.replace(b"a", b"ZZ")
    print(v, r, bytearray(v).replace(b"a", b"ZZ") == r)
#: find
values = [b"abcab", b"", b"A\x00b", b"\xff\xfe", b"42"]
for v in values:
    r = v.find(b"b")
    print(v, r, bytearray(v).find(b"b") == r)
#: strip
values = [b"abcab", b"", b"A\x00b", b"\xff\xfe", b"42"]
for v in values:
    r = v.strip(b"ab")
    print(v, r, bytearray(v).strip(b"ab") == r)
#: ljust
values = [b"abcab", b"", b"A\x00b", b"\xff\xfe", b"42"]
for v in values:
    r = v.ljust(6, b".")
    print(v, r, bytearray(v).ljust(6, b".") == r)
#: zfill
values = [b"abcab", b"", b"A\x00b", b"\xff\xfe", b"42"]
for v in values:
    r = v.zfill(5)
    print(v, r, bytearray(v).zfill(5) == r)
#: startswith
values = [b"abcab", b"", b"A\x00b", b"\xff\xfe", b"42"]
for v in values:
    r = v.startswith(b"ab")
    print(v, r, bytearray(v).startswith(b"ab") == r)
#: translate
values = [b"abcab", b"", b"A\x00b", b"\xff\xfe", b"42"]
for v in values:
    r = v.translate(None, b"ac")
    print(v, r, bytearray(v).translate(None, b"ac") == r)
#: join
values = [b"abcab", b"", b"A\x00b", b"\xff\xfe", b"42"]
for v in values:
    r = v.join([b"1", b"2"])
    print(v, r, bytearray(v).join([b"1", b"2"]) == r)
#: isascii
values = [b"abcab", b"", b"A\x00b", b"\xff\xfe", b"42"]
for v in values:
    r = v.isascii()
    print(v, r, bytearray(v).isascii() == r)
#: expandtabs
values = [b"abcab", b"", b"A\x00b", b"\xff\xfe", b"42"]
for v in values:
    r = v.expandtabs(3)
    print(v, r, bytearray(v).expandtabs(3) == r)
