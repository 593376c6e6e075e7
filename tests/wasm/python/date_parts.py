# SPDX-License-Identifier: Apache-2.0
# Directives of strftime and parts of dates, each over the same days.
#: directive-lower-y
from datetime import datetime, timedelta
d = datetime(2023, 12, 30, 22, 5, 9, 70)
for i in range(4):
    t = d + timedelta(days=17 * i, hours=5 * i)
    print(t.isoformat(), t.strftime("%y"))
#: directive-lower-m
from datetime import datetime, timedelta
d = datetime(2023, 12, 30, 22, 5, 9, 70)
for i in range(4):
    t = d + timedelta(days=17 * i, hours=5 * i)
    print(t.isoformat(), t.strftime("%m"))
#: directive-lower-d
from datetime import datetime, timedelta
d = datetime(2023, 12, 30, 22, 5, 9, 70)
for i in range(4):
    t = d + timedelta(days=17 * i, hours=5 * i)
    print(t.isoformat(), t.strftime("%d"))
#: directive-upper-I
from datetime import datetime, timedelta
d = datetime(2023, 12, 30, 22, 5, 9, 70)
for i in range(4):
    t = d + timedelta(days=17 * i, hours=5 * i)
    print(t.isoformat(), t.strftime("%I"))
#: directive-upper-M
from datetime import datetime, timedelta
d = datetime(2023, 12, 30, 22, 5, 9, 70)
for i in range(4):
    t = d + timedelta(days=17 * i, hours=5 * i)
    print(t.isoformat(), t.strftime("%M"))
#: directive-lower-f
from datetime import datetime, timedelta
d = datetime(2023, 12, 30, 22, 5, 9, 70)
for i in range(4):
    t = d + timedelta(days=17 * i, hours=5 * i)
    print(t.isoformat(), t.strftime("%f"))
#: directive-lower-j
from datetime import datetime, timedelta
d = datetime(2023, 12, 30, 22, 5, 9, 70)
for i in range(4):
    t = d + timedelta(days=17 * i, hours=5 * i)
    print(t.isoformat(), t.strftime("%j"))
#: directive-upper-A
from datetime import datetime, timedelta
d = datetime(2023, 12, 30, 22, 5, 9, 70)
for i in range(4):
    t = d + timedelta(days=17 * i, hours=5 * i)
    print(t.isoformat(), t.strftime("%A"))
#: directive-lower-b
from datetime import datetime, timedelta
d = datetime(2023, 12, 30, 22, 5, 9, 70)
for i in range(4):
    t = d + timedelta(days=17 * i, hours=5 * i)
    print(t.isoformat(), t.strftime("%b"))
#: directive-lower-p
from datetime import datetime, timedelta
d = datetime(2023, 12, 30, 22, 5, 9, 70)
for i in range(4):
    t = d + timedelta(days=17 * i, hours=5 * i)
    print(t.isoformat(), t.strftime("%p"))
#: directive-upper-U
from datetime import datetime, timedelta
d = datetime(2023, 12, 30, 22, 5, 9, 70)
for i in range(4):
    t = d + timedelta(days=17 * i, hours=5 * i)
    print(t.isoformat(), t.strftime("%U"))
#: directive-lower-w
from datetime import datetime, timedelta
d = datetime(2023, 12, 30, 22, 5, 9, 70)
for i in range(4):
    t = d + timedelta(days=17 * i, hours=5 * i)
    print(t.isoformat(), t.strftime("%w"))
#: directive-lower-u
from datetime import datetime, timedelta
d = datetime(2023, 12, 30, 22, 5, 9, 70)
for i in range(4):
    t = d + timedelta(days=17 * i, hours=5 * i)
    print(t.isoformat(), t.strftime("%u"))
#: directive-upper-G
from datetime import datetime, timedelta
d = datetime(2023, 12, 30, 22, 5, 9, 70)
for i in range(4):
    t = d + timedelta(days=17 * i, hours=5 * i)
    print(t.isoformat(), t.strftime("%G"))
#: isocalendar
from datetime import date, timedelta
for d in (date(2000, 2, 29), date(1999, 12, 31), date(2024, 7, 4), date(1970, 1, 1)):
    print(d, tuple(d.isocalendar()))
#: month-end
from datetime import date, timedelta
for d in (date(2000, 2, 29), date(1999, 12, 31), date(2024, 7, 4), date(1970, 1, 1)):
    print(d, (d.replace(day=28) + timedelta(4)).replace(day=1) - timedelta(1))
#: next-monday
from datetime import date, timedelta
for d in (date(2000, 2, 29), date(1999, 12, 31), date(2024, 7, 4), date(1970, 1, 1)):
    print(d, d + timedelta(7 - d.weekday()))
#: quarter
from datetime import date, timedelta
for d in (date(2000, 2, 29), date(1999, 12, 31), date(2024, 7, 4), date(1970, 1, 1)):
    print(d, f"{d.year}-Q{(d.month + 2) // 3}")
#: days-left
from datetime import date, timedelta
for d in (date(2000, 2, 29), date(1999, 12, 31), date(2024, 7, 4), date(1970, 1, 1)):
    print(d, (date(d.year, 12, 31) - d).days)
#: leap
from datetime import date, timedelta
for d in (date(2000, 2, 29), date(1999, 12, 31), date(2024, 7, 4), date(1970, 1, 1)):
    print(d, d.year % 4 == 0 and (d.year % 100 != 0 or d.year % 400 == 0))
#: week-start
from datetime import date, timedelta
for d in (date(2000, 2, 29), date(1999, 12, 31), date(2024, 7, 4), date(1970, 1, 1)):
    print(d, d - timedelta(d.weekday()))
#: swap
from datetime import date, timedelta
for d in (date(2000, 2, 29), date(1999, 12, 31), date(2024, 7, 4), date(1970, 1, 1)):
    print(d, d.replace(year=d.year + 400).weekday() == d.weekday())
