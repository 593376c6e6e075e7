#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A program that stands in for `aisbx rpc`, which has no room for a call the first NO_ROOM times it comes (all: every time), for so many milliseconds: NO_ROOM=3,50."""
import collections
import json
import os
import sys

often, ms = os.environ["NO_ROOM"].split(",")
seen = collections.Counter()
for line in sys.stdin:
    said = json.loads(line)
    answer = {"jsonrpc": "2.0", "id": said.get("id")}
    seen[said.get("id")] += 1
    if said["method"] == "rpc.hello":
        answer["result"] = {"protocol": 1, "version": "0", "methods": [], "limits": {}}
    elif said.get("id") is None:
        continue
    elif often == "all" or seen[said["id"]] <= int(often):
        answer["error"] = {"code": -32000, "message": "no room", "data": {"kind": "limit", "area": "run", "code": "EDQUOT", "text": "no room",
                                                                           "retry_after_ms": int(ms)}}
    else:
        answer["result"] = {"boxes": [], "runs": [], "times": seen[said["id"]]}
    print(json.dumps(answer), flush=True)
