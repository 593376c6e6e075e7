# SPDX-License-Identifier: Apache-2.0
"""Servers for tests of the fleet. They end with the test; what they said is shown when it failed."""
import pytest

import nats


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    report = (yield).get_result()
    if report.when == "call" and report.failed:
        for server in item.stash.get(SERVERS, []):
            report.sections.append((f"nats-server {server.name}", server.words()))


SERVERS = pytest.StashKey()


@pytest.fixture
def nats_servers(request):
    """nats_servers(server or cluster): started, and ended after the test."""
    started = []

    def start(what):
        request.node.stash.setdefault(SERVERS, []).extend(getattr(what, "servers", [what]))
        started.append(what)
        return what.start().wait()

    yield start
    for what in reversed(started):
        what.kill()


@pytest.fixture
def nats_server(nats_servers, tmp_path):
    """One server with JetStream."""
    return nats_servers(nats.Server(tmp_path / "nats"))


@pytest.fixture
def nats_cluster(nats_servers, tmp_path):
    """Three servers."""
    return nats_servers(nats.Cluster(tmp_path / "nats"))
