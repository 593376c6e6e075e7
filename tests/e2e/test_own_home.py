# SPDX-License-Identifier: Apache-2.0
"""The home of a box: its own, kept with the box and part of its snapshots; what of the person's home is seen in it."""
import json
import os
import shutil
import subprocess

import pytest

import box

PYTHON = "/usr/bin/python3"


class Place:
    def __init__(self, root, project="home/work/project"):
        self.root, self.home, self.project = root, root / "home", root / project
        self.project.mkdir(parents=True)
        self.home.mkdir(exist_ok=True)
        keep = {k: os.environ[k] for k in ("AISBX_TEST_BIN", "LANG", "TMPDIR") if k in os.environ}
        self.env = {**keep, "HOME": str(self.home), "XDG_STATE_HOME": str(root / "state"), "PATH": "/usr/bin:/bin"}

    def call(self, *words, **env):
        return subprocess.run([box.aisbx(), *map(str, words)], cwd=self.project, env={**self.env, **env}, capture_output=True, text=True, timeout=120)

    def aisbx(self, *words, **env):
        done = self.call(*words, **env)
        assert done.returncode == 0, (words, done.stdout[-600:], done.stderr[-600:])
        return done.stdout

    def json(self, op, *words, **env):
        return json.loads(self.aisbx(op, "--json", *words, **env))

    def sh(self, name, script, *options, **env):
        return self.aisbx("run", *(["-b", name] if name else []), *options, "--", "sh", "-c", script, **env)

    def layers(self):
        return self.root / "state/aisbx/layers"


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def test_what_is_written_there_stays(place):
    place.aisbx("create", "b")
    assert place.sh("b", "echo mine >~/f; mkdir -p ~/.config/x; echo c >~/.config/x/y; echo p >p; stat -c %a ~") == "700\n"
    assert place.sh("b", "cat ~/f ~/.config/x/y p") == "mine\nc\np\n"
    assert place.sh("", "ls -A ~") == place.sh("", "ls -A ~; rm -rf ~/.aws") and not (place.home / "f").exists()
    diff = place.json("diff", "b")
    assert [c["path"] for c in diff["changes"]] == ["p"]
    place.aisbx("promote", "b", "--yes")
    assert (place.project / "p").read_text() == "p\n" and sorted(os.listdir(place.home)) == ["work"]


def test_snapshot_rollback_and_fork(place):
    place.aisbx("create", "b")
    place.sh("b", "echo 1 >~/f")
    place.aisbx("snap", "b", "one")
    place.sh("b", "echo 2 >~/f; echo g >~/g")
    place.aisbx("fork", "b", "--name", "c")
    place.aisbx("fork", "b@one", "--name", "d")
    place.sh("c", "echo c >~/f")
    place.aisbx("rollback", "b", "one")
    assert place.sh("b", "cat ~/f; test -e ~/g || echo gone") == "1\ngone\n"
    assert place.sh("c", "cat ~/f ~/g") == "c\ng\n"
    assert place.sh("d", "cat ~/f") == "1\n"


def test_a_run_that_changes_nothing_leaves_nothing(place):
    """What is put into the home at every run is no change of the box's: no snapshot comes of it."""
    (place.home / ".cache/pip").mkdir(parents=True)
    place.aisbx("create", "b", "--autosnap")
    place.sh("b", "true")
    assert place.json("show", "b")["snapshots"] == 0
    place.sh("b", "echo x >~/x")
    assert place.json("show", "b")["snapshots"] == 1


def test_many_snapshots_are_folded_with_the_home(place):
    place.aisbx("create", "b", "--autosnap")
    place.sh("b", "echo deep >~/first")
    for i in range(66):
        place.aisbx("snap", "b", f"s{i}")
    place.sh("b", "echo late >~/last")
    assert place.sh("b", "cat ~/first ~/last") == "deep\nlate\n"


def test_a_box_from_before(place):
    """Its layers have no home yet."""
    place.aisbx("create", "b")
    place.sh("b", "echo x >x")
    place.aisbx("snap", "b", "s")
    for layer in place.layers().iterdir():
        shutil.rmtree(layer / "home", ignore_errors=True)
    assert place.sh("b", "cat x; echo h >~/h") == "x\n"
    assert place.sh("b", "cat ~/h") == "h\n"
    place.aisbx("rollback", "b", "s")
    assert place.sh("b", "ls ~/h 2>/dev/null; cat x") == "x\n"


def test_it_counts(place):
    place.aisbx("create", "b")
    result = json.loads(place.call("run", "--json", "-b", "b", "--disk", "8m", "--", "sh", "-c",
                                   "head -c 40000000 /dev/zero >~/big; sleep 20").stdout)
    assert result["limit"]["kind"] == "disk", result
    place.aisbx("create", "c")
    used = place.json("run", "-b", "c", "--", "sh", "-c", "head -c 3000000 /dev/urandom >~/big; mkdir ~/d; touch ~/d/1 ~/d/2")["usage"]
    assert used["disk"] >= 3000000 and used["inodes"] >= 4, used


@pytest.mark.parametrize("project", ["home", "home/a", "elsewhere"])
def test_wherever_the_project_is(tmp_path, project):
    place = Place(tmp_path, project)
    (place.home / ".ssh").mkdir()
    (place.home / ".ssh/id").write_text("SECRET\n")
    place.aisbx("create", "b")
    place.sh("b", "echo f >~/f; echo p >p; ! grep -r SECRET ~")
    assert place.sh("b", "cat ~/f p") == "f\np\n"
    changes = {c["path"] for c in place.json("diff", "b")["changes"]}
    assert changes == ({"f", "p"} if project == "home" else {"p"})


def test_a_pinned_box(place):
    place.aisbx("create", "--pin", "b")
    place.sh("b", "echo x >~/x")
    assert place.sh("b", "cat ~/x") == "x\n"


def test_files_of_the_home_by_the_file_operations(place):
    place.aisbx("create", "b")
    place.sh("b", "echo x >~/x; ln -s /etc/passwd ~/l")
    assert place.aisbx("file", "read", "b", str(place.home / "x")) == "x\n"
    subprocess.run([box.aisbx(), "file", "write", "b", place.home / "y"], cwd=place.project, env=place.env, input=b"new", check=True)
    assert place.sh("b", "cat ~/y") == "new"
    assert not (place.home / "x").exists() and not (place.home / "y").exists()


def test_decoys_in_a_home_that_stays(place):
    place.aisbx("create", "b")
    for _ in range(2):
        found = place.json("run", "-b", "b", "--", "cat", str(place.home / ".ssh/id_rsa"))
        assert "decoy" in found["stdout"] and box.violations(found, "decoy"), found
    # One of the box's own is its own business.
    place.sh("b", "rm ~/.ssh/id_rsa; echo own >~/.ssh/id_rsa; rm -r ~/.aws")
    found = place.json("run", "-b", "b", "--", "sh", "-c", "cat ~/.ssh/id_rsa; test ! -e ~/.aws")
    assert found["stdout"] == "own\n" and not box.violations(found, "decoy"), found


def test_git_knows_who_it_is_and_nothing_else(place):
    (place.home / ".gitconfig").write_text('[user]\n\tname = Ada "L" \\\\\n\temail = ada@example.org\n\tsigningkey = KEY\n'
                                           "[alias]\n\tevil = !touch /tmp/x\n[credential]\n\thelper = store\n[url \"x\"]\n\tinsteadOf = y\n")
    assert place.sh("", "git config --global --list").splitlines() == ["user.name=Ada L \\", "user.email=ada@example.org"]
    assert "Ada" not in place.sh("", "cat ~/.gitconfig 2>&1; true", "--profile", "strict")
    place.aisbx("create", "b")
    assert place.sh("b", "git config user.name; git config --global user.name Box; git config --global alias.st status") == "Ada L \\\n"
    assert place.sh("b", "git config user.name; git config user.email; git st >/dev/null 2>&1; git config alias.st") == "Box\nada@example.org\nstatus\n"
    assert "Box" not in (place.home / ".gitconfig").read_text()


def test_git_by_the_other_files(place):
    (place.home / ".config/git").mkdir(parents=True)
    (place.home / ".config/git/config").write_text("[user]\n name = Eve\n")
    assert place.sh("", "git config user.name") == "Eve\n"
    (place.home / "mine").write_text("[user]\n name = Mallory\n[core]\n pager = evil\n")
    assert place.sh("", "git config user.name; git config core.pager; true", GIT_CONFIG_GLOBAL=str(place.home / "mine")) == "Mallory\n"


def test_caches_are_seen_and_kept_apart(place):
    cache = place.home / ".cache/pip"
    cache.mkdir(parents=True)
    (cache / "wheel").write_text("host\n")
    place.aisbx("create", "b")
    assert place.sh("b", "cat ~/.cache/pip/wheel; echo box >~/.cache/pip/wheel; echo more >~/.cache/pip/more") == "host\n"
    assert place.sh("b", "cat ~/.cache/pip/wheel ~/.cache/pip/more") == "box\nmore\n"
    place.aisbx("snap", "b", "s")
    place.sh("b", "rm -r ~/.cache/pip/*")
    place.aisbx("rollback", "b", "s")
    assert place.sh("b", "cat ~/.cache/pip/*") == "more\nbox\n"
    assert place.sh("", "cat ~/.cache/pip/*") == "host\n" and os.listdir(cache) == ["wheel"]
    assert place.json("diff", "b")["changes"] == []


def test_no_caches(place):
    (place.home / ".cache/pip").mkdir(parents=True)
    (place.home / ".cache/pip/wheel").write_text("host\n")
    look = "cat ~/.cache/pip/wheel 2>/dev/null || echo none"
    assert place.sh("", look) == "host\n"
    assert place.sh("", look, "--no-caches") == "none\n"
    assert place.sh("", look, "--profile", "strict") == "none\n"
    place.aisbx("create", "b", "--no-caches")
    assert place.sh("b", look) == "none\n"
    place.aisbx("fork", "b", "--name", "c")
    assert place.sh("c", look) == "none\n"
    place.aisbx("rm", "b")
    place.aisbx("create", "d")
    assert place.sh("d", look, "--no-caches") == "none\n" and place.sh("d", look) == "host\n"


def test_caches_where_variables_and_links_say(place):
    (place.home / "big/go").mkdir(parents=True)
    (place.home / "big/go/f").write_text("host\n")
    assert place.sh("", 'cat "$GOCACHE/f"; echo x >"$GOCACHE/g" && echo ok', GOCACHE=str(place.home / "big/go")) == "host\nok\n"
    assert os.listdir(place.home / "big/go") == ["f"]


def test_a_cache_that_cannot_be_read_is_left_out(place):
    shut, other = place.home / ".cache/pip", place.home / ".cache/uv"
    for d in (shut, other):
        d.mkdir(parents=True)
        (d / "f").write_text("x\n")
    shut.chmod(0)
    assert place.sh("", "cat ~/.cache/uv/f") == "x\n"
    shut.chmod(0o700)


@pytest.mark.parametrize("where", ["home/envs/v", "outside/v", "home/work/project/.venv"])
def test_an_active_environment_is_there(tmp_path, where):
    place = Place(tmp_path)
    venv = tmp_path / where
    subprocess.run([PYTHON, "-m", "venv", "--without-pip", venv], check=True, env=place.env)
    env = {"VIRTUAL_ENV": str(venv), "PATH": f"{venv}/bin:/usr/bin:/bin"}
    assert place.sh("", "command -v python; python -c 'import sys; print(sys.prefix)'", **env) == f"{venv}/bin/python\n{venv}\n"
    if not where.endswith(".venv"):
        assert "Read-only" in place.sh("", "touch $VIRTUAL_ENV/x 2>&1; true", **env)


def test_an_environment_by_a_link(place):
    real = place.home / "jdks/21/bin"
    real.mkdir(parents=True)
    (real / "tool").write_text("#!/bin/sh\necho real\n")
    (real / "tool").chmod(0o755)
    (place.home / "jdk").symlink_to("jdks/21")
    assert place.sh("", "tool; ls $JAVA_HOME", JAVA_HOME=str(place.home / "jdk"), PATH=f"{place.home}/jdk/bin:/usr/bin:/bin") == "real\nbin\n"


@pytest.mark.parametrize("value,why", [(".ssh/venv", "secrets"), (".", "secrets"), (".config", "secrets"), ("..", "more than an environment")])
def test_its_absence_is_told(place, value, why):
    (place.home / ".ssh/venv").mkdir(parents=True)
    (place.home / ".ssh/venv/key").write_text("SECRET\n")
    (place.home / ".config/gh").mkdir(parents=True)
    done = place.call("run", "--", "sh", "-c", "cat ~/.ssh/venv/key 2>/dev/null", VIRTUAL_ENV=f"{place.home}/{value}")
    assert done.stdout == "" and "VIRTUAL_ENV" in done.stderr and why in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert why in place.json("run", "--", "true", VIRTUAL_ENV=f"{place.home}/{value}")["hidden_environment"]
    assert "hidden_environment" not in place.json("run", "--", "true", VIRTUAL_ENV=f"{place.home}/gone")
