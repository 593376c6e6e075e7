# SPDX-License-Identifier: Apache-2.0
"""Images for tests, made of directories: small root file systems with busybox in them, without a registry.

Standard library only.
"""
import json
import os
import pathlib
import shutil
import subprocess

import box

APPLETS = ("sh", "cat", "chmod", "dd", "echo", "env", "find", "head", "hostname", "id", "ln", "ls", "mkdir", "mount", "mv", "ps", "pwd", "readlink", "rm",
           "sleep", "sort", "stat", "test", "touch", "true", "tty", "wc")
PASSWD = "root:x:0:0:root:/root:/bin/sh\napp:x:1000:1001:app:/home/app:/bin/sh\n"
GROUP = "root:x:0:\napp:x:1001:\nmore:x:50:root,app\nothers:x:60:root\n"
HERE = {"Env": ["PATH=/bin"], "Cmd": ["/bin/sh"]}


def tree(root, files=(), links=(), busybox=True):
    """A directory as a layer has it: FILES are {path: text}, LINKS {path: target}."""
    root = pathlib.Path(root)
    root.mkdir(parents=True)
    if busybox:
        (root / "bin").mkdir()
        shutil.copy(box.need("/bin/busybox", "an image"), root / "bin/busybox")
        for name in APPLETS:
            (root / "bin" / name).symlink_to("busybox")
        files = {"etc/passwd": PASSWD, "etc/group": GROUP, **dict(files)}
    for path, text in dict(files).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    for path, target in dict(links).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).symlink_to(target)
    return root


def add_program(root, path):
    """PATH of this machine with the libraries that it needs, for an image."""
    done = subprocess.run(["ldd", path], capture_output=True, text=True, check=True)
    for word in [path, *(w for w in done.stdout.split() if w.startswith("/"))]:
        real = pathlib.Path(root, word.lstrip("/"))
        real.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(word, real)


def add(shelf, name, *trees, config=None):
    """The id of a new image NAME whose layers are TREES, oldest first."""
    program = box.need(os.path.join(os.environ["AISBX_TEST_BIN"], "add-image"))
    done = subprocess.run([program, name, json.dumps({"config": {**HERE, **(config or {})}}), *map(str, trees)], env=shelf.env, check=True,
                          stdout=subprocess.PIPE, timeout=60, text=True)
    return done.stdout.strip()


def busybox(shelf, name="bb:1", config=None, **kw):
    """An image with a shell."""
    return add(shelf, name, tree(shelf.root / f"tree-{name.replace('/', '-')}", **kw), config=config)


def clean(shelf):
    """Removes all boxes, and what nobody can remove from outside: layers of root's boxes have ids of their own."""
    for kept in shelf.ok("ls", "--all")["boxes"]:
        shelf.ok("rm", kept["id"])
    shelf.ok("gc")


def run(shelf, image, *words, options=(), want=0, **kw):
    """The result of a run on top of IMAGE that leaves nothing."""
    status, result = shelf.call("run", "--image", image, *options, *(["--", *words] if words else []), **kw)
    assert status == want and "isolation" in result, f"{words}: {status}, {result}"
    return result
