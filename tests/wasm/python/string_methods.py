# SPDX-License-Identifier: Apache-2.0
# Each method of str over the same texts.
#: upper
texts = ["Hello World", "abc", "", "ÄÖ ß", "123", "a-b_c d\t", "x\ny"]
for t in texts:
    print(repr(t), repr(t.upper()))
print(len({repr(t.upper()) for t in texts}))
#: lower
texts = ["Hello World", "abc", "", "ÄÖ ß", "123", "a-b_c d\t", "x\ny"]
for t in texts:
    print(repr(t), repr(t.lower()))
print(len({repr(t.lower()) for t in texts}))
#: swapcase
texts = ["Hello World", "abc", "", "ÄÖ ß", "123", "a-b_c d\t", "x\ny"]
for t in texts:
    print(repr(t), repr(t.swapcase()))
print(len({repr(t.swapcase()) for t in texts}))
#: casefold
texts = ["Hello World", "abc", "", "ÄÖ ß", "123", "a-b_c d\t", "x\ny"]
for t in texts:
    print(repr(t), repr(t.casefold()))
print(len({repr(t.casefold()) for t in texts}))
#: capitalize
texts = ["Hello World", "abc", "", "ÄÖ ß", "123", "a-b_c d\t", "x\ny"]
for t in texts:
    print(repr(t), repr(t.capitalize()))
print(len({repr(t.capitalize()) for t in texts}))
#: isdigit
texts = ["Hello World", "abc", "", "ÄÖ ß", "123", "a-b_c d\t", "x\ny"]
for t in texts:
    print(repr(t), repr(t.isdigit()))
print(len({repr(t.isdigit()) for t in texts}))
#: isspace
texts = ["Hello World", "abc", "", "ÄÖ ß", "123", "a-b_c d\t", "x\ny"]
for t in texts:
    print(repr(t), repr(t.isspace()))
print(len({repr(t.isspace()) for t in texts}))
#: isprintable
texts = ["Hello World", "abc", "", "ÄÖ ß", "123", "a-b_c d\t", "x\ny"]
for t in texts:
    print(repr(t), repr(t.isprintable()))
print(len({repr(t.isprintable()) for t in texts}))
#: istitle
texts = ["Hello World", "abc", "", "ÄÖ ß", "123", "a-b_c d\t", "x\ny"]
for t in texts:
    print(repr(t), repr(t.istitle()))
print(len({repr(t.istitle()) for t in texts}))
#: islower
texts = ["Hello World", "abc", "", "ÄÖ ß", "123", "a-b_c d\t", "x\ny"]
for t in texts:
    print(repr(t), repr(t.islower()))
print(len({repr(t.islower()) for t in texts}))
#: split
texts = ["Hello World", "abc", "", "ÄÖ ß", "123", "a-b_c d\t", "x\ny"]
for t in texts:
    print(repr(t), repr(t.split()))
print(len({repr(t.split()) for t in texts}))
#: encode
texts = ["Hello World", "abc", "", "ÄÖ ß", "123", "a-b_c d\t", "x\ny"]
for t in texts:
    print(repr(t), repr(t.encode()))
print(len({repr(t.encode()) for t in texts}))
#: strip
texts = ["Hello World", "abc", "", "ÄÖ ß", "123", "a-b_c d\t", "x\ny"]
for t in texts:
    print(repr(t), repr(t.strip("ad ")))
print(len({repr(t.strip("ad ")) for t in texts}))
#: ljust
texts = ["Hello World", "abc", "", "ÄÖ ß", "123", "a-b_c d\t", "x\ny"]
for t in texts:
    print(repr(t), repr(t.ljust(9, ".")))
print(len({repr(t.ljust(9, ".")) for t in texts}))
#: rjust
texts = ["Hello World", "abc", "", "ÄÖ ß", "123", "a-b_c d\t", "x\ny"]
for t in texts:
    print(repr(t), repr(t.rjust(9)))
print(len({repr(t.rjust(9)) for t in texts}))
#: count
texts = ["Hello World", "abc", "", "ÄÖ ß", "123", "a-b_c d\t", "x\ny"]
for t in texts:
    print(repr(t), repr(t.count("l")))
print(len({repr(t.count("l")) for t in texts}))
#: find
texts = ["Hello World", "abc", "", "ÄÖ ß", "123", "a-b_c d\t", "x\ny"]
for t in texts:
    print(repr(t), repr(t.find("o")))
print(len({repr(t.find("o")) for t in texts}))
#: replace
texts = ["Hello World", "abc", "", "ÄÖ ß", "123", "a-b_c d\t", "x\ny"]
for t in texts:
    print(repr(t), repr(t.replace("l", "L")))
print(len({repr(t.replace("l", "L")) for t in texts}))
#: partition
texts = ["Hello World", "abc", "", "ÄÖ ß", "123", "a-b_c d\t", "x\ny"]
for t in texts:
    print(repr(t), repr(t.partition(" ")))
print(len({repr(t.partition(" ")) for t in texts}))
#: startswith
texts = ["Hello World", "abc", "", "ÄÖ ß", "123", "a-b_c d\t", "x\ny"]
for t in texts:
    print(repr(t), repr(t.startswith(("a", "H"))))
print(len({repr(t.startswith(("a", "H"))) for t in texts}))
#: endswith
texts = ["Hello World", "abc", "", "ÄÖ ß", "123", "a-b_c d\t", "x\ny"]
for t in texts:
    print(repr(t), repr(t.endswith("d")))
print(len({repr(t.endswith("d")) for t in texts}))
#: expandtabs
texts = ["Hello World", "abc", "", "ÄÖ ß", "123", "a-b_c d\t", "x\ny"]
for t in texts:
    print(repr(t), repr(t.expandtabs(4)))
print(len({repr(t.expandtabs(4)) for t in texts}))
#: removesuffix
texts = ["Hello World", "abc", "", "ÄÖ ß", "123", "a-b_c d\t", "x\ny"]
for t in texts:
    print(repr(t), repr(t.removesuffix("c")))
print(len({repr(t.removesuffix("c")) for t in texts}))
#: join
texts = ["Hello World", "abc", "", "ÄÖ ß", "123", "a-b_c d\t", "x\ny"]
for t in texts:
    print(repr(t), repr(t.join(["1", "2", "3"])))
print(len({repr(t.join(["1", "2", "3"])) for t in texts}))
#: rsplit
texts = ["Hello World", "abc", "", "ÄÖ ß", "123", "a-b_c d\t", "x\ny"]
for t in texts:
    print(repr(t), repr(t.rsplit(None, 1)))
print(len({repr(t.rsplit(None, 1)) for t in texts}))
