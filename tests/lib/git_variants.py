# SPDX-License-Identifier: Apache-2.0
"""Every way known by which files in a git directory run or redirect something, as data.

A project with a submodule, a submodule in that, a linked work tree and a bare repository of its own; what a box plants there; and the
commands of a person afterwards. Every variant has a canary of its own: a file with its name, outside of the project, that its payload
makes. Its name is also in what is planted, so one can look for it.
"""
import os
import pathlib
import re
import subprocess
from dataclasses import dataclass

import git_plant


@dataclass(frozen=True)
class Variant:
    name: str
    steps: tuple        # of (what, path, text), as git_plant.py takes them
    tree: str = ""      # where its trigger runs, below the project
    trigger: str = ""   # shell; "": no plain command runs it
    apart: str = ""     # it breaks the repository it is in, so those with the same word get a box of their own


# name -> (git directory, work tree)
PLACES = {"top": (".git", ""), "sub": (".git/modules/a/b", "sub"), "deep": (".git/modules/a/b/modules/c", "sub/deep")}
HOOKS = {
    "applypatch-msg": "git format-patch -q --stdout HEAD~1 >../p.patch; git reset -q --hard HEAD~1; git am -q ../p.patch",
    "pre-applypatch": "git format-patch -q --stdout HEAD~1 >../p.patch; git reset -q --hard HEAD~1; git am -q ../p.patch",
    "post-applypatch": "git format-patch -q --stdout HEAD~1 >../p.patch; git reset -q --hard HEAD~1; git am -q ../p.patch",
    "pre-commit": "git commit -q --allow-empty -m m", "prepare-commit-msg": "git commit -q --allow-empty -m m",
    "commit-msg": "git commit -q --allow-empty -m m", "post-commit": "git commit -q --allow-empty -m m",
    "pre-merge-commit": "git merge -q --no-ff -m m easy", "post-merge": "git merge -q -m m easy",
    "pre-rebase": "git rebase -q --force-rebase HEAD~1", "post-rewrite": "git commit -q --amend --allow-empty -m m",
    "post-checkout": "git checkout -q -B tmp", "pre-push": "git push -q . HEAD:refs/heads/pushed",
    "pre-receive": "git push -q . HEAD:refs/heads/pushed", "update": "git push -q . HEAD:refs/heads/pushed",
    "post-receive": "git push -q . HEAD:refs/heads/pushed", "post-update": "git push -q . HEAD:refs/heads/pushed",
    "reference-transaction": "git fetch -q . HEAD:refs/heads/fetched", "post-index-change": "touch a.x; git status",
    "push-to-checkout": "", "proc-receive": "", "pre-auto-gc": "", "sendemail-validate": "",
    "fsmonitor-watchman": "", "p4-changelist": "", "p4-prepare-changelist": "", "p4-post-changelist": "", "p4-pre-submit": "",
}
# What they are called -> (lines of configuration with @ for the payload, trigger).
KEYS = {
    "fsmonitor": ("[core]\n fsmonitor = @", "git status"),
    "sshCommand": ("[core]\n sshCommand = @", "git ls-remote ssh://127.0.0.1:1/x"),
    "editor": ("[core]\n editor = @", "git commit --allow-empty"),
    "pager": ("[core]\n pager = @", "git log"),
    "hooksPath": ("[core]\n hooksPath = @.d", "git checkout -q -B tmp"),
    "gitProxy": ("[core]\n gitProxy = @", "git ls-remote git://127.0.0.1:1/x"),
    "askPass": ("[core]\n askPass = @", "printf 'protocol=https\\nhost=a\\n\\n' | git credential fill"),
    "alternateRefsCommand": ("[core]\n alternateRefsCommand = @", ""),
    "attributesFile": ("[core]\n attributesFile = @.attributes\n[filter \"@\"]\n clean = @", "echo 1 >>a.own; git add a.own"),
    "diff.external": ("[diff]\n external = @", "git diff"),
    "diff.command": ("[diff \"cmd\"]\n command = @", "git diff"),
    "diff.textconv": ("[diff \"conv\"]\n textconv = @", "git diff"),
    "filter.clean": ("[filter \"clean\"]\n clean = @", "git diff"),
    "filter.smudge": ("[filter \"smudge\"]\n smudge = @", "git checkout -- a.s"),
    "filter.process": ("[filter \"proc\"]\n process = @", "git diff"),
    "merge.driver": ("[merge \"drv\"]\n driver = @", "git merge -q -m m other"),
    "alias": ("[alias]\n st = !@", "git st"),
    "credential.helper": ("[credential]\n helper = !@", "printf 'protocol=https\\nhost=a\\n\\n' | git credential fill"),
    "credential.url": ("[credential \"https://a\"]\n helper = !@", "printf 'protocol=https\\nhost=a\\n\\n' | git credential fill"),
    "gpg.program": ("[gpg]\n program = @\n[commit]\n gpgSign = true", "git commit -q --allow-empty -m m"),
    "gpg.ssh": ("[gpg]\n format = ssh\n[gpg \"ssh\"]\n program = @\n[user]\n signingKey = key::x\n[commit]\n gpgSign = true",
                "git commit -q --allow-empty -m m"),
    "gpg.keyCommand": ("[gpg]\n format = ssh\n[gpg \"ssh\"]\n defaultKeyCommand = @\n[commit]\n gpgSign = true",
                       "git commit -q --allow-empty -m m"),
    "gpg.x509": ("[gpg]\n format = x509\n[gpg \"x509\"]\n program = @\n[commit]\n gpgSign = true", "git commit -q --allow-empty -m m"),
    "showSignature": ("[log]\n showSignature = true\n[gpg]\n program = @", "git log signed"),
    "include": ("[include]\n path = @.include", "git status"),
    "includeIf.gitdir": ("[includeIf \"gitdir:/**\"]\n path = @.include", "git status"),
    "includeIf.onbranch": ("[includeIf \"onbranch:**\"]\n path = @.include", "git status"),
    "packObjectsHook": ("[uploadpack]\n packObjectsHook = @", ""),
    "remote.uploadpack": ("[remote \"evil1\"]\n url = .\n uploadpack = @", "git fetch -q evil1"),
    "remote.receivepack": ("[remote \"evil2\"]\n url = .\n receivepack = @", "git push -q evil2 HEAD:refs/heads/pushed"),
    "remote.vcs": ("[remote \"evil3\"]\n url = @\n vcs = evil", ""),
    "remote.ext": ("[protocol \"ext\"]\n allow = always\n[remote \"evil4\"]\n url = ext::@", "git fetch -q evil4"),
    "insteadOf": ("[protocol \"ext\"]\n allow = always\n[url \"ext::@\"]\n insteadOf = \"nowhere:\"", "git fetch -q nowhere:"),
    "branch.remote": ("[protocol \"ext\"]\n allow = always\n[branch \"main\"]\n remote = ext::@\n merge = refs/heads/main", "git fetch -q"),
    "submodule.update": ("[submodule \"a/b\"]\n active = true\n update = !@", "git submodule update --force"),
    "diffFilter": ("[interactive]\n diffFilter = @\n[color]\n ui = always", "echo q | git add -p"),
    "sequence.editor": ("[sequence]\n editor = @", "git stash -q; git rebase -q -i HEAD~1"),
    "difftool": ("[difftool \"evil\"]\n cmd = @\n[diff]\n tool = evil", "git difftool -y"),
    "mergetool": ("[mergetool \"evil\"]\n cmd = @\n[merge]\n tool = evil", "git commit -qam m; git merge -q other; git mergetool -y"),
    "pager.status": ("[pager]\n status = @", "git status"),
    "pager.diff": ("[pager]\n diff = @", "git diff"),
    "trailer.command": ("[trailer \"evil\"]\n key = Evil\n command = @\n ifmissing = add", "echo | git interpret-trailers"),
    "trailer.cmd": ("[trailer \"evil2\"]\n key = Evil\n cmd = @\n ifmissing = add", "echo | git interpret-trailers --trailer Evil=1"),
    "tar": ("[tar \"evil\"]\n command = @", "git archive --format=evil HEAD >/dev/null"),
    "man": ("[man]\n viewer = evil\n[man \"evil\"]\n cmd = @", "git help -m git"),
    "browser": ("[help]\n browser = evil\n[browser \"evil\"]\n cmd = @", "git web--browse -b evil file:///x"),
    "sendemail": ("[sendemail]\n toCmd = @\n smtpServer = @", ""),
    "imap": ("[imap]\n tunnel = @\n folder = x", "printf 'From a\\nFrom: a\\nDate: x\\nSubject: x\\n\\nx\\n' | git imap-send"),
    "guitool": ("[guitool \"evil\"]\n cmd = @", ""),
    "worktree": ("[core]\n worktree = @.d", ""),
    "bare": ("[core]\n bare = true\n[gc]\n logExpiry = @", ""),
    "partial": ("[extensions]\n partialClone = evil5\n[remote \"evil5\"]\n promisor = true\n url = ext::@\n[protocol \"ext\"]\n allow = always", ""),
    "odd-spelling": ("[core] fsmonitor = \"@\" #]\n", "git status"),
    "carriage-return": ("\r\n[CORE]\r\n\tFsMonitor=@\r\n", "git status"),
}
BREAKS = {"worktree", "bare", "partial"}


class Stage:
    """Makes the project at TOP/project, with payloads in it and canaries beside it."""

    def __init__(self, top):
        self.top, self.project, self.canaries = pathlib.Path(top), pathlib.Path(top, "project"), pathlib.Path(top, "canaries")
        self.canaries.mkdir(parents=True)
        (self.top / "home").mkdir(exist_ok=True)
        (self.top / "home/.gitconfig").write_text("[user]\n name = Ann\n email = a@example.org\n[protocol \"file\"]\n allow = always\n"
                                                  "[advice]\n detachedHead = false\n[init]\n defaultBranch = main\n"
                                                  "[diff]\n tool = none\n[difftool \"none\"]\n cmd = true\n"
                                                  "[merge]\n tool = none\n[mergetool \"none\"]\n cmd = true\n")
        self.env = {"HOME": str(self.top / "home"), "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TERM": "xterm", "EDITOR": "true",
                    "PAGER": "cat", "GIT_TERMINAL_PROMPT": "0", "GIT_TEMPLATE_DIR": ""}

    def shell(self, script, at, check=True):
        """As a person at a terminal would."""
        master, slave = os.openpty()
        with subprocess.Popen(["timeout", "-s", "KILL", "180", "sh", "-c", script], cwd=at, env=self.env, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave,
                              start_new_session=True) as p:
            os.close(slave)
            said = b""
            try:
                while block := os.read(master, 65536):
                    said += block
            except OSError:  # the last of them has closed it
                pass
            os.close(master)
        assert not check or p.returncode == 0, f"{script}: {said.decode(errors='replace')}"
        return said.decode(errors="replace")

    def make(self):
        """The project as it is before there is a box."""
        attributes = "*.x diff=cmd\n*.t diff=conv\n*.k filter=clean\n*.s filter=smudge\n*.p filter=proc\n*.m merge=drv\n"
        fill = f"""set -e; git init -q .; printf '{attributes}' >.gitattributes
            for f in f a.x a.t a.k a.s a.p a.m a.own; do echo 1 >$f; done; git add -A; git commit -qm one
            git checkout -q -b other; echo theirs >a.m; echo theirs >f; git commit -qam theirs; git checkout -q main
            git checkout -q -b easy; echo >new; git add new; git commit -qm easy; git checkout -q main
            echo ours >a.m; echo ours >f; git commit -qam ours
            git cat-file commit HEAD | sed '/^committer/a gpgsig -----BEGIN PGP SIGNATURE-----\\n \\n x\\n -----END PGP SIGNATURE-----' |
                git hash-object -t commit -w --stdin | xargs git tag signed
            """
        for name in ("c", "ab", "project"):
            (self.top / name).mkdir()
            self.shell(fill, self.top / name)
        self.shell("set -e; git submodule --quiet add --name c ../c deep; git commit -qm deep", self.top / "ab")
        self.shell("""set -e; git submodule --quiet add --name a/b ../ab sub; git submodule --quiet update --init --recursive
            mkdir docs; echo text >docs/readme; git add docs; git commit -qm sub; git worktree add -q -b wt wt; git clone -q --bare . mirror
            for s in sub sub/deep; do (cd $s; git checkout -q -B main; git branch -q other origin/other; git branch -q easy origin/easy); done""", self.project)

    def payloads(self, chosen):
        """payload/NAME runs as NAME; NAME.d has it as a hook, NAME.include as configuration."""
        project = self.project
        (project / "payload").mkdir()
        (project / "payload/run").write_text(f'#!/bin/sh\n: >"{self.canaries}/${{0##*/}}"\n')
        (project / "payload/run").chmod(0o755)
        for v in chosen:
            path = project / "payload" / v.name
            path.symlink_to("run")
            if any(f"{v.name}.d" in text for _, _, text in v.steps):
                path.with_name(v.name + ".d").mkdir()
                (path.with_name(v.name + ".d") / "post-checkout").write_text(f'#!/bin/sh\n: >"{self.canaries}/{v.name}"\n')
                (path.with_name(v.name + ".d") / "post-checkout").chmod(0o755)
            if any(f"{v.name}.include" in text for _, _, text in v.steps):
                path.with_name(v.name + ".include").write_text(f"[core]\n fsmonitor = {project}/payload/{v.name}\n")
            if any(f"{v.name}.attributes" in text for _, _, text in v.steps):
                path.with_name(v.name + ".attributes").write_text(f"*.own filter={project}/payload/{v.name}\n")

    def copy_to(self, other):
        """The same elsewhere. A linked work tree knows where it is."""
        subprocess.run(["cp", "-a", self.project, other.project], check=True)
        for name in (".git/worktrees/wt/gitdir", "wt/.git"):
            path = other.project / name
            path.write_text(path.read_text().replace(str(self.top), str(other.top)))

    def steps(self, chosen):
        """With places of this project; all in one box, so what one began another goes on with."""
        return [(what, path, text.replace("@@", str(self.project)).replace("%CANARIES%", str(self.canaries)))
                for v in chosen for what, path, text in v.steps]

    def plant(self, v):
        self.payloads([v])
        git_plant.plant(self.steps([v]), self.project)

    def fired(self):
        return {p.name for p in self.canaries.iterdir()}

    def arrived(self):
        """Names of variants of which something is in a file of the host that is no payload. plain-common is no git directory by itself."""
        known = re.compile("|".join(sorted((re.escape(v.name) for v in variants()), key=len, reverse=True)))
        found = set()
        for here, dirs, files in os.walk(self.project):
            dirs[:] = [d for d in dirs if d not in ("payload", ".aisbx", "plain-common")]
            for name in files + dirs:
                path = pathlib.Path(here, name)
                text = os.readlink(path) if path.is_symlink() else path.read_bytes().decode(errors="replace") if path.is_file() else ""
                found |= {f"{m} in {path.relative_to(self.project)}" for m in known.findall(text)}
        return found

    def live(self, chosen, trees=("", "sub", "sub/deep", "wt")):
        """What a person does then, and what would set off CHOSEN. Nothing of it may run a payload."""
        each = list(dict.fromkeys(v.trigger for v in chosen if v.trigger))
        for tree in trees:
            if (self.project / tree).is_dir():
                self.shell("\n".join([*PLAIN, CHANGE, *PLAIN, *each]), self.project / tree, check=False)
        there = {str(p.parent.relative_to(self.project)) for p in self.project.glob("docs/*/*")} | {"docs", "mirror"}
        self.shell("\n".join(f"(cd '{tree}' && git status; git st)" for tree in sorted(there)), self.project, check=False)


PLAIN = ["git status", "git log -1 -p", "git diff", "git checkout", "git fetch -q .", "git stash list", "git submodule status"]
CHANGE = "for f in a.?; do echo more >>$f; done; echo more >>a.own"


def config(text, name):
    return text.replace("@", f"@@/payload/{name}") + "\n"


def of_config():
    for place, (gitdir, tree) in PLACES.items():
        for key, (text, trigger) in KEYS.items():
            name = f"V.{place}-config-{key}"
            trigger = "" if key == "submodule.update" and tree else trigger
            first = CHANGE + "; " if trigger else ""
            yield Variant(name, (("append", f"{gitdir}/config", config(text, name)),), tree, first + trigger if trigger else "", key if key in BREAKS else "")
    for key in ("fsmonitor", "diff.external", "sshCommand", "hooksPath", "pager.status"):
        name = f"V.worktree-config-{key}"
        text, trigger = KEYS[key]
        yield Variant(name, (("append", ".git/config", "[extensions]\n worktreeConfig = true\n"),
                             ("append", ".git/worktrees/wt/config.worktree", config(text, name))), "wt", CHANGE + "; " + trigger)
    name = "V.config.worktree"
    yield Variant(name, (("append", ".git/config", "[extensions]\n worktreeConfig = true\n"),
                         ("append", ".git/config.worktree", config(KEYS["fsmonitor"][0], name))), "", "git status")
    name = "V.bare-config"
    yield Variant(name, (("append", "mirror/config", config("[core]\n bare = false\n worktree = ../docs\n fsmonitor = @", name)),),
                  "mirror", "git status")


def script(name):
    return f"#!/bin/sh\n: >'%CANARIES%/{name}'\n"


def of_hooks():
    for place, (gitdir, tree) in PLACES.items():
        for hook, trigger in HOOKS.items():
            name = f"V.{place}-hook-{hook}"
            yield Variant(name, (("program", f"{gitdir}/hooks/{hook}", script(name)),), tree, trigger)
    for where in (".git/worktrees/wt", "mirror", "docs/own/.git"):
        name = f"V.hook-in-{where.replace('/', '-').replace('.', '')}"
        yield Variant(name, (("program", f"{where}/hooks/post-checkout", script(name)),))
    name = "V.hook-by-link"
    yield Variant(name, (("link", ".git/hooks/post-checkout", f"../../payload/{name}.d/post-checkout"),), "", "git checkout -q -B tmp")
    name = "V.hooks-are-a-link"
    yield Variant(name, (("link", ".git/hooks", f"../payload/{name}.d"),), "", "git checkout -q -B tmp", apart="hooks-are-a-link")
    name = "V.hook-through-a-link"
    yield Variant(name, (("dir", ".git/hooks", ""), ("link", "easy", ".git/hooks"), ("program", "easy/post-checkout", script(name))), "",
                  "git checkout -q -B tmp", apart="hook-through-a-link")


HEAD = "ref: refs/heads/main\n"
EVIL = "[core]\n repositoryformatversion = 0\n bare = false\n worktree = %s\n fsmonitor = @\n[alias]\n st = !@\n"


def bare(top, name, worktree="."):
    """What git takes for a repository when it stands in TOP."""
    return (("write", f"{top}/HEAD", HEAD), ("dir", f"{top}/objects", ""), ("write", f"{top}/objects/.keep", ""), ("dir", f"{top}/refs", ""),
            ("write", f"{top}/refs/.keep", ""), ("write", f"{top}/config", config(EVIL % worktree, name)))


def of_shapes():
    """Directories that git takes for its own, each below docs/ in one of its own."""
    def shape(what, make, at="", trigger="git status"):
        name = f"V.shape-{what}"
        top = f"docs/{what}"
        return Variant(name, tuple(make(top, name)), f"{top}/{at}".rstrip("/"), trigger)

    yield shape("bare", bare)
    yield shape("bare-deep", lambda t, n: bare(f"{t}/a/b/c", n), "a/b/c")
    yield shape("head-dangles", lambda t, n: (*bare(t, n), ("link", f"{t}/HEAD", "refs/heads/none")))
    yield shape("head-detached", lambda t, n: (*bare(t, n), ("write", f"{t}/HEAD", "1" * 40 + "\n")))
    yield shape("commondir", lambda t, n: (("write", f"{t}/HEAD", HEAD), ("write", f"{t}/commondir", "../plain-common\n"),
                                           ("write", f"{t}/gitdir", "x\n"), *bare("docs/plain-common", n)[1:]), trigger="git st")
    yield shape("commondir-outside", lambda t, n: (("write", f"{t}/HEAD", HEAD), ("write", f"{t}/commondir", "@@/docs/far/plain-common\n"),
                                                   *bare("docs/far/plain-common", n)[1:]), trigger="git st")
    yield shape("objects-linked", lambda t, n: (*bare(t, n), ("remove", f"{t}/objects", ""), ("link", f"{t}/objects", "../../.git/objects"),
                                                ("remove", f"{t}/refs", ""), ("link", f"{t}/refs", "../../.git/refs")))
    yield shape("objects-are-files", lambda t, n: (*bare(t, n), ("remove", f"{t}/objects", ""), ("program", f"{t}/objects", ""),
                                                   ("remove", f"{t}/refs", ""), ("program", f"{t}/refs", "")))
    yield shape("config-includes", lambda t, n: (*bare(t, n)[:-1], ("write", f"{t}/config", "[core]\n repositoryformatversion = 0\n bare = false\n worktree = .\n[include]\n path = more\n"),
                                                 ("write", f"{t}/more", "[include]\n path = most\n"),
                                                 ("write", f"{t}/most", config("[core]\n fsmonitor = @", n))))
    yield shape("config-linked", lambda t, n: (*bare(t, n)[:-1], ("write", f"{t}/other/file", config(EVIL % ".", n)), ("link", f"{t}/config", "other/file")))
    yield shape("renamed", lambda t, n: (*bare("docs/plain", n), ("move", t, "docs/plain")))
    yield shape("nested", lambda t, n: bare(f"{t}/.git", n, ".."))
    yield shape("gitfile", lambda t, n: (*bare(f"{t}/store", n, ".."), ("write", f"{t}/.git", "gitdir: store\n")))
    yield shape("gitfile-to-top", lambda t, n: (*bare("docs/other-store", n, "../gitfile-to-top"), ("write", f"{t}/.git", "gitdir: ../other-store\n")))
    yield shape("gitfile-commondir", lambda t, n: (("write", f"{t}/store/HEAD", HEAD), ("write", f"{t}/store/commondir", "../plain-common\n"),
                                                   *bare(f"{t}/plain-common", n)[1:], ("write", f"{t}/plain-common/config", config(KEYS["fsmonitor"][0], n)),
                                                   ("write", f"{t}/.git", "gitdir: store\n")))
    yield shape("git-linked", lambda t, n: (*bare(f"{t}/store", n, ".."), ("link", f"{t}/.git", "store")))
    yield shape("submodule-like", lambda t, n: (*bare(f"{t}/modules/x", n),), "modules/x")
    for i, word in enumerate((".GIT", ".Git", ".giT", "git~1", "GIT~1", ".g\u200cit", ".git\u200d", "\ufeff.git", ".git ", ".git.", ".git...", ".git::$INDEX_ALLOCATION",
                              ".git:x", ".gi\u202et")):
        yield shape(f"spelt-{i}", lambda t, n, word=word: bare(f"{t}/{word}", n, ".."), trigger="")
        yield Variant(f"V.shape-spelt-hook-{i}", (("program", f"docs/spelt-hook-{i}/{word}/hooks/post-checkout", script(f"V.shape-spelt-hook-{i}")),))
    yield Variant("V.shape-added-to", bare("docs/half", "V.shape-added-to")[2:], "docs/half", "git status")  # the host has HEAD, see prepare()


def of_files():
    """Files of a git directory that are no configuration and redirect all the same."""
    for place, (gitdir, tree) in PLACES.items():
        def name(what, place=place):
            return f"V.{place}-{what}"

        yield Variant(name("attributes"), (("append", f"{gitdir}/info/attributes", f"*.x filter={name('attributes')}\n"),
                                           ("append", f"{gitdir}/config", config(f"[filter \"{name('attributes')}\"]\n clean = @", name("attributes")))),
                      tree, "echo 1 >>a.x; git diff")
        yield Variant(name("alternates"), (("write", f"{gitdir}/objects/info/alternates", f"@@/payload/{name('alternates')}.d\n"),))
        yield Variant(name("http-alternates"), (("write", f"{gitdir}/objects/info/http-alternates", f"{name('http-alternates')}\n"),))
        yield Variant(name("grafts"), (("write", f"{gitdir}/info/grafts", f"# {name('grafts')}\n"),))
        yield Variant(name("shallow"), (("write", f"{gitdir}/shallow", f"# {name('shallow')}\n"),), apart="shallow")
        yield Variant(name("sparse"), (("write", f"{gitdir}/info/sparse-checkout", f"{name('sparse')}\n"),))
        yield Variant(name("exclude"), (("append", f"{gitdir}/info/exclude", f"{name('exclude')}\n"),))
        yield Variant(name("remotes"), (("write", f"{gitdir}/remotes/evil6", f"URL: ext::@@/payload/{name('remotes')}\n"),))
        yield Variant(name("branches"), (("write", f"{gitdir}/branches/evil7", f"ext::@@/payload/{name('branches')}\n"),))
        yield Variant(name("rebase"), (("write", f"{gitdir}/rebase-merge/git-rebase-todo", f"exec @@/payload/{name('rebase')}\n"),
                                       ("write", f"{gitdir}/rebase-merge/head-name", "refs/heads/main\n"), ("write", f"{gitdir}/rebase-merge/onto", "1" * 40),
                                       ("write", f"{gitdir}/rebase-merge/interactive", "")))
        yield Variant(name("sequencer"), (("write", f"{gitdir}/sequencer/todo", f"exec @@/payload/{name('sequencer')}\n"),))
        yield Variant(name("merge-msg"), (("write", f"{gitdir}/MERGE_MSG", name("merge-msg")),))
        yield Variant(name("description"), (("write", f"{gitdir}/description", name("description")),))
        yield Variant(name("pack-index"), (("write", f"{gitdir}/objects/pack/pack-{'1' * 40}.idx", name("pack-index")),
                                           ("write", f"{gitdir}/objects/pack/pack-{'1' * 40}.pack", "PACK" + name("pack-index"))))
        yield Variant(name("midx"), (("write", f"{gitdir}/objects/pack/multi-pack-index", name("midx")),))
        yield Variant(name("commit-graph"), (("write", f"{gitdir}/objects/info/commit-graph", name("commit-graph")),))
        yield Variant(name("loose"), (("write", f"{gitdir}/objects/11/{'1' * 38}", name("loose")),))
        yield Variant(name("shared-index"), (("write", f"{gitdir}/sharedindex.{'1' * 40}", name("shared-index")),))
        yield Variant(name("index"), (("write", f"{gitdir}/index", "DIRC" + name("index")),), apart="index")
        yield Variant(name("commondir"), (("write", f"{gitdir}/commondir", f"@@/payload/{name('commondir')}.d\n"),), apart="commondir")
    yield Variant("V.worktree-commondir", (("write", ".git/worktrees/wt/commondir", "../../../docs/plain-common\n"), *bare("docs/plain-common", "V.worktree-commondir")[1:]),
                  "wt", "git status", apart="worktree-commondir")
    yield Variant("V.worktree-gitdir", (("write", ".git/worktrees/wt/gitdir", "@@/payload/V.worktree-gitdir\n"),), apart="worktree-gitdir")
    yield Variant("V.worktree-new", (("write", ".git/worktrees/new/gitdir", "@@/payload/V.worktree-new\n"), ("write", ".git/worktrees/new/HEAD", HEAD),
                                     ("write", ".git/worktrees/new/commondir", "../..\n")))
    yield Variant("V.worktree-gitfile", (*bare("docs/moved", "V.worktree-gitfile", "../../wt"), ("write", "wt/.git", "gitdir: ../docs/moved\n")),
                  "wt", "git status", apart="worktree-gitfile")
    yield Variant("V.submodule-gitfile", (*bare("docs/moved", "V.submodule-gitfile", "../../sub"), ("write", "sub/.git", "gitdir: ../docs/moved\n")),
                  "sub", "git status", apart="submodule-gitfile")
    yield Variant("V.submodule-dir", (("remove", "sub/.git", ""), *bare("sub/.git", "V.submodule-dir", "..")), "sub", "git status", apart="submodule-dir")
    yield Variant("V.top-gitfile", (*bare("docs/moved", "V.top-gitfile", "../.."), ("remove", ".git", ""), ("write", ".git", "gitdir: docs/moved\n")),
                  "", "git status", apart="top-gitfile")
    yield Variant("V.top-link", (*bare("docs/moved", "V.top-link", "../.."), ("remove", ".git", ""), ("link", ".git", "docs/moved")),
                  "", "git status", apart="top-link")
    yield Variant("V.modules-link", (*bare("docs/moved/b", "V.modules-link", "../../../sub"), ("remove", ".git/modules/a", ""),
                                     ("link", ".git/modules/a", "../../docs/moved")), "sub", "git status", apart="modules-link")


_ALL = []


def variants():
    if not _ALL:
        _ALL.extend([*of_config(), *of_hooks(), *of_shapes(), *of_files()])
        names = [v.name for v in _ALL]
        assert len(set(names)) == len(names), sorted(n for n in names if names.count(n) > 1)
    return _ALL


def prepare(stage):
    """What some of the variants need of the host."""
    (stage.project / "docs/half").mkdir()
    (stage.project / "docs/half/HEAD").write_text(HEAD)
    (stage.project / "docs/half/objects").mkdir()
