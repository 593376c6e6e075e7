# SPDX-License-Identifier: Apache-2.0
"""Runs programs, each in a process of its own that is a copy of this one, so that E2B's client is loaded once and not by each.

usage: run-python.py AT_ONCE SECONDS LOGS PROGRAM...; a line of JSON for each that ended: its name and its exit status.
"""
import faulthandler
import json
import os
import pathlib
import runpy
import sys
import traceback

import e2b_code_interpreter  # noqa: F401  what all of them use


def become(program, log, seconds):
    """This process is the program from here on."""
    fd = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(fd, 1)
    os.dup2(fd, 2)
    faulthandler.dump_traceback_later(seconds, exit=True)  # of what hangs
    sys.argv, sys.path[0], status = [program], os.path.dirname(program), 0
    try:
        runpy.run_path(program, run_name="__main__")
    except SystemExit as end:
        status = int(end.code or 0)
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def main():
    at_once, seconds, logs, waiting, running = int(sys.argv[1]), float(sys.argv[2]), pathlib.Path(sys.argv[3]), sys.argv[:3:-1], {}
    while waiting or running:
        while waiting and len(running) < at_once:
            program = waiting.pop()
            name = pathlib.Path(program).stem
            pid = os.fork()
            if pid == 0:
                become(program, logs / name, seconds)
            running[pid] = name
        pid, status = os.wait()
        print(json.dumps([running.pop(pid), os.waitstatus_to_exitcode(status)]), flush=True)


main()
