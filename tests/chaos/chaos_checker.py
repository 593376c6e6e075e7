# SPDX-License-Identifier: Apache-2.0
"""Reads all histories of a fleet when it is at rest, and says what was lost, what came twice, what nobody knows."""
import collections
import contextlib
import json
import sqlite3

import nats_raw
from chaos_world import NODES, PORT, TENANTS

FINAL = ("ended", "dead", "cancelled", "unknown")


def tables(world):
    """Of the submitters: by job, its record (None: it has not ended), whether it is --once, when it ended."""
    jobs = {}
    for tenant in TENANTS:
        with contextlib.closing(sqlite3.connect(world.dir / f"jobs-{tenant}" / "jobs.db", timeout=30)) as db:
            for name, job, record, ended in db.execute("SELECT id, job, record, ended FROM jobs"):
                jobs[name] = (json.loads(record) if record else None, json.loads(job).get("effect") == "once", ended)
    return jobs


def stream(world, name, subjects):
    """The last message of each subject, by the subject's last word: by batches, as hubs read."""
    found, place = {}, 1
    server = next(server for server in world.servers.values() if server.runs())
    with nats_raw.Raw(PORT, host=server.host) as c:
        c.subscribe("_INBOX.batch")
        while True:
            c.publish(f"$JS.API.DIRECT.GET.{name}", json.dumps({"seq": place, "batch": 500, "next_by_subj": subjects}), "_INBOX.batch")
            before = place
            while True:
                while not c.messages:
                    c.step()
                message = c.messages.pop(0)
                if message.status:  # 204: the end of the batch, 404: nothing is left
                    break
                head = dict(line.split(": ", 1) for line in message.header.decode().split("\r\n") if ": " in line)
                found[head["Nats-Subject"].split(".")[-1]] = json.loads(message.data)
                place = int(head["Nats-Sequence"]) + 1
            if place == before:
                return found


def witness(world):
    """What the jobs themselves wrote on their nodes' disks: by job, (node, word, when)."""
    seen = collections.defaultdict(list)
    for node in NODES:
        path = world.dir / f"{node}-disk/runs"
        for line in path.read_text().splitlines() if path.exists() else ():
            job, word, *at = line.split()
            seen[job].append((node, word, float(at[0]) if at else 0.0))
    return seen


def stores(world):
    """Of all nodes, by tenant."""
    for node in NODES:
        for tenant in TENANTS:
            store = world.dir / node / "tenants" / tenant / "state/aisbx/store.db"
            if store.exists():
                yield f"{node}-{tenant}", store


def run_of(record):
    """The run that a result came from."""
    return json.loads(record["result"]).get("result", {}).get("run") if record and record["phase"] == "ended" else None


def history(world):
    """How many runs PostgreSQL has, and how many it has not: of those in the nodes' own histories, and of those that gave a job its result."""
    missing = 0
    there = collections.defaultdict(list)
    for node, run in world.postgres.sql("SELECT node, run FROM aisbx.history WHERE kind = 'run'"):
        there[node].append(run)
    for name, store in stores(world):
        with contextlib.closing(sqlite3.connect(store, timeout=30)) as db:
            own = {row[0] for row in db.execute("SELECT id FROM runs")}
        missing += len(own - set(there[name]))
        assert len(there[name]) == len(set(there[name])), f"{name}: a run is in PostgreSQL twice"
    runs = {run for of_node in there.values() for run in of_node}
    return len(runs), missing + len({run_of(record) for record, _, _ in tables(world).values()} - runs - {None})


def longest_gap(jobs):
    ends = sorted(ended for _, _, ended in jobs.values() if ended)
    return max((later - sooner for sooner, later in zip(ends, ends[1:])), default=0) / 1000


def check(world):
    """Figures by name; and what is wrong, as lines."""
    jobs, seen = tables(world), witness(world)
    records, dead = {}, world.net["test"].call(stream, world, "AISBX_DEAD", "aisbx.dead.>")
    for _ in range(5):  # each may be answered by another replica
        records.update(world.net["test"].call(stream, world, "AISBX_STATE", "aisbx.state.>"))
    wrong, figures = [], collections.Counter({"submitted": len(jobs)})
    for job, (record, once, _) in jobs.items():
        words = collections.Counter(word for _, word, _ in seen[job])
        phase = record["phase"] if record else None
        if phase == "unknown" and once:
            figures["unknown"] += 1
        elif phase == "ended" and (words["end"] or "error" in record["result"]):
            figures["ended"] += 1
        elif phase == "cancelled" and once and not words["begin"]:
            figures["never begun"] += 1
        else:
            figures["lost"] += 1
            wrong.append(f"{job} is lost: phase {phase}, {dict(words)}, the engine has {records.get(job, {}).get('phase')}")
        if words["twice"] or (once and words["begin"] > 1):
            figures["double"] += 1
            wrong.append(f"{job} twice: once {once}, {seen[job]}")
        figures["began again"] += words["begin"] > 1
        engine = records.get(job)
        other = engine and engine["phase"] == phase == "ended" and (engine["epoch"], engine["revision"]) != (record["epoch"], record["revision"])
        if other:
            figures["ended again after the engine lost the first result"] += 1
        figures["records that the engine lost"] += record is not None and (engine is None or engine["phase"] not in FINAL)
    if set(seen) - set(jobs):
        wrong.append(f"ran, and nobody submitted them: {sorted(set(seen) - set(jobs))[:5]}")
    figures["dead letters"] = len(dead)
    figures["runs in PostgreSQL"], figures["history rows missing"] = history(world)
    figures["longest gap without a result, s"] = round(longest_gap(jobs), 1)
    return figures, wrong
