# SPDX-License-Identifier: Apache-2.0
"""Services: what a project's aisbx.yaml starts beside the command, in the same box. Runs as root and as an ordinary user.

The databases are the real ones, from the system's packages.
"""
import fcntl
import json
import os
import pathlib
import pty
import random
import signal
import socket
import subprocess
import termios
import textwrap
import time
import uuid

import pytest

import pace
from box import IS_ROOT, PROFILES, aisbx, need, processes_with, run, started, wait_until

PG = "/usr/lib/postgresql/15/bin"


def write(directory, text, name="aisbx.yaml"):
    path = directory / name
    path.write_text(textwrap.dedent(text))
    return path


def by_name(result):
    return {s["name"]: s for s in result["services"]}


LAUNCHED = []


def launch(cwd, *words, options=(), env=None, **popen):
    p = subprocess.Popen([aisbx(), "run", *options, "--", *words], cwd=cwd, env=env,
                         **{"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **popen})
    LAUNCHED.append(p)
    return p


@pytest.fixture(autouse=True)
def fixture_reaper():
    """What a test that failed has left running."""
    before = len(LAUNCHED)
    yield
    for p in LAUNCHED[before:]:
        if p.poll() is None:
            p.kill()
            p.wait()


def refused(cwd, *options):
    """Of a run that did not even make a box: the text of its error."""
    result = run("sh", "-c", "echo ran", cwd=cwd, options=options)
    assert result["aisbx_status"] == 125 and result["status"] == "error" and "stdout" not in result, result
    return result["error"]["text"]


def stay(marker):
    """Words of a shell that becomes a process with the marker in its command line, and stays; for single quotes in YAML."""
    return f'exec bash -c "exec -a {marker} sleep 1000"'


def gone(marker, seconds=30):
    wait_until(lambda: not processes_with(marker), seconds, f"the end of every process with {marker}")


@pytest.fixture(name="project")
def fixture_project(tmp_path):
    path = tmp_path / "project"
    path.mkdir()
    return path


@pytest.fixture(name="marker")
def fixture_marker():
    """In the command lines of a test's processes; none of them outlives it."""
    made = f"marker-{uuid.uuid4().hex}"
    yield made
    gone(made)


@pytest.fixture(name="hopeless", scope="module", autouse=True)
def fixture_hopeless(tmp_path_factory):
    """A service that never stays up, while the other tests run: it takes half a minute until nobody tries any more."""
    project = tmp_path_factory.mktemp("hopeless")
    write(project, """
        services:
          hopeless:
            command: 'cat /proc/uptime >> starts; exit 7'
            restart: always
        """)
    p = launch(project, "sh", "-c", "until [ $(wc -l < starts) = 11 ]; do sleep 0.1; done; sleep 1; cat starts",
               options=["--json", "--timeout", "600s"], stdin=subprocess.DEVNULL)
    yield p
    if p.poll() is None:
        p.kill()
        p.communicate()


# The databases.

def postgres(data, port):
    """PostgreSQL refuses to be root: there it is started as the user of its package."""
    return f"""
          db:
            command: |
              set -e
              as=
              if [ "$(id -u)" = 0 ]; then as="setpriv --reuid postgres --regid postgres --clear-groups"; fi
              if [ ! -d {data} ]; then
                install -d -m 700 {data}
                [ -z "$as" ] || chown postgres:postgres {data}
                $as initdb -D {data} -U postgres --auth trust --no-sync
              fi
              exec $as postgres -D {data} -h 127.0.0.1 -p {port} -k /tmp
            env: {{PATH: "{PG}:/usr/bin:/bin"}}
            ready: {{command: [pg_isready, -q, -h, 127.0.0.1, -p, "{port}", -U, postgres], timeout: 120s}}
    """


def redis(marker, port):
    return f"""
          cache:
            command: [redis-server, --port, "{port}", --bind, 127.0.0.1, --save, "", --set-proc-title, "no",
                      --pidfile, /tmp/{marker}.pid]
            ready: {{port: {port}, timeout: 60s}}
    """


def open_on_host(port):
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0


def test_postgresql_and_redis(project, marker):
    need(f"{PG}/postgres")
    need("/usr/bin/redis-server")
    ports = [port for port in random.sample(range(20000, 30000), 9) if not open_on_host(port)][:2]  # others may have some
    write(project, "services:\n" + textwrap.dedent(postgres(f"/tmp/{marker}", ports[0])).replace("\n", "\n  ") +
          textwrap.dedent(redis(marker, ports[1])).replace("\n", "\n  "))
    p = launch(project, "sh", "-ec", f"""
        psql -h 127.0.0.1 -p {ports[0]} -U postgres -q -c 'create table t (n int)' -c 'insert into t values (6), (7)'
        psql -h 127.0.0.1 -p {ports[0]} -U postgres -At -c 'select sum(n), version() from t'
        redis-cli -p {ports[1]} set key value
        redis-cli -p {ports[1]} get key
        echo up; read wait""", options=["--timeout", "200s"])
    lines = [p.stdout.readline().decode().strip() for _ in range(4)]
    assert lines[0].startswith("13|PostgreSQL 15"), (lines, p.poll() is not None and p.stderr.read())
    assert lines[1:] == ["OK", "value", "up"]
    assert len(processes_with(marker)) >= 2, "the databases are there"
    assert not any(open_on_host(port) for port in ports), "the box's loopback is its own"
    out, err = p.communicate(b"\n", timeout=50)
    assert (p.returncode, out, err) == (0, b"", b"")
    gone(marker)


def test_the_example_of_the_page(project):
    """As it is written there, in two boxes at once, with the same ports."""
    page = (pathlib.Path(__file__).resolve().parents[2] / "docs/services.md").read_text()
    (project / "aisbx.yaml").write_text(page.split("```yaml\n")[1].split("```")[0])
    command = page.split("$ aisbx run -- sh -c '")[1].split("'\n")[0]
    both = [launch(project, "sh", "-c", command) for _ in range(2)]
    for p in both:
        out, err = p.communicate(timeout=120)
        assert (p.returncode, out, err) == (0, b"42\nPONG\n", b"")
    assert not open_on_host(5432) and not open_on_host(6379)


class Boxes:
    """A state directory of its own."""

    def __init__(self, root, project):
        (root / "home").mkdir()
        self.project = project
        self.env = {**os.environ, "XDG_STATE_HOME": str(root / "state"), "HOME": str(root / "home")}

    def call(self, *words, want=0):
        done = subprocess.run([aisbx(), words[0], "--json", *words[1:]], cwd=self.project, env=self.env, timeout=200,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        assert done.returncode == want, (words, done)
        return json.loads(done.stdout)

    def sh(self, script, *options, want=0):
        return self.call("run", "--box", "b", *options, "--", "sh", "-ec", script, want=want)


@pytest.fixture(name="boxes")
def fixture_boxes(tmp_path, project):
    made = Boxes(tmp_path, project)
    made.call("create", "b")
    return made


def test_a_database_is_shut_down_where_its_data_stay(boxes, project):
    """In a box that stays a service is asked to end; so PostgreSQL has nothing to recover next time."""
    data = "/var/lib/data-of-tests" if IS_ROOT else f"{project}/data"
    port = random.randrange(20000, 30000)
    write(project, "services:\n" + textwrap.dedent(postgres(data, port)).replace("\n", "\n  "))
    psql = f"psql -h 127.0.0.1 -p {port} -U postgres -At"
    boxes.sh(f"{psql} -c 'create table t as select 42 as n'")
    result = boxes.sh(f"{psql} -c 'select n from t'")
    assert result["stdout"] == "42\n"
    log = by_name(result)["db"]["output"]
    assert "database system was shut down at" in log and "interrupted" not in log, log
    assert not os.path.exists(data), "on the host there is none of it"


# Order and readiness.

def test_they_start_in_order_and_only_when_the_others_are_ready(project, marker):
    write(project, f"""
        services:
          last:
            command: 'test -e second.ready && echo last >> order; touch last.ready; {stay(marker)}'
            after: [second, beside]
            ready: {{file: last.ready}}
          second:
            command: 'test -e first.ready && echo second >> order; sleep 0.2; touch second.ready; {stay(marker)}'
            after: [first]
            ready: {{file: second.ready}}
          first:
            command: 'echo first >> order; sleep 0.2; touch first.ready; {stay(marker)}'
            ready: {{file: first.ready}}
          beside:
            command: '{stay(marker)}'
        """)
    result = started(run("cat", "order", "last.ready", cwd=project))
    assert result["stdout"] == "first\nsecond\nlast\n", result
    assert [s["name"] for s in result["services"]] == ["last", "second", "first", "beside"], "as in the file"
    assert {s["state"] for s in result["services"]} == {"running"}
    ready = {s["name"]: s["ready_ms"] for s in result["services"]}
    assert ready["first"] >= 200 and ready["second"] >= 200 and ready["beside"] < ready["first"], ready
    assert os.listdir(project) == ["aisbx.yaml"]


LISTEN = """import socket, sys, time
time.sleep(0.3)
s = socket.socket(socket.{family})
s.bind(("{address}", {port}))
s.listen()
open("listens", "w").close()
while True:
    s.accept()[0].sendall(b"hello")
"""


@pytest.mark.parametrize("family,address", [("AF_INET", "127.0.0.1"), ("AF_INET6", "::1")])
def test_ready_when_somebody_listens(project, family, address):
    (project / "listen.py").write_text(LISTEN.format(family=family, address=address, port=4321))
    write(project, """
        services:
          server:
            command: [/usr/bin/python3, listen.py]
            ready: {port: 4321, timeout: 60s}
        """)
    talk = f"import socket; print(socket.create_connection(('{address}', 4321)).recv(9).decode())"
    result = started(run("/usr/bin/python3", "-c", talk, cwd=project))
    assert result["stdout"] == "hello\n", result
    assert by_name(result)["server"]["ready_ms"] >= 300


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("ready", ["file: made", "command: [test, -e, made]", "command: 'sleep 0.01; test -e made'"])
def test_ready_by_file_or_command(project, ready, profile):
    write(project, f"""
        services:
          maker:
            command: "sleep 0.4; touch made; exec sleep 1000"
            ready: {{{ready}, timeout: 60s}}
        """)
    result = started(run("ls", cwd=project, profile=profile))
    assert result["stdout"] == "aisbx.yaml\nmade\n", result
    assert by_name(result)["maker"]["ready_ms"] >= 400


def test_a_readiness_command_that_hangs_is_tried_again(project, marker):
    write(project, f"""
        services:
          slow:
            command: exec sleep 1000
            ready: {{command: 'test -e tried && exit 0; touch tried; {stay(marker)}', timeout: 60s}}
        """)
    result = started(run("true", cwd=project))
    assert by_name(result)["slow"]["ready_ms"] >= 5000, result


def test_without_a_condition_it_is_ready_when_its_program_runs(project):
    write(project, "services: {a: {command: [sleep, '1000']}}")
    result = started(run("sh", "-c", "ps -e -o comm= | grep -c sleep", cwd=project))
    assert result["stdout"] == "1\n", result


# Failures.

def failed(result, service, kind):
    """The run did not start because of SERVICE; the text of the error."""
    assert result["aisbx_status"] == 125 and result["status"] == "error", result
    assert result["isolation"]["level"] == "none" and result["stdout"] == "", result
    entry = by_name(result)[service]
    assert (entry["state"], entry["error"]) == ("failed", kind), result
    assert f"service '{service}' " in result["error"], result
    return result["error"]


def test_one_that_never_gets_ready(project, marker):
    write(project, f"""
        services:
          good:
            command: '{stay(marker)}'
          never:
            command: 'for i in $(seq 100); do echo line $i; done; {stay(marker)}'
            ready: {{port: 4444, timeout: 400ms}}
          later:
            command: 'echo later'
            after: [never]
        """)
    begin = time.monotonic()
    result = run("echo", "ran", cwd=project)
    assert time.monotonic() - begin < pace.seconds(5)
    text = failed(result, "never", "timeout")
    assert "was not ready after 400 ms" in text and "port 4444" in text
    assert text.endswith("line 99\n    line 100") and "line 88\n" not in text, text
    states = {s["name"]: s["state"] for s in result["services"]}
    assert states == {"good": "running", "never": "failed", "later": "waiting"}
    gone(marker)


def test_what_is_wrong_is_told_to_a_person(project):
    write(project, r"""
        services:
          never:
            command: 'printf "one\n\033[31mtwo\n"; exec sleep 1000'
            ready: {command: [false], timeout: 300ms}
        """)
    done = subprocess.run([aisbx(), "run", "--", "true"], cwd=project, timeout=60, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert (done.returncode, done.stdout) == (125, b"")
    assert done.stderr.decode() == ("aisbx: service 'never' was not ready after 300 ms; it is ready when 'false' exits with 0, the last "
                                    "check ended with exit status 1; its last output:\n    one\n    ?[31mtwo\n")


@pytest.mark.parametrize("command,kind,words", [
    ("echo why; exit 3", "ended", "ended before it was ready: exit status 3; its last output:\n    why"),
    ("kill -9 $$", "ended", "ended before it was ready: signal 9; it had no output"),
    ("exit 0", "ended", "ended before it was ready: exit status 0"),
    ("[no-such-program]", "exec", "a program that cannot be executed: No such file"),
    ("[/etc/passwd]", "exec", "a program that cannot be executed: Permission denied"),
])
def test_one_that_ends_before_it_is_ready(project, command, kind, words):
    if not command.startswith("["):
        command = json.dumps(command)
    write(project, f"services: {{bad: {{command: {command}, ready: {{port: 4444}}}}}}")
    assert words in failed(run("true", cwd=project), "bad", kind)


def test_a_readiness_command_that_is_not_there(project):
    write(project, "services: {bad: {command: [sleep, '1000'], ready: {command: [no-such-program]}}}")
    assert "readiness command that cannot be executed" in failed(run("true", cwd=project), "bad", "exec")


def test_one_that_was_ready_and_fails_before_the_command_starts(project):
    write(project, """
        services:
          brief: {command: 'sleep 0.2; exit 4'}
          slow: {command: [sleep, '1000'], ready: {file: never, timeout: 30s}}
        """)
    begin = time.monotonic()
    text = failed(run("true", cwd=project), "brief", "ended")
    assert "before the command could start: exit status 4" in text
    assert time.monotonic() - begin < pace.seconds(25)


def test_one_that_dies_does_not_end_the_command(project):
    write(project, """
        services:
          dies: {command: 'read x < go; echo last words; exit 5', ready: {file: go}}
          killed: {command: 'echo $$ > pid; exec sleep 1000', ready: {command: [test, -s, pid]}}
          done: {command: exit 0}
        """)
    script = "kill -9 $(cat pid); echo x > go; sleep 0.5; echo ran"
    os.mkfifo(project / "go")
    result = started(run("sh", "-c", script, cwd=project))
    assert (result["status"], result["stdout"]) == ("ok", "ran\n"), result
    services = by_name(result)
    assert (services["dies"]["state"], services["dies"]["exit_code"], services["dies"]["error"]) == ("failed", 5, "ended")
    assert services["dies"]["output"] == "last words\n"
    assert (services["killed"]["state"], services["killed"]["signal"], services["killed"]["exit_code"]) == ("failed", 9, None)
    assert (services["done"]["state"], services["done"]["exit_code"]) == ("exited", 0)
    done = subprocess.run([aisbx(), "run", "--", "sh", "-c", script], cwd=project, timeout=60, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert (done.returncode, done.stdout) == (0, b"ran\n")
    assert done.stderr.decode() == ("aisbx: service 'dies' failed with exit status 5; its last output:\n    last words\n"
                                    "aisbx: service 'killed' failed by signal 9\n")


def test_a_person_hears_nothing_of_those_that_work(project):
    write(project, "services: {a: {command: 'echo words; exec sleep 1000'}}")
    done = subprocess.run([aisbx(), "run", "--", "echo", "ran"], cwd=project, timeout=60, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"ran\n", b"")


# Restarts.

def test_restart_on_failure_and_always(project):
    write(project, """
        services:
          shaky:
            command: 'cat /proc/uptime >> shaky; [ $(wc -l < shaky) -gt 3 ] || exit 9; touch up; exec sleep 1000'
            ready: {file: up, timeout: 30s}
            restart: on-failure
          content: {command: 'echo >> content; exit 0', restart: on-failure}
          eager: {command: 'echo >> eager; [ $(wc -l < eager) -gt 2 ] && exec sleep 1000; exit 0', restart: always,
                  ready: {command: 'test $(wc -l < eager) -gt 2'}}
          once: {command: 'echo >> once; exit 0', restart: no}
        """)
    result = started(run("sh", "-c", "cat shaky; wc -l < content; wc -l < eager; wc -l < once", cwd=project))
    *times, content, eager, once = result["stdout"].splitlines()
    assert (content, eager, once) == ("1", "3", "1"), result
    services = by_name(result)
    assert {n: (s["state"], s["restarts"], s["exit_code"]) for n, s in services.items()} == {
        "shaky": ("running", 3, 9), "content": ("exited", 0, 0), "eager": ("running", 2, 0), "once": ("exited", 0, 0)}
    at = [float(t.split()[0]) for t in times]
    pauses = [b - a for a, b in zip(at, at[1:])]
    assert all(p >= least - 0.02 for p, least in zip(pauses, (0.1, 0.2, 0.4))), f"each pause is twice the last: {pauses}"


def test_one_that_is_killed_comes_back_while_the_command_runs(project):
    write(project, """
        services:
          server: {command: 'echo $$ >> pids; exec sleep 1000', restart: always, ready: {command: [test, -s, pids]}}
        """)
    script = "kill -9 $(cat pids); until [ $(wc -l < pids) = 2 ]; do sleep 0.02; done; kill -0 $(tail -1 pids) && echo back"
    result = started(run("sh", "-c", script, cwd=project, options=["--timeout", "30s"]))
    assert result["stdout"] == "back\n", result
    entry = by_name(result)["server"]
    assert (entry["state"], entry["restarts"], entry["signal"]) == ("running", 1, 9)


# Hostile ones.

def test_a_flood_of_output_is_bounded(project):
    write(project, "services: {flood: {command: [sh, -c, 'yes flood-of-words & yes flood-of-words >&2']}}")
    p = launch(project, "sh", "-c", "for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.1; echo $i; done", options=["--json"],
               stdin=subprocess.DEVNULL)
    peak = 0
    while p.poll() is None:
        try:
            with open(f"/proc/{p.pid}/status", encoding="ascii") as f:
                peak = max([peak, *(int(line.split()[1]) for line in f if line.startswith("VmHWM"))])
        except OSError:
            break
        time.sleep(0.02)
    result = started(json.loads(p.communicate()[0]))
    assert result["stdout"].split() == [str(i) for i in range(1, 11)], "the command's own output is whole"
    assert 0 < len(by_name(result)["flood"]["output"]) <= 4096
    assert 0 < peak < 64 * 1024, f"{peak} KiB of supervisor"


def test_a_fork_bomb_has_the_limits_of_the_box(project, marker):
    """It may take the box down, or starve the command; not more."""
    write(project, f"""
        services:
          bomb: {{command: "b() {{ b | b & }}; b; : {marker}"}}
        """)
    most = 0
    for _ in range(3):  # on a busy machine it may not have gone off by the time the command ends
        begin = time.monotonic()
        p = launch(project, "sh", "-c", f"sleep 1; : {marker}", options=["--json", "--pids", "64", "--timeout", "4s"],
                   stdin=subprocess.DEVNULL)
        while p.poll() is None:
            most = max(most, len(processes_with(marker)))
            assert time.monotonic() - begin < pace.seconds(10)
            time.sleep(0.01)
        gone(marker)
        assert most <= 64, most
        assert json.loads(p.communicate()[0])["status"] in ("ok", "error", "limit", "failed")
        if most > 1:
            break
    assert most > 1, "the control: it went off"


NASTY = """import os, signal, sys, time
for s in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(s, signal.SIG_IGN)
for i in range(8):
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        while i % 2:
            if os.fork():
                os._exit(0)
        break
time.sleep(1000)
"""


@pytest.mark.parametrize("profile", PROFILES)
def test_the_deadline_holds_while_services_start(project, marker, profile):
    (project / "nasty.py").write_text(NASTY)
    write(project, f"services: {{nasty: {{command: [/usr/bin/python3, nasty.py, {marker}], ready: {{file: never, timeout: 1h}}}}}}")
    begin = time.monotonic()
    result = run("true", cwd=project, profile=profile, options=["--timeout", "1s"])
    assert time.monotonic() - begin < pace.seconds(3)
    assert (result["status"], result["aisbx_status"], result["limit"]["kind"]) == ("limit", 124, "wall_time"), result
    assert by_name(result)["nasty"]["state"] == "starting"
    gone(marker)


@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_while_services_start(project, marker, sig):
    write(project, f"services: {{slow: {{command: '{stay(marker)}', ready: {{file: never, timeout: 1h}}}}}}")
    p = launch(project, "true", options=["--json"])
    wait_until(lambda: processes_with(marker), what="the service")
    begin = time.monotonic()
    p.send_signal(sig)
    result = json.loads(p.communicate(timeout=50)[0])
    assert time.monotonic() - begin < pace.seconds(2)
    assert p.returncode == 128 + sig and result["status"] == "interrupted" and result["isolation"]["level"] == "none", result


def test_ctrl_c_at_a_terminal_while_services_start(project, marker):
    """Until the command starts the terminal is the person's own."""
    write(project, f"services: {{slow: {{command: '{stay(marker)}', ready: {{file: never, timeout: 1h}}}}}}")
    ours, theirs = pty.openpty()

    def become_session():
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    with subprocess.Popen([aisbx(), "run", "-t", "--", "true"], cwd=project, stdin=theirs, stdout=theirs, stderr=theirs,
                          preexec_fn=become_session) as p:
        os.close(theirs)
        try:
            wait_until(lambda: processes_with(marker), what="the service")
            os.write(ours, b"\x03")
            assert p.wait(50) == 130
        finally:
            p.kill()
    os.close(ours)


@pytest.mark.parametrize("when", ["starting", "running"])
def test_nothing_outlives_the_supervisor(project, marker, when):
    ready = "{file: never, timeout: 1h}" if when == "starting" else "{command: ['true']}"
    write(project, f"services: {{a: {{command: '{stay(marker)}', ready: {ready}, restart: always}}}}")
    p = launch(project, "sh", "-c", f"echo up; sleep 1000; : {marker}")
    if when == "running":
        assert p.stdout.readline() == b"up\n"
    wait_until(lambda: processes_with(marker), what="the service")
    p.kill()
    p.communicate(timeout=50)
    gone(marker)


# The walls.

WALLS = r"""
import json, os
status = dict(l.rstrip("\n").split(":\t", 1) for l in open("/proc/self/status") if ":\t" in l)
print(json.dumps({
    **{k: status[k] for k in ("Seccomp", "Seccomp_filters", "NoNewPrivs", "CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb",
                              "Uid", "Gid", "Groups")},
    **{n: os.readlink("/proc/self/ns/" + n) for n in os.listdir("/proc/self/ns") if not n.endswith("_for_children")},
    "limits": open("/proc/self/limits").read(), "fds": sorted(set(os.listdir("/proc/self/fd")) - {"3"}),
    "secret": "A_SECRET_TOKEN" in os.environ, "root": os.stat("/").st_ino, "cwd": os.getcwd(),
    "mounts": sorted(l.split(" ", 2)[2] for l in open("/proc/self/mountinfo")),
}))
"""


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("tty", [False, True])
def test_a_service_is_behind_the_walls_of_the_command(project, profile, tty):
    """Also as to descriptors: pid 1 has more of them before the command starts."""
    (project / "walls.py").write_text(WALLS)
    (project / "below").mkdir()
    write(project, """
        services:
          same:
            command: '/usr/bin/python3 walls.py > told; touch done; exec sleep 1000'
            env: {OF_ITS_OWN: "yes"}
            ready: {file: done, timeout: 60s}
        """)
    options = ["--cwd", str(project / "below")] if not tty else []
    script = f"/usr/bin/python3 {project}/walls.py | cat; cat {project}/told"
    if tty:
        ours, theirs = pty.openpty()
        with subprocess.Popen([aisbx(), "run", "-t", "--profile", profile, "--", "sh", "-c", script + " > all; cat all"],
                              cwd=project, env={**os.environ, "A_SECRET_TOKEN": "x"}, stdin=theirs, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as p:
            out = p.communicate(timeout=60)[0].decode()
        os.close(ours)
        os.close(theirs)
    else:
        out = started(run("sh", "-c", script, cwd=project, profile=profile, options=options,
                          env={**os.environ, "A_SECRET_TOKEN": "x"}))["stdout"]
    lines = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    if tty:
        assert lines and lines[-1]["fds"] == ["0", "1", "2"], out
        return
    command, service = lines
    assert service["fds"] == ["0", "1", "2"] and not service["secret"]
    assert (command.pop("cwd"), service.pop("cwd")) == (str(project / "below"), str(project))
    assert command == service


def test_no_keeper_holds_what_guards_the_box(project, marker):
    """The listener for refused calls and the decoys belong to the supervisor alone."""
    write(project, f"services: {{a: {{command: '{stay(marker)}', ready: {{command: ['true']}}}}}}")
    p = launch(project, "sh", "-c", "echo up; read wait; unshare -U true; cat ~/.ssh/id_rsa", options=["--json"],
               stdout=subprocess.PIPE)
    wait_until(lambda: processes_with(marker), what="the service")
    if IS_ROOT:  # who else may look at a keeper's descriptors
        service = processes_with(marker)[0]
        with open(f"/proc/{service}/stat", encoding="ascii") as f:
            keeper = f.read().rsplit(")", 1)[1].split()[1]

        def held():
            try:
                names = [os.readlink(f"/proc/{keeper}/fd/{fd}") for fd in os.listdir(f"/proc/{keeper}/fd")]
            except FileNotFoundError:  # one was closed just now
                return []
            return sorted(name if "signalfd" in name else name.split(":[")[0] for name in names)

        # While it starts the command it still has the command's own.
        wait_until(lambda: held() == ["anon_inode:[signalfd]", "socket"], what="a keeper with nothing but its own")
    out, _ = p.communicate(b"\n", timeout=50)
    result = started(json.loads(out))
    assert any(v["what"] == "unshare" for v in result["violations"]), result["violations"]


def test_what_a_service_is_refused_is_told(project):
    write(project, "services: {bad: {command: 'unshare -U true; touch done; exec sleep 1000', ready: {file: done}}}")
    result = started(run("true", cwd=project))
    assert any((v["what"], v["by"]) == ("unshare", "unshare") for v in result["violations"]), result["violations"]


# The file.

@pytest.mark.parametrize("text,words", [
    ("services: {a: {comand: x}}", ["aisbx.yaml:1:16: unknown key 'comand'", "command, after, ready", "did you mean 'command'?"]),
    ("services: {a: {command: x, after: [b]}, b: {command: x, after: [a]}}", ["aisbx.yaml:1:12:", "a after b after a"]),
    ("services: {a: {command: x, after: [c]}}", ["aisbx.yaml:1:36: there is no service 'c'"]),
    ("services: [", ["aisbx.yaml:2:1: invalid YAML"]),
    ("service: {}", ["unknown key 'service'", "version, services, intents", "did you mean 'services'?"]),
    pytest.param("#" + "x" * 70000, ["at most 65536"], id="too-long"),
])
def test_a_file_that_is_wrong_is_refused_with_its_place(project, text, words):
    write(project, text)
    told = refused(project)
    assert all(word in told for word in [*words, "--no-services"]), told
    result = started(run("echo", "ran", cwd=project, options=["--no-services"]))
    assert (result["stdout"], result["services"]) == ("ran\n", [])


def test_what_is_no_file_is_not_read(project, tmp_path):
    """A link would show, in an error, what who wrote the project could not read."""
    (tmp_path / "secret").write_text("key-of-a-secret: value\n")
    os.symlink(tmp_path / "secret", project / "aisbx.yaml")
    told = refused(project)
    assert "symbolic link" in told and "key-of" not in told
    os.remove(project / "aisbx.yaml")
    os.mkfifo(project / "aisbx.yaml")
    assert "regular file" in refused(project)
    os.remove(project / "aisbx.yaml")
    os.mkdir(project / "aisbx.yaml")
    assert "regular file" in refused(project)


def test_another_file(project, tmp_path):
    write(project, "services: {a: {command: [no-such-program]}}")
    write(tmp_path, "services: {b: {command: [sleep, '1000']}}", "other.yaml")
    result = started(run("true", cwd=project, options=["--services", str(tmp_path / "other.yaml")]))
    assert list(by_name(result)) == ["b"]
    assert "--no-services contradict" in refused(project, "--services", "x", "--no-services")
    assert "No such file" in refused(project, "--services", "not-there.yaml")


def test_a_port_needs_a_loopback(project):
    write(project, "services: {a: {command: [sleep, '1000'], ready: {port: 1}}}")
    assert "--net loopback" in refused(project, "--net", "none")


def test_none_without_a_file(project):
    assert started(run("true", cwd=project))["services"] == []


def test_history_keeps_no_output(boxes, project):
    write(project, "services: {a: {command: 'echo hidden-words; exec sleep 1000'}}")
    result = boxes.sh("sleep 0.2")
    assert by_name(result)["a"]["output"] == "hidden-words\n"
    told = json.dumps(boxes.call("history", result["run"]))
    assert '"name": "a"' in told and "hidden-words" not in told


# Boxes that stay.

def test_the_file_is_the_boxs_own(boxes, project):
    assert boxes.sh("printf 'services: {mine: {command: [sleep, \"1000\"]}}' > aisbx.yaml")["services"] == []
    assert list(by_name(boxes.sh("true"))) == ["mine"]
    write(project, "services: {host: {command: [sleep, '1000']}}")
    assert list(by_name(boxes.sh("rm aisbx.yaml"))) == ["mine"], "what the box has counts"
    assert boxes.sh("true")["services"] == [], "also that it has none"
    boxes.call("create", "c")
    assert list(by_name(boxes.call("run", "--box", "c", "--", "true"))) == ["host"]


def test_one_that_saves_at_its_end(boxes, project):
    """Asked to end with the last command; what it writes then stays. One that will not is not waited for for ever."""
    write(project, """
        services:
          saver: {command: "trap 'echo saved > saved; exit 0' TERM; touch up; while :; do sleep 0.02; done", ready: {file: up}}
          stubborn: {command: "trap '' TERM; touch deaf; while :; do sleep 0.02; done", ready: {file: deaf}}
        """)
    begin = time.monotonic()
    result = boxes.sh("true")
    assert 5 <= time.monotonic() - begin < pace.seconds(15)
    assert {s["state"] for s in result["services"]} == {"running"}
    assert result["usage"]["wall_ms"] < (time.monotonic() - begin) * 1000 - 4900, "the run is the command's"
    assert boxes.sh("cat saved", "--no-services")["stdout"] == "saved\n"


def test_those_that_join_have_the_services(boxes, project, marker):
    """They are there until the last command is gone, and then they are not."""
    write(project, f"services: {{a: {{command: 'echo >> starts; {stay(marker)}', ready: {{file: starts}}}}}}")
    count = f"ps -e -o args= | grep -c '^{marker[:-1]}[{marker[-1]}] 1000'; wc -l < {project}/starts"
    first = launch(project, "sh", "-c", "echo up; read wait", options=["--box", "b", "--json"], env=boxes.env,
                   stdout=subprocess.PIPE)
    wait_until(lambda: processes_with(marker), what="the service")
    joined = launch(project, "sh", "-c", f"echo up; read wait; {count}", options=["--box", "b"], env=boxes.env)
    assert joined.stdout.readline() == b"up\n"
    told = boxes.call("run", "--box", "b", "--services", "aisbx.yaml", "--", "true", want=125)
    assert "is live, with the services" in told["error"]["text"]
    first.stdin.write(b"\n")
    first.stdin.close()
    time.sleep(0.3)
    assert first.poll() is None, "it waits for who joined"
    assert processes_with(marker)
    out, err = joined.communicate(b"\n", timeout=50)
    assert (joined.returncode, out.split()) == (0, [b"1", b"1"]), (out, err)
    assert first.wait(50) == 0
    result = json.loads(first.stdout.read())
    assert by_name(result)["a"]["state"] == "running"
    first.stdout.close()
    first.stderr.close()
    gone(marker)


def test_a_snapshot_of_a_box_whose_services_write(boxes, project, marker):
    write(project, f"""
        services:
          writer: {{command: 'while :; do date >> log; sleep 0.01; done; : {marker}', ready: {{command: [test, -s, log]}}, restart: always}}
        """)
    first = launch(project, "sh", "-c", "echo up; read wait", options=["--box", "b"], env=boxes.env)
    assert first.stdout.readline() == b"up\n"
    boxes.call("snap", "b", "while-it-ran")
    first.communicate(b"\n", timeout=50)
    assert first.returncode == 0
    boxes.call("rollback", "b", "while-it-ran")
    lines = boxes.sh("cat log", "--no-services")["stdout"]
    assert lines and lines.endswith("\n"), "no line is cut in two"


def test_the_next_run_waits_for_services_that_still_end(boxes, project):
    write(project, "services: {slow: {command: \"trap 'sleep 3; echo >> ended; exit 0' TERM; touch up; "
                   "while :; do sleep 0.02; done\", ready: {file: up}}}")
    first = launch(project, "sh", "-c", "echo up; read wait", options=["--box", "b"], env=boxes.env)
    assert first.stdout.readline() == b"up\n"
    first.stdin.write(b"\n")
    first.stdin.close()
    time.sleep(0.3)
    assert first.poll() is None, "its service still ends"
    assert boxes.sh("wc -l < ended", "--no-services")["stdout"] == "1\n"
    assert first.wait(50) == 0
    first.stdout.close()
    first.stderr.close()


# Detached runs.

def test_logs_of_the_services_of_a_detached_run(boxes, project):
    write(project, """
        services:
          talker: {command: 'echo once more; sleep 0.1; exit 1', restart: always}
          flood: {command: 'yes | head -c 9000000; exec sleep 1000'}
        """)
    p = subprocess.run([aisbx(), "run", "--detach", "--output", "200k", "--", "sh", "-c", "sleep 1.5; echo ran"], cwd=project,
                       env=boxes.env, stdout=subprocess.PIPE, check=True, timeout=60)
    name = p.stdout.decode().strip()
    follow = subprocess.Popen([aisbx(), "logs", "--follow", "--service", "talker", name], env=boxes.env,
                              stdout=subprocess.PIPE)
    assert follow.stdout.readline() == b"once more\n", "while it runs"
    told = follow.communicate(timeout=50)[0]  # ends with the log, a moment before the run is in the history
    subprocess.run([aisbx(), "wait", name], env=boxes.env, stdout=subprocess.DEVNULL, check=True, timeout=60)
    lives = by_name(boxes.call("history", name)["runs"][0]["result"])["talker"]["restarts"]
    # The end of the run may come before the last one has said a word.
    assert told in (b"once more\n" * lives, b"once more\n" * (lives - 1)), "of all its lives"
    flood = subprocess.run([aisbx(), "logs", "-s", "flood", name], env=boxes.env, stdout=subprocess.PIPE, check=True,
                           timeout=50).stdout
    assert flood.startswith(b"y\n") and flood.endswith(b"[aisbx: the rest is cut off]\n") and len(flood) < 210_000
    assert "no service 'x'" in boxes.call("logs", "--service", "x", name, want=125)["error"]["text"]
    assert "not a valid name of a service" in boxes.call("logs", "--service", "../log", name, want=125)["error"]["text"]


def test_a_detached_run_whose_service_fails_is_told_so(boxes, project, marker):
    write(project, f"services: {{bad: {{command: 'echo why; {stay(marker)}', ready: {{file: never, timeout: 300ms}}}}}}")
    error = boxes.call("run", "--detach", "--", "true", want=125)["error"]
    assert error["text"].startswith("service 'bad' was not ready after 300 ms") and error["text"].endswith("\n    why"), error
    assert boxes.call("ps", "--all")["runs"] == []


def test_nothing_happens_to_services_while_a_run_is_paused(boxes, project):
    """Also not in the supervisor, for whom something would be due."""
    write(project, "services: {short: {command: 'cat /proc/uptime >> starts; exit 1', restart: always}}")
    p = subprocess.run([aisbx(), "run", "--detach", "--", "sleep", "1000"], cwd=project, env=boxes.env,
                       stdout=subprocess.PIPE, check=True, timeout=60)
    name = p.stdout.decode().strip()
    time.sleep(1)  # by now it is in a pause of a second or more between two starts
    boxes.call("pause", name)
    pid = boxes.call("ps", "--all")["runs"][0]["pid"]

    def cpu():
        with open(f"/proc/{pid}/stat", encoding="ascii") as f:
            return sum(map(int, f.read().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")

    before = cpu()
    time.sleep(3)
    assert cpu() - before < 0.3, "it sleeps"
    boxes.call("resume", name)
    boxes.call("kill", name)


def test_a_hopeless_one_is_given_up(hopeless):
    """Started at the beginning of this module: ten restarts, each after a longer pause."""
    out, err = hopeless.communicate(timeout=90)
    result = started(json.loads(out))
    entry = by_name(result)["hopeless"]
    assert (entry["state"], entry["error"], entry["restarts"], entry["exit_code"]) == ("failed", "restarts", 10, 7), (result, err)
    assert result["status"] == "ok", "the command goes on"
    at = [float(line.split()[0]) for line in result["stdout"].splitlines()]
    assert len(at) == 11
    pauses = [b - a for a, b in zip(at, at[1:])]
    want = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5, 5, 5]
    assert all(w - 0.05 <= p <= w + 20 for p, w in zip(pauses, want)), pauses
