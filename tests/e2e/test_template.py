# SPDX-License-Identifier: Apache-2.0
"""Templates: prepared boxes under a name. What they keep and what not, who sees them, how they end; recipes that build them."""
import contextlib
import json
import os
import statistics
import subprocess
import textwrap
import time
import zipfile

import pytest

import box
import rpc
from files import FileBox

LONG = bool(os.environ.get("AISBX_LONG"))


@pytest.fixture
def b(tmp_path):
    with contextlib.closing(FileBox(tmp_path)) as made:
        made.other = tmp_path / "other"
        made.other.mkdir()
        made.env["XDG_CONFIG_HOME"] = str(tmp_path / "config")
        yield made


def inside(b, name, script):
    """What SCRIPT prints in the box NAME."""
    result = b.ok("run", "--box", name, "--", "sh", "-c", script)
    assert "isolation" in result, result
    return result["stdout"]


def names(b):
    return [t["name"] for t in b.ok("template ls")["templates"]]


def prepare(b):
    """A box that changed everything a box can change."""
    b.sh("echo system > /etc/prepared 2>/dev/null || true; echo home > ~/tool; mkdir -p ~/.cache/pip; echo cache > ~/.cache/pip/warm; echo work > work.txt")


def sees(b, name):
    """What a box has of it."""
    out = inside(b, name, "cat ~/tool ~/.cache/pip/warm work.txt /etc/prepared 2>/dev/null; true").split()
    return sorted(out)


SYSTEM_TOO = ["system"] if box.IS_ROOT else []


def test_system_and_home_are_kept_and_the_project_is_not(b):
    prepare(b)
    t = b.ok("template save", "b", "ready")
    assert t["name"] == "ready" and t["project"] is None and t["image"] is None and t["profile"] == "dev" and t["recipe"] is None
    (b.other / "mine.txt").write_text("mine\n")
    made = b.ok("create", "new", "--from", "ready", "--project", b.other)
    assert made["project"] == str(b.other) and made["profile"] == "dev"
    assert sees(b, "new") == sorted(["home", "cache"] + SYSTEM_TOO)
    assert b.ok("diff", "new")["changes"] == []
    b.ok("create", "same", "--from", "ready")
    assert sees(b, "same") == sorted(["home", "cache"] + SYSTEM_TOO), "the same project, without the changes of the box"
    assert [c["path"] for c in b.ok("diff", "b")["changes"]] == ["work.txt"], "the box has them still"


def test_with_the_project_it_is_for_that_project(b):
    prepare(b)
    (b.project / "real.txt").write_text("real\n")
    t = b.ok("template save", "--with-project", "b", "all")
    assert t["project"] == str(b.project)
    b.ok("create", "new", "--from", "all")
    assert sees(b, "new") == sorted(["home", "cache", "work"] + SYSTEM_TOO)
    assert [c["path"] for c in b.ok("diff", "new")["changes"]] == ["work.txt"]
    assert "only for that one" in b.refused("EINVAL", "create", "--from", "all", "--project", b.other)
    b.ok("promote", "new")
    assert (b.project / "work.txt").read_text() == "work\n"


def test_it_outlives_its_box_and_what_comes_after(b):
    prepare(b)
    b.ok("template save", "b", "ready")
    b.sh("echo later > ~/tool")
    b.ok("create", "one", "--from", "ready")
    inside(b, "one", "echo changed > ~/tool")
    b.ok("rm", "b")
    b.ok("gc")
    b.ok("create", "two", "--from", "ready")
    assert "home" in sees(b, "two") and "changed" in sees(b, "one")
    b.ok("template rm", "ready")
    b.ok("gc")
    assert "home" in sees(b, "two") and names(b) == []
    assert "there is no template" in b.refused("ENOENT", "create", "--from", "ready")
    b.ok("rm", "one", "two")
    b.ok("gc")
    assert os.listdir(b.state / "aisbx/layers") == []


def test_of_a_snapshot_of_a_live_box_and_of_a_box_from_a_template(b):
    b.sh("echo first > ~/tool")
    b.ok("snap", "b", "early")
    b.sh("echo second > ~/tool")
    b.ok("template save", "b@early", "early")
    with b.live("echo live > ~/tool; echo >> work.txt"):
        box.wait_until(lambda: b.ok("exec", "b", "--", "sh", "-c", "cat ~/tool")["stdout"] == "live\n", what="a live box")
        b.ok("template save", "b", "live")
    for name, text in ("early", "first"), ("live", "live"):
        b.ok("create", f"of-{name}", "--from", name, "--project", b.other)
        assert inside(b, f"of-{name}", "cat ~/tool; ls") == text + "\n"
    inside(b, "of-early", "echo third > ~/more")
    b.ok("template save", "of-early", "next")
    b.ok("create", "last", "--from", "next")
    assert inside(b, "last", "cat ~/tool ~/more") == "first\nthird\n"


def test_settings_come_along_and_secrets_do_not(b, tmp_path):
    (tmp_path / "token").write_text("a-very-secret-value-0123456789\n")
    b.ok("create", "full", "--net", "example.org:443", "--secret", f"TOKEN=file:{tmp_path / 'token'}", "--no-caches", "--autosnap", "--profile", "strict")
    t = b.ok("template save", "full", "all")
    assert t["net"] == ["example.org:443"] and t["profile"] == "strict"
    made = b.ok("create", "new", "--from", "all")
    assert made["profile"] == "strict" and made["autosnap"]
    assert inside(b, "new", "echo ${TOKEN-none}") == "none\n"
    assert "example.org" in json.dumps(b.ok("allow", "--box", "new"))
    assert b.ok("create", "--from", "all", "--profile", "dev")["profile"] == "dev"


def test_names(b):
    b.ok("template save", "b", "one")
    assert "--replace" in b.refused("EEXIST", "template save", "b", "one")
    b.sh("echo new > ~/tool")
    b.ok("template save", "--replace", "b", "one")
    b.ok("create", "fresh", "--from", "one")
    assert inside(b, "fresh", "cat ~/tool") == "new\n"
    for bad in "host", "../x", "", "a b", "-x":
        b.refused("EINVAL", "template save", "--", "b", bad)
    b.refused("ENOENT", "template save", "nobox", "x")
    b.refused("ENOENT", "template rm", "none")
    assert names(b) == ["one"]


def test_a_word_that_means_two_things_is_refused(b):
    b.ok("template save", "b", "b")
    text = b.refused("EINVAL", "create", "--from", "b")
    assert "template:b" in text and "box:b" in text
    b.sh("echo 1 > work.txt")
    b.ok("create", "t", "--from", "template:b")
    b.ok("create", "f", "--from", "box:b")
    assert not b.ok("diff", "t")["changes"] and b.ok("diff", "f")["changes"]
    assert "settings" in b.refused("EINVAL", "create", "--from", "box:b", "--profile", "strict")
    assert b.ok("create", "--from", "host")["project"] == str(b.project)
    b.refused("ENOENT", "create", "--from", "image:b")


def test_it_expires(b):
    b.ok("template save", "b", "short", "--ttl", "1ms")
    b.ok("template save", "b", "long", "--ttl", "1h")
    assert names(b) == ["long"]
    b.refused("ENOENT", "create", "--from", "short")
    assert b.ok("gc")["expired"] == 1


def test_sessions_see_their_own_and_shared_ones(b):
    b.ok("template save", "b", "private")
    b.ok("template save", "b", "public", "--shared")
    ann, bob = (rpc.Rpc(cwd=b.project, env=b.env) for _ in range(2))
    ann.call("rpc.hello", owner="ann")
    bob.call("rpc.hello", owner="bob")
    ann.call("box.create", name="hers", **{"from": "public"})
    ann.call("template.save", box="hers", name="hers")
    ann.call("template.save", box="hers", name="given", shared=True)
    assert [t["name"] for t in ann.call("template.ls")["templates"]] == ["given", "hers", "public"]
    assert [t["name"] for t in bob.call("template.ls")["templates"]] == ["ann/given", "public"]
    assert names(b) == ["ann/given", "ann/hers", "private", "public"]
    for name in "private", "hers", "given", "ann/hers":
        answer = bob.answer(bob.send_params("box.create", {"from": name}))
        assert answer["error"]["data"]["kind"] == "not_found", name
    bob.call("box.create", name="his", **{"from": "ann/given"})
    for party, name in (bob, "ann/given"), (bob, "public"), (ann, "public"):
        assert "error" in party.answer(party.send_params("template.rm", {"template": name})), name
    ann.call("template.rm", template="given")
    b.ok("template rm", "ann/hers")
    assert names(b) == ["private", "public"]
    ann.close()
    bob.close()


def test_a_pinned_box(b):
    (b.project / "old.txt").write_text("old\n")
    b.ok("create", "fixed", "--pin")
    inside(b, "fixed", "echo home > ~/tool; echo x > work.txt")
    (b.project / "new.txt").write_text("new\n")
    b.ok("template save", "fixed", "free")
    b.ok("template save", "fixed", "kept", "--with-project")
    b.ok("create", "a", "--from", "free")
    b.ok("create", "z", "--from", "kept")
    b.ok("create", "p", "--from", "free", "--pin")
    ls = "cat ~/tool; ls"
    assert inside(b, "a", ls).split() == ["home", "new.txt", "old.txt"]
    assert inside(b, "z", ls).split() == ["home", "old.txt", "work.txt"]
    assert inside(b, "p", ls).split() == ["home", "new.txt", "old.txt"]


@pytest.mark.quiet
def test_a_box_from_a_template_is_made_in_the_time_of_a_fork(b, tell):
    b.sh("mkdir ~/d; cd ~/d; for i in $(seq 2000); do echo $i > $i; done; echo x > ~/tool")
    b.ok("template save", "b", "big")
    b.ok("snap", "b", "s")

    def seconds(*words):
        begun = time.monotonic()
        b.ok(*words)
        return time.monotonic() - begun
    both = [(seconds("create", "--from", "big"), seconds("fork", "b@s")) for _ in range(15)]
    made, forked = (statistics.median(column) for column in zip(*both))
    tell(f"create --from a template {made * 1000:.1f} ms, fork {forked * 1000:.1f} ms")
    assert made < 2 * forked + 0.01


# Recipes.

WHEEL = {"tiny/__init__.py": "VALUE = 42\n",
         "tiny-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n",
         "tiny-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
         "tiny-1.0.dist-info/RECORD": ""}


@pytest.fixture
def wheel(tmp_path):
    path = tmp_path / "other" / "tiny-1.0-py3-none-any.whl"
    path.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(path, "w") as z:
        for name, text in WHEEL.items():
            z.writestr(name, text)
    return path


def write(b, name, text):
    path = b.other / name
    path.write_text(textwrap.dedent(text))
    return path


def test_a_recipe_is_built_once_and_again_when_it_changes(b):
    recipe = write(b, "tool.yaml", """
        name: tool
        files: {data.txt: "one\\n"}
        steps: ["cp data.txt ~/data", "echo built > ~/marker"]
        checks: ["test -f ~/marker"]
    """)
    first = b.ok("template build", recipe)
    assert first["built"] and first["recipe"] == "tool" and first["lock"] is None and first["net"] == []
    assert not b.ok("template build", recipe)["built"]
    assert b.ok("template build", recipe, "--rebuild")["built"]
    b.ok("create", "one", "--from", "tool")
    recipe.write_text(recipe.read_text().replace("one", "two"))
    again = b.ok("template build", recipe)
    assert again["built"] and again["key"] != first["key"]
    b.ok("create", "two", "--from", "tool")
    assert [inside(b, n, "cat ~/data; ls") for n in ("one", "two")] == ["one\n", "two\n"]
    assert sorted(x["name"] for x in b.ok("ls", "--all")["boxes"]) == ["b", "one", "two"], "nothing of the build is left"
    assert not [n for n in os.listdir("/tmp") if n.startswith("aisbx-recipe-") and os.stat(f"/tmp/{n}").st_uid == os.geteuid()
                and os.path.exists(f"/tmp/{n}/data.txt")]


@pytest.mark.parametrize("part, text", [("steps", "step 2"), ("checks", "check 1")])
def test_a_step_that_fails_leaves_nothing(b, part, text):
    recipe = write(b, "bad.yaml", "name: bad\nsteps: ['true', '%s']\nchecks: ['%s']\n" % (("exit 3", "true") if part == "steps" else ("true", "exit 3")))
    assert text in b.refused("ECHILD", "template build", recipe)
    assert names(b) == [] and [x["name"] for x in b.ok("ls", "--all")["boxes"]] == ["b"]


def test_checks_have_no_network_and_a_recipe_without_net_neither(b):
    recipe = write(b, "alone.yaml", """
        name: alone
        steps: ["test \\"$(ls /sys/class/net)\\" = lo || test ! -e /sys/class/net/eth0"]
        checks: ["test ! -e /sys/class/net/eth0"]
    """)
    assert b.ok("template build", recipe)["built"]


LOCKED = """
    name: locked
    lock:
      kind: {kind}
      file: the.lock
      command: {command}
    steps: ["cp the.lock ~/lock"]
"""
HASH = "0123456789abcdef" * 4


def test_a_lock_is_made_beside_the_recipe_and_counts(b):
    recipe = write(b, "locked.yaml", LOCKED.format(kind="pip", command=f"echo 'a==1 --hash=sha256:{HASH}' > the.lock"))
    assert "--update-lock" in b.refused("ENOENT", "template build", recipe)
    first = b.ok("template build", recipe, "--update-lock")
    lock = b.other / "locked.lock"
    assert first["lock"] == str(lock) and lock.read_text() == f"a==1 --hash=sha256:{HASH}\n"
    assert not b.ok("template build", recipe, "--update-lock")["built"], "the same lock again"
    lock.write_text(lock.read_text().replace("a==1", "a==2"))
    assert b.ok("template build", recipe)["built"]
    b.ok("create", "new", "--from", "locked")
    assert inside(b, "new", "cat ~/lock").startswith("a==2 ")
    lock.write_text("--index-url https://elsewhere.example\n")
    assert "locked.lock:1:" in b.refused("EINVAL", "template build", recipe)


@pytest.mark.parametrize("command", ["true", "ln -s /etc/passwd the.lock", "echo '-r /etc/passwd' > the.lock", "mkfifo the.lock; rm the.lock", "head -c 9000000 /dev/zero > the.lock"])
def test_a_lock_that_a_box_made_up_is_not_taken(b, command):
    recipe = write(b, "evil.yaml", LOCKED.format(kind="pip", command=f'"{command}"'))
    b.call("template build", recipe, "--update-lock")
    assert not (b.other / "evil.lock").exists() and names(b) == []


def test_a_template_that_was_saved_by_hand_is_not_replaced(b):
    b.ok("template save", "b", "tool")
    recipe = write(b, "tool.yaml", "name: tool\nsteps: ['true']\n")
    assert "saved or pulled" in b.refused("EEXIST", "template build", recipe)


def test_a_recipe_on_a_template(b):
    first = write(b, "first.yaml", "name: first\nsteps: ['echo 1 > ~/one']\n")
    second = write(b, "second.yaml", "name: second\nfrom: first\nsteps: ['cat ~/one > ~/two']\n")
    b.ok("template build", first)
    assert b.ok("template build", second)["built"] and not b.ok("template build", second)["built"]
    b.ok("template build", first, "--rebuild")
    assert b.ok("template build", second)["built"], "what it stands on is another one"
    assert "changes" in b.refused("EINVAL", "template build", write(b, "third.yaml", "name: third\nfrom: b\nsteps: ['true']\n"))


def test_a_package_that_is_not_what_the_lock_says_is_not_installed(b, wheel):
    """Without a network: the wheel comes with the recipe."""
    sha = subprocess.run(["sha256sum", wheel], stdout=subprocess.PIPE, check=True, text=True).stdout.split()[0]
    data = "".join(f"{c:02x}" for c in wheel.read_bytes())
    text = textwrap.dedent("""
        name: tiny
        files: {wheel.hex: "%s"}
        lock: {kind: sha256, file: sums, command: "true"}
        steps:
          - /usr/bin/python3 -c 'open("tiny-1.0-py3-none-any.whl", "wb").write(bytes.fromhex(open("wheel.hex").read()))'
          - sha256sum -c --quiet sums
          - mkdir -p ~/lib && /usr/bin/python3 -m zipfile -e tiny-1.0-py3-none-any.whl ~/lib
        checks:
          - PYTHONPATH=~/lib /usr/bin/python3 -c 'import tiny; assert tiny.VALUE == 42'
    """) % data
    recipe = write(b, "tiny.yaml", text)
    (b.other / "tiny.lock").write_text(f"{HASH}  tiny-1.0-py3-none-any.whl\n")
    assert "step 2" in b.refused("ECHILD", "template build", recipe)
    (b.other / "tiny.lock").write_text(f"{sha}  tiny-1.0-py3-none-any.whl\n")
    assert b.ok("template build", recipe)["built"]
    b.ok("create", "new", "--from", "tiny")
    assert inside(b, "new", "PYTHONPATH=~/lib /usr/bin/python3 -c 'import tiny; print(tiny.VALUE)'") == "42\n"


@pytest.mark.parametrize("name", ["c", "go", "java", "node", "python-data", "rust"])
def test_shipped_recipes_are_found_and_have_no_lock_at_first(b, name):
    assert f"recipe '{name}' has no lock" in b.refused("ENOENT", "template build", name)


def test_a_recipe_that_is_not_there(b):
    assert "python-data" in b.refused("ENOENT", "template build", "nope")
    b.refused("ENOENT", "template build", "./nope.yaml")
    b.refused("EINVAL", "template build", "no pe")


if LONG:  # the world outside, and minutes
    @pytest.mark.parametrize("name", ["python-data", "c", "go", "node"])
    def test_a_shipped_recipe_for_real(b, name):
        assert b.ok("template build", name, "--update-lock", timeout=900)["built"]
        assert not b.ok("template build", name)["built"]
        b.ok("create", "new", "--from", name)
