# SPDX-License-Identifier: Apache-2.0
"""The agent's flow: a plan whose steps are done one by one, and a git commit made in a box and brought out of it."""
import json
import os
import sqlite3
import subprocess

import pytest

import box

GIT_ENV = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "Host", "GIT_AUTHOR_EMAIL": "host@example.org",
           "GIT_COMMITTER_NAME": "Host", "GIT_COMMITTER_EMAIL": "host@example.org", "PATH": os.environ["PATH"]}


@pytest.fixture(name="place")
def fixture_place(tmp_path):
    for name in ("project", "home", "state"):
        (tmp_path / name).mkdir()
    (tmp_path / "home" / ".gitconfig").write_text('[core]\n\thooksPath = /nowhere\n[user]\n\tname = "Ann O\'Person" # me\n\temail = ann@example.org\n')
    yield tmp_path
    for kept in aisbx(tmp_path, "ls", "--all")["boxes"]:  # a layer has directories that nobody else can remove
        aisbx(tmp_path, "rm", kept["id"])
    aisbx(tmp_path, "gc")


def aisbx(place, *words, check=True, env=None):
    words = [str(w) for w in words]
    at = words.index("--") if "--" in words else len(words)
    done = subprocess.run([box.aisbx(), *words[:at], "--json", *words[at:]], cwd=place / "project", stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=120, check=False, env={"HOME": str(place / "home"), "PATH": os.environ["PATH"],
                                                         "XDG_STATE_HOME": str(place / "state"), **(env or {})})
    assert done.stdout, done.stderr
    result = json.loads(done.stdout)
    assert not check or not isinstance(result.get("error"), dict), result
    return {**result, "aisbx_status": done.returncode}


def refused(place, *words, **how):
    result = aisbx(place, *words, check=False, **how)
    assert result["status"] == "error" and result["aisbx_status"] == 125, result
    return result["error"]["text"]


def states(plan):
    return [s["state"] for s in plan["steps"]]


def test_a_plan_step_by_step(place):
    (place / "project" / "Makefile").write_text("test:\n\t@cat made; printf '2 passed in 0.1s\\n'\n")
    name = aisbx(place, "create", "work")["name"]
    plan = aisbx(place, "plan", "create", "Make the thing", "--box", name, "--step", "echo first > made", "--step", "test", "--step", "echo $((6 * 7))")
    assert plan["state"] == "open" and states(plan) == ["pending"] * 3 and plan["plan"].startswith("plan-")
    assert [(s["what"], s["kind"]) for s in plan["steps"]] == [("echo first > made", "command"), ("test", "intent"), ("echo $((6 * 7))", "command")]
    key = plan["plan"][:12]
    did = [aisbx(place, "plan", "step", key) for _ in range(3)]
    assert [d["did"] for d in did] == [1, 2, 3] and [states(d) for d in did] == [["ok", "pending", "pending"], ["ok", "ok", "pending"], ["ok"] * 3]
    assert did[1]["result"]["stdout"] == "first\n2 passed in 0.1s\n" and did[1]["result"]["tests"]["passed"] == 2
    assert did[2]["result"]["stdout"] == "42\n" and did[2]["state"] == "done"
    shown = aisbx(place, "plan", "show", key)
    assert shown["steps"][1]["run"] == did[1]["result"]["run"] and shown["steps"][1]["exit_code"] == 0
    assert shown["steps"][0]["ended_ms"] >= shown["steps"][0]["begun_ms"] >= shown["created_ms"] > 0
    assert aisbx(place, "history", did[1]["result"]["run"])["runs"][0]["command"] == "make test", "each step is a run"
    assert "is done" in refused(place, "plan", "step", key)
    assert not (place / "project" / "made").exists()


def test_a_failed_step_is_in_the_way(place):
    name = aisbx(place, "create")["name"]
    plan = aisbx(place, "plan", "create", "x", "--box", name, "--step", "test -e there", "--step", "exit 7", "--step", "true")["plan"]
    did = aisbx(place, "plan", "step", plan)
    assert (did["state"], states(did), did["aisbx_status"], did["steps"][0]["exit_code"]) == ("failed", ["failed", "pending", "pending"], 1, 1)
    assert "--again" in refused(place, "plan", "step", plan)
    aisbx(place, "run", "--box", name, "--", "touch", "there")
    assert states(aisbx(place, "plan", "step", plan, "--again")) == ["ok", "pending", "pending"]
    assert "no step" in refused(place, "plan", "step", plan, "--skip")
    did = aisbx(place, "plan", "step", plan)
    assert did["aisbx_status"] == 7 and states(did) == ["ok", "failed", "pending"]
    assert "contradict" in refused(place, "plan", "step", plan, "--skip", "--again")
    did = aisbx(place, "plan", "step", plan, "--skip")
    assert did["did"] == 3 and states(did) == ["ok", "skipped", "ok"] and did["state"] == "done"


def test_what_cannot_run_is_written_down(place):
    """No such intent in the project, no such box: an error for the caller, a note in the plan."""
    plan = aisbx(place, "plan", "create", "x", "--step", "lint")["plan"]
    text = refused(place, "plan", "step", plan)
    assert "no command to 'lint'" in text
    step = aisbx(place, "plan", "show", plan)["steps"][0]
    assert step["state"] == "failed" and step["note"] == text and step["run"] is None
    did = aisbx(place, "plan", "step", plan, "--skip")
    assert did["did"] is None and did["result"] is None and did["state"] == "done"


def test_one_does_a_step_at_a_time(place):
    """Of two who want a step one gets it; one who was killed leaves a step that --again takes over."""
    name = aisbx(place, "create")["name"]
    plan = aisbx(place, "plan", "create", "x", "--box", name, "--step", "touch begun; exec sleep 1000")["plan"]
    env = {"HOME": str(place / "home"), "PATH": os.environ["PATH"], "XDG_STATE_HOME": str(place / "state")}
    with subprocess.Popen([box.aisbx(), "plan", "step", plan, "--json"], cwd=place / "project", env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL) as first:
        try:
            box.wait_until(lambda: aisbx(place, "plan", "show", plan)["state"] == "running", what="the first is at it")
            assert "in progress" in refused(place, "plan", "step", plan, "--timeout", "5s")
        finally:
            first.kill()
    assert aisbx(place, "plan", "show", plan)["state"] == "running"
    assert "--again" in refused(place, "plan", "step", plan)
    did = aisbx(place, "plan", "step", plan, "--again", "--timeout", "1s")
    assert did["result"]["status"] == "limit" and states(did) == ["failed"] and did["aisbx_status"] == 124


def test_plans_are_found_and_removed(place):
    ids = [aisbx(place, "plan", "create", goal, "--step", step)["plan"] for goal, step in
           (("Fix the parser", "true"), ("Write words", "grep parser x"), ("Other", "100%_\\"))]
    assert [p["plan"] for p in aisbx(place, "plan", "ls")["plans"]] == ids[::-1]
    assert [p["plan"] for p in aisbx(place, "plan", "ls", "--match", "parser")["plans"]] == [ids[1], ids[0]]
    assert [p["plan"] for p in aisbx(place, "plan", "ls", "--match", "%_")["plans"]] == [ids[2]]
    assert [p["plan"] for p in aisbx(place, "plan", "ls", "-n", "1")["plans"]] == [ids[2]]
    assert "several plans" in refused(place, "plan", "show", "plan-") and "no plan" in refused(place, "plan", "show", "")
    refused(place, "plan", "rm", ids[0], "plan-none")
    assert len(aisbx(place, "plan", "ls")["plans"]) == 3, "all or none"
    assert aisbx(place, "plan", "rm", ids[0], ids[1])["removed"] == ids[:2]
    assert [p["plan"] for p in aisbx(place, "plan", "ls")["plans"]] == [ids[2]]
    with sqlite3.connect(next((place / "state" / "aisbx").glob("*.db"))) as store:
        assert store.execute("SELECT count(*) FROM plan_steps").fetchone() == (1,)
    kinds = [e["kind"] for e in aisbx(place, "history", "--events")["events"]]
    assert kinds.count("plan.created") == 3 and kinds.count("plan.removed") == 2
    assert "must have 1" in refused(place, "plan", "create", " ", "--step", "x")
    assert "at most 100" in refused(place, "plan", "create", "x", *["--step=y"] * 101)


class Session:
    """`aisbx rpc` for one owner."""

    def __init__(self, place, owner):
        env = {"HOME": str(place / "home"), "PATH": os.environ["PATH"], "XDG_STATE_HOME": str(place / "state")}
        self.process = subprocess.Popen([box.aisbx(), "rpc"], cwd=place / "project", env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.last = 0
        self.call("rpc.hello", owner=owner)

    def call(self, method, **params):
        self.last += 1
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}).encode() + b"\n")
        self.process.stdin.flush()
        while True:
            said = json.loads(self.process.stdout.readline())
            if said.get("id") == self.last:
                return said.get("result") or said["error"]["data"]["kind"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        assert self.process.wait(50) == 0


def test_plans_and_boxes_of_others_are_not_there(place):
    (place / "project" / "Makefile").write_text("test:\n\t@echo ran\n")
    with Session(place, "ann") as ann, Session(place, "bob") as bob:
        work = ann.call("box.create", name="work")["name"]
        plan = ann.call("plan.create", goal="x", step=["test"], box=work)["plan"]
        assert bob.call("plan.show", plan=plan) == bob.call("plan.step", plan=plan) == bob.call("plan.rm", plans=[plan]) == "not_found"
        assert bob.call("plan.ls")["plans"] == [] and [p["plan"] for p in ann.call("plan.ls")["plans"]] == [plan]
        for method, params in (("intent.ls", {}), ("intent.run", {"intent": "test"}), ("repo.commit", {"message": "x"}),
                               ("plan.create", {"goal": "x", "step": ["y"]})):
            assert bob.call(method, box=work, **params) == "not_found", method
        mine = bob.call("plan.create", goal="x", step=["test"])["plan"]
        assert bob.call("plan.step", plan=mine, box=work) == "not_found", "nor by a plan of one's own"
        assert ann.call("plan.step", plan=plan)["result"]["stdout"] == "ran\n"
    assert aisbx(place, "plan", "show", plan)["state"] == "done", "the person has all"


def git(place, *words):
    return subprocess.run(["git", *words], cwd=place / "project", env=GIT_ENV, capture_output=True, text=True, check=True, timeout=60).stdout


@pytest.fixture(name="repo")
def fixture_repo(place):
    git(place, "init", "-q", "-b", "main")
    (place / "project" / "a.txt").write_text("one\n")
    git(place, "add", "-A")
    git(place, "commit", "-q", "-m", "first")
    aisbx(place, "create", "work")
    return place


def in_box(place, script):
    result = aisbx(place, "run", "--box", "work", "--", "sh", "-c", script)
    assert result["status"] == "ok", result["stderr"]
    return result["stdout"]


def test_a_commit_and_out_of_the_box(repo):
    in_box(repo, "echo two >> a.txt; mkdir 'd e'; printf x > 'd e/n w'; printf x > \"$(printf 'odd\\377')\"")
    with box.Watch(repo / "project"):
        made = aisbx(repo, "commit", "work", "-m", "Say two\n\nand why")
    assert made["branch"] == "main" and made["files_not_listed"] == 0
    assert {(f["path"] or f["path_hex"], f["change"]) for f in made["files"]} == {("a.txt", "modified"), ("d e/n w", "added"), ("6f6464ff", "added")}
    assert in_box(repo, "git log -1 --format='%H|%an|%ae|%cn|%ce|%B'") == \
        f"{made['commit']}|Ann O'Person|ann@example.org|Ann O'Person|ann@example.org|Say two\n\nand why\n\n"
    assert "nothing to commit" in refused(repo, "commit", "work", "-m", "again")
    out = aisbx(repo, "promote", "work")
    assert out["aisbx_status"] == 0 and not out["traps"], out
    assert git(repo, "rev-parse", "HEAD").strip() == made["commit"] and git(repo, "status", "--short") == ""
    git(repo, "fsck", "--strict")
    assert git(repo, "show", "HEAD:a.txt") == "one\ntwo\n"


def test_a_commit_outside_meanwhile(repo):
    in_box(repo, "echo b > b")
    aisbx(repo, "commit", "work", "-m", "in the box")
    (repo / "project" / "c").write_text("c\n")
    git(repo, "add", "c")
    git(repo, "commit", "-q", "-m", "outside")
    out = aisbx(repo, "promote", "work")
    assert [(b["branch"], b["how"]) for b in out["branches"]] == [("refs/heads/aisbx/work", "aside")] and out["conflicts"] == []
    assert git(repo, "log", "-1", "--format=%s") == "outside\n" and (repo / "project" / "b").exists()
    assert git(repo, "log", "-1", "--format=%s", "aisbx/work") == "in the box\n"


def test_only_some_paths_and_only_what_is_staged(repo):
    in_box(repo, "echo b > b; echo c > c; echo d > d; echo ':(top)' > ':x'; git add d")
    made = aisbx(repo, "commit", "work", "-m", "b", "--author", "Some One <one@example.org>", "b", ":x")
    assert {f["path"] for f in made["files"]} == {"b", ":x"} and in_box(repo, "git log -1 --format=%an") == "Some One\n"
    made = aisbx(repo, "commit", "work", "-m", "d", "--staged")
    assert [f["path"] for f in made["files"]] == ["d"]
    assert "nothing to commit" in refused(repo, "commit", "work", "-m", "x", "--staged")
    assert "omit it" in refused(repo, "commit", "work", "-m", "x", "--staged", "c")
    assert "refused to commit" in refused(repo, "commit", "work", "-m", "x", "none")
    assert "not an author" in refused(repo, "commit", "work", "-m", "x", "--author", "me")
    in_box(repo, "rm a.txt; git checkout -q --detach")
    made = aisbx(repo, "commit", "work", "-m", "rest")
    assert made["branch"] is None and {(f["path"], f["change"]) for f in made["files"]} == {("a.txt", "deleted"), ("c", "added")}


def test_the_first_commit_of_all(place):
    aisbx(place, "create", "work")
    in_box(place, "git init -q -b trunk; echo x > x")
    made = aisbx(place, "commit", "work", "-m", "first")
    assert made["branch"] == "trunk" and [(f["path"], f["change"]) for f in made["files"]] == [("x", "added")]


def test_who_commits(repo):
    """The caller's variables, then the caller's own files, then what the repository says; else nobody."""
    in_box(repo, "echo b > b")
    (repo / "home" / ".gitconfig").write_text("[user]\n  name = From File\n[user \"x\"]\n  name = no\n[includeIf \"x\"]\n  path = /etc/passwd\n")
    (repo / "home" / ".config" / "git").mkdir(parents=True)
    (repo / "home" / ".config" / "git" / "config").write_text("[USER]\nname = Old\nEmail = \"f\\\"ile@example.org\" ; x\n")
    aisbx(repo, "commit", "work", "-m", "b")
    assert in_box(repo, "git log -1 --format='%an|%ae'") == 'From File|f"ile@example.org\n'
    in_box(repo, "echo c > c")
    aisbx(repo, "commit", "work", "-m", "c", env={"GIT_AUTHOR_NAME": "V", "GIT_AUTHOR_EMAIL": "v@example.org", "GIT_DIR": "/nowhere", "GIT_INDEX_FILE": "/x"})
    assert in_box(repo, "git log -1 --format='%an|%cn|%ae'") == "V|V|v@example.org\n"
    for path in (".gitconfig", ".config/git/config"):
        (repo / "home" / path).unlink()
    in_box(repo, "echo d > d")
    assert "--author" in refused(repo, "commit", "work", "-m", "d")
    in_box(repo, "git config user.name Repo; git config user.email r@example.org")
    aisbx(repo, "commit", "work", "-m", "d")
    assert in_box(repo, "git log -1 --format='%an'") == "Repo\n"


def test_no_repository_and_no_git(place):
    aisbx(place, "create", "work")
    assert "not a git repository" in refused(place, "commit", "work", "-m", "x")
    assert "have 1 to" in refused(place, "commit", "work", "-m", " \n")
    fake = place / "project" / "bin"
    fake.mkdir()
    for tool in ("sh", "env"):
        (fake / tool).symlink_to(f"/usr/bin/{tool}")
    assert "git is not installed in box" in refused(place, "commit", "work", "-m", "x", env={"PATH": str(fake)})


def test_nothing_of_the_repository_runs(repo):
    """Hooks, fsmonitor, editors, signing, external diffs: not even in the box. The control: git by itself runs them."""
    in_box(repo, r"""
        printf '#!/bin/sh\necho ran $0 >> /tmp/../%s/ran\n' "$PWD" > prog; chmod +x prog; echo ran >> .git/info/exclude
        for hook in pre-commit prepare-commit-msg commit-msg post-commit post-index-change reference-transaction; do cp prog .git/hooks/$hook; done
        for key in core.fsmonitor core.editor diff.external gpg.program core.pager core.sshCommand; do git config $key "$PWD/prog"; done
        git config commit.gpgSign true; git config core.hooksPath "$PWD/.git/hooks"; echo '* diff=x' > .gitattributes
        git config diff.x.command "$PWD/prog"; git config diff.x.textconv "$PWD/prog"; echo b > b; rm -f ran""")
    made = aisbx(repo, "commit", "work", "-m", "quiet")
    assert {f["path"] for f in made["files"]} == {"b", "prog", ".gitattributes"}
    assert in_box(repo, "cat ran 2>/dev/null || echo none") == "none\n"
    in_box(repo, "echo c > c; git -c user.name=x -c user.email=y add -A; git -c user.name=x -c user.email=y commit -q -m loud || true")
    assert "ran" in in_box(repo, "cat ran"), "control"
    # And none of it leaves the box: what git obeys outside its own directory waits, the rest never goes.
    out = aisbx(repo, "promote", "work", check=False)
    assert ".gitattributes" in {t["path"] for t in out["traps"]} and out["aisbx_status"] != 0
    assert not [c for c in out["changes"] if c["path"].startswith(".git/")] and "in '.git' these stayed in the box: config, hooks, info" in out["stayed"]
    assert not (repo / "project" / ".git" / "hooks" / "pre-commit").exists() and git(repo, "log", "--format=%s") == "first\n"


def test_a_filter_cannot_forge_the_result(repo):
    """Filters of the repository do run, in the box: what they write is no part of the answer."""
    in_box(repo, r"""printf '#!/bin/sh\nprintf "0000\\0x\\0" >&3 2>/dev/null; printf "0000\\0x\\0" >&1; cat\n' > filter; chmod +x filter
        echo '*.txt filter=x' > .gitattributes; git config filter.x.clean "$PWD/filter"; echo more >> a.txt""")
    made = aisbx(repo, "commit", "work", "-m", "filtered")
    assert len(made["commit"]) == 40 and made["commit"] == in_box(repo, "git rev-parse HEAD").strip() and made["branch"] == "main"


def test_words_for_people(repo):
    env = {"HOME": str(repo / "home"), "PATH": os.environ["PATH"], "XDG_STATE_HOME": str(repo / "state")}
    in_box(repo, "echo b > b")

    def say(*words):
        done = subprocess.run([box.aisbx(), *words], cwd=repo / "project", env=env, capture_output=True, text=True, timeout=60, check=True)
        return done.stdout, done.stderr
    out, err = say("commit", "work", "-m", "b")
    assert len(out) == 41 and err == "aisbx: committed 1 files on main; 'aisbx promote' promotes it\n"
    out, _ = say("plan", "create", "A goal", "--step", "echo hi", "--box", "work")
    plan = out.split()[0]
    assert out == f"{plan}  open  A goal\n   1  pending  echo hi\n"
    out, err = say("plan", "step", plan)
    assert out == "hi\n" and err.startswith(f"{plan}  done  A goal\n   1  ok       echo hi  (r-")
    plan_2 = say("plan", "create", "Too long", "--step", "sleep 100")[0].split()[0]
    done = subprocess.run([box.aisbx(), "plan", "step", plan_2, "--timeout", "100ms"], cwd=repo / "project", env=env, capture_output=True, text=True,
                          timeout=60, check=False)
    assert done.returncode == 124 and done.stderr.startswith("aisbx: stopped after 100 ms") and "failed   sleep 100" in done.stderr
    say("plan", "rm", plan_2)
    assert say("plan", "ls")[0] == f"{'PLAN':21}  STATE  DONE  GOAL\n{plan}  done    1/1  A goal\n"
