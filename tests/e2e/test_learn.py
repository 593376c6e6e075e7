# SPDX-License-Identifier: Apache-2.0
"""learn: the profile that is written suffices, and with less of what it says the command does not do."""
import json
import os
import re
import subprocess

import pytest

import box

PYTHON = "/usr/bin/python3"
SERVER = """
import socket, threading
s = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=lambda: s.accept()[0].sendall(b"hello"), daemon=True).start()
print(socket.create_connection(s.getsockname()).recv(5))
"""
# Name -> command, and the keys of the profile with half of which it must fail.
WORKLOADS = {
    "memory": ([PYTHON, "-c", "import time; x = b'x' * (64 << 20); time.sleep(.3); print(len(x))"], {"mem": (64 << 20, 160 << 20)}),
    "processes": (["sh", "-c", "for i in 1 2 3 4 5 6 7 8; do sleep .3 & done; wait; echo done"], {"pids": (9, 12)}),
    "disk": (["sh", "-c", "set -e; head -c 9000000 /dev/zero > big; for i in $(seq 400); do : > f$i; done; echo done"],
             {"disk": (9 << 20, 14 << 20), "inodes": (400, 800)}),
    "files": ([PYTHON, "-c", "f = [open('/dev/null') for i in range(100)]; print(len(f))"], {"files": (104, 128)}),
    "loopback": ([PYTHON, "-c", SERVER], {}),
}


@pytest.fixture()
def place(tmp_path):
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


def learn(*words, cwd, env=None, options=()):
    done = subprocess.run([box.aisbx(), "learn", "--json", *options, "--", *words], cwd=cwd, env=env, timeout=300, check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def run_under(text, words, place, env=None):
    """The command under this profile, as a person would run it."""
    path = place.parent / "profile.yaml"
    path.write_text(text)
    path.chmod(0o644)
    done = subprocess.run([box.aisbx(), "run", "--json", "--profile", str(path), "--", *words], cwd=place, env=env, timeout=120,
                          check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return json.loads(done.stdout) if done.stdout else {"status": "error", "stderr": done.stderr}


def number(text):
    digits, unit = re.fullmatch(r"(\d+)([kms]?)", text).groups()
    return int(digits) * {"": 1, "k": 1 << 10, "m": 1 << 20, "s": 1}[unit]


def with_value(text, key, value):
    changed = re.sub(rf"(?m)^( *{key.rpartition('.')[2]}:) \S+", rf"\1 {value}", text)
    assert changed != text, key
    return changed


@pytest.mark.parametrize("name", WORKLOADS)
@pytest.mark.big
def test_it_suffices_and_is_needed(place, name):
    words, needs = WORKLOADS[name]
    found = learn(*words, cwd=place)
    values = {v["key"]: v["value"] for v in found["values"]}
    assert all(v["why"] for v in found["values"]) and found["exit_code"] == 0 and not found["refused"]
    result = run_under(found["profile"], words, place)
    assert result["status"] == "ok" and not result["violations"], result
    assert values["net"] == ("loopback" if name == "loopback" else "none")
    assert values["env.mode"] == "minimal" and values["system"] == "read-only" and values["caps"] == "[]"
    for key, (least, most) in needs.items():
        value = number(values[key])
        assert least <= value <= most, f"{key} is {value}"
        less = run_under(with_value(found["profile"], key, value // 2), words, place)
        assert less["status"] != "ok", f"half of {key} suffices as well"
    if name == "loopback":
        assert run_under(with_value(found["profile"], "net", "none"), words, place)["status"] != "ok"


def test_variables_that_are_needed(place):
    env = {**os.environ, **{f"AISBX_TEST_{i}": str(i) for i in range(20)}}
    words = [PYTHON, "-c", "import os; print(os.environ['AISBX_TEST_7'], os.environ['AISBX_TEST_13'])"]
    found = learn(*words, cwd=place, env=env)
    assert {v["key"]: v["value"] for v in found["values"]}["env.pass"] == "[AISBX_TEST_7, AISBX_TEST_13]"
    assert run_under(found["profile"], words, place, env)["stdout"] == "7 13\n"
    assert "pass: [AISBX_TEST_7, AISBX_TEST_13] " in found["profile"], "names, not values"


def test_options_become_part_of_the_profile(place, tmp_path):
    (tmp_path / "data: \"x\"").write_text("shown\n")
    words = ["sh", "-c", "cat /data; echo $WORD"]
    host = str(tmp_path / "data: \"x\"").replace(":", "\\:")
    found = learn(*words, cwd=place, options=["--ro", f"{host}:/data", "--env", "WORD=a \"b\" #c", "--name", "of-test"])
    result = run_under(found["profile"], words, place)
    assert result["stdout"] == "shown\na \"b\" #c\n" and "of-test" in found["profile"]


def test_a_writable_system(place):
    """Only root's box can have one: then it is learned that it is needed, and with which capabilities."""
    words = ["sh", "-c", "touch /usr/of-test && chown 7 /usr/of-test && echo yes || echo no"]
    found = learn(*words, cwd=place)
    values = {v["key"]: v["value"] for v in found["values"]}
    result = run_under(found["profile"], words, place)
    assert result["stdout"] == ("yes\n" if box.IS_ROOT else "no\n")
    assert (values["system"], values["caps"]) == (("writable", "[chown]") if box.IS_ROOT else ("read-only", "[]"))


def test_what_is_refused_anyway_is_told(place):
    words = [PYTHON, "-c", "import socket\ntry: socket.create_connection(('192.0.2.1', 80))\nexcept OSError as e: print(e)"]
    found = learn(*words, cwd=place)
    assert [r["what"] for r in found["refused"]] == ["connect 192.0.2.1:80"]
    assert ("# Refused, but not needed: connect 192.0.2.1:80; egress would allow it with net:egress:192.0.2.1/32:80\n") in found["profile"]


def test_yaml_on_stdout_or_in_a_file(place):
    done = subprocess.run([box.aisbx(), "learn", "--", "true"], cwd=place, timeout=120, check=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE)
    assert run_under(done.stdout.decode(), ["true"], place)["status"] == "ok"
    subprocess.run([box.aisbx(), "learn", "--output", "p.yaml", "--", "true"], cwd=place, timeout=120, check=True,
                   stdin=subprocess.DEVNULL)
    assert "timeout: " in (place / "p.yaml").read_text()
    again = subprocess.run([box.aisbx(), "learn", "--output", "p.yaml", "--", "true"], cwd=place, timeout=120, check=False,
                           stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert again.returncode == 125 and b"p.yaml" in again.stderr


def test_119_a_hostile_command_line_stays_in_its_comment(place):
    words = ["sh", "-c", "exit 3\nname: x\r\x1b[2J"]
    found = learn(*words, cwd=place)
    assert found["exit_code"] == 3 and "\x1b" not in found["profile"] and "\r" not in found["profile"]
    assert run_under(found["profile"], words, place)["exit_code"] == 3


@pytest.mark.parametrize("words,text", [
    (["/no/such/program"], "cannot be executed"),
    ([PYTHON, "-c", "import os; exit(os.urandom(1)[0])"], "differently"),
])
def test_what_cannot_be_learned(place, words, text):
    done = subprocess.run([box.aisbx(), "learn", "--", *words], cwd=place, timeout=120, check=False, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 125 and text in done.stderr.decode() and not done.stdout


def test_nothing_of_it_is_in_the_history(place, tmp_path):
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
    learn("true", cwd=place, env=env)
    done = subprocess.run([box.aisbx(), "history", "--json"], cwd=place, env=env, timeout=60, check=True, stdout=subprocess.PIPE)
    assert json.loads(done.stdout)["runs"] == []
