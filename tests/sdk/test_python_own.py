# SPDX-License-Identifier: Apache-2.0
"""What only the Python SDK has: its connection, threads, tasks, types, the package, and the examples of its page."""
import ast
import asyncio
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import threading
import zipfile

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SDK = ROOT / "sdk/python"
sys.path[:0] = [str(HERE.parent / "lib"), str(SDK)]
import box
import aisbx
from aisbx._mailbox import take

SCALE = float(os.environ.get("TIMEOUT_MULTIPLIER", "1"))
PAGE = (ROOT / "docs/sdk-python.md").read_text(encoding="utf-8")
# The code of an example, and what it prints.
EXAMPLES = re.findall(r"^```python\n(.*?)^```\n```text\n(.*?)^```\n", PAGE, re.M | re.S)


@pytest.fixture(name="project")
def fixture_project(tmp_path):
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


@pytest.fixture(name="client")
def fixture_client():
    with aisbx.Client() as client:
        yield client


def python(code, project, *args, **popen):
    """A program of its own that uses the SDK."""
    env = {**os.environ, "AISBX": box.aisbx(), "PYTHONPATH": str(SDK), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.Popen([sys.executable, "-c", code, *args], cwd=project, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            **popen)


# ---- the connection ----

def test_there_is_no_aisbx(monkeypatch):
    with pytest.raises(aisbx.ServerGone, match="/no/where/aisbx"):
        aisbx.Sandbox.list(client=aisbx.Client("/no/where/aisbx"))
    monkeypatch.delenv("AISBX")
    monkeypatch.setenv("PATH", "/no/where")
    with pytest.raises(aisbx.ServerGone, match="no aisbx on PATH"):
        aisbx.Sandbox.list(client=aisbx.Client())


# ---- a server that has no room ----

@pytest.fixture(name="no_room")
def fixture_no_room(monkeypatch):
    def make(often, ms):
        monkeypatch.setenv("NO_ROOM", f"{often},{ms}")
        return aisbx.Client(str(HERE / "no_room.py"))
    return make


def test_a_call_without_room_is_tried_again(no_room):
    with no_room(3, 20) as client:
        assert client.call(aisbx.methods.BOX_LS({}))["times"] == 4
        calls = [client.start(aisbx.methods.BOX_LS({})) for _ in range(20)]
        assert [take(call.events).value["times"] for call in calls] == [4] * 20


def test_a_call_without_room_of_a_task(no_room):
    async def main(client):
        return await aisbx.AsyncSandbox.list(client=client)
    with no_room(2, 20) as client:
        assert asyncio.run(main(client)) == []


@pytest.mark.parametrize("timeout", ["300ms", 0.3, 1])
def test_it_is_tried_for_no_longer_than_the_call_may_take(no_room, timeout):
    with no_room("all", 200 if timeout != 1 else 30000) as client:
        with pytest.raises(aisbx.LimitExceeded, match="no room") as told:
            client.call(aisbx.methods.RUN_EXEC({"command": ["true"], "timeout": timeout}))
        assert told.value.retry_after == (0.2 if timeout != 1 else 30)


def test_what_waits_for_room_is_cancelled_and_told_of_the_end(no_room):
    with no_room("all", 40000) as client:
        calls = [client.start(aisbx.methods.RUN_EXEC({"command": ["true"], "timeout": "1h"})) for _ in range(2)]
        box.wait_until(lambda: all(call._again for call in calls), 30, "they were not refused")
        calls[0].cancel()
        assert isinstance(take(calls[0].events).value, aisbx.Cancelled)
    assert isinstance(take(calls[1].events).value, aisbx.ServerGone)


def test_a_call_whose_input_is_on_its_way_is_not_tried_again(no_room):
    with no_room(1, 20) as client:
        call = client.start(aisbx.methods.RUN_EXEC({"command": ["cat"]}), stdin=True)
        assert isinstance(take(call.events).value, aisbx.LimitExceeded)


def test_a_program_that_is_no_aisbx(tmp_path):
    other = tmp_path / "other"
    other.write_text("#!/bin/sh\necho I am another >&2\nexit 3\n")
    other.chmod(0o755)
    client = aisbx.Client(str(other))
    with pytest.raises(aisbx.ServerGone, match="status 3.*I am another"):
        aisbx.Sandbox.list(client=client)
    with pytest.raises(aisbx.ServerGone):
        aisbx.Sandbox.list(client=client)


def test_a_server_that_dies_is_told_to_everybody_and_the_next_call_has_a_new_one(project):
    client = aisbx.default_client()
    sandbox = aisbx.Sandbox.create(project=str(project))
    handle = sandbox.commands.run("sleep 60", background=True)
    client._process.kill()
    with pytest.raises(aisbx.ServerGone, match="signal 9"):
        handle.wait()
    with pytest.raises(aisbx.ServerGone, match="signal 9"):
        sandbox.get_info()
    assert aisbx.default_client() is not client
    again = aisbx.Sandbox.connect(sandbox.sandbox_id)
    assert again.commands.connect(handle.pid).kill()
    assert again.kill()


def test_a_closed_client_says_so(client):
    aisbx.Sandbox.list(client=client)
    client.close()
    with pytest.raises(aisbx.ServerGone, match="closed"):
        aisbx.Sandbox.list(client=client)


def test_over_a_socket(tmp_path, project):
    path = str(tmp_path / "s")
    server = subprocess.Popen([box.aisbx(), "rpc", "--socket", path])
    try:
        box.wait_until(lambda: os.path.exists(path), what="the socket")
        with aisbx.Client(socket=path) as client, aisbx.Sandbox.create(project=str(project), client=client) as sandbox:
            assert sandbox.commands.run("cat", stdin="hi").stdout == "hi"
        with pytest.raises(aisbx.ServerGone, match="/nothing"):
            aisbx.Sandbox.list(client=aisbx.Client(socket=path + "/nothing"))
    finally:
        server.terminate()
        server.wait(50)


def test_an_owner_sees_only_what_is_its_own(project):
    with aisbx.Client(owner="mine") as mine, aisbx.Client(owner="other") as other:
        with aisbx.Sandbox.create(project=str(project), client=mine) as sandbox:
            assert [b.sandbox_id for b in aisbx.Sandbox.list(client=mine)] == [sandbox.sandbox_id]
            assert aisbx.Sandbox.list(client=other) == []
            with pytest.raises(aisbx.SandboxNotFound):
                aisbx.Sandbox.connect(sandbox.sandbox_id, client=other)


def test_every_operation_by_its_name(client, project):
    made = client.call(aisbx.methods.BOX_CREATE({"project": str(project)}))
    assert made["id"] in [b["id"] for b in client.call(aisbx.methods.BOX_LS({}))["boxes"]]
    client.call(aisbx.methods.BOX_RM({"boxes": [made["id"]]}))


# ---- many at once, and in the middle ----

def test_threads_do_not_mix_up_their_output(project):
    with aisbx.Sandbox.create(project=str(project)) as sandbox:
        got = {}

        def work(number):
            pieces = []
            sandbox.commands.run(f"for i in 1 2 3 4 5 6 7 8 9; do echo {number} $i; done", on_stdout=pieces.append)
            got[number] = "".join(pieces)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60 * SCALE)
        assert got == {n: "".join(f"{n} {i}\n" for i in range(1, 10)) for n in range(16)}


def test_output_comes_before_the_end(project):
    with aisbx.Sandbox.create(project=str(project)) as sandbox:
        handle = sandbox.commands.run("echo first; read x; echo $x", background=True, stdin=True)
        pieces = iter(handle)
        assert next(pieces).text == "first\n"
        handle.send_stdin("second\n")
        assert next(pieces).text == "second\n"
        assert list(pieces) == [] and handle.wait().exit_code == 0


def test_output_that_nobody_takes_is_not_lost_and_holds_nobody_up(project, monkeypatch):
    monkeypatch.setattr(aisbx.client, "UNREAD", 100000)
    with aisbx.Sandbox.create(project=str(project)) as sandbox:
        handle = sandbox.commands.run("seq 1000000; echo done >flag", background=True)
        box.wait_until(lambda: handle._call.events._holding, what="that no more comes")
        box.wait_until(lambda: sandbox.files.exists("flag"), what="the end of the command")
        assert handle._call.events._weight < 2000000, "of nearly seven million"
        assert "".join(piece.text for piece in handle) == "".join(f"{n}\n" for n in range(1, 1000001))
        assert handle.wait().exit_code == 0


def test_an_exception_of_a_handler_ends_the_command(project):
    with aisbx.Sandbox.create(project=str(project)) as sandbox:
        def fail(text):
            raise KeyError(text)

        with pytest.raises(KeyError):
            sandbox.commands.run("echo x; sleep 60", on_stdout=fail)
        box.wait_until(lambda: not sandbox.commands.list(), what="the end of the command")


def test_a_large_file_goes_beside_the_messages(project, monkeypatch):
    """And in pieces where the server has no other way; both are the same. The path of the socket is longer than an address."""
    monkeypatch.setenv("XDG_STATE_HOME", str(project.parent / ("state" * 20)))
    data = random.Random(3).randbytes((9 << 20) + 5)
    lines = []
    with aisbx.Client() as client, aisbx.Sandbox.create(project=str(project), client=client) as sandbox:
        taken = client._take
        monkeypatch.setattr(client, "_take", lambda message: (lines.append(len(str(message))), taken(message)))
        for beside in (True, False):
            assert sandbox.files.write("big", data).size == len(data)
            assert sandbox.files.read("big", "bytes") == data
            assert (max(lines) < 1 << 16) is beside
            with pytest.raises(aisbx.FileNotFound):
                sandbox.files.read("nothing")
            with pytest.raises(aisbx.StaleBase):
                sandbox.files.write("big", data, if_sha256="absent")
            with pytest.raises(aisbx.AisbxError, match="directory"):
                sandbox.files.write(".", data)
            assert len(client._data_path) > 108 if beside else client._data_path == ""
            client._data_path = ""  # as an older server answers


def test_a_task_that_is_cancelled_in_a_file_leaves_it_as_it_was(project):
    async def cancelled():
        async with await aisbx.AsyncSandbox.create(project=str(project)) as sandbox:
            await sandbox.files.write("big", "old")
            task = asyncio.ensure_future(sandbox.files.write("big", bytes(64 << 20)))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            big = await sandbox.files.read("big", "bytes")
            assert big in (b"old", bytes(64 << 20))
            assert (await sandbox.files.write("big", bytes(1 << 20))).size == 1 << 20

    asyncio.run(cancelled())


def test_a_task_that_is_cancelled_leaves_nothing(project):
    async def main():
        async with await aisbx.AsyncSandbox.create(project=str(project)) as sandbox:
            task = asyncio.ensure_future(sandbox.commands.run("sleep 60"))
            while not await sandbox.commands.list():
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            while await sandbox.commands.list():
                await asyncio.sleep(0.01)
    asyncio.run(asyncio.wait_for(main(), 30 * SCALE))


def test_tasks_run_at_once_and_handlers_may_be_coroutines(project):
    async def main():
        async with await aisbx.AsyncSandbox.create(project=str(project)) as sandbox:
            async def one(number):
                heard = []

                async def hear(text):
                    await asyncio.sleep(0)
                    heard.append(text)

                result = await sandbox.commands.run(f"echo {number}", on_stdout=hear)
                return "".join(heard) == result.stdout == f"{number}\n"
            assert all(await asyncio.gather(*(one(n) for n in range(10))))
    asyncio.run(asyncio.wait_for(main(), 60 * SCALE))


def test_the_loop_goes_on_while_one_waits(project):
    async def main():
        async with await aisbx.AsyncSandbox.create(project=str(project)) as sandbox:
            ticks = 0
            task = asyncio.ensure_future(sandbox.commands.run("read x; echo $x", background=True, stdin=True))
            while not task.done():
                await asyncio.sleep(0.001)
                ticks += 1
            await task.result().send_stdin("x\n")
            assert (await task.result().wait()).stdout == "x\n" and ticks > 0
    asyncio.run(asyncio.wait_for(main(), 30 * SCALE))


# ---- the program around it ends ----

def test_an_interrupt_ends_the_command(project):
    code = ("import aisbx\nwith aisbx.Sandbox.create() as s:\n    print(s.sandbox_id, flush=True)\n"
            "    s.commands.run('echo began; sleep 60', on_stdout=lambda t: print('began', flush=True))")
    program = python(code, project)
    sandbox = program.stdout.readline().strip()
    assert program.stdout.readline() == "began\n"
    program.send_signal(signal.SIGINT)
    _, said = program.communicate(timeout=60 * SCALE)
    assert "KeyboardInterrupt" in said and program.returncode != 0
    with pytest.raises(aisbx.SandboxNotFound):
        aisbx.Sandbox.connect(sandbox)


@pytest.mark.parametrize("end", ["return", "kill"])
def test_a_background_command_goes_on_when_the_program_that_started_it_ends(project, end):
    code = ("import aisbx, os, sys\ns = aisbx.Sandbox.create()\n"
            "h = s.commands.run('echo first; read x; echo got $x; exit 4', background=True, stdin=True)\n"
            "print(s.sandbox_id, h.pid, flush=True)\nsys.argv[1] == 'kill' and os.kill(os.getpid(), 9)")
    program = python(code, project, end)
    out, said = program.communicate(timeout=60 * SCALE)
    assert program.returncode == (0 if end == "return" else -9), said
    name, pid = out.split()
    with aisbx.Sandbox.connect(name) as sandbox:
        assert [command.pid for command in sandbox.commands.list()] == [pid]
        handle = sandbox.commands.connect(pid)
        assert next(iter(handle)).text == "first\n"
        handle.send_stdin("word\n")
        result = handle.wait()
        assert (result.stdout, result.exit_code) == ("first\ngot word\n", 4)


def test_what_runs_in_the_foreground_ends_with_the_program_that_started_it(project):
    code = ("import aisbx, os, sys\ns = aisbx.Sandbox.create()\nprint(s.sandbox_id, flush=True)\n"
            "s.commands.run('echo begun; sleep 600', on_stdout=lambda text: os.kill(os.getpid(), 9))")
    out, said = python(code, project).communicate(timeout=60 * SCALE)
    sandbox = aisbx.Sandbox.connect(out.strip())
    box.wait_until(lambda: not sandbox.commands.list(), what="the end of the command")
    assert sandbox.kill(), said


def test_a_fork_has_a_connection_of_its_own(project):
    code = ("import aisbx, os\ns = aisbx.Sandbox.create()\npid = os.fork()\nif pid == 0:\n    try:\n        s.get_info()\n"
            "    except aisbx.ServerGone as e:\n        print('forked' in str(e), flush=True)\n"
            "    print(aisbx.Sandbox.connect(s.sandbox_id).commands.run('echo child').stdout, end='', flush=True)\n    os._exit(0)\n"
            "os.waitpid(pid, 0)\nprint(s.commands.run('echo parent').stdout, end='')\ns.kill()")
    out, said = python(code, project).communicate(timeout=60 * SCALE)
    assert out == "True\nchild\nparent\n", said


# ---- as a package ----

def sources():
    return sorted((SDK / "aisbx").glob("*.py"))


def test_the_sync_side_is_what_the_tool_makes(tmp_path):
    subprocess.run([ROOT / "tools/sdk-sync", tmp_path / "made.py"], check=True)
    assert (tmp_path / "made.py").read_text() == (SDK / "aisbx/_sync.py").read_text(), "run tools/sdk-sync"


def test_it_takes_nothing_but_the_standard_library_and_python_3_9():
    for path in sources():
        tree = ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))
        for node in ast.walk(tree):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module] if isinstance(node, ast.ImportFrom) and not node.level else []
            assert all(name.split(".")[0] in sys.stdlib_module_names for name in names), (path, names)


@pytest.fixture(name="mypy", scope="module")
def fixture_mypy(tmp_path_factory):
    shared = os.environ.get("AISBX_TEST_CACHE")
    place = pathlib.Path(shared or pathlib.Path.home() / ".cache/aisbx-tests")
    done = subprocess.run([HERE / "prepare-python", place], stdout=subprocess.PIPE, text=True, check=True, timeout=300 * SCALE)
    kept = tmp_path_factory.mktemp("mypy")

    def check(*words, cwd):
        env = {**os.environ, "PYTHONPATH": done.stdout.strip(), "MYPYPATH": str(SDK), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", kept, "--strict", "--python-version", "3.9", *words], cwd=cwd, env=env,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=300 * SCALE)
    return check


def test_types_are_strict(mypy):
    done = mypy("-p", "aisbx", cwd=SDK)
    assert done.returncode == 0, done.stdout


GOOD = """
import aisbx
with aisbx.Sandbox.create() as s:
    text: str = s.files.read("a")
    data: bytes = s.files.read("a", format="bytes")
    code: int = s.commands.run("true").exit_code
    handle: aisbx.CommandHandle = s.commands.run("true", background=True)
    made: str = aisbx.default_client().call(aisbx.methods.BOX_CREATE({"name": "x", "ttl": 3.5}))["id"]
"""
BAD = ['text: int = s.files.read("a")', 's.commands.run("true", tiemout=3)', 's.commands.run("true").wait()',
       'aisbx.default_client().call(aisbx.methods.BOX_CREATE({"nmae": "x"}))', 's.promote(conflict="never")']


def test_a_program_is_checked_by_the_types(mypy, tmp_path):
    (tmp_path / "good.py").write_text(GOOD)
    (tmp_path / "bad.py").write_text(GOOD + "".join(f"    {line}\n" for line in BAD))
    good = mypy("good.py", cwd=tmp_path)
    assert good.returncode == 0, good.stdout
    told = mypy("bad.py", cwd=tmp_path).stdout
    first = GOOD.count("\n") + 1
    assert {int(n) for n in re.findall(r"^bad.py:(\d+): error", told, re.M)} == set(range(first, first + len(BAD))), told


def test_the_package_holds_what_it_should(tmp_path):
    work = tmp_path / "sdk"
    (work / "aisbx").mkdir(parents=True)
    for path in [*sources(), SDK / "aisbx/py.typed"]:
        (work / "aisbx" / path.name).write_bytes(path.read_bytes())
    for name in ("pyproject.toml", "README.md"):
        (work / name).write_bytes((SDK / name).read_bytes())
    subprocess.run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "--no-index", "-w", tmp_path, work], check=True,
                   timeout=120 * SCALE)
    with zipfile.ZipFile(next(tmp_path.glob("aisbx-*.whl"))) as wheel:
        names = {n for n in wheel.namelist() if ".dist-info/" not in n}
        about = wheel.read(next(n for n in wheel.namelist() if n.endswith("METADATA"))).decode()
    assert names == {f"aisbx/{p.name}" for p in sources()} | {"aisbx/py.typed"}
    assert "Requires-Dist" not in about and "Requires-Python: >=3.9" in about


# ---- the page ----

@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_examples_do_what_the_page_says(number, project):
    code, prints = EXAMPLES[number]
    out, said = python(code, project).communicate(timeout=60 * SCALE)
    assert out == prints, said


def test_the_page_has_an_example_of_everything():
    assert len(EXAMPLES) >= 6 and PAGE.count("```python") == len(EXAMPLES), "each example has what it prints behind it"
    code = "".join(code for code, _ in EXAMPLES)
    for word in ("Sandbox.create", "AsyncSandbox", "commands.run", "background=True", "on_stdout", "files.write", "files.read", "run_code", "fork(", "snapshot(",
                 "rollback(", "diff(", "promote(", "LimitExceeded", "PromoteConflict", "check=True"):
        assert word in code, word
