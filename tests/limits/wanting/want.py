# SPDX-License-Identifier: Apache-2.0
import os
import subprocess
import sys
import threading
import time


def files():
    return [open("/dev/null") for _ in range(100000)]


def forks():
    return [subprocess.Popen(["sleep", "30"]) for _ in range(1000)]


def bare_forks():
    """It leaves nobody behind, and its traceback does not say what it did."""
    made = []
    try:
        while True:
            child = os.fork()
            if not child:
                time.sleep(30)
            made.append(child)
    except OSError:
        for child in made:
            os.kill(child, 9)
            os.wait()
        raise


def threads():
    for _ in range(1000):
        threading.Thread(target=time.sleep, args=(30,), daemon=True).start()


def file_size():
    with open("large", "wb") as f:
        f.write(bytes(3 << 20))


def disk():
    """Filled and freed."""
    try:
        with open("/tmp/large", "wb") as f:
            f.write(bytes(20 << 20))
    except OSError:
        os.unlink("/tmp/large")
        raise


def memory():
    return bytearray(2 << 30)


globals()[sys.argv[1]]()
