# SPDX-License-Identifier: Apache-2.0
"""Writing in a box that stays costs about what it does in one that goes with its run; bench/stay.py prints the figures."""
import os
import subprocess
import time

import pytest

from box import aisbx

FILES, ROUNDS = 2000, 4
# It was thirty times when overlayfs synced at every copy-up, and eight when each file's old content was kept in a file of its own.
MOST = 4


@pytest.mark.quiet
def test_2000_chmod(tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "home").mkdir()
    for i in range(FILES):
        (project / f"f{i}").write_text("host\n")
    env = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state"), "HOME": str(tmp_path / "home")}

    def took(*words):
        start = time.monotonic()
        subprocess.run(words, cwd=project, env=env, check=True, stdout=subprocess.DEVNULL)
        return time.monotonic() - start

    stay, away, copy = [], [], []
    for i in range(ROUNDS):
        took(aisbx(), "create", f"b{i}")
        stay.append(took(aisbx(), "run", "--box", f"b{i}", "--", "sh", "-c", "chmod 600 f*"))
        away.append(took(aisbx(), "run", "--", "sh", "-c", "chmod 600 f*"))
        # A throw-away box writes to memory. To make a file on the disk may cost many times that: ext4 without a journal looks for an inode that
        # nobody removed of late, for minutes after a test that removed many.
        copy.append(took("cp", "-r", project, tmp_path / f"copy{i}"))
    assert min(stay) < MOST * min(away) + 2 * min(copy), (stay, away, copy)
