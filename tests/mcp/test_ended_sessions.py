# SPDX-License-Identifier: Apache-2.0
"""Boxes of sessions that have ended: the next session of the same token finds them and takes them over, in both eras, also after the server was killed.
Live sessions do not see each other's, and what is not there for somebody looks as if it never was.
"""
import json
import os
import signal
import subprocess
import threading

import pytest

import box
import talk

TOKENS = {"one": "0123456789abcdef0123456789abcdef", "two": "fedcba9876543210fedcba9876543210", "odd/name": "00112233445566778899aabbccddeeff"}


@pytest.fixture(name="place")
def _place(tmp_path):
    for name in ("project", "state"):
        (tmp_path / name).mkdir()
    (tmp_path / "tokens").write_text("".join(f"{name} {text}\n" for name, text in TOKENS.items()))
    os.chmod(tmp_path / "tokens", 0o600)
    return tmp_path


def serve(place):
    return talk.Server(place, "--token-file", str(place / "tokens"), "--tools", "all")


class Modern:
    """Who needs no session."""

    def __init__(self, server, headers):
        self.server, self.headers = server, headers

    def ask(self, method, params):
        return self.server.ask(method, params, headers=self.headers)


def client(server, era="2025-11-25", token="one"):
    headers = {"Authorization": f"Bearer {TOKENS[token]}"}
    return Modern(server, headers) if era == talk.MODERN else talk.Session(server, headers=headers)


def tool(asked, which, *, wrong=False, **arguments):
    result = asked.ask("tools/call", {"name": "sandbox_" + which, "arguments": arguments})["result"]
    assert result["isError"] is wrong, result
    return result["structuredContent"]


def left(asked):
    return [b["name"] for b in tool(asked, "list").get("left", [])]


def killed(server):
    server.process.send_signal(signal.SIGKILL)
    server.process.wait(talk.WAIT)
    server.process.stdout.close()
    server.log.close()


def person(place, *words):
    env = {**os.environ, "XDG_STATE_HOME": str(place / "state")}
    done = subprocess.run([box.aisbx(), *words, "--json"], cwd=place / "project", env=env, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def person_fails(place, *words):
    env = {**os.environ, "XDG_STATE_HOME": str(place / "state")}
    done = subprocess.run([box.aisbx(), *words], cwd=place / "project", env=env, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 125
    return done.stderr.decode()


@pytest.mark.parametrize("era", ["2025-11-25", talk.MODERN])
@pytest.mark.parametrize("token", ["one", "odd/name"])
def test_found_again_after_the_server_was_killed(place, era, token):
    server = serve(place)
    first = client(server, token=token)
    made = tool(first, "create", name="work")
    tool(first, "write_file", box="work", path="f", content="of before\n")
    tool(first, "snapshot", box="work", name="s1")
    killed(server)
    with serve(place) as again:
        stranger, heir = client(again, era, "two"), client(again, era, token)
        assert left(stranger) == [] and left(heir) == ["work"]
        said = heir.ask("tools/call", {"name": "sandbox_list", "arguments": {}})["result"]["content"][0]["text"]
        assert "sandbox_create takes" in said and made["id"] in said
        tool(heir, "diff", wrong=True, box=made["id"])  # to see is not to have
        talk.until(lambda: person(place, "ls", "--all")["boxes"][0]["expires_ms"], "the session's end was not noticed")
        tool(stranger, "create", wrong=True, take=made["id"])
        assert tool(heir, "create", take="work", name="mine")["id"] == made["id"]
        assert tool(heir, "read_file", box="mine", path="f")["content"] == "of before\n"
        tool(heir, "rollback", box="mine", snapshot="s1")
        assert left(heir) == [] and [b["name"] for b in tool(heir, "list")["boxes"]] == ["mine"]
        assert person(place, "ls", "--all")["boxes"][0]["expires_ms"] is None, "it is somebody's again"


def test_live_sessions_do_not_see_each_other(place):
    """Nor can they find out: what is live, another token's and nobody's is told alike."""
    with serve(place) as server:
        a, b, other = client(server), client(server), client(server, token="two")
        made = tool(a, "create", name="work")["id"]
        theirs = tool(other, "create", name="theirs")["id"]
        for asked in (b, client(server, talk.MODERN)):
            assert left(asked) == []
            for key in (made, theirs, "work"):
                said = tool(asked, "create", wrong=True, take=key)["error"]
                assert said.replace(key, "KEY") == tool(asked, "create", wrong=True, take="b-0123456789abcdef")["error"].replace("b-0123456789abcdef", "KEY")
        server.request("DELETE", headers=other.headers)
        assert left(b) == [] and tool(b, "create", wrong=True, take=theirs)["error_kind"] == "not_found", "another token's"
        server.request("DELETE", headers=a.headers)
        talk.until(lambda: left(b) == ["work"], "it does not get what an ended session left")


def test_names_and_who_comes_first(place):
    with serve(place) as server:
        ends = [client(server) for _ in range(2)]
        ids = [tool(each, "create", name="work")["id"] for each in ends]
        kept = tool(ends[0], "create", name="short")
        person(place, "renew", kept["id"], "--ttl", "5h")
        for each in ends:
            server.request("DELETE", headers=each.headers)
        a, b = client(server), client(server)
        tool(a, "create", name="work")
        assert "give its id" in tool(a, "create", wrong=True, take="work")["error"]
        assert tool(a, "create", wrong=True, take=ids[0])["error_kind"] == "exists"
        assert tool(a, "create", wrong=True, take=ids[0], name="a/b")["error_kind"] == "usage"
        assert "only a name" in person_fails(place, "create", "--take", ids[1], "--pin")
        # Two who want the same one: one has it.
        said = []
        both = [threading.Thread(target=lambda s=s: said.append(s.ask("tools/call", {"name": "sandbox_create", "arguments": {"take": ids[0], "name": "won"}})))
                for s in (a, b)]
        for each in both:
            each.start()
        for each in both:
            each.join()
        assert sorted(s["result"]["isError"] for s in said) == [False, True]
        assert [s["result"]["structuredContent"]["error_kind"] for s in said if s["result"]["isError"]] == ["not_found"]
        # An end that somebody wanted stays; the person may have what nobody took.
        assert tool(b, "create", take=kept["id"])["id"] == kept["id"]
        shown = {each["id"]: each for each in person(place, "ls", "--all")["boxes"]}
        assert shown[kept["id"]]["expires_ms"] and shown[ids[1]]["owner"].endswith(":one")
        assert person(place, "create", "--take", ids[1], "saved")["owner"] is None
        assert left(a) == []


def test_over_stdio_there_is_no_token(place):
    """A session of a process that was started has no successor; and none of a token's is there for it."""
    with serve(place) as server:
        first = client(server)
        made = tool(first, "create", name="work")["id"]
        server.request("DELETE", headers=first.headers)
        stdio = talk.Stdio(place, "--tools", "all")
        stdio.open()
        assert "left" not in stdio.tool("sandbox_list")["structuredContent"]
        assert stdio.tool("sandbox_create", {"take": made})["structuredContent"]["error_kind"] == "not_found"
        assert stdio.close() == 0


def test_a_box_in_use_is_removed_when_told_so(place):
    with serve(place) as server:
        a = client(server)
        tool(a, "create", name="b")
        tool(a, "run", box="b", command="sleep 1000", detach=True)
        refused = tool(a, "remove", wrong=True, boxes=["b"])["error"]
        assert "kill ends what runs in it" in refused and "--" not in refused
        assert tool(a, "remove", boxes=["b"], kill=True)["removed"] == ["b"]
        assert talk.runs(place) == []
