# SPDX-License-Identifier: Apache-2.0
"""WebAssembly in tests: languages that were added once for all, modules made of C by clang, of text by wabt and of a number by wasm-smith, corpora of programs."""
import functools
import json
import os
import pathlib
import re
import subprocess

import box

PREPARE = pathlib.Path(__file__).resolve().parents[1] / "wasm" / "prepare"
PREPARE_SMITH = PREPARE.with_name("prepare-smith")


def cache_folder():
    return pathlib.Path(os.environ.get("AISBX_TEST_CACHE") or pathlib.Path.home() / ".cache" / "aisbx-tests")


@functools.cache
def helper():
    """aisbx-wasm, as aisbx finds it."""
    beside = pathlib.Path(box.aisbx()).parent
    return str(next(p for p in (beside / "aisbx-wasm", beside / "../libexec/aisbx/aisbx-wasm") if os.access(p, os.X_OK)))


@functools.cache
def languages():
    """The directory with both languages; every aisbx that a test starts from now on takes them from there."""
    cache = cache_folder()
    found = cache / "wasm"  # CI has them there for everybody
    if not found.is_dir():
        subprocess.run([PREPARE, cache, box.aisbx()], check=True, timeout=600)
        found = max(cache.glob("wasm-*"), key=os.path.getmtime)
    os.environ["AISBX_WASM_LANGUAGES"] = str(found)
    return found


@functools.cache
def smith():
    """The program that writes modules: tests/wasm/smith."""
    ready = cache_folder() / "smith/smith"  # CI has it there for everybody
    if ready.is_file():
        return ready
    subprocess.run([PREPARE_SMITH, cache_folder()], check=True, timeout=1500)
    name = subprocess.run([PREPARE_SMITH, "--name"], check=True, capture_output=True, text=True, timeout=60).stdout.strip()
    return cache_folder() / name / "smith"


def smithed(seed, count, folder):
    """So many modules in FOLDER, the same ones of the same seed; their paths, in order."""
    subprocess.run([smith(), str(seed), str(count), folder], check=True, timeout=600)
    return sorted(folder.iterdir())


def run(*words, cwd, options=(), **kw):
    """`aisbx run --driver wasm --json`."""
    languages()
    return box.run(*words, cwd=cwd, options=["--driver", "wasm", *options], **kw)


def code(lang, text, *options, driver="wasm", cwd="/", policy="none", env=None):
    """`aisbx run-code --json` of a text."""
    languages()
    done = subprocess.run([box.aisbx(), "run-code", "--json", "--driver", driver, "--lang", lang, "--policy", policy, *options, "--code", text], cwd=cwd,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=120, env=env)
    assert done.stdout.startswith(b"{"), done
    return json.loads(done.stdout)


def from_c(path, text, *options):
    """A module of WASI at PATH, compiled of C."""
    source = path.with_suffix(".c")
    source.write_text(text)
    subprocess.run(["clang", "--target=wasm32-wasi", "-O1", *options, source, "-o", path], check=True, timeout=120, capture_output=True)
    return path


def from_text(path, text, *options):
    """A module at PATH, of its text form."""
    source = path.with_suffix(".wat")
    source.write_text(text)
    subprocess.run(["wat2wasm", *options, source, "-o", path], check=True, timeout=120, capture_output=True)
    return path


def of_another_engine(code):
    """Compiled code whose header names another version of the engine."""
    changed = code.replace(b"\x0250\x18x86_64", b"\x0249\x18x86_64", 1)
    assert changed != code
    return changed


SEPARATOR = {".py": re.compile(r"^#: (.+)\n", re.M), ".js": re.compile(r"^//: (.+)\n", re.M)}
REASON = re.compile(r"^(?:#|//)! (.+)\n")


def corpus(folder):
    """(file:name, text, reason): of the programs in a folder; the reason why one does not run as WebAssembly, None for those that do."""
    for path in sorted(folder.iterdir()):
        if path.suffix not in SEPARATOR:
            continue
        parts = SEPARATOR[path.suffix].split(path.read_text())
        for name, text in zip(parts[1::2], parts[2::2]):
            reason = REASON.match(text)
            yield f"{path.stem}:{name.strip()}", text, reason and reason.group(1)
