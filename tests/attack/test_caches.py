# SPDX-License-Identifier: Apache-2.0
"""Caches of the host in boxes: no box poisons one for the host or for another box, and no way leads from one to a secret.

One home with every cache of the table, one hostile box that stays, one look at everything afterwards.
"""
import json
import os
import pathlib
import re
import subprocess

import pytest

import box

TABLE = pathlib.Path(__file__).resolve().parents[2] / "src/policy/cache.c"
PYTHON = "/usr/bin/python3"
SECRETS = [".cargo/credentials.toml", ".cargo/credentials", ".npmrc", ".m2/settings.xml", ".gradle/gradle.properties", ".gem/credentials",
           ".cache/huggingface/token", ".cache/huggingface/stored_tokens", ".cache/mozilla/cookies", ".cache/thumbnails/a", ".ssh/id_ed25519",
           ".bundle/config", ".nuget/NuGet/NuGet.Config", ".ivy2/.credentials", ".sbt/.credentials", ".conan2/credentials.json", "go/src/private.go",
           ".stack/config.yaml", ".composer/auth.json", ".config/gh/hosts.yml", ".pub-cache/credentials.json", ".hex/hex.config"]


def caches():
    """Every directory of the table, below the home."""
    text = TABLE.read_text()
    dirs = {name: re.findall(r'\{ "([^"]*)",', rows) for name, rows in re.findall(r"cache_dir (\w+)\[\] = \{(.*?)\n?\s*END", text, re.S)}
    found = [f"{place}/{d}".rstrip("/") for place, rows in re.findall(r'\{ "([^"]+)", (?:NULL|"\w+"), (\w+) \}', text.split("cache_places[]")[1]) for d in dirs[rows]]
    assert len(found) > 100 and ".cache/pip" in found and ".cargo/registry" in found, found
    return found


CACHES = caches()

HOSTILE = r"""
import os, shutil, sys
home = os.environ["HOME"]
def attempt(act, *args, **kw):
    try:
        act(*args, **kw)
        return True
    except OSError:
        return False
done = 0
for cache in sys.argv[1:]:
    os.chdir(os.path.join(home, cache))
    ok = attempt(open("written", "w").write, "evil")
    ok &= attempt(os.truncate, "cut", 0)
    ok &= attempt(os.unlink, "gone")
    ok &= attempt(os.chmod, "mode", 0o777)
    ok &= attempt(os.utime, "time", (1, 1))
    open("new", "w").write("evil")
    ok &= attempt(os.rename, "new", "replaced")
    ok &= attempt(os.link, "linked", "link")
    ok &= attempt(open("link", "w").write, "evil")
    ok &= attempt(shutil.rmtree, "dir")
    ok &= attempt(os.symlink, "/etc", "dir")
    attempt(os.rename, "kept", "moved")
    attempt(os.setxattr, "xattr", "user.overlay.redirect", b"/etc")
    attempt(os.setxattr, "xattr", "user.evil", b"1")
    attempt(os.setxattr, ".", "user.overlay.opaque", b"y")
    attempt(os.chmod, ".", 0o777)
    attempt(os.unlink, "mapped")
    fd = os.open("open", os.O_RDWR)
    os.write(fd, b"evil")
    os.close(fd)
    done += ok
print(done)
"""
LOOK = r"""
import hashlib, json, os, sys
found = {}
for cache in sys.argv[1:]:
    top = os.path.join(os.environ["HOME"], cache)
    for here, dirs, files in os.walk(top):
        for name in sorted(dirs + files):
            path = os.path.join(here, name)
            st = os.lstat(path)
            data = "" if os.path.isdir(path) or os.path.islink(path) else hashlib.sha256(open(path, "rb").read()).hexdigest()
            found[os.path.relpath(path, os.environ["HOME"])] = [oct(st.st_mode), 0 if os.path.isdir(path) else st.st_mtime_ns, data]
print(json.dumps(found))
"""
FILES = ["written", "cut", "gone", "mode", "time", "replaced", "linked", "xattr", "mapped", "open"]


class Place:
    def __init__(self, root):
        self.home, self.project = root / "home", root / "home/work/project"
        self.project.mkdir(parents=True)
        self.env = {**os.environ, "HOME": str(self.home), "XDG_STATE_HOME": str(root / "state"), "PATH": "/usr/bin:/bin"}
        self.env = {k: v for k, v in self.env.items() if not k.endswith(("_HOME", "_CACHE", "_DIR", "CACHE_DIR")) or k == "XDG_STATE_HOME"}

    def fill(self, *names):
        for cache in names:
            top = self.home / cache
            for d in (top / "dir/deep", top / "kept"):
                d.mkdir(parents=True)
                (d / "f").write_text("host\n")
            for name in FILES:
                (top / name).write_text(f"host {cache}\n")
                os.utime(top / name, (1e9, 1e9))

    def aisbx(self, *words, status=0):
        done = subprocess.run([box.aisbx(), *words], cwd=self.project, env=self.env, capture_output=True, text=True, timeout=120)
        assert done.returncode == status, (words[:6], done.stdout[-500:], done.stderr[-500:])
        return done.stdout

    def view(self, *options, names=CACHES):
        return json.loads(self.aisbx("run", *options, "--", PYTHON, "-c", LOOK, *names))


@pytest.fixture(scope="module")
def after(tmp_path_factory):
    """What hosts and boxes see when a hostile box has had its way, twice."""
    place = Place(tmp_path_factory.mktemp("caches"))
    place.fill(*CACHES)
    for secret in SECRETS:
        (place.home / secret).parent.mkdir(parents=True, exist_ok=True)
        (place.home / secret).write_text("SECRET-TEXT\n")
    place.before = box.facts(place.home)
    place.aisbx("create", "other")
    place.clean = place.view()
    place.aisbx("create", "evil")
    assert place.aisbx("run", "-b", "evil", "--", PYTHON, "-c", HOSTILE, *CACHES).split() == [str(len(CACHES))]
    place.evil = place.view("-b", "evil")
    place.aisbx("run", "--", PYTHON, "-c", HOSTILE, *CACHES)
    place.after = box.facts(place.home)
    place.other, place.thrown = place.view("-b", "other"), place.view()
    return place


@pytest.mark.parametrize("cache", CACHES)
def test_a_box_changes_its_own_view_alone(after, cache):
    top = f"{after.home}/{cache}"
    inside = [p for p in after.before if p == top or p.startswith(top + "/")]
    assert len(inside) >= len(FILES)
    assert not box.changed({p: after.before[p] for p in inside}, {p: f for p, f in after.after.items() if p == top or p.startswith(top + "/")})

    def of(view):
        return {p: facts for p, facts in view.items() if p.startswith(cache + "/")}

    assert of(after.clean) and of(after.other) == of(after.thrown) == of(after.clean)
    evil = of(after.evil)  # where it did what it did, and finds it again
    assert f"{cache}/gone" not in evil and evil[f"{cache}/written"] != of(after.clean)[f"{cache}/written"]
    assert evil[f"{cache}/replaced"][2] == evil[f"{cache}/linked"][2] == evil[f"{cache}/written"][2]
    assert evil[f"{cache}/mode"][0] == "0o100777"


def test_nothing_else_of_the_home_changed(after):
    assert not box.changed(after.before, after.after)


@pytest.mark.parametrize("profile", box.PROFILES)
def test_secrets_beside_caches_are_not_seen(after, profile):
    found = after.aisbx("run", "--profile", profile, "--", "sh", "-c", "grep -rl SECRET-TEXT ~; ls ~/.cache; true")
    assert str(after.home) not in found, found
    for name in ("mozilla", "thumbnails"):
        assert name not in found
    # Control: they are there.
    done = subprocess.run(["grep", "-rl", "SECRET-TEXT", after.home], capture_output=True, text=True, check=True)
    assert len(done.stdout.split()) == len(SECRETS)


@pytest.mark.parametrize("target", [".ssh", ".", "Documents", "/", "/etc", "/proc/self", "/tmp", "../state"])
@pytest.mark.parametrize("link", [".cache/pip", ".cache", ".cargo", "go/pkg"])
def test_a_linked_cache_leads_to_nothing_hidden(tmp_path, link, target):
    place = Place(tmp_path)
    for name in (".ssh/registry", ".ssh/mod", ".ssh/pip", "Documents/pip"):
        (place.home / name).mkdir(parents=True)
        (place.home / name / "key").write_text("SECRET-TEXT\n")
    (place.home / link).parent.mkdir(parents=True, exist_ok=True)
    (place.home / link).symlink_to(os.path.normpath(place.home / target))
    found = place.aisbx("run", "--", "sh", "-c", "grep -rl SECRET-TEXT ~ 2>/dev/null; mount")
    assert "SECRET" not in found and f"{place.home}/.ssh" not in found and f"on {place.home}/{link} " not in found
    assert not any(line.startswith(str(place.home)) for line in found.splitlines())


@pytest.mark.parametrize("variable", ["PIP_CACHE_DIR", "XDG_CACHE_HOME", "CARGO_HOME", "GOMODCACHE", "npm_config_cache", "GRADLE_USER_HOME"])
@pytest.mark.parametrize("value", [".ssh", "", ".config", "work/.."])
def test_a_variable_leads_to_nothing_hidden(tmp_path, variable, value):
    place = Place(tmp_path)
    for name in (".ssh", ".ssh/pip", ".ssh/registry", ".config/gh"):
        (place.home / name).mkdir(parents=True, exist_ok=True)
        (place.home / name / "key").write_text("SECRET-TEXT\n")
    place.env[variable] = f"{place.home}/{value}"
    assert place.aisbx("run", "--", "sh", "-c", "grep -rl SECRET-TEXT ~; true") == ""


def test_what_a_box_put_in_the_way_harms_nobody(tmp_path):
    """It makes links and pipes of every directory where something might be mounted later."""
    place = Place(tmp_path)
    tops = sorted({c.split("/")[0] for c in CACHES} | {".ssh", ".aws", ".gitconfig"})
    place.aisbx("create", "evil")
    script = "import os, shutil, sys\nfor i, n in enumerate(sys.argv[1:]):\n p = os.path.expanduser('~/' + n)\n shutil.rmtree(p, True)\n" \
             " if os.path.lexists(p): os.unlink(p)\n [lambda: os.symlink('/etc', p), lambda: os.mkfifo(p), lambda: open(p, 'w').write('x'), lambda: os.symlink('/tmp', p)][i % 4]()\n"
    place.aisbx("run", "-b", "evil", "--", PYTHON, "-c", script, *tops)
    place.fill(*CACHES)
    subprocess.run(["git", "config", "--global", "user.name", "Ada"], env=place.env, check=True)
    with box.Watch(place.home):
        found = place.aisbx("run", "-b", "evil", "--", "sh", "-c", "ls -ld ~/.cache; mount; ls /etc/registry /tmp/registry 2>&1; true")
    assert f"{place.home}/.cache" in found and f"on {place.home}/.cache/" not in found
    assert not [line for line in found.splitlines() if "type overlay (rw" in line and (" on /etc/" in line or " on /tmp/registry" in line)]
