#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What a warm cache of the host is worth in a box: five languages, each a small project with dependencies.

Each project is made in a directory of its own, and its command is run on the host until the person's caches are warm; this fetches from the
registries that the machine is set up for. Then the command runs on the host, in a box that goes with its run, in a new box that stays (its
first run) and in that box again, in turn, --rounds times. Whole commands, from spawn to end, in seconds: the fastest of all rounds, which
others on the machine have disturbed least, and the median of the processor time; each also as a multiple of the host's. --old sets the times
of the files in the caches back by two days before every round: compilers that note which files they have used then write to each once.

    bench/caches.py [--rounds N] [--only NAME,...] [--old] [--aisbx PATH]
"""
import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

GO = {"go.mod": "module example.org/small\n\ngo 1.21\n", "a.go": "package small\n\nfunc Add(a, b int) int { return a + b }\n",
      "a_test.go": 'package small\n\nimport (\n\t"net/http/httptest"\n\t"testing"\n\n\t"github.com/stretchr/testify/assert"\n)\n\n'
                   "func TestAdd(t *testing.T) {\n\thttptest.NewRecorder()\n\tassert.Equal(t, 3, Add(1, 2))\n}\n"}
RUST = {"Cargo.toml": '[package]\nname = "small"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\nserde_json = "1"\n',
        "src/main.rs": 'fn main() { println!("{}", serde_json::json!({"a": 1})); }\n'}
NODE = {"package.json": '{"name": "small", "version": "1.0.0", "dependencies": {"express": "4"}}\n'}
JAVA = {"pom.xml": """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>org.example</groupId><artifactId>small</artifactId><version>1</version>
<properties><maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target></properties>
<dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version><scope>test</scope></dependency></dependencies></project>
""", "src/main/java/A.java": "public class A { static int add(int a, int b) { return a + b; } }\n",
        "src/test/java/ATest.java": "import org.junit.*; public class ATest { @Test public void add() { Assert.assertEquals(3, A.add(1, 2)); } }\n"}
PYTHON = {"requirements.txt": "requests\nflask\npyyaml\n"}

# Files, what is run once to fetch, what is timed, what is removed before each time.
WORKS = {
    "go": (GO, "go mod tidy && go test ./...", "go test -count=1 ./...", []),
    "rust": (RUST, "cargo fetch && cargo build", "cargo build --offline -q", ["target"]),
    "node": (NODE, "npm install --no-audit --no-fund", "npm ci --offline --no-audit --no-fund --silent", ["node_modules"]),
    "java": (JAVA, "mvn -q -B test", "mvn -o -q -B test", ["target"]),
    "python": (PYTHON, "rm -rf v; uv venv -q v && VIRTUAL_ENV=v uv pip install -q --link-mode copy -r requirements.txt",
               "uv venv -q v && VIRTUAL_ENV=v uv pip install -q --offline --link-mode copy -r requirements.txt", ["v"]),
}
CACHES = {"go": [".cache/go-build"], "rust": [".cargo/registry"], "node": [".npm/_cacache"], "java": [".m2/repository"], "python": [".cache/uv"]}


class Bench:
    def __init__(self, args):
        self.aisbx, self.args, self.boxes = os.path.realpath(args.aisbx), args, 0
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="aisbx-caches-", dir=args.dir))
        self.env = {**os.environ, "XDG_STATE_HOME": str(self.top / "state"), "GOFLAGS": "-mod=mod"}

    def shell(self, project, script, box=()):
        """Seconds, and seconds of processors."""
        words = [self.aisbx, "run", *box, "--", "sh", "-c", script] if box is not None else ["sh", "-c", script]
        start = time.monotonic()
        with tempfile.TemporaryFile() as out:
            child = subprocess.Popen(words, cwd=project, env=self.env, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)
            _, status, used = os.wait4(child.pid, 0)
            took = time.monotonic() - start
            child.returncode = os.waitstatus_to_exitcode(status)
            if child.returncode:
                out.seek(0)
                raise SystemExit(f"{script}: {child.returncode}\n{out.read()[-4000:].decode(errors='replace')}")
        return took, used.ru_utime + used.ru_stime

    def make(self, name):
        files, prepare, script, _ = WORKS[name]
        project = self.top / name
        for path, text in files.items():
            (project / path).parent.mkdir(parents=True, exist_ok=True)
            (project / path).write_text(text)
        self.shell(project, prepare, None)
        for _ in range(2):
            self.clear(project, name)
            self.shell(project, script, None)
        return project

    def clear(self, project, name):
        for path in WORKS[name][3]:
            shutil.rmtree(project / path, ignore_errors=True)

    def age(self, name):
        before = time.time() - 2 * 86400
        for top in CACHES[name]:
            for here, _, files in os.walk(pathlib.Path.home() / top):
                for file in files:
                    os.utime(os.path.join(here, file), (before, before), follow_symlinks=False)

    def round(self, project, name, times):
        script = WORKS[name][2]
        self.boxes += 1
        box = f"b{self.boxes}"
        subprocess.run([self.aisbx, "create", box], cwd=project, env=self.env, check=True, stdout=subprocess.DEVNULL)
        for place, how in (("host", None), ("away", ()), ("first", ("-b", box)), ("second", ("-b", box))):
            self.clear(project, name)
            if place == "second":
                again = " && ".join(f"rm -rf {p}" for p in WORKS[name][3]) or "true"
                self.shell(project, again, how)
            elif self.args.old:
                self.age(name)
            times[place].append(self.shell(project, script, how))
        subprocess.run([self.aisbx, "rm", box], cwd=project, env=self.env, check=True, stdout=subprocess.DEVNULL)

    def run(self, name):
        project, times = self.make(name), {place: [] for place in ("host", "away", "first", "second")}
        for _ in range(self.args.rounds):
            self.round(project, name, times)
        wall = {place: min(t for t, _ in list) for place, list in times.items()}
        cpu = {place: statistics.median(c for _, c in list) for place, list in times.items()}
        print(f"{name:8}" + "".join(f" {place:>7} {wall[place]:5.2f} s {wall[place] / wall['host']:5.2f} x (cpu {cpu[place]:5.2f} s {cpu[place] / cpu['host']:5.2f} x)"
                                   for place in times), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default=",".join(WORKS))
    parser.add_argument("--old", action="store_true")
    parser.add_argument("--dir", default=None)
    parser.add_argument("--aisbx", default="build/src/aisbx")
    bench = Bench(parser.parse_args())
    try:
        for name in bench.args.only.split(","):
            bench.run(name)
    finally:
        shutil.rmtree(bench.top, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
