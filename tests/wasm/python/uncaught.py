# SPDX-License-Identifier: Apache-2.0
# Programs which end by an uncaught exception or with a status.
#: KeyError
def report(step):
    print("step", step)
report(1)
{"a": 1}["b"]
report(2)
#: IndexError
def report(step):
    print("step", step)
report(1)
[1, 2][5]
report(2)
#: TypeError
def report(step):
    print("step", step)
report(1)
"a" + 1
report(2)
#: AttributeError
def report(step):
    print("step", step)
report(1)
(5).nothing
report(2)
#: NameError
def report(step):
    print("step", step)
report(1)
unknown_thing
report(2)
#: FileNotFoundError
def report(step):
    print("step", step)
report(1)
open("absent.txt")
report(2)
#: IsADirectoryError
def report(step):
    print("step", step)
report(1)
open(".")
report(2)
#: StopIteration
def report(step):
    print("step", step)
report(1)
next(iter([]))
report(2)
#: UnicodeDecodeError
def report(step):
    print("step", step)
report(1)
b"\xff".decode()
report(2)
#: OverflowError
def report(step):
    print("step", step)
report(1)
2.0 ** 10000
report(2)
#: ModuleNotFoundError
def report(step):
    print("step", step)
report(1)
__import__("absent_module")
report(2)
#: EOFError
def report(step):
    print("step", step)
report(1)
input()
report(2)
#: LookupError
def report(step):
    print("step", step)
report(1)
"x".encode("no-such-codec")
report(2)
#: MemoryError
def report(step):
    print("step", step)
report(1)
def check(flag):
    if flag:
        raise MemoryError("raised on purpose")
check(True)
report(2)
#: OSError
def report(step):
    print("step", step)
report(1)
def check(flag):
    if flag:
        raise OSError("raised on purpose")
check(True)
report(2)
#: UnboundLocalError
def report(step):
    print("step", step)
report(1)
def f():
    x += 1
f()
report(2)
#: TimeoutError
def report(step):
    print("step", step)
report(1)
def check(flag):
    if flag:
        raise TimeoutError("raised on purpose")
check(True)
report(2)
#: PermissionError
def report(step):
    print("step", step)
report(1)
def check(flag):
    if flag:
        raise PermissionError("raised on purpose")
check(True)
report(2)
#: ArithmeticError
def report(step):
    print("step", step)
report(1)
def check(flag):
    if flag:
        raise ArithmeticError("raised on purpose")
check(True)
report(2)
#: json-error
def report(step):
    print("step", step)
report(1)
__import__("json").loads("{")
report(2)
#: re-error
def report(step):
    print("step", step)
report(1)
__import__("re").compile("(")
report(2)
#: decimal-error
def report(step):
    print("step", step)
report(1)
__import__("decimal").Decimal("x1")
report(2)
#: statistics-error
def report(step):
    print("step", step)
report(1)
__import__("statistics").mean([])
report(2)
#: csv-error
def report(step):
    print("step", step)
report(1)
__import__("csv").reader(5)
report(2)
#: graphlib-error
def report(step):
    print("step", step)
report(1)
list(__import__("graphlib").TopologicalSorter({1: [1]}).static_order())
report(2)
#: binascii-error
def report(step):
    print("step", step)
report(1)
__import__("binascii").unhexlify("abc")
report(2)
#: exit-1
import sys
print("status", 1)
if 1 % 2:
    sys.exit(1)
raise SystemExit(1)
#: exit-2
import sys
print("status", 2)
if 2 % 2:
    sys.exit(2)
raise SystemExit(2)
#: exit-13
import sys
print("status", 13)
if 13 % 2:
    sys.exit(13)
raise SystemExit(13)
#: exit-42
import sys
print("status", 42)
if 42 % 2:
    sys.exit(42)
raise SystemExit(42)
#: exit-99
import sys
print("status", 99)
if 99 % 2:
    sys.exit(99)
raise SystemExit(99)
#: exit-100
import sys
print("status", 100)
if 100 % 2:
    sys.exit(100)
raise SystemExit(100)
#: exit-125
import sys
print("status", 125)
if 125 % 2:
    sys.exit(125)
raise SystemExit(125)
