# SPDX-License-Identifier: Apache-2.0
# Functions of statistics, decimal and fractions, each over the same data.
#: stat-mean
import statistics as st
for data in ([1, 2, 3, 4], [5, 5, 7], [2, 9, 4, 4, 1], [10, 20]):
    r = st.mean(data)
    print(data, r if isinstance(r, (int, list)) else f"{r:.9f}")
#: stat-fmean
import statistics as st
for data in ([1, 2, 3, 4], [5, 5, 7], [2, 9, 4, 4, 1], [10, 20]):
    r = st.fmean(data)
    print(data, r if isinstance(r, (int, list)) else f"{r:.9f}")
#: stat-median-low
import statistics as st
for data in ([1, 2, 3, 4], [5, 5, 7], [2, 9, 4, 4, 1], [10, 20]):
    r = st.median_low(data)
    print(data, r if isinstance(r, (int, list)) else f"{r:.9f}")
#: stat-median-high
import statistics as st
for data in ([1, 2, 3, 4], [5, 5, 7], [2, 9, 4, 4, 1], [10, 20]):
    r = st.median_high(data)
    print(data, r if isinstance(r, (int, list)) else f"{r:.9f}")
#: stat-mode
import statistics as st
for data in ([1, 2, 3, 4], [5, 5, 7], [2, 9, 4, 4, 1], [10, 20]):
    r = st.mode(data)
    print(data, r if isinstance(r, (int, list)) else f"{r:.9f}")
#: stat-multimode
import statistics as st
for data in ([1, 2, 3, 4], [5, 5, 7], [2, 9, 4, 4, 1], [10, 20]):
    r = st.multimode(data)
    print(data, r if isinstance(r, (int, list)) else f"{r:.9f}")
#: stat-pvariance
import statistics as st
for data in ([1, 2, 3, 4], [5, 5, 7], [2, 9, 4, 4, 1], [10, 20]):
    r = st.pvariance(data)
    print(data, r if isinstance(r, (int, list)) else f"{r:.9f}")
#: stat-stdev
import statistics as st
for data in ([1, 2, 3, 4], [5, 5, 7], [2, 9, 4, 4, 1], [10, 20]):
    r = st.stdev(data)
    print(data, r if isinstance(r, (int, list)) else f"{r:.9f}")
#: stat-harmonic-mean
import statistics as st
for data in ([1, 2, 3, 4], [5, 5, 7], [2, 9, 4, 4, 1], [10, 20]):
    r = st.harmonic_mean(data)
    print(data, r if isinstance(r, (int, list)) else f"{r:.9f}")
#: stat-geometric-mean
import statistics as st
for data in ([1, 2, 3, 4], [5, 5, 7], [2, 9, 4, 4, 1], [10, 20]):
    r = st.geometric_mean(data)
    print(data, r if isinstance(r, (int, list)) else f"{r:.9f}")
#: decimal-sqrt
from decimal import Decimal, getcontext
getcontext().prec = 18
for s in ("1", "2.50", "12.345", "0.007", "100"):
    x = Decimal(s)
    print(s, x.sqrt())
#: decimal-ln
from decimal import Decimal, getcontext
getcontext().prec = 18
for s in ("1", "2.50", "12.345", "0.007", "100"):
    x = Decimal(s)
    print(s, x.ln())
#: decimal-log10
from decimal import Decimal, getcontext
getcontext().prec = 18
for s in ("1", "2.50", "12.345", "0.007", "100"):
    x = Decimal(s)
    print(s, x.log10())
#: decimal-quantize
from decimal import Decimal, getcontext
getcontext().prec = 18
for s in ("1", "2.50", "12.345", "0.007", "100"):
    x = Decimal(s)
    print(s, x.quantize(Decimal("0.1")))
#: decimal-normalize
from decimal import Decimal, getcontext
getcontext().prec = 18
for s in ("1", "2.50", "12.345", "0.007", "100"):
    x = Decimal(s)
    print(s, x.normalize())
#: decimal-ratio
from decimal import Decimal, getcontext
getcontext().prec = 18
for s in ("1", "2.50", "12.345", "0.007", "100"):
    x = Decimal(s)
    print(s, x.as_integer_ratio())
#: decimal-to-eng
from decimal import Decimal, getcontext
getcontext().prec = 18
for s in ("1", "2.50", "12.345", "0.007", "100"):
    x = Decimal(s)
    print(s, (x * 10 ** 7).normalize().to_eng_string())
#: decimal-scaleb
from decimal import Decimal, getcontext
getcontext().prec = 18
for s in ("1", "2.50", "12.345", "0.007", "100"):
    x = Decimal(s)
    print(s, x.scaleb(3))
#: decimal-adjusted
from decimal import Decimal, getcontext
getcontext().prec = 18
for s in ("1", "2.50", "12.345", "0.007", "100"):
    x = Decimal(s)
    print(s, x.adjusted())
#: decimal-remainder
from decimal import Decimal, getcontext
getcontext().prec = 18
for s in ("1", "2.50", "12.345", "0.007", "100"):
    x = Decimal(s)
    print(s, x.remainder_near(2))
#: decimal-logb
from decimal import Decimal, getcontext
getcontext().prec = 18
for s in ("1", "2.50", "12.345", "0.007", "100"):
    x = Decimal(s)
    print(s, x.logb())
#: fraction-limit
from fractions import Fraction
for s in ("1/2", "-7/3", "22/8", "0.3"):
    x = Fraction(s)
    print(x, x.limit_denominator(7))
#: fraction-power
from fractions import Fraction
for s in ("1/2", "-7/3", "22/8", "0.3"):
    x = Fraction(s)
    print(x, x ** 3)
#: fraction-floor
from fractions import Fraction
for s in ("1/2", "-7/3", "22/8", "0.3"):
    x = Fraction(s)
    print(x, x // 1, x % 1)
#: fraction-round
from fractions import Fraction
for s in ("1/2", "-7/3", "22/8", "0.3"):
    x = Fraction(s)
    print(x, round(x), round(x, 1))
#: fraction-ratio
from fractions import Fraction
for s in ("1/2", "-7/3", "22/8", "0.3"):
    x = Fraction(s)
    print(x, x.as_integer_ratio())
#: fraction-compare
from fractions import Fraction
for s in ("1/2", "-7/3", "22/8", "0.3"):
    x = Fraction(s)
    print(x, x > Fraction(1, 2), x == 0.5)
#: fraction-str
from fractions import Fraction
for s in ("1/2", "-7/3", "22/8", "0.3"):
    x = Fraction(s)
    print(x, str(x), repr(x))
