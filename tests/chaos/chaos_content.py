# SPDX-License-Identifier: Apache-2.0
"""Somebody who pushes a tree that changes to S3, again and again while S3 dies and is cut off; in the end each push that succeeded has to be there."""
import json
import os
import shutil
import subprocess
import threading

import s3
import trees
from chaos_world import AISBX


class Content(threading.Thread):
    def __init__(self, world):
        super().__init__()
        self.world, self.dir, self.pushed, self.failed, self.over = world, world.dir / "content", [], 0, threading.Event()
        self.dir.mkdir()
        (self.dir / "key").write_bytes(os.urandom(32))
        (self.dir / "key").chmod(0o600)

    def aisbx_content(self, *words):
        known = ["--tenant", "alpha", "--key", self.dir / "key", "--cache", self.dir / "cache"]
        words = self.world.net["centre"].words(AISBX.parent / "aisbx-content", *words, *known)
        done = subprocess.run(words, capture_output=True, check=False, timeout=300, env={**os.environ, **self.world.s3.environment, "HOME": str(self.dir)})
        try:
            return json.loads(done.stdout).get("ok")
        except ValueError:
            return None

    def run(self):
        url, tree, n = f"s3://{s3.BUCKET}/chaos", self.dir / "tree", 0
        while not self.over.wait(0.5):
            n += 1
            trees.write(tree / f"file{n % 20}", f"{n} ".encode() * 5000)
            copy = self.dir / f"copy{n}"
            shutil.copytree(tree, copy)
            said = self.aisbx_content("push", "--from", copy, "--to", url)
            if said:
                self.pushed.append((said["id"], copy))
            else:
                self.failed += 1
                shutil.rmtree(copy)

    def lost(self):
        """Pushes that cannot be pulled, or come back as something else."""
        self.over.set()
        self.join()
        lost = 0
        for n, (name, copy) in enumerate(self.pushed):
            shutil.rmtree(self.dir / "cache", ignore_errors=True)
            out = self.dir / f"out{n}"
            self.aisbx_content("pull", name, "--from", f"s3://{s3.BUCKET}/chaos", "--to", out)
            lost += subprocess.run(["diff", "-r", copy, out], check=False, capture_output=True, timeout=60).returncode != 0
            shutil.rmtree(out, ignore_errors=True)
        return lost
