# SPDX-License-Identifier: Apache-2.0
"""All three servers are lost, and put back from a backup that the user for backups made: the fleet goes on, in a higher epoch."""
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import time

import fleet_shipped
import pace

AISBX = pathlib.Path(os.environ["AISBX"])
STREAMS = ["AISBX_JOBS", "AISBX_STATE", "AISBX_DEAD", "AISBX_TERM", "AISBX_HISTORY"]
RECORD = '{"v":1,"phase":"ended","epoch":1,"revision":1,"node":"x","incarnation":1,"attempt":1}'


@contextlib.contextmanager
def hub(fleet, number):
    """One that is active when this begins."""
    log = fleet.directory / f"hub{number}.log"
    words = ["fleet", "hub", "--replicas", "3", "--name", "h", "--nats", fleet.url, "--creds", fleet.seed("hub", "h"), "--ca", fleet.ca]
    with open(log, "wb") as out:
        process = subprocess.Popen([AISBX, *words], env={**os.environ, "HOME": str(fleet.directory)}, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
    try:
        deadline = pace.Deadline(60)
        while "is active" not in log.read_text():
            assert process.poll() is None and not deadline.is_over(), log.read_text() + fleet.words()
            time.sleep(0.05)
        yield
    finally:
        process.kill()
        process.wait(pace.HANGS)


def back_up(c, stream):
    """Its settings, and the pieces of its snapshot."""
    place = f"{c.inbox}.{stream}"
    c.subscribe(place)
    said = c.request(f"$JS.API.STREAM.SNAPSHOT.{stream}", json.dumps({"deliver_subject": place, "no_consumers": True})).json()
    assert "error" not in said, said
    pieces, deadline = [], pace.Deadline(60)
    while not deadline.is_over():
        while c.messages:
            message = c.messages.pop(0)
            if not message.data:
                assert pieces
                return {"config": said["config"], "state": said["state"]}, pieces
            pieces.append(message.data)
            if message.reply:  # for the flow
                c.publish(message.reply)
        c.flush()
    raise AssertionError(f"the snapshot of {stream} has no end")


def restore(c, stream, told, pieces):
    said = c.request(f"$JS.API.STREAM.RESTORE.{stream}", json.dumps(told)).json()
    assert "error" not in said, said
    for piece in pieces:
        c.request(said["deliver_subject"], piece)
    done = c.request(said["deliver_subject"], b"", wait=30).json()
    assert "error" not in done, done


def epoch(fleet):
    with fleet.connect("tenant", "a") as a:
        return a.request("aisbx.ask.status").json()["epoch"]


def test_all_servers_are_put_back(tmp_path):
    users = [("hub", "h"), ("node", "x"), ("tenant", "a"), ("backup", "k")]
    fleet = fleet_shipped.Fleet(tmp_path, users)
    get = "$JS.API.DIRECT.GET.AISBX_STATE.aisbx.state.a."
    try:
        fleet.start().wait("backup", "k")
        with hub(fleet, 1):
            with fleet.connect("node", "x") as x:
                assert x.request("aisbx.state.a.before", RECORD).json()["seq"] == 1
            with fleet.connect("backup", "k") as k:
                saved = {stream: back_up(k, stream) for stream in STREAMS}
                assert not k.errors
            with fleet.connect("node", "x") as x:
                assert x.request("aisbx.state.a.after", RECORD).json()["seq"] == 2
            first = epoch(fleet)
        fleet.kill()
        for i in range(3):
            shutil.rmtree(tmp_path / f"store{i}")
        fleet.start().wait("backup", "k")
        with fleet.connect("backup", "k") as k:
            for stream, (told, pieces) in saved.items():
                restore(k, stream, told, pieces)
            assert not k.errors
        with hub(fleet, 2):
            assert epoch(fleet) > first
            with fleet.connect("tenant", "a") as a:
                assert a.request(get + "before").data == RECORD.encode()
                assert a.request(get + "after").status == 404
    finally:
        fleet.kill()
