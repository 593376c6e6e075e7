# SPDX-License-Identifier: Apache-2.0
"""A chart that the code draws comes back as a picture."""
import base64
import os
import struct

from e2b_code_interpreter import Sandbox

# Where the box finds matplotlib; it is not installed on this machine.
with Sandbox.create(envs={"CHARTS": os.environ["E2B_CHARTS"], "MPLBACKEND": "agg"}) as sandbox:
    done = sandbox.run_code("""
import os, sys
sys.path.append(os.environ["CHARTS"])
import matplotlib.pyplot as plt

plt.figure(figsize=(4, 3), dpi=100)
plt.plot([1, 2, 3, 4], [1, 4, 9, 16])
plt.title("Squares")
plt.xlabel("number")
plt.show()
""", timeout=120)
    assert done.error is None, done.error
    pictures = [result.png for result in done.results if result.png]
    assert len(pictures) == 1, done.results
    picture = base64.b64decode(pictures[0])
    assert picture.startswith(b"\x89PNG\r\n\x1a\n"), picture[:8]
    width, height = struct.unpack(">II", picture[16:24])
    assert width >= 200 and height >= 150, (width, height)
    assert not [result for result in sandbox.run_code("1 + 1").results if result.png], "shown once"
