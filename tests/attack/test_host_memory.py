# SPDX-License-Identifier: Apache-2.0
"""Attack 157, memory of the host: whatever names a box makes, who looks at them from outside holds at most 64 MiB.

What a program held is what the kernel says when it is reaped, with all it started itself. Controls: the measuring sees an allocation that goes
over, an ordinary box takes little, and the names are really there. With sanitizers memory is not what it is, so these run without.
"""
import json
import os
import subprocess
import sys

import box
import promote
import pytest
from promote import Shelf

pytestmark = pytest.mark.big

MOST = 64 << 10  # KiB
# A process of its own: what it has started is measured, and nothing of what pytest holds.
MEASURE = """
import json, resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
json.dump([done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, done.stdout.decode(), done.stderr.decode()], sys.stdout)
"""

LONG = """
import os
for k in range(10):
    os.mkdir(str(k))
    for i in range(5000):
        os.mknod(f'{k}/{i:05}' + 'n' * 244)
"""
DEEP = """
import os
for k in range(15):
    os.mkdir('d' * 250)
    os.chdir('d' * 250)
for i in range(50000):
    os.mknod(str(i))
"""
LINKS = """
import os
os.mknod('f')
for i in range(30000):
    os.link('f', f'{i:05}' + 'l' * 200)
"""
# Targets as long as they can be, which an answer quotes.
TARGETS = """
import os
for i in range(8000):
    os.symlink('t' * 4000, f'{i:05}' + 'n' * 240)
"""
MANY = """
import os
for i in range(12000):
    os.mknod(f'{i:05}' + 'n' * 200)
"""
# What is there, replaced or gone name by name.
GONE = """
import os
for n in os.listdir('many'):
    os.unlink('many/' + n)
"""
PACKAGES = """
import os
for k in range({k}):
    os.makedirs(f'node_modules/some-package-{k}/lib')
    for i in range(100):
        os.mknod(f'node_modules/some-package-{k}/lib/a-module-of-it-with-a-name-{i}.dat')
"""


def measured(lab, *words):
    """(exit status, KiB, standard output, standard error) of aisbx."""
    done = subprocess.run([sys.executable, "-S", "-c", MEASURE, box.aisbx(), *words], cwd=lab.project, env=lab.env, stdout=subprocess.PIPE,
                          check=True, timeout=300)
    return json.loads(done.stdout)


def looked_at(lab, *words, refuses=False):
    """What aisbx said, which took no more than it may. REFUSES: it may also say that there are too many, and where."""
    status, kib, out, err = measured(lab, *words)
    assert kib <= MOST, f"{words} took {kib >> 10} MiB"
    if refuses and status == 125:
        assert "more names than fit into the 64 MiB" in err and "nothing was changed" in err and "the directory with the most" in err, err
    else:
        assert status in (0, 1), (words, status, err)
    return status, out


@pytest.fixture
def lab(tmp_path):
    made = Shelf(tmp_path)
    made.ok("create", "b")
    yield made
    made.ok("rm", "b")  # pytest is slow at it


def names(lab):
    """As many as there are in the box's layer."""
    return sum(len(files) + len(dirs) for up in lab.state.glob("layers/*/project/up") for _, dirs, files in os.walk(up))


def test_157_the_measuring_sees_what_it_should(lab):
    """Controls: a little, and more than is allowed."""
    lab.py("b", "open('a', 'w').close()")
    _, kib, out, _ = measured(lab, "diff", "b")
    assert kib < 20 << 10 and "1 created" in out
    env = {**lab.env, "PYTHONMALLOC": "malloc"}
    eats = subprocess.run([sys.executable, "-S", "-c", MEASURE, sys.executable, "-S", "-c", "x = b'x' * (80 << 20)"], env=env, check=True,
                          stdout=subprocess.PIPE, timeout=60)
    assert json.loads(eats.stdout)[1] > MOST


@pytest.mark.parametrize("source, n", [(LONG, 50000), (DEEP, 50000), (LINKS, 30000), (TARGETS, 8000)], ids=["long", "deep", "links", "targets"])
def test_157_names_without_number(lab, source, n):
    lab.py("b", source)
    assert names(lab) >= n, "control: they are there"
    before = box.facts(lab.project)
    status, out = looked_at(lab, "diff", "b", refuses=source == DEEP)
    if status == 0:
        last = [line for line in out.splitlines() if line.endswith(" created")]
        assert last and int(last[0].split()[0]) >= n and "more changes, which are not listed" in out, "all are counted, some are listed"
    looked_at(lab, "promote", "b", "--dry-run", refuses=True)
    looked_at(lab, "gate", "check", "b", "changes<5")
    looked_at(lab, "run", "--box", "b", "--", "true")
    looked_at(lab, "snap", "b", "s")
    looked_at(lab, "gc")
    assert not box.changed(before, box.facts(lab.project))


def test_157_what_goes_name_by_name(lab):
    (lab.project / "many").mkdir()
    for i in range(10000):
        os.mknod(lab.project / "many" / f"{i:05}{'n' * 200}")
    lab.py("b", GONE)
    assert names(lab) >= 10000 and "10000 deleted" in looked_at(lab, "diff", "b")[1]
    looked_at(lab, "promote", "b", "--dry-run", refuses=True)


def test_157_the_guard(lab):
    """It runs the command in a box, compares, and tells."""
    status, kib, _, err = measured(lab, "guard", "--", promote.PYTHON, "-c", MANY)
    assert status == 0 and kib <= MOST and "12000 created" in err, (status, kib, err)


def test_157_a_refusal_changes_nothing(lab):
    lab.py("b", DEEP + "os.chdir('/'.join(['..'] * 15)); open('wanted', 'w').close()")
    before = box.facts(lab.project)
    status, _ = looked_at(lab, "promote", "b", refuses=True)
    assert status == 125 and not box.changed(before, box.facts(lab.project))
    assert [p.name for p in lab.state.glob("promotions/*")] == ["lock"]
    # A way out: what is wanted by its name, once what is in the way is gone.
    lab.sh("b", "rm -rf dddd*")
    assert looked_at(lab, "promote", "b")[0] == 0 and (lab.project / "wanted").exists()


def test_157_gates_are_closed_where_a_list_is_cut(lab):
    """What is asked of all changes is not asked of those that are listed only."""
    lab.py("b", MANY + "os.mknod('zz-last')")
    assert "zz-last" not in looked_at(lab, "diff", "b", "--json")[1], "control: it is one of those"
    status, out = looked_at(lab, "gate", "check", "b", "changes==12001", 'changed("zz-*")', "--json")
    assert status == 0, out
    status, out = looked_at(lab, "gate", "check", "b", 'not changed("zz-*")', "--json")
    assert status == 1, out


def test_157_answers_to_programs(lab):
    """The same over RPC, by whoever serves."""
    lab.py("b", MANY)
    code = (f"import subprocess, sys, json, resource\np = subprocess.Popen([{box.aisbx()!r}, 'rpc'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
            "p.stdin.write(json.dumps({'jsonrpc': '2.0', 'id': 1, 'method': 'box.diff', 'params': {'box': 'b'}}).encode() + b'\\n')\n"
            "p.stdin.flush()\nsaid = json.loads(p.stdout.readline())\np.stdin.close()\np.wait()\n"
            "r = said['result']\njson.dump([resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, len(r['changes']), r['more']['changes'], "
            "r['summary']['created']], sys.stdout)")
    done = subprocess.run([sys.executable, "-S", "-c", code], cwd=lab.project, env=lab.env, stdout=subprocess.PIPE, check=True, timeout=120)
    kib, listed, more, created = json.loads(done.stdout)
    assert kib <= MOST and listed + more == created == 12000 and 1000 < listed < 12000


def test_157_a_large_project_is_no_attack(lab):
    """Names as package managers make them go in and come back: 100,000 of them with AISBX_LONG=1, else fewer of the same."""
    n = 1000 if promote.LONG else 150
    lab.py("b", PACKAGES.replace("{k}", str(n), 1))
    assert looked_at(lab, "promote", "b", "--yes")[0] == 0
    assert sum(len(files) for _, _, files in os.walk(lab.project)) == n * 100
    assert looked_at(lab, "promote", "b", "--yes")[1] == "nothing to promote\n"
    assert looked_at(lab, "undo")[0] == 0 and not os.listdir(lab.project)
