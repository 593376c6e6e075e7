# SPDX-License-Identifier: Apache-2.0
"""Running the probe, inside.py, in a box of the world, and reading what the result says about the network."""
import box

PYTHON = "/usr/bin/python3"
# What a refusal looks like: a name that is not there, a connection that is refused or ended at once.
NO_NAME = {"NONAME", "NODATA"}
NO_WAY = {"ECONNREFUSED", "ENETUNREACH", "EHOSTUNREACH", "ECONNRESET", "EPIPE", "EADDRNOTAVAIL", "TLS"}
AT_ONCE = 3  # seconds, of an idle machine


def words(*acts):
    return " , ".join(acts).split()


def inside(world, project, *acts, net=(), check=True, **run):
    """(what each act found, the result of the run). An act is a text, words with blanks between them."""
    result = world.box(PYTHON, "-B", "inside.py", *words(*acts), net=net, cwd=project, **run)
    assert not check or result["exit_code"] == 0, result
    return box.last_json(result["stdout"]), result


def refused(found, how=NO_NAME | NO_WAY, bound=AT_ONCE):
    """Each of these acts failed, in one of these ways, and soon."""
    for act in found:
        assert act.get("error") in how, act
        assert act["seconds"] < bound, f"refused, but late: {act}"


def whoami(act):
    """What the world's web server says of the request that this act made."""
    assert "whoami" in act, f"not reached: {act}"
    return act["whoami"]


def violations(result):
    """Those of the network, by what was wanted. Advice is always the smallest rule."""
    found = {v["what"]: v for v in result["violations"] if v["kind"] == "net"}
    for v in found.values():
        assert "--without" not in (v["allow_with"] or ""), v
    return found


def rows(result, **wanted):
    """Rows of net.connections with these values."""
    return [row for row in result["net"]["connections"] if all(row.get(key) == value for key, value in wanted.items())]
