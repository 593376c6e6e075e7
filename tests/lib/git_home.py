# SPDX-License-Identifier: Apache-2.0
"""A project that is a git repository, with boxes over it: for the tests of how commits come home."""
import contextlib
import os
import pathlib
import re
import subprocess

import promotion

WHO = {f"GIT_{role}_{what}": word for role in ("AUTHOR", "COMMITTER") for what, word in (("NAME", "Ann"), ("EMAIL", "ann@example.org"))}
QUIET = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "true", "GIT_PAGER": "cat", "LC_ALL": "C.UTF-8", **WHO}
CONFIG = "[user]\n\tname = Ann\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n" \
         "[gc]\n\tauto = 0\n[advice]\n\tdetachedHead = false\n"
# What a box needs before its git makes commits, and nothing of it in the project.
IN_BOX = "export GIT_AUTHOR_NAME=Box GIT_AUTHOR_EMAIL=box@example.org GIT_COMMITTER_NAME=Box GIT_COMMITTER_EMAIL=box@example.org; " \
         "git() { command git -c protocol.file.allow=always -c init.defaultBranch=main -c advice.detachedHead=false \"$@\"; }; "


class Home(promotion.Shelf):
    def __init__(self, root, repository=True):
        super().__init__(root)
        (self.root / "home/.gitconfig").write_text(CONFIG)
        self.git_env = {"HOME": str(self.root / "home"), "PATH": os.environ["PATH"], **QUIET}
        if repository:
            self.git("init", "-q")
            self.commit("one", f="1\n")

    def git(self, *words, at="", want=0, env=None, data=None):
        """What git says on the host, in AT below the project; without the last line's end."""
        done = subprocess.run(["git", *map(os.fspath, words)], cwd=self.project / at, env={**self.git_env, **(env or {})}, timeout=120,
                              check=False, capture_output=True, text=True, errors="surrogateescape", input=data or "")
        assert want is None or done.returncode == want, f"git {words} in '{at}': {done.returncode}, {done.stdout}{done.stderr}"
        return done.stdout.rstrip("\n")

    def commit(self, message, at="", **files):
        """Files of the host's project, committed."""
        for name, text in files.items():
            path = self.project / at / name.replace("__", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.git("add", "-A", at=at)
        self.git("commit", "-qm", message, at=at)
        return self.git("rev-parse", "HEAD", at=at)

    def work(self, script, name="b", want=0):
        """In the box, with a git that may commit."""
        return self.sh(name, IN_BOX + script, want=want)

    def box(self, name="b", script=None):
        self.ok("create", name)
        return self.work(script, name) if script else None

    def said(self, *words, want=0):
        """What a person reads of `aisbx WORDS`."""
        process = self.start(*words, text=True)
        out, err = process.communicate(timeout=120)
        assert process.returncode == want, f"{words}: {process.returncode}, {out}{err}"
        return out

    def head(self, at=""):
        """The branch it is on, or the commit."""
        return self.git("symbolic-ref", "-q", "--short", "HEAD", at=at, want=None) or self.git("rev-parse", "HEAD", at=at)

    def at(self, ref="HEAD", at=""):
        return self.git("rev-parse", "-q", "--verify", ref, at=at, want=None) or None

    def refs(self, at=""):
        return dict(reversed(line.split(" ", 1)) for line in self.git("for-each-ref", "--format=%(objectname) %(refname)", at=at).splitlines())

    def status(self, at=""):
        return self.git("status", "--porcelain", "-uall", "--ignore-submodules=none", at=at)

    def subjects(self, ref="HEAD", at=""):
        return self.git("log", "--format=%s", ref, at=at).splitlines()

    def repositories(self):
        """Work trees on the host that have a repository, below the project."""
        found = []
        for here, dirs, files in os.walk(self.project):
            if ".git" in dirs + files:
                found.append(os.path.relpath(here, self.project).removeprefix("."))
            dirs[:] = sorted(d for d in dirs if d not in (".git", ".aisbx"))
        return sorted(found)

    def sound(self):
        """Every repository is one that git has nothing to say against."""
        for at in self.repositories():
            said = self.git("fsck", "--full", "--strict", "--no-dangling", at=at)
            assert not said, f"fsck of '{at}': {said}"

    def state_of(self, at=""):
        """All that a promotion moves and `undo` has to move back."""
        return self.refs(at), self.git("symbolic-ref", "-q", "HEAD", at=at, want=None), self.at(at=at), self.status(at)

    def everything(self):
        return {at: self.state_of(at) for at in self.repositories()}


def inside(top):
    """Path -> content of everything in git directories below TOP, but for what promotions may write: packs, refs, logs, HEAD, index."""
    moves = re.compile(r"(^|/)(objects/pack(/pack-[0-9a-f]+\.(pack|idx|rev))?|(refs/heads|refs/tags|logs)(/.*)?|HEAD|index|ORIG_HEAD)$")
    found = {}
    for here, dirs, files in os.walk(top):
        rel = os.path.relpath(here, top)
        for name in dirs + files:
            path = pathlib.Path(here, name)
            if ".git" in pathlib.PurePath(rel, name).parts and not moves.search(f"{rel}/{name}"):
                with contextlib.suppress(OSError):
                    found[f"{rel}/{name}"] = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
    return found
