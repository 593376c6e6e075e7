# SPDX-License-Identifier: Apache-2.0
"""Profiles: what each shipped one allows and refuses, tried both ways; files of people, what they can say, and who may write them."""
import json
import os
import pathlib
import re
import shutil
import subprocess

import box
import jsonschema
import pytest
import yaml

PYTHON = "/usr/bin/python3"
SHIPPED = pathlib.Path(__file__).resolve().parents[2] / "profiles"
MIB = 1 << 20

# What each shipped profile allows; whatever is more is refused. Memory in MiB; None: a part of the machine's, or no limit.
STATED = {
    "dev": dict(seconds=3600, cpu=None, mem=None, pids=4096, disk=4096, net="loopback", env="all", writable=True, caps=6),
    "strict": dict(seconds=30, cpu=1, mem=512, pids=64, disk=100, net="none", env="minimal", writable=False, caps=0),
    "python": dict(seconds=30, cpu=1, mem=512, pids=64, disk=100, net="none", env="minimal", writable=False, caps=0),
    "javascript": dict(seconds=15, cpu=1, mem=256, pids=64, disk=100, net="none", env="minimal", writable=False, caps=0),
    "shell": dict(seconds=10, cpu=1, mem=128, pids=64, disk=100, net="none", env="minimal", writable=False, caps=0),
    "go": dict(seconds=600, cpu=2, mem=2048, pids=1024, disk=1024, net="loopback", env="minimal", writable=False, caps=0),
    "rust": dict(seconds=600, cpu=2, mem=3072, pids=512, disk=1024, net="loopback", env="minimal", writable=False, caps=0),
    "java": dict(seconds=300, cpu=2, mem=2048, pids=512, disk=512, net="loopback", env="minimal", writable=False, caps=0),
    "c": dict(seconds=300, cpu=2, mem=2048, pids=256, disk=1024, net="loopback", env="minimal", writable=False, caps=0),
}
SMALL = ["strict", "python", "javascript", "shell"]


@pytest.fixture(name="place")
def fixture_place(tmp_path):
    return Place(tmp_path)


class Place:
    """A project, a home and a directory for profiles of one's own."""

    def __init__(self, tmp):
        self.project, self.home = tmp / "project", tmp / "home"
        self.profiles = tmp / "config" / "aisbx" / "profiles"
        for directory in (self.project, self.home, self.profiles):
            directory.mkdir(parents=True)
        self.env = {**os.environ, "HOME": str(self.home), "XDG_CONFIG_HOME": str(tmp / "config"), "PLAIN_SETTING": "kept"}
        self.env.pop("AISBX_PROFILE", None)

    def write(self, name, text, mode=0o644):
        path = self.profiles / f"{name}.yaml"
        path.write_text(text)
        path.chmod(mode)
        return path

    def run(self, profile, *words, options=(), **more):
        return box.run(*words, cwd=self.project, env={**self.env, **more.pop("env", {})}, profile=str(profile), options=options, **more)

    def aisbx(self, *words, env=()):
        """An operation with --json: its result."""
        at = words.index("--") if "--" in words else len(words)
        done = subprocess.run([box.aisbx(), *words[:at], "--json", *words[at:]], cwd=self.project, env={**self.env, **dict(env)},
                              stdout=subprocess.PIPE, check=False, timeout=60)
        return json.loads(done.stdout)

    def error(self, *words, env=()):
        result = self.aisbx(*words, env=env)
        assert result.get("status") == "error", result
        return result["error"]["text"]


@pytest.fixture(scope="module", autouse=True, name="ten_seconds")
def fixture_ten_seconds(tmp_path_factory):
    """Sleeps beside the other tests."""
    with subprocess.Popen(box.command("sleep", "60", profile="shell"), cwd=tmp_path_factory.mktemp("ten"), stdout=subprocess.PIPE) as run:
        yield run
        run.kill()


PROBE = """
import json, os, socket
def tries(what):
    try:
        what()
        return "ok"
    except OSError as err:
        return os.strerror(err.errno)
def loop():
    server = socket.socket(); server.bind(("127.0.0.1", 0)); server.listen()
    socket.create_connection(server.getsockname(), 2).close()
def out():
    socket.create_connection(("192.0.2.1", 80), 2)
def write():
    open("/usr/aisbx-test-probe", "w").close()
def project():
    open("probe", "w").close()
status = dict(line.split(":\\t") for line in open("/proc/self/status").read().splitlines() if line.startswith("Cap"))
print(json.dumps({"loop": tries(loop), "out": tries(out), "write": tries(write), "project": tries(project),
                  "caps": bin(int(status["CapEff"], 16)).count("1"), "env": dict(os.environ), "cpus": len(os.sched_getaffinity(0))}))
"""


@pytest.mark.parametrize("name", STATED)
def test_what_it_allows_and_refuses(place, name):
    """Network, system, capabilities, variables; and the numbers of the limits."""
    stated = STATED[name]
    result = box.started(place.run(name, PYTHON, "-c", PROBE, env={"GOFLAGS": "-x", "CC": "gcc"}))
    seen = json.loads(result["stdout"])
    assert seen["project"] == "ok"
    assert (seen["loop"] == "ok") == (stated["net"] == "loopback"), seen["loop"]
    assert seen["out"] in ("Network is unreachable", "Network is down"), "there is no way out"
    assert (seen["write"] == "ok") == (stated["writable"] and box.IS_ROOT), seen["write"]
    assert not os.path.exists("/usr/aisbx-test-probe")
    assert seen["caps"] == (stated["caps"] if box.IS_ROOT else 0)
    assert len(result["isolation"]["caps"]) == seen["caps"]
    assert ("PLAIN_SETTING" in seen["env"]) == (stated["env"] == "all")
    assert ("GOFLAGS" in seen["env"]) == (name in ("dev", "go")), "passed on by who needs it"
    assert ("CC" in seen["env"]) == (name in ("dev", "c"))
    assert ("GOPROXY" in seen["env"]) == (name == "go") and ("CARGO_NET_OFFLINE" in seen["env"]) == (name == "rust")
    preset = place.aisbx("profile", "show", name)["profile"]["seccomp"]
    assert preset == (name if name not in ("dev", "strict") else "default"), "what each preset refuses is tried in tests/sys"
    limits = {kind: limit["value"] for kind, limit in result["limits"].items()}
    assert limits["wall_time"] == stated["seconds"] * 1000
    assert limits.get("cpu") == (stated["cpu"] * 1000 if stated["cpu"] else None)
    assert limits["processes"] == stated["pids"]
    assert limits["disk"] == stated["disk"] * MIB
    if stated["mem"]:
        assert limits["memory"] == stated["mem"] * MIB
    else:
        total = int(pathlib.Path("/proc/meminfo").read_text().split()[1]) * 1024
        assert 0.74 * total < limits["memory"] <= 0.75 * total


# Held for longer than two looks of the watch, which is all a user without control groups has.
TAKE = "import time\nb = b'1' * ({} << 20)\nprint('had it')\ntime.sleep(0.5)"


@pytest.mark.parametrize("name", [name for name in STATED if STATED[name]["mem"]])
@pytest.mark.big
def test_memory(place, name):
    mem = STATED[name]["mem"]
    if name in SMALL:
        under = place.run(name, PYTHON, "-c", TAKE.format(mem - 64), options=["--timeout", "60s"])
        assert under["status"] == "ok" and under["stdout"] == "had it\n", under
    over = place.run(name, PYTHON, "-c", TAKE.format(mem + 64), options=["--timeout", "60s"])
    assert over["status"] == "limit" and over["limit"]["kind"] == "memory", over
    assert over["limit"]["value"] == mem * MIB


FORK = """
import os
n, (wait, _) = 0, os.pipe()
try:
    while n < 5000:
        pid = os.fork()
        if not pid:
            os.read(wait, 1)
            os._exit(0)
        n += 1
except OSError:
    pass
print(n)
"""


@pytest.mark.parametrize("name", [name for name in STATED if name != "dev"])
def test_processes(place, name):
    """dev's 4,096 are for tests/attack."""
    result = place.run(name, PYTHON, "-c", FORK, options=["--timeout", "60s"])
    told = int(result["stdout"])
    assert STATED[name]["pids"] - 4 < told < STATED[name]["pids"], "all but the command and the box's own"


@pytest.mark.parametrize("name", STATED)
def test_time(place, name):
    """The time of each is stated above; that a deadline of a profile ends a run is tried with a shorter one on top."""
    place.write("short", f"extends: {name}\ntimeout: 300ms\n")
    result = place.run("short", "sleep", "60")
    assert result["aisbx_status"] == 124 and result["limit"]["kind"] == "wall_time" and result["limit"]["value"] == 300


def test_disk(place):
    fill = "head -c {}m /dev/zero > big && echo full"
    assert place.run("shell", "sh", "-c", fill.format(90))["stdout"] == "full\n"
    result = place.run("shell", "sh", "-c", fill.format(101))
    assert result["stdout"] == "" and result["status"] == "limit", result


def test_the_list(place):
    found = place.aisbx("profile", "ls")["profiles"]
    assert [p["name"] for p in found] == list(STATED) == [p.stem for p in sorted(SHIPPED.glob("*.yaml"), key=lambda p: list(STATED).index(p.stem))]
    assert all(p["about"] and p["file"] == f"shipped:{p['name']}" and not p["error"] for p in found)
    place.write("mine", "about: my own\n")
    place.write("dev", "about: daily\nextends: dev\n")
    place.write("broken", "tiemout: 1s\n")
    place.profiles.joinpath("notes.txt").write_text("no profile")
    found = {p["name"]: p for p in place.aisbx("profile", "ls")["profiles"]}
    assert list(found) == [*STATED, "broken", "mine"]
    assert found["dev"]["about"] == "daily" and found["dev"]["file"] == str(place.profiles / "dev.yaml")
    assert "did you mean 'timeout'?" in found["broken"]["error"]


def test_the_schema_takes_what_the_reader_takes(place):
    schema = place.aisbx("profile", "schema")
    jsonschema.Draft7Validator.check_schema(schema)
    check = jsonschema.Draft7Validator(schema)
    for path in SHIPPED.glob("*.yaml"):
        assert not list(check.iter_errors(yaml.safe_load(path.read_text()))), path
        assert place.aisbx("profile", "check", str(path))["ok"]
        assert not list(check.iter_errors(place.aisbx("profile", "show", path.stem)["profile"]))
    good = {"mem": "1g", "cpu": 0.5, "pids": 9, "timeout": 3, "env": {"set": {"A": 1}}, "mounts": [{"host": "/a"}], "caps": ["kill"],
            "caches": True, "entrypoint": ["a", "b"], "secrets": {"K": "env:K", "I": {"from": "env:I", "as": "env", "inject": {"host": "api.example.org", "header": "X-Key: {}"}},
                                                       "B": {"from": "cmd:b", "inject": {"host": "*.example.org:8443", "basic": True}}}, "net": "allow",
            "egress": ["npm", "github:a/b:read", "*.example.org:443", "https://api.example.org/v1/* GET"], "services": {"s": {"command": "sleep 9", "ready": {"port": 80}}}}
    assert not list(check.iter_errors(good))
    place.write("good", yaml.safe_dump(good))
    assert place.aisbx("profile", "show", "good")["profile"]["cpu"] == "0.5"


BAD = [{"mmem": "1g"}, {"mem": "lots"}, {"net": "host"}, {"caps": ["sys_admin"]}, {"env": {"mode": "some"}}, {"env": {"foo": 1}},
       {"mounts": [{"guest": "/a"}]}, {"mounts": [{"host": "/a", "guest": "b"}]}, {"mounts": [{"host": "/a", "mode": "x"}]},
       {"secrets": {"K": "hunter2"}}, {"secrets": {"K": {"as": "env"}}}, {"secrets": {"K": {"from": "hunter2"}}},
       {"secrets": {"K": {"from": "env:K", "inject": "a.b"}}}, {"secrets": {"K": {"from": "env:K", "inject": {"host": "a b"}}}},
       {"secrets": {"K": {"from": "env:K", "inject": {"header": "A: {}"}}}}, {"secrets": {"K": {"from": "env:K", "inject": {"host": "a.b", "header": "A"}}}},
       {"driver": "lima"}, {"services": {"s": {"restart": "no"}}}, {"timeout": "soon"}, {"cpu": "many"},
       {"egress": "npm"}, {"egress": ["b\u00fccher.example:443"]}, {"net": "yes"}, {"caps": "kill"}, {"env": {"pass": ["1A"]}}, {"scan": "../x"}, {"seccomp": "none"}, {"system": "rw"}, {"caches": "some"}]


@pytest.mark.parametrize("document", BAD, ids=json.dumps)
def test_neither_schema_nor_reader_take_what_is_wrong(place, document):
    assert list(jsonschema.Draft7Validator(place.aisbx("profile", "schema")).iter_errors(document))
    path = place.write("bad", yaml.safe_dump(document, default_flow_style=True))
    text = place.error("profile", "check", str(path))
    assert text.startswith(f"{path}:1:"), text
    assert place.error("run", "--profile", "bad", "--", "true") == text
    assert text in place.error("create", "--profile", "bad")


def test_shown_is_a_profile_that_says_the_same(place):
    place.write("all", """
extends: dev
caps: [kill]
mounts: [{host: "/a:b", guest: /c}, {host: x, mode: hide}]
env: {pass: [A], set: {B: "c: d", E: "off", F: ""}}
entrypoint: [sh, -c, "echo 'hi there'"]
services: {s: {command: sleep 9, ready: {file: /x y, timeout: 3s}, env: {A: b}}, t: {command: [true], after: [s], restart: always, ready: {port: 80}}}
secrets: {K: "cmd:pass show x", I: {from: "env:I", inject: {host: api.example.org, header: "X-Key: a {}"}}}
show: ["~/.config/gh"]
net: ask
egress: [npm, "*.example.org:443", "https://api.example.org/v1/* GET", "10.0.0.0/8:5432"]
lifetime: 1h
scan: default
""")
    for name in [*STATED, "all"]:
        text = subprocess.run([box.aisbx(), "profile", "show", name], env=place.env, check=True, capture_output=True, text=True).stdout
        again = place.write(f"again-{name}", text)
        assert place.aisbx("profile", "diff", name, str(again))["differences"] == [], text
    words = subprocess.run([box.aisbx(), "profile", "diff", "all", "dev"], env=place.env, check=True, capture_output=True, text=True).stdout
    assert "- lifetime: 1h\n+ lifetime: none\n" in words and words.startswith("--- all\n+++ dev\n")


def test_differences(place):
    found = place.aisbx("profile", "diff", "strict", "javascript")["differences"]
    assert found == [{"key": "seccomp", "a": "default", "b": "javascript"}, {"key": "timeout", "a": "30s", "b": "15s"}, {"key": "mem", "a": "512m", "b": "256m"},
                     {"key": "caches", "a": "false", "b": "true"}]
    place.write("same", "mem: 524288k\ntimeout: 30\n")
    assert place.aisbx("profile", "diff", "strict", "same")["differences"] == []
    assert {d["key"] for d in place.aisbx("profile", "diff", "dev", "strict")["differences"]} == {
        "system", "caps", "net", "timeout", "cpu", "mem", "disk", "inodes", "file-size", "pids", "files", "output", "env.mode", "caches"}


def test_explained(place):
    """Each value is in the line that is told."""
    place.write("mine", "# mine\nextends: python\nenv:\n  set:\n    A: b\nmounts:\n  - host: /data\n")
    told = place.aisbx("profile", "explain", "mine", "--pids", "99", "--no-net")
    assert told["files"] == [str(place.profiles / "mine.yaml"), "shipped:python", "shipped:strict"]
    for v in told["values"]:
        if not v["line"]:
            continue
        path = SHIPPED / f"{v['from'][8:]}.yaml" if v["from"].startswith("shipped:") else pathlib.Path(v["from"])
        line = path.read_text().splitlines()[v["line"] - 1]
        assert (v["value"] if v["value"] != "none" or v["key"] == "net" else "[]") in line, v
    where = {v["key"]: v for v in told["values"]}
    assert where["pids"]["value"] == "99" and where["pids"]["from"] == "option --pids"
    assert where["net"]["value"] == "none" and where["net"]["from"] == "option --net"
    assert where["mem"]["from"] == "shipped:python" and where["disk"]["from"] == "shipped:strict"
    assert where["lifetime"]["from"] == "default" and where["env.set"]["line"] == 5 and where["mounts"]["line"] == 7
    assert told["chosen_by"] == "you"
    assert place.aisbx("profile", "explain")["chosen_by"] == "default"
    told = place.aisbx("profile", "explain", env={"AISBX_PROFILE": "mine"})
    assert told["profile"] == "mine" and told["chosen_by"] == "variable AISBX_PROFILE"
    assert "processes" in place.error("profile", "explain", "--pids", "1")


def test_the_variable_chooses_and_the_option_is_before_it(place):
    done = subprocess.run([box.aisbx(), "run", "--json", "--", "true"], cwd=place.project, env={**place.env, "AISBX_PROFILE": "shell"},
                          check=True, capture_output=True)
    assert json.loads(done.stdout)["limits"]["wall_time"]["value"] == 10000
    assert place.run("python", "true", env={"AISBX_PROFILE": "shell"})["limits"]["wall_time"]["value"] == 30000
    assert "no profile 'lax'" in place.error("run", "--", "true", env={"AISBX_PROFILE": "lax"})


def test_personal_before_system_before_shipped(place):
    """The system's directory is one of a namespace's own."""
    system = place.project / "system"
    system.mkdir()
    (system / "dev.yaml").write_text("extends: dev\nabout: the system's\npids: 100\n")
    (system / "site.yaml").write_text("about: site\n")
    script = (f"mount -t tmpfs t /etc && mkdir -p /etc/aisbx/profiles && cp {system}/*.yaml /etc/aisbx/profiles && "
              "exec \"$@\"")
    def inside(*words):
        done = subprocess.run(["unshare", "-rm", "sh", "-c", script, "sh", box.aisbx(), *words, "--json"], env=place.env, check=False,
                              capture_output=True)
        return json.loads(done.stdout)
    shown = inside("profile", "show", "dev")
    assert shown["files"] == ["/etc/aisbx/profiles/dev.yaml", "shipped:dev", "shipped:strict"]
    assert shown["profile"]["pids"] == "100" and shown["profile"]["timeout"] == "1h"
    place.write("dev", "extends: dev\nabout: mine\ntimeout: 2h\n")
    shown = inside("profile", "show", "dev")
    assert shown["files"] == [str(place.profiles / "dev.yaml"), "/etc/aisbx/profiles/dev.yaml", "shipped:dev", "shipped:strict"]
    assert shown["profile"]["pids"] == "100" and shown["profile"]["timeout"] == "2h"
    place.write("strict", "mem: 9m\n")
    assert inside("profile", "show", "site")["profile"]["mem"] == "512m", "the system's does not stand on a person's"
    assert place.aisbx("profile", "show", "strict")["profile"]["mem"] == "9m"
    assert place.aisbx("profile", "show", "python")["profile"]["mem"] == "512m", "nor do shipped ones"
    assert {p["name"] for p in inside("profile", "ls")["profiles"]} == {*STATED, "site"}


def test_files_of_others_are_refused(place):
    for mode in (0o664, 0o646):
        path = place.write("mine", "pids: 9\n", mode)
        text = place.error("run", "--profile", "mine", "--", "true")
        assert "others can write to" in text and f"chmod go-w {path}" in text
    path = place.write("mine", "pids: 9\n")
    assert place.aisbx("profile", "show", "mine")["profile"]["pids"] == "9"
    if box.IS_ROOT:
        os.chown(path, 12345, 12345)
        text = place.error("run", "--profile", "mine", "--", "true")
    else:  # root of a namespace of one's own: what is the real root's is somebody else's there
        done = subprocess.run(["unshare", "-r", box.aisbx(), "profile", "check", "/etc/passwd", "--json"], env=place.env, check=False,
                              capture_output=True)
        text = json.loads(done.stdout)["error"]["text"]
    assert "belongs to somebody else" in text


def test_chains(place):
    place.write("a", "extends: b\npids: 10\n")
    place.write("b", "extends: ./sub/c.yaml\npids: 11\nfiles: 100\n")
    (place.profiles / "sub").mkdir()
    (place.profiles / "sub" / "c.yaml").write_text("extends: python\ndisk: 7m\nfiles: 101\n")
    shown = place.aisbx("profile", "show", "a")
    assert [os.path.basename(f) for f in shown["files"]] == ["a.yaml", "b.yaml", "c.yaml", "shipped:python", "shipped:strict"]
    assert shown["profile"]["pids"] == "10" and shown["profile"]["files"] == "100" and shown["profile"]["disk"] == "7m"
    (place.profiles / "sub" / "c.yaml").write_text("extends: a\n")
    text = place.error("profile", "show", "a")
    assert "extend each other" in text and text.count("a.yaml") == 2 and text.count("b.yaml") == 1 and text.count("c.yaml") == 1
    for i in range(9):
        place.write(f"n{i}", f"extends: n{i + 1}\n")
    place.write("n9", "")
    assert len(place.aisbx("profile", "show", "n3")["files"]) == 8
    assert "more than 7 others" in place.error("profile", "show", "n2")
    place.write("lost", "pids: 9\nextends: pyhton\n")
    assert f"{place.profiles}/lost.yaml:2:10: there is no profile 'pyhton'; did you mean 'python'?" == place.error("profile", "show", "lost")
    place.write("other", "name: another\n")
    assert "its name is 'another', but it is found as 'other'" in place.error("profile", "show", "other")
    assert "no profile 'nowhere'" in place.error("profile", "show", "nowhere")
    assert "No such file" in place.error("run", "--profile", "./nowhere.yaml", "--", "true")


def test_no_profile_takes_a_wall_away(place):
    """There is no key for it, and what would help against one is refused."""
    for text, words in (("without: [seccomp]\n", "unknown key 'without'"), ("caps: [sys_admin]\n", "no profile can grant"),
                        ("caps: [sys_ptrace]\n", "no profile can grant"), ("seccomp: none\n", "is not a value"),
                        ("mounts: [{host: /x, guest: /}]\n", "over the root"), ("net: host\n", "is not a value")):
        place.write("bad", text)
        assert words in place.error("run", "--profile", "bad", "--", "true")
    caps = ["chown", "dac_override", "fowner", "fsetid", "ipc_owner", "kill", "net_bind_service", "setgid", "setuid"]
    place.write("most", f"extends: dev\ncaps: [{', '.join(caps)}]\nshow: ['~/']\n")
    (place.home / "seen").write_text("seen")
    state = {"XDG_STATE_HOME": str(place.home / "state")}
    script = "ls ~ ~/state/aisbx; mount -t tmpfs t /mnt && echo mounted; unshare -n true && echo unshared"
    for _ in range(2):  # of the second time there is a history to hide
        result = box.started(place.run("most", "sh", "-c", script, env=state))
        assert result["isolation"]["level"] == "full" and result["isolation"]["missing"] == []
        assert sorted(result["isolation"]["caps"]) == (caps if box.IS_ROOT else [])
    assert list((place.home / "state" / "aisbx").iterdir()), "there is something"
    words = result["stdout"].split()
    assert "seen" in words and "state" in words and words[-1] == f"{place.home}/state/aisbx:", "of what aisbx keeps nothing is shown"


def test_mounts(place):
    for name in ("ro", "rw", "covered", "elsewhere", "co:lon"):
        (place.home / name).mkdir()
        (place.home / name / "file").write_text(name)
    (place.project / "private").write_text("private")
    place.write("mine", """
mounts:
  - host: ~/ro
  - {host: ~/rw, mode: rw}
  - {host: ~/elsewhere, guest: /tmp/there}
  - {host: "~/co:lon", guest: /tmp/colon}
  - {host: private, mode: hide}
""")
    script = ("cat ~/ro/file /tmp/there/file /tmp/colon/file; echo new > ~/rw/made; touch ~/ro/no && echo wrote; cat private; "
              "cat ~/covered/file; exit 0")
    result = box.started(place.run("mine", "sh", "-c", script))
    assert result["stdout"] == "roelsewhereco:lon", result
    assert (place.home / "rw" / "made").read_text() == "new\n" and not (place.home / "ro" / "no").exists()
    more = place.run("mine", "cat", place.home / "covered" / "file", options=["--ro", f"{place.home}/covered"])
    assert more["stdout"] == "covered", "an option adds to the profile's"
    place.write("gone", "mounts: [{host: /nowhere/at/all}]\n")
    assert "/nowhere/at/all" in place.error("run", "--profile", "gone", "--", "true")


def test_show(place):
    """Secrets stay out unless a profile shows them."""
    (place.home / ".config" / "gh").mkdir(parents=True)
    (place.home / ".config" / "gh" / "hosts.yml").write_text("token")
    (place.home / ".config" / "other").write_text("other")
    (place.home / ".ssh").mkdir()
    (place.home / ".ssh" / "id_rsa").write_text("key")
    script = "cat ~/.config/gh/hosts.yml ~/.config/other; touch ~/.config/gh/x && echo wrote; exit 0"
    assert place.run("strict", "sh", "-c", script)["stdout"] == ""
    place.write("mine", "show: [~/.config/gh, ~/.not-there]\n")
    result = place.run("mine", "sh", "-c", script)
    assert result["stdout"] == "token" and result["violations"] == []
    read_key = place.run("mine", "cat", place.home / ".ssh" / "id_rsa")
    assert "key" != read_key["stdout"] and box.violations(read_key, "decoy"), "the rest stays as it is"


def test_variables(place):
    place.write("base", "env: {pass: [ONE], set: {X: far, Y: far}}\n")
    place.write("mine", "extends: base\nenv: {pass: [TWO, NOT_SET], set: {X: near}}\n")
    env = {"ONE": "1", "TWO": "2", "THREE": "3"}
    got = json.loads(place.run("mine", PYTHON, "-c", "import os, json; print(json.dumps(dict(os.environ)))", env=env,
                               options=["--env", "Y=mine"])["stdout"])
    assert (got["ONE"], got["TWO"], got["X"], got["Y"]) == ("1", "2", "near", "mine")
    assert "THREE" not in got and "NOT_SET" not in got


def test_entrypoint(place):
    place.write("mine", "entrypoint: [echo, one]\n")
    assert place.run("mine", "two")["stdout"] == "one two\n"
    done = subprocess.run([box.aisbx(), "run", "--profile", "mine", "--json"], cwd=place.project, env=place.env, check=True, capture_output=True)
    assert json.loads(done.stdout)["stdout"] == "one\n", "alone"
    assert "no command given" in place.error("run", "--profile", "strict")
    place.write("none", "extends: mine\nentrypoint: []\n")
    assert place.run("none", "echo", "two")["stdout"] == "two\n"


def test_services(place):
    """The profile's, unless the project has its own, or somebody says none."""
    place.write("mine", "net: loopback\nservices:\n  s: {command: 'echo profile > /tmp/who; sleep 60', ready: {file: /tmp/who}}\n")
    result = place.run("mine", "cat", "/tmp/who")
    assert result["stdout"] == "profile\n" and [s["name"] for s in result["services"]] == ["s"]
    assert place.run("mine", "cat", "/tmp/who", options=["--no-services"])["services"] == []
    (place.project / "aisbx.yaml").write_text("services:\n  p: {command: 'echo project > /tmp/who; sleep 60', ready: {file: /tmp/who}}\n")
    result = place.run("mine", "cat", "/tmp/who")
    assert result["stdout"] == "project\n" and [s["name"] for s in result["services"]] == ["p"]


def test_secrets(place):
    """As by --secret, which comes before it."""
    (place.home / "key").write_text("from-the-file-of-the-home")
    place.write("mine", "secrets:\n  K: env:MY_KEY,as=both\n  F: file:~/key\n")
    env = {"MY_KEY": "hunter2hunter2", "OTHER": "another-value"}
    result = place.run("mine", "sh", "-c", "wc -c < /run/secrets/K; cat /run/secrets/K /run/secrets/F; echo; echo $K", env=env)
    assert result["stdout"].split("\n") == ["14", "[secret K][secret F]", "[secret K]", ""], result
    result = place.run("mine", "sh", "-c", "wc -c < /run/secrets/K", env=env, options=["--secret", "K=env:OTHER"])
    assert result["stdout"] == "13\n"
    assert "MY_KEY" in place.error("run", "--profile", "mine", "--", "true"), "one that is not there is told"


def test_injected_secrets(place):
    """The box gets a placeholder; its host a rule, which turns the network on unless somebody says otherwise."""
    place.write("mine", "extends: shell\nsecrets:\n  K: {from: env:MY_KEY, inject: {host: api.example.org, basic: true}}\n")
    env = {"MY_KEY": "hunter2hunter2"}
    for options in [], ["--net", "none"]:
        result = place.run("mine", "printenv", "K", env=env, options=options)
        assert re.fullmatch("[a-z]{6}[0-9][a-z]{6}[0-9]\n", result["stdout"]) and "hunter2" not in result["stdout"], result
    assert place.aisbx("profile", "show", "mine")["profile"]["secrets"] == {"K": "env:MY_KEY,inject=api.example.org basic"}


def test_boxes_remember_their_profile(place):
    path = place.write("mine", "extends: shell\nlifetime: 1h\nenv: {set: {WHO: mine}}\nentrypoint: [env, VIA=entrypoint]\n")
    made = place.aisbx("create", "b", "--profile", "mine")
    assert made["profile"] == "mine"
    assert abs(made["expires_ms"] - made["created_ms"] - 3600 * 1000) < 60000, "its life begins with the box"
    run = subprocess.Popen([box.aisbx(), "run", "--box", "b", "--", "sh", "-c", "echo up; read x; echo $WHO $VIA"], cwd=place.project, env=place.env,
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert run.stdout.readline() == b"up\n"
    assert place.aisbx("exec", "b", "--", "sh", "-c", "echo $WHO $VIA")["stdout"] == "mine\n", "no entrypoint for exec"
    for other in ("pids: 32", "system: writable", "net: loopback", "seccomp: default"):
        path.write_text(f"extends: shell\nlifetime: 1h\n{other}\n")
        assert "walls" in place.error("run", "--box", "b", "--", "true"), "a file that was changed meanwhile makes other walls"
    assert run.communicate(b"\n", timeout=50)[0] == b"mine entrypoint\n"
    assert run.returncode == 0
    path.unlink()
    assert "no profile 'mine'" in place.error("run", "--box", "b", "--", "true")
    place.aisbx("rm", "b")


def test_a_file_by_its_path(place):
    (place.project / "p.yaml").write_text("pids: 12\nlifetime: 400ms\n")
    result = place.run("./p.yaml", "sleep", "20")
    assert result["limits"]["processes"]["value"] == 12
    assert result["aisbx_status"] == 124 and result["limit"]["kind"] == "lifetime"
    run = subprocess.Popen([box.aisbx(), "run", "--profile", "./p.yaml", "--detach", "--", "true"], cwd=place.project, env=place.env,
                           stdout=subprocess.PIPE)
    assert run.wait(50) == 0
    deep = place.project / ("d" * 80)
    deep.mkdir()
    shutil.copy(place.project / "p.yaml", deep / "p.yaml")
    assert "too long to be stored with a box" in place.error("create", "--profile", str(deep / "p.yaml"))


def test_what_is_said_to_people(place):
    """On standard output, hostile text harmless."""
    place.write("mine", 'about: "red \\e[31m text"\nentrypoint: ["\\e]0;title"]\n')
    for words in (["ls"], ["show", "mine"], ["explain", "mine"], ["diff", "mine", "dev"]):
        done = subprocess.run([box.aisbx(), "profile", *words], env=place.env, check=True, capture_output=True)
        assert done.stdout and b"\x1b" not in done.stdout and not done.stderr
    done = subprocess.run([box.aisbx(), "profile", "check", str(place.profiles / "mine.yaml")], env=place.env, check=True, capture_output=True)
    assert done.stdout.decode() == f"good: {place.profiles}/mine.yaml, which extends shipped:strict\n"
    bad = place.write("bad", 'net: "\\e[31m"\n')
    done = subprocess.run([box.aisbx(), "profile", "check", str(bad)], env=place.env, check=False, capture_output=True)
    assert done.returncode == 125 and b"\x1b" not in done.stderr and b"allowed: none, loopback" in done.stderr
    for words, told in (([], b"needs one of these words: ls, show"), (["sohw"], b"did you mean 'show'?"), (["show", "--hlep"], b"did you mean --help?")):
        done = subprocess.run([box.aisbx(), "profile", *words], env=place.env, check=False, capture_output=True)
        assert done.returncode == 125 and told in done.stderr, done.stderr
    done = subprocess.run([box.aisbx(), "profil"], env=place.env, check=False, capture_output=True)
    assert b"did you mean 'profile'?" in done.stderr
    done = subprocess.run([box.aisbx(), "help", "profile", "diff"], env=place.env, check=True, capture_output=True)
    assert b"usage: aisbx profile diff" in done.stdout


def test_shell_has_ten_seconds(ten_seconds):
    """Once for real."""
    out, _ = ten_seconds.communicate(timeout=60)
    result = json.loads(out)
    assert ten_seconds.returncode == 124 and result["limit"]["kind"] == "wall_time"
    assert 10000 <= result["usage"]["wall_ms"] < 30000


def test_who_joins_has_the_capabilities_of_the_box_or_does_not_run(place):
    """The file may have been changed since the box came to life; the refusal names what differs."""
    path = place.write("two", "extends: dev\ncaps: [chown, setuid]\n")
    place.aisbx("create", "b", "--profile", "two")
    with subprocess.Popen([box.aisbx(), "run", "--box", "b", "--", "sh", "-c", "echo up; read x"], cwd=place.project, env=place.env,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as first:
        assert first.stdout.readline() == b"up\n"
        assert place.aisbx("run", "--box", "b", "--", "true")["status"] == "ok"
        path.write_text("extends: dev\ncaps: [chown]\n")
        assert "'caps: setuid'" in place.error("run", "--box", "b", "--", "true")
        first.communicate(b"\n", timeout=50)
    assert first.returncode == 0
