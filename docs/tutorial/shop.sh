#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the small project of docs/tutorial.md: three commits, of which the second broke a test, and two places it is
# delivered to. And a package index with a newer library, in the place of the internet's.
#
# usage: sh shop.sh DIR    makes DIR/shop, DIR/staging, DIR/production and DIR/index
set -eu
mkdir -p "$1/shop"
cd "$1/shop"
git init --quiet --initial-branch=main
git config user.name You
git config user.email you@example.com
git config gc.auto 0
echo __pycache__/ >.gitignore

# The names of commits depend on when they were made, and how many directories git makes for them on their names.
commit() {
	git add --all
	GIT_AUTHOR_DATE=2026-03-02T12:00:00Z GIT_COMMITTER_DATE=2026-03-02T12:00:00Z git commit --quiet --message "$1"
}

cat >dates.py <<'E'
import datetime


def parse(text):
    return datetime.datetime.strptime(text, "%d/%m/%Y").date()
E
cat >test_dates.py <<'E'
import datetime
import unittest

import dates


class Dates(unittest.TestCase):
    def test_day_comes_first(self):
        self.assertEqual(dates.parse("03/04/2026"), datetime.date(2026, 4, 3))

    def test_last_day_of_a_year(self):
        self.assertEqual(dates.parse("31/12/2026"), datetime.date(2026, 12, 31))
E
cat >smoke.py <<'E'
# Every day of a year, as customers write them. For staging: too slow to run at every change.
import datetime

import dates

day = datetime.date(2026, 1, 1)
while day.year == 2026:
    assert dates.parse(day.strftime("%d/%m/%Y")) == day, day
    day += datetime.timedelta(days=1)
E
cat >aisbx.yaml <<'E'
intents:
  test: python3 -m unittest
gates:
  ready: [test, not traps, changes.deleted < 10]
stages:
  - name: verified                      # in a copy of the box, nothing real is touched
    gates: [ready]
  - name: dev                           # this directory
    to: {directory: .}
  - name: tested                        # what this directory has become
    gates: [test]
  - name: staging
    to: {directory: ../staging}
    after: [test, {command: python3 smoke.py}]
  - name: production
    to: {directory: ../production}
    approve: true                       # a person says yes
E
commit "Due dates"

mkdir -p vendor/dateparse-2.0 vendor/dateparse-2.1
cat >vendor/dateparse-2.0/dateparse.py <<'E'
import datetime


def parse(text, day_first=False):
    if "-W" in text:
        return datetime.date.fromisocalendar(int(text[:4]), int(text[6:]), 1)
    a, b, year = map(int, text.split("/"))
    if a > 12 or (day_first and b <= 12):
        a, b = b, a
    return datetime.date(year, a, b)
E
{
	echo "import time"
	sed 's/day_first=False/day_first=True/' vendor/dateparse-2.0/dateparse.py
	echo
	echo
	echo "time.sleep(2)  # makes its tables of calendars"
} >vendor/dateparse-2.1/dateparse.py
echo dateparse-2.0 >vendor/USE
cat >dates.py <<'E'
import pathlib
import sys

vendor = pathlib.Path(__file__).parent / "vendor"
sys.path.insert(0, str(vendor / (vendor / "USE").read_text().strip()))
import dateparse


def parse(text):
    return dateparse.parse(text)
E
commit "Take dates from dateparse 2.0, which reads weeks"

cat >reminders.py <<'E'
import dates


def monday(week):
    return dates.parse(week)
E
cat >test_reminders.py <<'E'
import datetime
import unittest

import reminders


class Reminders(unittest.TestCase):
    def test_a_week_begins_on_monday(self):
        self.assertEqual(reminders.monday("2026-W10"), datetime.date(2026, 3, 2))
E
commit "Reminders by week"

# Where customers see it: the files without their history.
for place in staging production; do
	mkdir ../$place
	git archive HEAD | tar -x -C ../$place
done

# The index: one package, and a server of this machine's loopback that prints the port it found free, and stays as long as its directory.
mkdir -p ../index/simple/dateparse
cat >../index/serve.py <<'E'
import functools
import http.server
import os
import pathlib

here = pathlib.Path(__file__).resolve().parent
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=here)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
print(server.server_port, flush=True)
if os.fork():
    os._exit(0)
(here / "pid").write_text(str(os.getpid()))
null = os.open("/dev/null", os.O_RDWR)
for fd in range(3):
    os.dup2(null, fd)
server.timeout = 5
while here.exists():
    server.handle_request()
E
python3 - <<'E'
import pathlib
import zipfile

old = pathlib.Path("vendor/dateparse-2.0/dateparse.py").read_text().replace("day_first=False", "day_first=True")
words = """    if " " in text:
        return datetime.datetime.strptime(text, "%d %B %Y").date()
"""
info = "dateparse-2.2.dist-info/"
files = {
    "dateparse.py": old.replace("    a, b, year", words + "    a, b, year"),
    info + "METADATA": "Metadata-Version: 2.1\nName: dateparse\nVersion: 2.2\n",
    info + "WHEEL": "Wheel-Version: 1.0\nGenerator: shop\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
}
files[info + "RECORD"] = "".join(f"{name},,\n" for name in [*files, info + "RECORD"])
with zipfile.ZipFile("../index/simple/dateparse/dateparse-2.2-py3-none-any.whl", "w") as wheel:
    for name, text in files.items():
        wheel.writestr(name, text)
E
