# SPDX-License-Identifier: Apache-2.0
"""The steps of CI, in the order in which they begin: what each runs, what it needs first, whether it needs quiet.

What each may cost is in CONTRIBUTING.md. A step runs in the copy of the source, as root; `as_user` gives a command to the other user.
"""
import dataclasses
import os
import pwd

import reports

USER = "aisbx-ci"
CACHE = os.environ.get("AISBX_CI_CACHE", "/var/cache/aisbx-ci")  # what takes minutes to make, for all runs on this machine
STANDARD_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
LONG = bool(os.environ.get("AISBX_LONG"))
AGAIN_AT_MOST = 20  # tests of one step; where more failed it is no matter of luck

# The files that take longest first: one file is one worker's.
PYTHON_TESTS = [f"tests/{name}" for name in
                ("killed", "agents", "simulation", "mcp", "e2b", "sdk", "languages", "wasm", "e2e", "fleet", "git", "attack", "net", "scan", "guard", "look", "traps", "limits", "sys")]


@dataclasses.dataclass
class Step:
    name: str
    command: callable  # of the run of CI; gives a list of words and paths
    needs: tuple = ()
    quiet: bool = False  # alone, after everything that is not
    again: str = ""  # what is tried once more when it fails: "cases", the tests that did, or the "whole"
    once_more: callable = None  # as command; also gets where its reports lie and where the new ones go
    shows: bool = False  # what it prints belongs into what CI prints


def as_user(who, variables, words):
    """With an environment of its own, as after a login; root keeps the tools of its PATH."""
    if who == "user":
        home, name, path, prefix = pwd.getpwnam(USER).pw_dir, USER, STANDARD_PATH, ["runuser", "-u", USER, "--"]
    else:
        home, name, path, prefix = os.environ.get("HOME", "/root"), "root", os.environ["PATH"] + ":" + STANDARD_PATH, []
    # Without the variable CI: by it pytest shows whole differences, and of two trees of files that is hours and hundreds of megabytes.
    env = {"HOME": home, "USER": name, "LOGNAME": name, "SHELL": "/bin/bash", "LC_ALL": "C.UTF-8", "PATH": path, **variables}
    if LONG:
        env["AISBX_LONG"] = "1"
    return [*prefix, "env", "-i", f"--chdir={home}", *(f"{k}={v}" for k, v in env.items()), *words]


def suite(ci, step, who, build, words, **variables):
    """Tests of one user with one build; variables are those of .ci/suite."""
    out = variables.pop("out", ci.top / "out" / step)
    out.mkdir(parents=True, exist_ok=True)
    out.chmod(0o1777)
    words = [str(path.relative_to(ci.source)) for word in words for path in sorted(ci.source.glob(word))]
    return as_user(who, {key.upper(): str(value) for key, value in variables.items()},
                   [ci.source / ".ci/suite", ci.top / build, out, *words])


def tests(name, who, build, needs, python=(), marked="not quiet", elsewhere=(), **variables):
    """A step of tests. What failed is tried once more one by one: C tests by name, Python tests by their report. Of those ELSEWHERE only
    what is big."""
    def command(ci):
        chosen = ci.tests or python
        given = {**variables, **({"c_tests": ""} if ci.tests else {"elsewhere": "" if LONG else "\t".join(elsewhere)}), "marked": marked}
        return suite(ci, name, who, build, chosen, **given)

    def once_more(ci, first, second):
        failed = reports.failed(first)[:AGAIN_AT_MOST]
        c_tests = [test for report, _, test in failed if report.startswith("c-")]
        only = second / "only"
        only.write_text("".join(f"{klass}\t{test}\n" for report, klass, test in failed if not report.startswith("c-")))
        only.chmod(0o644)
        chosen = (ci.tests or python) if len(failed) > len(c_tests) else []
        return suite(ci, name, who, build, chosen, out=second,
                     **{**variables, "workers": 0, "only": only, "c_tests": "\t".join(c_tests)})

    return Step(name, command, needs, marked == "quiet", "cases", once_more)


def fuzz(ci):
    return [".ci/fuzz", ci.top / "clang", ci.top / "cache/smith/smith"]


def again(command):
    """For steps that are tried once more as a whole; their reports count as they are."""
    return lambda ci, first, second: command(ci)


def remembered(*words):
    """A build; what was compiled before in the same way, from the same text, is taken from the cache."""
    # By content: the time of a file of options is that of the clone.
    return ["env", f"PATH=/usr/lib/ccache:{os.environ['PATH']}:{STANDARD_PATH}", f"CCACHE_DIR={CACHE}/ccache", "CCACHE_MAXSIZE=1G",
            "CCACHE_COMPILERCHECK=content", *words]


def build(name, compiler, *options):
    return Step(f"build-{name}", lambda ci: remembered(".ci/build", ci.top / name, compiler, *options), ("grammars", "wasmtime"))


def prepared(name, script):
    return Step(name, lambda ci: [script, ci.top / "cache"])


def vm(ci, out=None):
    return ["tests/vm/run", "--build", ci.top / "gcc", "--cache", f"{CACHE}/kernel", "--out", out or ci.top / "out/vm",
            "--seconds", "2400"]  # beside others, on a busy machine


def vm_again(ci, first, second):
    return [*vm(ci, second), *sorted({node(ci, klass, test) for _, klass, test in reports.failed(first)[:AGAIN_AT_MOST]})]


def node(ci, klass, test):
    """A test of a JUnit report as pytest wants to have it named."""
    parts = klass.split(".")
    n = next(n for n in range(len(parts), -1, -1) if n == 0 or (ci.source / "/".join(parts[:n])).with_suffix(".py").is_file())
    return "::".join(["/".join(parts[:n]) + ".py", *parts[n:], test])


def debian13(ci):
    return ["tests/debian13/run", "--cache", f"{CACHE}/debian13", "--out", ci.top / "out/debian13", "--host-build", ci.top / "gcc"]


def power(*options):
    return lambda ci: ["tests/power/run", "--aisbx", ci.top / "gcc/src/aisbx", *options]


def pictures(ci):
    return ["tools/pictures", "--check", ci.top / "gcc/src/aisbx"]


def bench(script, *options):
    return lambda ci: [f"bench/{script}.py", *options, "--aisbx", ci.top / "gcc/src/aisbx"]


# What is the same for both: coding agents, clients of the server, E2B's among them, simulated fleets, what the scan reads, which calls a language makes, what tools obey, and
# operations on the state that are killed at every call.
SAME_FOR_BOTH = [f"tests/{name}" for name in ("killed", "agents", "simulation", "e2b", "sdk", "scan", "languages", "wasm", "traps")]
ROOT_TESTS = [name for name in PYTHON_TESTS if LONG or name not in SAME_FOR_BOTH]
ROOT_TESTS += [] if LONG else ["tests/wasm/test_wasm_[a-o]*.py"]  # walls and limits; the programs, which take minutes, are tried by the other
ROOT_TESTS.insert(0, "tests/chaos")  # machines that only root can make; minutes, so they begin first
# With sanitizers, faults and counters of lines: each part by one of the two users. The first parts, and the network, are not tried by the
# same user without them as well, but for what is big; walls are, for there the very programs count that people run. Limits are not tried
# with them: what runs in the box is what takes the time.
ROOT_PART, USER_PART = ["tests/e2e/test_[p-z]*.py", "tests/git", "tests/guard", "tests/mcp"], ["tests/e2e/test_[a-o]*.py"]
# Attacks on who reads what a box left or sends. Those on the kernel's walls, from within, say the same without sanitizers.
ATTACKS = [f"tests/attack/test_{name}.py" for name in ("descriptors", "file_paths", "home", "host_memory", "images", "judges", "lost_promotion", "plants",
                                                       "promote", "protocols*", "redaction", "sessions", "unpack")]
CHECKED_ROOT = ["tests/fault", *ROOT_PART, *ATTACKS, "tests/scan", "tests/sys"]
CHECKED_USER = ["tests/fault", *USER_PART, "tests/look/test_look.py", "tests/look/test_scratch.py", "tests/wasm", "tests/net", "tests/fleet", "tests/simulation"]
PREPARED = ("build-gcc", "wasm", "components", "oci-tools", "fleet-tools", "smith", "agents", "fetch-modules", "languages", "traps", "mcp", "e2b", "sdk-python", "sdk-typescript", "jupyter")

STEPS = [
    Step("rego", lambda ci: [".ci/rego", CACHE, ci.top / "cache"]),  # tests that need it wait for it
    Step("oci-tools", lambda ci: [".ci/oci-tools", CACHE, ci.top / "cache"]),
    Step("fleet-tools", lambda ci: [".ci/fleet-tools", CACHE, ci.top / "cache"]),
    Step("smith", lambda ci: [".ci/smith", CACHE, ci.top / "cache"]),
    Step("agents", lambda ci: [".ci/agents", CACHE, ci.top / "cache"]),
    Step("grammars", lambda ci: ["tools/fetch-grammars", ci.source / ".grammars"]),
    Step("wasmtime", lambda ci: ["tools/fetch-wasmtime", ci.source / ".wasmtime"]),
    Step("fetch-modules", lambda ci: ["tests/scan/fetch-modules", ".modules"]),
    build("gcc", "gcc", "-Dmusl=enabled", "-Dman=enabled"),
    Step("wasm", lambda ci: [".ci/wasm", CACHE, ci.top / "cache", ci.top / "gcc/src/aisbx"], ("build-gcc",)),
    prepared("components", "tests/wasm/prepare-components"),
    prepared("languages", "tests/languages/prepare"),
    prepared("traps", "tests/traps/prepare"),
    prepared("mcp", "tests/mcp/prepare"),
    prepared("e2b", "tests/e2b/prepare"),
    prepared("sdk-python", "tests/sdk/prepare-python"),
    prepared("sdk-typescript", "tests/sdk/prepare-typescript"),
    prepared("jupyter", "tests/jupyter/prepare"),
    tests("root-gcc", "root", "gcc", PREPARED, ROOT_TESTS, elsewhere=ROOT_PART),
    tests("user-gcc", "user", "gcc", PREPARED, PYTHON_TESTS, elsewhere=[*USER_PART, "tests/net", "tests/fleet", "tests/simulation"]),
    Step("vm", vm, ("build-gcc",), again="cases", once_more=vm_again),
    Step("build-checked", lambda ci: remembered("tools/coverage/run", "build", ci.top / "checked"), ("build-gcc",)),
    tests("root-checked", "root", "checked", ("build-checked", "root-gcc"), CHECKED_ROOT, "not quiet and not big", timeout_multiplier=4),
    tests("user-checked", "user", "checked", ("build-checked", "user-gcc"), CHECKED_USER, "not quiet and not big", timeout_multiplier=4, c_tests=""),
    build("clang", "clang", "-Dmusl=disabled", "-Doptimization=1", "-Dfuzz=true"),  # no musl: so that clang, too, compiles the jail
    tests("root-clang", "root", "clang", ("build-clang",)),
    tests("user-clang", "user", "clang", ("build-clang",)),
    Step("shellcheck", lambda ci: [".ci/shellcheck"]),
    Step("format", lambda ci: [".ci/format"]),
    Step("install", lambda ci: ["tests/install/run", ci.top / "gcc"], ("build-gcc",)),
    Step("pictures", pictures, ("build-gcc",), again="whole", once_more=again(pictures)),
    tests("map", "root", "gcc", ("build-gcc",), ["tests/map", "tests/model"], c_tests=""),
    Step("model", lambda ci: ["tests/model/run"]),
    Step("fuzz", fuzz, ("build-clang", "smith"), again="whole", once_more=again(fuzz)),
    Step("clang-tidy", lambda ci: [".ci/tidy", ci.top / "clang", f"{CACHE}/tidy"], ("build-clang",)),
    Step("debian13", debian13, ("build-gcc",), again="whole", once_more=again(debian13), shows=True),
    Step("coverage", lambda ci: [".ci/coverage", ci.top / "checked"], ("root-checked", "user-checked"), shows=True),
    tests("root-quiet", "root", "gcc", PREPARED, PYTHON_TESTS, "quiet", c_tests="", workers=0),
    tests("user-quiet", "user", "gcc", PREPARED, PYTHON_TESTS, "quiet", c_tests="", workers=0),
    *(Step(name, command, ("build-gcc",), True, "whole", again(command), shows=True) for name, command in (
        ("bench-start", bench("start", "--rounds", "100")),
        ("bench-load", bench("load", "--runs", "500", "--block", "100")),
        ("bench-rpc", bench("rpc", "--rounds", "100")))),
    *(Step(name, command, ("build-gcc",), True, shows=True) for name, command in (
        ("power-root", power()), ("power-user", power("--user", USER))) if LONG),
]


def closure(name):
    """The step of this NAME and all that it needs, in their order."""
    wanted = {name}
    for step in reversed(STEPS):
        if step.name in wanted:
            wanted |= set(step.needs)
    return [step for step in STEPS if step.name in wanted]
