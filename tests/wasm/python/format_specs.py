# SPDX-License-Identifier: Apache-2.0
# Each format specification over the same values.
#: spec-01
spec = '5d'
for v in (65, 0, -7, 123456):
    try:
        print(repr(format(v, spec)), repr("{:5d}".format(v)) == repr(f"{v:{spec}}"))
    except (ValueError, OverflowError) as e:
        print(v, type(e).__name__)
#: spec-02
spec = '<5d'
for v in (65, 0, -7, 123456):
    try:
        print(repr(format(v, spec)), repr("{:<5d}".format(v)) == repr(f"{v:{spec}}"))
    except (ValueError, OverflowError) as e:
        print(v, type(e).__name__)
#: spec-04
spec = '+d'
for v in (65, 0, -7, 123456):
    try:
        print(repr(format(v, spec)), repr("{:+d}".format(v)) == repr(f"{v:{spec}}"))
    except (ValueError, OverflowError) as e:
        print(v, type(e).__name__)
#: spec-05
spec = ' d'
for v in (65, 0, -7, 123456):
    try:
        print(repr(format(v, spec)), repr("{: d}".format(v)) == repr(f"{v:{spec}}"))
    except (ValueError, OverflowError) as e:
        print(v, type(e).__name__)
#: spec-07
spec = ',d'
for v in (65, 0, -7, 123456):
    try:
        print(repr(format(v, spec)), repr("{:,d}".format(v)) == repr(f"{v:{spec}}"))
    except (ValueError, OverflowError) as e:
        print(v, type(e).__name__)
#: spec-08
spec = '_d'
for v in (65, 0, -7, 123456):
    try:
        print(repr(format(v, spec)), repr("{:_d}".format(v)) == repr(f"{v:{spec}}"))
    except (ValueError, OverflowError) as e:
        print(v, type(e).__name__)
#: spec-10
spec = '#b'
for v in (65, 0, -7, 123456):
    try:
        print(repr(format(v, spec)), repr("{:#b}".format(v)) == repr(f"{v:{spec}}"))
    except (ValueError, OverflowError) as e:
        print(v, type(e).__name__)
#: spec-11
spec = 'o'
for v in (65, 0, -7, 123456):
    try:
        print(repr(format(v, spec)), repr("{:o}".format(v)) == repr(f"{v:{spec}}"))
    except (ValueError, OverflowError) as e:
        print(v, type(e).__name__)
#: spec-13
spec = 'X'
for v in (65, 0, -7, 123456):
    try:
        print(repr(format(v, spec)), repr("{:X}".format(v)) == repr(f"{v:{spec}}"))
    except (ValueError, OverflowError) as e:
        print(v, type(e).__name__)
#: spec-14
spec = 'c'
for v in (65, 0, -7, 123456):
    try:
        print(repr(format(v, spec)), repr("{:c}".format(v)) == repr(f"{v:{spec}}"))
    except (ValueError, OverflowError) as e:
        print(v, type(e).__name__)
#: spec-16
spec = 'e'
for v in (65, 0, -7, 123456):
    try:
        print(repr(format(v, spec)), repr("{:e}".format(v)) == repr(f"{v:{spec}}"))
    except (ValueError, OverflowError) as e:
        print(v, type(e).__name__)
#: spec-17
spec = '.2f'
for v in (65, 0, -7, 123456):
    try:
        print(repr(format(v, spec)), repr("{:.2f}".format(v)) == repr(f"{v:{spec}}"))
    except (ValueError, OverflowError) as e:
        print(v, type(e).__name__)
#: spec-19
spec = '%'
for v in (65, 0, -7, 123456):
    try:
        print(repr(format(v, spec)), repr("{:%}".format(v)) == repr(f"{v:{spec}}"))
    except (ValueError, OverflowError) as e:
        print(v, type(e).__name__)
#: spec-20
spec = 'g'
for v in (65, 0, -7, 123456):
    try:
        print(repr(format(v, spec)), repr("{:g}".format(v)) == repr(f"{v:{spec}}"))
    except (ValueError, OverflowError) as e:
        print(v, type(e).__name__)
#: spec-22
spec = '*>8'
for v in (65, 0, -7, 123456):
    try:
        print(repr(format(v, spec)), repr("{:*>8}".format(v)) == repr(f"{v:{spec}}"))
    except (ValueError, OverflowError) as e:
        print(v, type(e).__name__)
#: spec-23
spec = '=+8'
for v in (65, 0, -7, 123456):
    try:
        print(repr(format(v, spec)), repr("{:=+8}".format(v)) == repr(f"{v:{spec}}"))
    except (ValueError, OverflowError) as e:
        print(v, type(e).__name__)
#: spec-24
spec = '#010x'
for v in (65, 0, -7, 123456):
    try:
        print(repr(format(v, spec)), repr("{:#010x}".format(v)) == repr(f"{v:{spec}}"))
    except (ValueError, OverflowError) as e:
        print(v, type(e).__name__)
#: float-spec-00
for v in (3.14159, -0.5, 1e10, 2.5e-7, float("inf")):
    print(v, "[" + format(v, '.0f') + "]")
print(repr(f"{2/3:.0f}"))
#: float-spec-01
for v in (3.14159, -0.5, 1e10, 2.5e-7, float("inf")):
    print(v, "[" + format(v, '.3f') + "]")
print(repr(f"{2/3:.3f}"))
#: float-spec-03
for v in (3.14159, -0.5, 1e10, 2.5e-7, float("inf")):
    print(v, "[" + format(v, '.1e') + "]")
print(repr(f"{2/3:.1e}"))
#: float-spec-04
for v in (3.14159, -0.5, 1e10, 2.5e-7, float("inf")):
    print(v, "[" + format(v, 'g') + "]")
print(repr(f"{2/3:g}"))
#: float-spec-06
for v in (3.14159, -0.5, 1e10, 2.5e-7, float("inf")):
    print(v, "[" + format(v, '%') + "]")
print(repr(f"{2/3:%}"))
#: float-spec-07
for v in (3.14159, -0.5, 1e10, 2.5e-7, float("inf")):
    print(v, "[" + format(v, '.1%') + "]")
print(repr(f"{2/3:.1%}"))
#: float-spec-09
for v in (3.14159, -0.5, 1e10, 2.5e-7, float("inf")):
    print(v, "[" + format(v, '+.2f') + "]")
print(repr(f"{2/3:+.2f}"))
#: float-spec-10
for v in (3.14159, -0.5, 1e10, 2.5e-7, float("inf")):
    print(v, "[" + format(v, '012.3f') + "]")
print(repr(f"{2/3:012.3f}"))
#: float-spec-12
for v in (3.14159, -0.5, 1e10, 2.5e-7, float("inf")):
    print(v, "[" + format(v, '^12.2f') + "]")
print(repr(f"{2/3:^12.2f}"))
#: float-spec-13
for v in (3.14159, -0.5, 1e10, 2.5e-7, float("inf")):
    print(v, "[" + format(v, '#.3g') + "]")
print(repr(f"{2/3:#.3g}"))
#: text-spec-00
for v in ("", "ab", "longer text"):
    print("[" + format(v, 's') + "]")
print(len(f"{'xyz':s}"))
#: text-spec-01
for v in ("", "ab", "longer text"):
    print("[" + format(v, '8') + "]")
print(len(f"{'xyz':8}"))
#: text-spec-03
for v in ("", "ab", "longer text"):
    print("[" + format(v, '^9') + "]")
print(len(f"{'xyz':^9}"))
#: text-spec-04
for v in ("", "ab", "longer text"):
    print("[" + format(v, '*<6') + "]")
print(len(f"{'xyz':*<6}"))
#: text-spec-05
for v in ("", "ab", "longer text"):
    print("[" + format(v, '.3') + "]")
print(len(f"{'xyz':.3}"))
#: text-spec-07
for v in ("", "ab", "longer text"):
    print("[" + format(v, '-^12.4') + "]")
print(len(f"{'xyz':-^12.4}"))
