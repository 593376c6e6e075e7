# SPDX-License-Identifier: Apache-2.0
"""What a program may use: fuel to the unit, time, memory, disk, output, depth; each is stopped with its reason, and the host goes on."""
import time

import box
import pace
import pytest
import wasm

LOOP = '(module (memory (export "memory") 1) (func (export "_start") (loop $l (br $l))))'
GROW = """(module (memory (export "memory") 1) (func (export "_start") (local $p i32)
  (loop $l (drop (memory.grow (i32.const 16)))
    (local.set $p (i32.mul (i32.sub (memory.size) (i32.const 16)) (i32.const 65536)))
    (memory.fill (local.get $p) (i32.const 7) (i32.const 1048576)) (br $l))))"""
DEEP = '(module (memory (export "memory") 1) (func $f (result i32) (i32.add (call $f) (i32.const 1))) (func (export "_start") (drop (call $f))))'


@pytest.fixture(scope="module", name="modules")
def fixture_modules(tmp_path_factory):
    folder = tmp_path_factory.mktemp("limits")
    wasm.from_text(folder / "loop.wasm", LOOP)
    wasm.from_text(folder / "grow.wasm", GROW)
    wasm.from_text(folder / "deep.wasm", DEEP)
    wasm.from_text(folder / "fill.wasm", """(module (import "wasi_snapshot_preview1" "fd_write" (func $w (param i32 i32 i32 i32) (result i32)))
      (memory (export "memory") 2) (func (export "_start") (i32.store (i32.const 0) (i32.const 64)) (i32.store (i32.const 4) (i32.const 65536))
      (loop $l (drop (call $w (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))) (br $l))))""")
    return folder


@pytest.mark.parametrize("fuel", [1, 10, 1000, 100000, 50000000])
def test_fuel_is_exact(modules, fuel):
    done = wasm.run("./loop.wasm", cwd=modules, options=["--fuel", str(fuel)])
    assert done["status"] == "limit" and done["aisbx_status"] == 124, done
    assert done["limit"] == {"kind": "fuel", "value": fuel, "used": done["usage"]["fuel"], "raise_with": "--fuel", "sure": True}
    assert fuel <= done["usage"]["fuel"] <= fuel * 1.1 + 2
    assert done["limits"]["fuel"] == {"value": fuel, "by": "engine"}
    assert done["violations"][0]["allow_with"] == f"--fuel {2 * fuel}"


@pytest.mark.parametrize("lang, text", [
    ("python", "d = {str(i): i * i for i in range(200)}\nprint(sum(d.values()), sorted(d)[:3], hash('x') % 7)"),
    ("javascript", "const m = new Map(); for (let i = 0; i < 200; i++) m.set('k' + i, i * i); console.log([...m.values()].reduce((a, b) => a + b))"),
])
def test_fuel_is_the_same_every_time(lang, text):
    """Whatever the machine does beside it; of both users the table below has the same numbers."""
    found = {wasm.code(lang, text)["usage"]["fuel"] for _ in range(8)}
    assert len(found) == 1, found


def test_just_enough_fuel_is_enough():
    text = "print(sum(range(1000)))"
    used = wasm.code("python", text)["usage"]["fuel"]
    assert wasm.code("python", text, "--fuel", str(used + 1))["stdout"] == "499500\n"
    assert wasm.code("python", text, "--fuel", str(used - 20000))["limit"]["kind"] == "fuel"


@pytest.mark.parametrize("what", ["module", "python", "javascript", "regex", "strings", "sleep"])
def test_time(modules, what):
    began = time.monotonic()
    options = ["--timeout", "1s"]
    if what == "module":
        done = wasm.run("./loop.wasm", cwd=modules, options=options)
    else:
        done = wasm.code("javascript" if what == "javascript" else "python", {
            "python": "while True: pass", "javascript": "while (true);", "sleep": "import time\ntime.sleep(600)",
            "regex": "import re\nre.match('(a|a)*(a|a)*(a|a)*b', 'a' * 60)", "strings": "s = 'x' * 10**7\nwhile True: s = s[::-1]"}[what], *options)
    assert done["status"] == "limit" and done["limit"]["kind"] == "wall_time" and done["limit"]["value"] == 1000, done
    assert time.monotonic() - began < pace.seconds(8)


def test_processor_time(modules):
    done = wasm.run("./loop.wasm", cwd=modules, options=["--cpu-time", "1s", "--timeout", "60s"])
    assert done["limit"]["kind"] == "cpu_time", done


@pytest.mark.parametrize("what", ["module", "python", "at once", "javascript"])
def test_memory(modules, what):
    options = ["--mem", "96m", "--timeout", "60s"]
    if what == "module":
        done = wasm.run("./grow.wasm", cwd=modules, options=options)
    elif what == "javascript":
        done = wasm.code("javascript", "const a = []; for (let i = 0; ; i++) a.push('x'.repeat(1e6) + i)", *options)
    else:
        done = wasm.code("python", "x = b'x' * 10**9" if what == "at once" else "x = []\nwhile True: x.append(bytearray(10**6))", *options)
    assert done["status"] == "limit" and done["limit"]["kind"] == "memory", done
    # Without a control group it is looked at a thousand times a second; the supervisor, if it is first, counts the engine's library, too.
    most = 1.1 if "cgroup" in done["limits"]["memory"]["by"] else 1.25
    assert done["limit"]["used"] <= most * (96 << 20)


def test_output_is_cut_and_counted(modules):
    done = wasm.run("./fill.wasm", cwd=modules, options=["--output", "1m", "--timeout", "2s"])
    assert len(done["stdout"]) <= (1 << 20) + 200 and done["truncated"]["stdout"] > 0, done["truncated"]


def test_disk():
    done = wasm.code("python", "f = open('big', 'wb')\nwhile True: f.write(b'x' * 65536)", "--disk", "2m")
    assert done["limit"]["kind"] == "disk" and "No space left" in done["stderr"], done


def test_depth(modules):
    """A module's stack has an end that is the same on every machine; Python's own limit comes before it, and can be caught."""
    done = wasm.run("./deep.wasm", cwd=modules)
    assert done["status"] == "failed" and done["trap"] == "stack_overflow" and done["aisbx_status"] == 134, done
    assert "nested too deep" in done["stderr"]
    done = wasm.code("python", "def f(n): return f(n + 1)\ntry: f(0)\nexcept RecursionError: print('caught')")
    assert done["stdout"] == "caught\n", done
    done = wasm.code("python", "class A:\n  def __getattr__(self, n): return getattr(self, n)\ntry: A().x\nexcept RecursionError: print('caught')")
    assert done["stdout"] == "caught\n", done
    done = wasm.code("python", "from functools import cache\n@cache\ndef f(n): return n if n < 2 else f(n - 1) + f(n - 2)\nprint(f(400) % 1000)")
    assert done["status"] == "ok", done
    done = wasm.code("javascript", "function f() { f() }\ntry { f() } catch (e) { console.log(e.name) }\nconst g = (n) => n ? 1 + g(n - 1) : 0; console.log(g(5000))")
    assert done["stdout"] == "RangeError\n5000\n", done


def test_traps_are_told_by_name(tmp_path):
    for name, body in {"unreachable": "unreachable", "division_by_zero": "(drop (i32.div_u (i32.const 1) (i32.const 0)))",
                       "memory_out_of_bounds": "(drop (i32.load (i32.const 65536)))"}.items():
        wasm.from_text(tmp_path / f"{name}.wasm", f'(module (memory (export "memory") 1) (func (export "_start") {body}))')
        done = wasm.run(f"./{name}.wasm", cwd=tmp_path)
        assert done["trap"] == name and done["status"] == "failed", done
        assert "the program was stopped" in done["stderr"]


def test_small_profiles_have_room_for_it():
    """The engine's threads are not the program's: a box that may have two processes runs it, and says what it has."""
    done = wasm.code("python", "open('a', 'w').write('x'); print(open('a').read())", "--pids", "2", "--mem", "64m")
    assert done["stdout"] == "x\n" and done["limits"]["processes"]["value"] >= 2, done


def test_neighbours_live_on(modules):
    """One that takes all it can beside one that just counts."""
    wasm.run("./grow.wasm", cwd=modules, options=["--mem", "64m"])
    assert box.run("true", cwd=modules)["status"] == "ok"
