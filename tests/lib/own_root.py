# SPDX-License-Identifier: Apache-2.0
"""A small root file system of a test's own, for tests that change the system: the machine's is never touched. Needs to be root.

Programs and their libraries are copied from this machine; aisbx is mounted where it is. Every command runs in mount and process namespaces
of its own, with this as its root.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess

from box import aisbx

PROGRAMS = ("bash", "dash", "dpkg", "dpkg-deb", "dpkg-query", "dpkg-split", "tar", "rm", "cat", "chmod", "chown", "mkdir", "touch", "ln", "mv", "ls", "true",
            "mkfifo", "cp", "sed", "find", "diff", "id", "stat", "mount", "umount", "pivot_root", "start-stop-daemon", "ldconfig")
SETUP = """set -e
mount --make-rprivate /; mount --bind "$1" "$1"; cd "$1"; aisbx=$2; counters=$3; mounts=$4; shift 4
for at in $mounts; do mount --bind "$at" "$at"; done
mount -t proc proc proc; mount --rbind /dev dev; mount --rbind /sys sys; mount -t tmpfs -o mode=1777 tmpfs tmp
mount -t tmpfs -o mode=755 tmpfs run
mount --bind "$(dirname "$aisbx")" ".$(dirname "$aisbx")"
[ -z "$counters" ] || mount --bind "$counters" ".$counters"
pivot_root . old; cd /project; umount -l /old
exec "$aisbx" "$@"
"""


def libraries(path):
    out = subprocess.run(["ldd", path], check=False, capture_output=True, text=True).stdout
    return set(re.findall(r"(/\S+) \(0x", out))


class OwnRoot:
    def __init__(self, top):
        self.top = pathlib.Path(top)
        self.mounts = []  # directories that are mounts of their own, as on a machine with several partitions
        for name in ("usr/bin", "usr/sbin", "usr/lib", "usr/lib64", "usr/local/bin", "etc/cron.d", "opt", "var/lib/dpkg/info", "var/lib/dpkg/updates",
                     "var/lib/dpkg/triggers", "var/log", "var/tmp", "root", "home", "proc", "dev", "sys", "tmp", "run", "old", "project"):
            (self.top / name).mkdir(parents=True, exist_ok=True)
        self.top.chmod(0o755)
        for name in ("bin", "sbin", "lib", "lib64"):
            (self.top / name).symlink_to(f"usr/{name}")
        programs = pathlib.Path(aisbx()).resolve().parent
        counters = programs.parent.with_name(programs.parent.name + ".cnt")  # of lines: tools/coverage/run
        self.counters = str(counters) if counters.is_dir() else ""
        for at in filter(None, (str(programs), self.counters)):
            (self.top / at.lstrip("/")).mkdir(parents=True, exist_ok=True)
        for program in PROGRAMS:
            self.copy(shutil.which(program, path="/usr/sbin:/usr/bin"))
        for helper in pathlib.Path(aisbx()).resolve().parent.glob("aisbx-*"):
            for file in libraries(helper):
                self.copy(file)
        (self.top / "usr/bin/sh").symlink_to("dash")
        for name in ("status", "available", "triggers/Unincorp", "triggers/File"):
            (self.top / "var/lib/dpkg" / name).write_text("")
        self.write("etc/passwd", "root:x:0:0:root:/root:/bin/bash\n")
        self.write("etc/group", "root:x:0:\n")
        self.write("etc/shadow", "root:$6$real:19000:0:99999:7:::\n")
        (self.top / "etc/shadow").chmod(0o640)

    def copy(self, path):
        for file in {path, *libraries(path)}:
            real = "/usr" + file if re.match(r"/(bin|sbin|lib)", file) else file
            to = self.top / real.lstrip("/")
            if not to.exists():
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(os.path.realpath(file), to)

    def write(self, path, text):
        file = self.top / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def read(self, path):
        return (self.top / path).read_text()

    def has(self, path):
        return os.path.lexists(self.top / path)

    def start(self, *words):
        env = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin", "HOME": "/root", "LC_ALL": "C.UTF-8"}
        return subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", SETUP, "sh", self.top, os.path.realpath(aisbx()), self.counters, " ".join(self.mounts),
                               *words],
                              check=False, capture_output=True, text=True, env=env, timeout=120)

    def text(self, *words):
        done = self.start(*words)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return done.stdout

    def call(self, op, *words):
        done = self.start(op, "--json", *words)
        return done.returncode, json.loads(done.stdout or done.stderr)

    def ok(self, op, *words):
        status, result = self.call(op, *words)
        assert status == 0, (op, words, result)
        return result

    def box(self, name, script):
        if name not in {b["name"] for b in self.ok("ls")["boxes"]}:
            self.ok("create", name)
        return self.ok("run", "--box", name, "--", "sh", "-c", "set -e; " + script)

    def deb(self, name, version="1.0", files=(("usr/bin/NAME", "echo hi\n"),), **scripts):
        """The package NAME in the project."""
        tree = self.top / "build" / f"{name}-{version}"
        (tree / "DEBIAN").mkdir(parents=True)
        (tree / "DEBIAN/control").write_text(f"Package: {name}\nVersion: {version}\nArchitecture: all\nMaintainer: a <a@example.org>\nDescription: test\n")
        for script, text in scripts.items():
            (tree / "DEBIAN" / script).write_text("#!/bin/sh\n" + text)
            (tree / "DEBIAN" / script).chmod(0o755)
        for path, text in files:
            file = tree / path.replace("NAME", name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
            file.chmod(0o755)
        subprocess.run(["dpkg-deb", "--root-owner-group", "-b", tree, self.top / f"project/{name}-{version}.deb"], check=True, stdout=subprocess.DEVNULL)
        shutil.rmtree(self.top / "build")
