#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How long `aisbx run --driver oci:RUNTIME -- true` takes, beside the same runtime run bare, and native.

The bare runtime gets what its own `spec` writes (without a terminal), on a root file system that is one static busybox: the least that it
can be asked for. Interleaved as in bench/start.py. Prints p50, p95 and the ratio of p50 to the bare runtime's.

    bench/start_oci.py [--rounds N] [--aisbx PATH] [--runsc PATH]
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import tempfile

from start import once


def bundle(runtime, place):
    """A bundle with `true`; returns its directory."""
    root = place / "rootfs"
    (root / "bin").mkdir(parents=True)
    shutil.copy(shutil.which("busybox") or "/bin/busybox", root / "bin/true")
    for name in ("proc", "dev", "sys", "etc", "tmp"):
        (root / name).mkdir()
    spec = [runtime, "spec"] + (["--rootless"] if os.geteuid() and runtime.endswith("runc") else [])
    subprocess.run(spec, cwd=place, check=True)
    config = json.loads((place / "config.json").read_text())
    config["process"].update(terminal=False, args=["/bin/true"])
    (place / "config.json").write_text(json.dumps(config))
    return place


def contenders(args, place):
    todo = {"native": [args.aisbx, "run", "--", "true"]}
    runtimes = {"runc": shutil.which("runc", path="/usr/sbin:/usr/bin:/usr/local/bin:/usr/local/sbin"), "runsc": args.runsc}
    for name, path in runtimes.items():
        if not path:
            continue
        where = bundle(path, pathlib.Path(place) / name)
        options = ["--root", f"{place}/{name}/state"] + (["--ignore-cgroups", "--network=none", "--rootless"] if name == "runsc" else [])
        todo[f"{name} bare"] = [path, *options, "run", "--bundle", str(where), f"bench-{os.getpid()}"]
        todo[f"oci:{name}"] = [args.aisbx, "run", *args.options, "--driver", f"oci:{path}", "--", "true"]
    return todo


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--aisbx", default=os.environ.get("AISBX", "aisbx"))
    parser.add_argument("--runsc", default=os.environ.get("AISBX_TEST_RUNSC"))
    args = parser.parse_args()
    args.options = []
    null = os.open("/dev/null", os.O_RDWR)
    with tempfile.TemporaryDirectory(prefix="aisbx-bench-") as place:
        todo = contenders(args, place)
        times = {name: [] for name in todo}
        for argv in todo.values():
            once(argv, null)
        for _ in range(args.rounds):
            names = list(todo)
            random.shuffle(names)
            for name in names:
                times[name].append(once(todo[name], null))
        for left in pathlib.Path(place).glob("runsc/state/*netns*"):  # runsc as root mounts it there, and leaves it
            subprocess.run(["umount", left], check=False, stderr=subprocess.DEVNULL)
    print(f"start of `true`, {args.rounds} rounds interleaved, uid {os.getuid()}")
    print(f"{'':14} {'p50 ms':>8} {'p95 ms':>8} {'x bare':>8}")
    for name, values in times.items():
        bare = times.get(name.replace("oci:", "") + " bare") if name.startswith("oci:") else None
        p50 = statistics.median(values)
        ratio = f"{p50 / statistics.median(bare):8.2f}" if bare else ""
        print(f"{name:14} {p50:8.2f} {statistics.quantiles(values, n=20)[18]:8.2f} {ratio}")


if __name__ == "__main__":
    main()
