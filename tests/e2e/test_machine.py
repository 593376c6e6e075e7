# SPDX-License-Identifier: Apache-2.0
"""The promise: a box is this machine, with its tools and packages, and nothing done in it reaches the machine."""
import base64
import os
import shutil
import subprocess
import textwrap
import uuid
import zlib

import box
import pytest

# The whole of /etc by content, the system by names, sizes, modes, owners and times, some of it by content.
WHOLE = ("/etc",)
SAMPLE = ("/usr/bin", "/usr/sbin", "/usr/local/bin", "/var/lib/dpkg")
NAMES = ("/usr/lib", "/usr/share", "/usr/local", "/opt", "/var/lib")
ROOT_CAPS = ["chown", "dac_override", "fowner", "fsetid", "setgid", "setuid"]


class Machine:
    """with Machine(dir, ...): the real machine and these directories are byte-identical afterwards."""

    def __init__(self, *own):
        small = [p for p in SAMPLE if os.path.exists(p)]
        self.watches = [box.Watch(*WHOLE, *small, *own), box.Watch(*NAMES, content=False)]

    def __enter__(self):
        for watch in self.watches:
            watch.__enter__()

    def __exit__(self, *why):
        for watch in self.watches:
            watch.__exit__(*why)


def forms_of(secret):
    """A secret as it is and as it could be hidden in output; base64 at each of its three alignments."""
    raw = secret.encode()
    yield secret
    yield raw.hex()
    yield zlib.compress(raw).hex()
    for skip in range(3):
        yield base64.b64encode(raw[skip:]).decode()[:len(raw) - 4]


@pytest.fixture
def person(tmp_path):
    """A home with a secret in it and a project below, both only a test's."""
    home = tmp_path / "home"
    project = home / "src" / "project"
    project.mkdir(parents=True)
    (home / ".ssh").mkdir(mode=0o700)
    secret = f"SECRET-{uuid.uuid4().hex}"
    (home / ".ssh" / "id_rsa").write_text(f"-----BEGIN OPENSSH PRIVATE KEY-----\n{secret}\n")
    (home / ".ssh" / "id_rsa").chmod(0o600)
    (home / "diary.txt").write_text(f"{secret}\n")
    (project / "main.py").write_text("print('hello')\n")
    box.make_canary(project / "tree")
    for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "t"]):
        subprocess.run(["git", *words], cwd=project, check=True, env={**os.environ, "HOME": str(home)})

    class Person:
        pass

    who = Person()
    who.home, who.project, who.secret = home, project, secret
    who.env = {**os.environ, "HOME": str(home)}
    return who


MUST_SHOW = 'id; ls -A ~; cat ~/.ssh/id_rsa; rm -rf /usr /etc "$PWD"'


@pytest.mark.parametrize("profile", box.PROFILES)
@pytest.mark.big
def test_the_machine_survives(person, profile, tmp_path):
    """`id; ls ~; cat ~/.ssh/id_rsa; rm -rf /usr /etc "$PWD"`: the whole point, in one line."""
    with Machine(tmp_path):
        result = box.started(box.run("sh", "-c", MUST_SHOW, cwd=person.project, profile=profile, env=person.env))
    said = result["stdout"] + result["stderr"]
    assert said.startswith(f"uid={os.getuid()}(")
    for form in forms_of(person.secret):
        assert form not in said
    assert "diary.txt" not in said, "the home is to be hidden"
    assert f"open {person.home}/.ssh/id_rsa" in box.violations(result, "decoy")
    assert result["isolation"]["level"] == "full" and result["isolation"]["missing"] == []
    assert result["isolation"]["caps"] == (ROOT_CAPS if box.IS_ROOT and profile == "dev" else [])
    status = subprocess.run(["git", "status", "--porcelain"], cwd=person.project, stdout=subprocess.PIPE, check=True,
                            env=person.env)
    assert status.stdout == b""


@pytest.mark.big
def test_the_machine_survives_as_text(person, tmp_path):
    """The same without --json, as a person types it: the status is the command's, words go to stderr."""
    with Machine(tmp_path):
        done = subprocess.run([box.aisbx(), "run", "--", "sh", "-c", MUST_SHOW + "; exit 7"], cwd=person.project,
                              env=person.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    # In root's own dev box rm takes the system away for good, its own programs included; the shell goes on.
    assert done.returncode == 7, done.stderr
    assert person.secret.encode() not in done.stdout + done.stderr
    assert b"noticed: open" in done.stderr and b"id_rsa" in done.stderr


def test_control_outside_the_secret_is_there(person):
    """What the tests above look for would be found."""
    done = subprocess.run(["sh", "-c", "ls -A ~; cat ~/.ssh/id_rsa"], env=person.env, stdout=subprocess.PIPE)
    assert person.secret.encode() in done.stdout and b"diary.txt" in done.stdout


@pytest.mark.parametrize("profile", box.PROFILES)
def test_the_project_can_be_worked_on(person, profile):
    script = ("set -e; cat main.py; echo new >new; cat new; echo more >>main.py; mkdir -p a/b; mv tree/plain a/b/; "
              "rm -r tree/deep; ln -s a l; chmod 700 main.py; tail -n1 main.py; test ! -e tree/deep; cat l/b/plain")
    with box.Watch(person.project):
        result = box.run("sh", "-c", script, cwd=person.project, profile=profile, env=person.env)
    assert result["status"] == "ok", result
    assert result["stdout"] == "print('hello')\nnew\nmore\ncanary\n"
    shared = box.run("sh", "-c", script, cwd=person.project, profile=profile, env=person.env,
                     options=["--rw", str(person.project)])
    assert shared["status"] == "ok" and (person.project / "new").read_text() == "new\n", "the control"


def path_with(*more):
    return os.pathsep.join([*os.environ["PATH"].split(os.pathsep), *more])


# name, version, files of a small program, command that runs it, what it prints
HELLOS = {
    "python3": ("--version", {"h.py": "import json, ssl, sqlite3; print('hello', 6*7)"}, "python3 h.py"),
    "node": ("--version", {"h.js": "console.log('hello', 6*7, require('fs').readFileSync('/etc/hostname') && '')"},
             "node h.js"),
    "go": ("version", {"h.go": 'package main\nfunc main() { println("hello", 6*7) }\n'},  # no fmt: all that is imported is compiled first
           "go run h.go 2>&1"),
    "java": ("-version", {"H.java": 'class H { public static void main(String[] a) '
                                    '{ System.out.println("hello " + 6*7); } }\n'}, "javac H.java && java H"),
    "cargo": ("--version", {}, "cargo new -q --offline --vcs none h && cd h && "
                               "printf 'fn main() { println!(\"hello {}\", 6*7); }' >src/main.rs && "
                               "cargo run -q --offline && rustc --version"),
}
TOOLS = ["python3", "node", "go", "java"] + (["cargo"] if box.IS_ROOT else [])


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.big
def test_tools_of_the_machine_run(tmp_path, tool):
    """As found on PATH, in the home or in the system; each compiles and runs a small program."""
    version, files, command = HELLOS[tool]
    path = path_with("/usr/local/go/bin")
    assert shutil.which(tool, path=path), f"this machine has no {tool} on PATH"
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    env = {**os.environ, "PATH": path}
    with box.Watch(tmp_path):
        result = box.run("sh", "-c", f"{tool} {version} && {command}", cwd=tmp_path, env=env,
                         options=["--timeout", "100s"])
    assert result["status"] == "ok", (result["stdout"], result["stderr"])
    assert "hello 42" in result["stdout"], result
    assert not box.violations(result), "an everyday tool should trip nothing"


def build_package(root, name):
    """A package with a file, a set-group-id directory and a maintainer script that makes a system user."""
    tree = root / name
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "usr/share" / name).mkdir(parents=True)
    (tree / "usr/share" / name / "data").write_text("from the package\n")
    (tree / "DEBIAN/control").write_text(textwrap.dedent(f"""\
        Package: {name}
        Version: 1.0
        Architecture: all
        Maintainer: Nobody <nobody@example.invalid>
        Description: made by a test
        """))
    (tree / "DEBIAN/postinst").write_text(textwrap.dedent(f"""\
        #!/bin/sh
        set -e
        useradd --system --user-group --home-dir /var/lib/{name} --shell /usr/sbin/nologin {name}
        install -d -o {name} -g {name} -m 2750 /var/lib/{name}
        su -s /bin/sh {name} -c 'id -un >/var/lib/{name}/who'
        """))
    (tree / "DEBIAN/postinst").chmod(0o755)
    for path in [tree, *tree.rglob("*")]:
        if path.is_dir():
            path.chmod(0o755)
    deb = root / f"{name}.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "-b", str(tree), str(deb)], check=True,
                   stdout=subprocess.DEVNULL)
    shutil.rmtree(tree)
    return deb


@pytest.mark.big
def test_packages_can_be_installed(tmp_path):
    """Root's dev box: dpkg -i with a maintainer script works. Others: the system is read-only, and says so."""
    name = f"aisbx-test-{uuid.uuid4().hex[:8]}"
    deb = build_package(tmp_path, name)
    script = (f"dpkg -i {deb.name} && dpkg -s {name} | grep Status && cat /usr/share/{name}/data && "
              f"stat -c '%U %G %a' /var/lib/{name} && cat /var/lib/{name}/who && getent passwd {name}")
    env = {**os.environ, "PATH": path_with("/usr/sbin", "/sbin")}
    with Machine(tmp_path):
        result = box.run("sh", "-c", script, cwd=tmp_path, env=env)
        strict = box.run("sh", "-c", script, cwd=tmp_path, env=env, profile="strict")
    assert strict["status"] == "failed"
    if box.IS_ROOT:
        assert result["status"] == "ok", (result["stdout"], result["stderr"])
        assert "install ok installed" in result["stdout"] and "from the package" in result["stdout"]
        assert f"{name} {name} 2750\n{name}\n" in result["stdout"]
    else:
        assert result["status"] == "failed"
    assert subprocess.run(["getent", "passwd", name], stdout=subprocess.DEVNULL).returncode == 2


@pytest.mark.parametrize("profile", box.PROFILES)
def test_the_system_is_the_machines(tmp_path, profile):
    """The clone is complete: the same programs, libraries and /etc, the same user and directory."""
    script = ("id -un; pwd; ls /usr/bin | wc -l; ls /usr/lib | wc -l; sha256sum </etc/passwd; "
              "sha256sum </usr/bin/env; dpkg -l | wc -l")
    inside = box.run("sh", "-c", script, cwd=tmp_path, profile=profile)
    outside = subprocess.run(["sh", "-c", script], cwd=tmp_path, stdout=subprocess.PIPE)
    assert inside["stdout"] == outside.stdout.decode()


def test_nothing_is_left_behind(tmp_path):
    """No mount, no process, no file of ours remains after runs of every ending."""
    marker = uuid.uuid4().hex
    mounts = box.own_mounts(tmp_path)
    with box.Watch(tmp_path):
        for words, options in ((["true"], []), (["false"], []), (["/no/such/program"], []),
                               (["sh", "-c", "kill -9 $$"], []), (["sleep", "1000", marker], ["--timeout", "50ms"]),
                               (["sh", "-c", f"sleep 1000 {marker} & exit 0"], []), (["true"], ["--cwd", "/no/such"])):
            for profile in box.PROFILES:
                box.run(*words, cwd=tmp_path, profile=profile, options=options)
    assert box.own_mounts(tmp_path) <= mounts
    box.wait_until(lambda: not box.processes_with(marker), 30, "the end of every process")
