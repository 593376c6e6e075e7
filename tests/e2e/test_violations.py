# SPDX-License-Identifier: Apache-2.0
"""Violations: one list of what a run was refused, by whom, by which rule, and what would have allowed it."""
import json
import os
import subprocess

import pytest

import box

PYTHON = "/usr/bin/python3"

CONNECT = """
import socket, sys
for word in sys.argv[1:]:
    how, host, port = word.split(",")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    s = socket.socket(family, socket.SOCK_DGRAM)
    try:
        s.connect((host, int(port))) if how == "connect" else s.sendto(b"x", (host, int(port)))
        print("sent")
    except OSError as err:
        print(err.errno)
"""


@pytest.fixture()
def project(tmp_path):
    return box.make_canary(tmp_path / "project")


def net(result):
    return {v["what"]: v for v in result["violations"] if v["kind"] == "net"}


def test_a_foreign_address_is_named(project):
    words = ["connect,192.0.2.7,443", "connect,192.0.2.7,443", "sendto,198.51.100.3,9", "connect,2001:db8::5,80",
             "sendto,192.0.2.53,53"]
    result = box.started(box.run(PYTHON, "-c", CONNECT, *words, cwd=project))
    assert result["stdout"].split() == ["101"] * 5, "ENETUNREACH: nothing got out"
    found = net(result)
    assert set(found) == {"connect 192.0.2.7:443", "sendto 198.51.100.3:9", "connect [2001:db8::5]:80",
                          "sendto 192.0.2.53:53 (to look up a name)"}
    first = found["connect 192.0.2.7:443"]
    assert first["count"] == 2 and first["by"] == "python3" and first["pid"] > 1
    assert first["rule"].startswith("net=loopback") and first["allow_with"] == "net:egress:192.0.2.7/32:443"
    assert found["sendto 198.51.100.3:9"]["allow_with"] == "net:egress:198.51.100.3/32:9/udp"
    assert found["connect [2001:db8::5]:80"]["allow_with"] == "net:egress:[2001:db8::5]/128:80"
    assert "NAME" in found["sendto 192.0.2.53:53 (to look up a name)"]["allow_with"], "the name is not known"


def test_what_allows_it_does(project):
    """The option that a violation names is one with which there is none."""
    probe = [PYTHON, "-c", CONNECT, "connect,127.0.0.1,9"]
    refused = box.started(box.run(*probe, cwd=project, profile="strict"))
    violation = net(refused)["connect 127.0.0.1:9"]
    assert refused["stdout"].strip() == "101" and violation["rule"].startswith("net=none")
    allowed = box.started(box.run(*probe, cwd=project, profile="strict", options=violation["allow_with"].split()))
    assert allowed["stdout"].strip() == "sent" and not allowed["violations"]


@pytest.mark.parametrize("own", ["127.9.9.9", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1"])
def test_all_spellings_of_oneself(project, own):
    """Told where there is no loopback, with what would give one; and not where there is."""
    probe = [PYTHON, "-c", CONNECT, f"connect,{own},9"]
    refused = net(box.started(box.run(*probe, cwd=project, profile="strict")))
    assert [v["allow_with"] for v in refused.values()] == ["--net loopback"]
    assert not box.started(box.run(*probe, cwd=project, profile="strict", options=["--net", "loopback"]))["violations"]
    foreign = net(box.started(box.run(PYTHON, "-c", CONNECT, "connect,::ffff:192.0.2.1,9", cwd=project)))
    assert [v["allow_with"] for v in foreign.values()] == ["net:egress:192.0.2.1/32:9"]


def test_loopback_and_unix_sockets_are_nobodys_business(project):
    script = ("import socket\n"
              "s = socket.create_server(('127.0.0.1', 0)); socket.create_connection(s.getsockname()).close()\n"
              "s = socket.create_server(('::1', 0), family=socket.AF_INET6); socket.create_connection(s.getsockname()[:2])\n"
              "u = socket.socket(socket.AF_UNIX); u.bind('/tmp/u'); u.listen()\n"
              "socket.socket(socket.AF_UNIX).connect('/tmp/u')\n"
              "d = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); d.bind(('127.0.0.1', 0))\n"
              "d.sendto(b'x', d.getsockname()); print(d.recv(1))")
    result = box.started(box.run(PYTHON, "-c", script, cwd=project))
    assert result["stdout"].strip() == "b'x'" and not result["violations"]


@pytest.mark.parametrize("resolver", ["192.0.2.53", "127.0.0.53"])
def test_a_name_is_looked_up(project, tmp_path, resolver):
    """Also where the host's resolver is on its loopback: that of the box is another, and nobody is there."""
    (tmp_path / "resolv.conf").write_text(f"nameserver {resolver}\n")
    result = box.started(box.run(PYTHON, "-c", "import socket; socket.getaddrinfo('aisbx.invalid', 80)", cwd=project,
                                 options=["--ro", f"{tmp_path}/resolv.conf:/etc/resolv.conf"]))
    assert result["exit_code"] == 1
    assert net(result)[f"connect {resolver}:53 (to look up a name)"]["allow_with"].startswith("--net NAME:443, ")


def test_a_look_up_that_was_not_needed_is_counted(project, tmp_path):
    """Clients ask for newer versions of themselves: one line, and only if nothing depended on it."""
    (tmp_path / "resolv.conf").write_text("nameserver 192.0.2.53\n")
    script = ("import socket, sys\ntry: socket.getaddrinfo('aisbx.invalid', 80)\n"
              "except OSError: sys.exit(int(sys.argv[1]))")
    for status, words in ((0, b"that the command did without"), (1, b"(to look up a name) by python3")):
        shown = subprocess.run(box.command(PYTHON, "-c", script, str(status), json_output=False,
                                           options=["--ro", f"{tmp_path}/resolv.conf:/etc/resolv.conf"]),
                               cwd=project, timeout=60, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        assert shown.returncode == status and words in shown.stderr and b"without net" not in shown.stderr, shown.stderr
        assert status or shown.stderr.count(b"\n") == 1


def test_a_scan_does_not_hide_the_rest(project):
    """Addresses are a part of the list only; the others are counted."""
    words = [f"connect,192.0.2.{i % 250},{i}" for i in range(1, 101)]
    script = CONNECT + "\nimport os\ntry:\n    os.chroot('/')\nexcept OSError:\n    pass\n"
    result = box.started(box.run(PYTHON, "-c", script, *words, cwd=project))
    assert len(net(result)) == 32 and result["violations_not_listed"] == 68
    assert "chroot" in box.violations(result, "syscall")


def test_hostile_addresses_are_harmless(project):
    """What cannot be read is not told; the kernel's answer is the caller's."""
    script = ("import ctypes, errno\nc = ctypes.CDLL(None, use_errno=True)\n"
              "s = c.socket(2, 2, 0)\n"
              "for at, n in ((None, 16), (ctypes.c_void_p(1), 28), (ctypes.c_void_p(2**64 - 8), 2**32 - 1),\n"
              "              (b'\\2', 1), (b'\\377' * 64, 64), (b'\\12\\0' + b'x' * 20, 22)):\n"
              "    print(c.connect(s, at, n), ctypes.get_errno())\n")
    result = box.started(box.run(PYTHON, "-c", script, cwd=project))
    assert result["exit_code"] == 0 and not result["violations"]
    lines = result["stdout"].splitlines()
    assert len(lines) == 6 and all(line.startswith("-1 ") and not line.endswith(" 1") for line in lines), "never EPERM"


def test_threads_that_connect_under_signals(project):
    """A told call is interrupted like any other and goes on."""
    script = ("import signal, socket, threading\n"
              "signal.signal(signal.SIGALRM, lambda *a: None); signal.setitimer(signal.ITIMER_REAL, .001, .001)\n"
              "s = socket.create_server(('127.0.0.1', 0), backlog=512)\n"
              "def go():\n"
              "    for i in range(50): socket.create_connection(s.getsockname()).close()\n"
              "t = [threading.Thread(target=go) for i in range(4)]\n"
              "[x.start() for x in t]; [x.join() for x in t]; print('done')")
    result = box.started(box.run(PYTHON, "-c", script, cwd=project))
    assert result["stdout"].strip() == "done" and not result["violations"], result["stderr"]


@pytest.mark.parametrize("options,script,kind,what,allow", [
    (["--timeout", "300ms"], "import time; time.sleep(60)", "wall_time", "run longer than 300 ms", "--timeout 600ms"),
    (["--mem", "64m"], "x = []\nwhile True: x.append(b'x' * (1 << 20))", "memory", "use more than 64 MiB of memory", "--mem 128m"),
    (["--file-size", "1m"], "open('f', 'wb').write(b'x' * (2 << 20))", "file_size", "write more than 1 MiB to one file",
     "--file-size 2m"),
])
def test_a_limit_is_a_violation(project, options, script, kind, what, allow):
    code = "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_DFL)\n" + script
    result = box.started(box.run(PYTHON, "-c", code, cwd=project, options=options))
    assert result["status"] == "limit" and result["limit"]["kind"] == kind
    limit = [v for v in result["violations"] if v["kind"] == "limit"]
    assert [(v["what"], v["allow_with"], v["count"]) for v in limit] == [(what, allow, 1)]
    assert limit[0]["rule"] == "=".join(w.lstrip("-") for w in options)


def test_119_a_hostile_name_cannot_draw_on_the_terminal(project):
    """The name of the program is the box's to choose: in JSON as it is, for people neutralised."""
    name = "\x1b]0;x\x07\x1b[2J"
    script = (f"open('/proc/self/comm', 'w').write({name!r})\n" + CONNECT)
    words = [PYTHON, "-c", script, "connect,192.0.2.7,443"]
    result = box.started(box.run(*words, cwd=project))
    assert net(result)["connect 192.0.2.7:443"]["by"] == name
    shown = subprocess.run(box.command(*words, json_output=False), cwd=project, timeout=60, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
    assert b"connect 192.0.2.7:443" in shown.stderr and b"?" in shown.stderr
    assert not {0x1b, 0x07} & set(shown.stderr), shown.stderr
    assert b"--net net:egress:192.0.2.7/32:443" in shown.stderr


def test_one_list_of_all_kinds(project, tmp_path):
    home = tmp_path / "home"
    os.makedirs(home / ".ssh")
    (home / ".ssh" / "id_rsa").write_text("key")
    script = ("import os, socket, time\n"
              "open(os.environ['HOME'] + '/.ssh/id_rsa').read()\n"
              "for f in (lambda: os.chroot('/'), lambda: socket.socket().connect(('192.0.2.1', 1))):\n"
              "    try: f()\n"
              "    except OSError: pass\n"
              "time.sleep(60)")
    result = box.started(box.run(PYTHON, "-c", script, cwd=project, options=["--timeout", "1s"],
                                 env={**os.environ, "HOME": str(home)}))
    assert {v["kind"] for v in result["violations"]} == {"syscall", "decoy", "net", "limit"}
    for v in result["violations"]:
        assert set(v) == {"kind", "what", "by", "pid", "rule", "allow_with", "count"} and v["rule"] and v["allow_with"]
    kept = json.loads(subprocess.run([box.aisbx(), "history", "--json", result["run"]], timeout=60, check=True,
                                     stdout=subprocess.PIPE, cwd=project).stdout)
    assert kept["runs"][0]["result"]["violations"] == result["violations"]
