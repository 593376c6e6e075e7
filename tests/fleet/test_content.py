# SPDX-License-Identifier: Apache-2.0
"""Trees travel by content: through a directory and through a real S3 server, from one machine (a cache) to another."""
import contextlib
import json
import os
import pathlib
import random
import socket
import stat
import subprocess
import threading

import pytest

import pace
import s3
import trees

PROGRAM = pathlib.Path(os.environ["AISBX"]).resolve().parent / "aisbx-content"


class Refused(Exception):
    """The program said no; .kind tells why."""

    def __init__(self, error):
        super().__init__(error["text"])
        self.kind = error["kind"]


class Content:
    """The program as one machine of a tenant has it."""

    def __init__(self, place, name="first", tenant="acme", key="key", environment=None):
        self.place, self.cache, self.tenant = place, place / f"cache-{name}", tenant
        self.key, self.environment = place / key, environment or {}
        if not self.key.exists():
            new = place / f"{key}-{name}.new"  # machines of several threads begin at once: the first one's is taken
            new.touch(0o600)
            new.write_bytes(os.urandom(32))
            with contextlib.suppress(FileExistsError):
                os.link(new, self.key)
            new.unlink()

    def words(self, *words):
        return [str(w) for w in (PROGRAM, *words, "--tenant", self.tenant, "--key", self.key, "--cache", self.cache)]

    def call(self, *words, before=(), **environment):
        done = subprocess.run([*map(str, before), *self.words(*words)], capture_output=True, timeout=pace.HANGS, check=False,
                              env={**os.environ, **self.environment, **environment})
        if before and done.returncode < 0 or not done.stdout:
            return None  # it was killed
        said = json.loads(done.stdout)
        assert (done.returncode == 0) == ("ok" in said), (said, done.returncode, done.stderr)
        if "error" in said:
            raise Refused(said["error"])
        return said["ok"]

    def push(self, directory, to, **more):
        return self.call("push", "--from", directory, "--to", to, **more)

    def pull(self, tree, to, *sources, exact=False, **more):
        return self.call("pull", tree, *(w for s in sources for w in ("--from", s)), "--to", to, *(["--exact"] if exact else []), **more)


class Store:
    """Where content lies: URL, and the files in which it does."""

    def __init__(self, url, files, environment, server=None):
        self.url, self.files, self.environment, self.server = url, files, environment, server

    def packs(self):
        return sorted((self.files / "acme/packs").iterdir())


@pytest.fixture
def server(tmp_path):
    found = s3.S3(tmp_path / "s3").start()
    yield found
    found.kill()


@pytest.fixture(params=["dir", "s3"])
def store(request, tmp_path):
    if request.param == "dir":
        return Store(f"dir:{tmp_path}/store", tmp_path / "store", {})
    found = request.getfixturevalue("server")
    return Store(f"s3://{s3.BUCKET}/some/prefix", found.files / s3.BUCKET / "some/prefix", found.environment, found)


@pytest.fixture
def machine(tmp_path, store):
    """machine("name"): one with an empty cache."""
    return lambda name="first", **more: Content(tmp_path, name, environment=store.environment, **more)


def grow_old(place):
    """A file that was changed a moment ago is read again; these were not."""
    newest = max(p.lstat().st_ctime_ns for p in pathlib.Path(place).rglob("*"))
    deadline = pace.Deadline(30)
    probe = pathlib.Path(place).parent / "clock"
    while True:
        probe.write_bytes(b"")
        if probe.stat().st_ctime_ns > newest + 200_000_000:
            return
        assert not deadline.is_over()


def test_everything_comes_back(tmp_path, store, machine):
    trees.make_nasty(tmp_path / "from")
    said = machine().push(tmp_path / "from", store.url)
    assert said["left_out"] == 0 and said["entries"] == len(trees.describe(tmp_path / "from"))
    assert machine("second").pull(said["id"], tmp_path / "to", store.url)["left_out"] == 0
    assert trees.describe(tmp_path / "to") == trees.describe(tmp_path / "from")
    assert (tmp_path / "to/sparse").stat().st_blocks * 512 < 8 << 20, "holes stay holes"
    # And from there on: the same tree has the same id, and nothing needs to be read.
    again = machine("second").push(tmp_path / "to", store.url)
    assert (again["id"], again["read"], again["packs"]) == (said["id"], 0, 0)


def test_an_empty_directory_travels(tmp_path, store, machine):
    (tmp_path / "from").mkdir()
    machine().pull(machine().push(tmp_path / "from", store.url)["id"], tmp_path / "to", store.url)
    assert list((tmp_path / "to").iterdir()) == []


def make_layers(at):
    """A directory and two layers of changes over it, as overlayfs writes them."""
    for name in ("under", "first", "second"):
        (at / name).mkdir()
    for name in ("under/same", "under/gone", "under/dir/a", "under/dir/b", "under/hidden/x", "under/back/old", "under/file", "first/new",
                 "first/dir/b", "first/dir/c", "first/hidden/y", "first/file/in", "second/dir/c", "second/again", "second/back/fresh"):
        trees.write(at / name, name.encode())
    for name in ("first/gone", "first/back", "second/dir/a", "second/new"):
        os.mknod(at / name, stat.S_IFCHR)
    os.link(at / "second/again", at / "second/other")
    os.setxattr(at / "first/hidden", "user.overlay.opaque", b"y")
    (at / "first/dir").chmod(0o711)
    (at / "second/dir").chmod(0o700)


def test_layers_are_sent_as_they_show(tmp_path, store, machine):
    make_layers(tmp_path)
    (tmp_path / "second/hidden").mkdir()
    said = machine().call("push", "--from", tmp_path / "under", "--over", tmp_path / "first", "--over", tmp_path / "second", "--to", store.url,
                          "--without", "dir/b")
    machine("second").pull(said["id"], tmp_path / "to", store.url)
    to = tmp_path / "to"
    assert {str(p.relative_to(to)): p.read_text() for p in to.rglob("*") if p.is_file()} == {
        "same": "under/same", "dir/c": "second/dir/c", "hidden/y": "first/hidden/y", "file/in": "first/file/in", "back/fresh": "second/back/fresh",
        "again": "second/again", "other": "second/again"}
    assert (stat.S_IMODE((to / "dir").stat().st_mode), (to / "other").stat().st_nlink) == (0o700, 2)
    assert not any(os.listxattr(p) for p in to.rglob("*"))
    assert sorted(p.name for p in to.iterdir()) == ["again", "back", "dir", "file", "hidden", "other", "same"]


def test_what_cannot_travel_is_counted(tmp_path, store, machine):
    trees.write(tmp_path / "from/file", b"x")
    with socket.socket(socket.AF_UNIX) as s:
        here = os.getcwd()
        os.chdir(tmp_path / "from")
        s.bind("socket")
        os.chdir(here)
        said = machine().push(tmp_path / "from", store.url)
    assert said["left_out"] == 1
    machine().pull(said["id"], tmp_path / "to", store.url)
    assert [p.name for p in (tmp_path / "to").iterdir()] == ["file"]


def test_no_rights_come_from_elsewhere(tmp_path, store, machine):
    trees.write(tmp_path / "from/tool", b"#!/bin/sh\n")
    os.chmod(tmp_path / "from/tool", 0o6755)
    tree = machine().push(tmp_path / "from", store.url)["id"]
    machine().pull(tree, tmp_path / "to", store.url)
    assert (tmp_path / "to/tool").stat().st_mode & 0o7777 == 0o755
    machine().pull(tree, tmp_path / "exact", store.url, exact=True)
    assert (tmp_path / "exact/tool").stat().st_mode & 0o7777 == 0o6755


def test_unchanged_is_neither_read_nor_sent(tmp_path, store, machine, tell):
    trees.make_project(tmp_path / "from")
    grow_old(tmp_path / "from")
    first = machine().push(tmp_path / "from", store.url)
    again = machine().push(tmp_path / "from", store.url)
    tell(f"content: unchanged push: {again['sent']} bytes sent, {again['received']} received, of {again['bytes']}")
    assert (again["id"], again["read"], again["new_chunks"]) == (first["id"], 0, 0)
    assert again["sent"] + again["received"] < 100_000
    # Another machine has to read it, but not to send it.
    other = machine("second").push(tmp_path / "from", store.url)
    assert (other["id"], other["read"], other["packs"]) == (first["id"], first["bytes"], 0)


def test_a_change_with_old_times_is_seen(tmp_path, store, machine):
    trees.write(tmp_path / "from/file", b"before")
    st = (tmp_path / "from/file").stat()
    first = machine().push(tmp_path / "from", store.url)
    (tmp_path / "from/file").write_bytes(b"after!")
    os.utime(tmp_path / "from/file", ns=(st.st_atime_ns, st.st_mtime_ns))
    second = machine().push(tmp_path / "from", store.url)
    assert first["id"] != second["id"]
    machine("second").pull(second["id"], tmp_path / "to", store.url)
    assert (tmp_path / "to/file").read_bytes() == b"after!"


@pytest.mark.big
def test_little_changed_little_sent(tmp_path, store, machine, tell):
    trees.make_project(tmp_path / "from", files=1500)
    first = machine().push(tmp_path / "from", store.url)
    grow_old(tmp_path / "from")
    machine().push(tmp_path / "from", store.url)
    trees.change(tmp_path / "from", 0.01, seed=2)
    second = machine().push(tmp_path / "from", store.url)
    tell(f"content: 1 % of files changed: {100 * second['sent'] / first['sent']:.2f} % sent")
    assert second["sent"] <= 0.03 * first["sent"]
    assert second["read"] <= 0.03 * first["read"]
    # The other machine has the first tree already.
    second_machine = machine("second")
    second_machine.pull(first["id"], tmp_path / "to1", store.url)
    pulled = second_machine.pull(second["id"], tmp_path / "to2", store.url)
    assert pulled["received"] <= 0.1 * first["sent"], "the rest is borrowed from the tree before"
    assert trees.describe(tmp_path / "to2") == trees.describe(tmp_path / "from")


@pytest.mark.big
def test_an_insertion_changes_few_chunks(tmp_path, store, machine):
    data = random.Random(3).randbytes(40 << 20)
    trees.write(tmp_path / "from/large", data)
    first = machine().push(tmp_path / "from", store.url)
    assert 40 <= first["chunks"] <= 160, "512 KiB on average"
    trees.write(tmp_path / "from/large", data[:20 << 20] + b"inserted" + data[20 << 20:])
    assert machine().push(tmp_path / "from", store.url)["sent"] < 5 << 20


@pytest.mark.big
def test_fifty_snapshots(tmp_path, machine, store, tell):
    trees.make_project(tmp_path / "from", files=1000)
    copies = 0
    for i in range(50):
        copies += machine().push(tmp_path / "from", store.url)["bytes"]
        trees.change(tmp_path / "from", 0.005, seed=i)
    stored = trees.size(store.files)
    tell(f"content: 50 snapshots: {100 * stored / copies:.2f} % of 50 copies")
    assert stored <= 0.05 * copies


def damage(pack, how):
    if how == "missing":
        pack.unlink()
    else:  # one bit, in the middle of the first chunk
        data = bytearray(pack.read_bytes())
        data[len(data) // 3] ^= 1
        pack.write_bytes(data)


@pytest.mark.parametrize("how", [pytest.param("missing", marks=pytest.mark.big), "damaged"])
def test_damage_is_found_and_fetched_elsewhere(tmp_path, store, machine, how):
    trees.make_project(tmp_path / "from", files=60, size=900_000)
    other = f"dir:{tmp_path}/other"
    tree = machine().push(tmp_path / "from", store.url)["id"]
    assert machine().push(tmp_path / "from", other)["id"] == tree
    machine("before").call("verify", tree, "--from", store.url)
    # The last pack has the tree itself; the first one has only content.
    assert len(store.packs()) > 1
    damage(store.packs()[0], how)
    with pytest.raises(Refused, match="missing or damaged|chunks are missing and") as found:
        machine("third").call("verify", tree, "--from", store.url)
    assert found.value.kind == "conflict"
    with pytest.raises(Refused, match="missing or damaged"):
        machine("third").pull(tree, tmp_path / "to", store.url)
    assert not (tmp_path / "to").exists()
    said = machine("third").pull(tree, tmp_path / "to", store.url, other)
    assert trees.describe(tmp_path / "to") == trees.describe(tmp_path / "from")
    assert said["resumed"] > 0, "what the first source had was not fetched again"
    # Given up, it is sent again by who has the files.
    assert machine("third").call("verify", tree, "--from", store.url, "--condemn")["condemned"] >= 1
    healed = machine().push(tmp_path / "from", store.url)
    assert healed["id"] == tree and healed["packs"] >= 1
    machine("fourth").call("verify", tree, "--from", store.url)
    machine("fourth").pull(tree, tmp_path / "healed", store.url)
    assert trees.describe(tmp_path / "healed") == trees.describe(tmp_path / "from")


@pytest.mark.big
@pytest.mark.parametrize("call,number", [("pwrite64", 1), ("pwrite64", 20), ("fchmod", 5), ("fchmod", 60), ("symlinkat", 1), ("syncfs", 1), ("renameat2", 1)])
def test_a_killed_pull_is_resumed(tmp_path, store, machine, call, number):
    trees.make_nasty(tmp_path / "from")
    trees.make_project(tmp_path / "from/more", files=150)
    tree = machine().push(tmp_path / "from", store.url)["id"]
    kill = ["strace", "-f", "-qq", "-o", tmp_path / "calls", "-e", f"trace={call}", "-e", f"inject={call}:signal=SIGKILL:when={number}"]
    assert machine("second").pull(tree, tmp_path / "to", store.url, before=kill, ASAN_OPTIONS="detect_leaks=0") is None
    assert not (tmp_path / "to").exists()
    said = machine("second").pull(tree, tmp_path / "to", store.url)
    assert trees.describe(tmp_path / "to") == trees.describe(tmp_path / "from")
    if call in ("syncfs", "renameat2"):
        assert said["chunks"] == 0, "all of it was there"
    if number > 1:
        assert said["resumed"] > 0
    assert not [p for p in tmp_path.iterdir() if "pull-" in p.name]


@pytest.mark.big
def test_a_killed_push_sends_the_rest(tmp_path, store, machine):
    trees.write(tmp_path / "from/large", random.Random(4).randbytes(60 << 20))
    # Each pack that was stored is noted in the cache, under its name: the second of four.
    kill = ["strace", "-f", "-qq", "-o", tmp_path / "calls", "-e", "trace=renameat", "-e", "inject=renameat:signal=SIGKILL:when=3"]
    assert machine().push(tmp_path / "from", store.url, before=kill, ASAN_OPTIONS="detect_leaks=0") is None
    assert len(store.packs()) == 2 and not (store.files / "acme/trees").exists()
    said = machine().push(tmp_path / "from", store.url)
    assert said["packs"] == 2 and len(store.packs()) == 4
    machine("second").call("verify", said["id"], "--from", store.url)


def test_a_place_that_is_taken_is_left_alone(tmp_path, store, machine):
    trees.write(tmp_path / "from/file", b"x")
    trees.write(tmp_path / "to/mine", b"mine")
    tree = machine().push(tmp_path / "from", store.url)["id"]
    with pytest.raises(Refused) as found:
        machine().pull(tree, tmp_path / "to", store.url)
    assert found.value.kind == "exists" and (tmp_path / "to/mine").read_bytes() == b"mine"
    (tmp_path / "empty").mkdir()
    machine().pull(tree, tmp_path / "empty", store.url)
    assert (tmp_path / "empty/file").read_bytes() == b"x"


def test_tenants_share_nothing(tmp_path, store, machine):
    trees.make_project(tmp_path / "from", files=50)
    ours = machine().push(tmp_path / "from", store.url)
    theirs = machine("them", tenant="other").push(tmp_path / "from", store.url)  # even with the same key
    assert ours["id"] != theirs["id"] and theirs["new_chunks"] == ours["new_chunks"]
    with pytest.raises(Refused) as found:
        machine("them", tenant="other").pull(ours["id"], tmp_path / "to", store.url)
    assert found.value.kind == "not_found"
    with pytest.raises(Refused, match="another key"):
        machine("thief", key="other-key").pull(ours["id"], tmp_path / "to", store.url)
    assert not (tmp_path / "to").exists()


def test_a_key_that_others_can_read_is_refused(tmp_path, store, machine):
    trees.write(tmp_path / "from/file", b"x")
    (tmp_path / "key").write_bytes(b"k" * 32)
    (tmp_path / "key").chmod(0o644)
    with pytest.raises(Refused, match="0600"):
        machine().push(tmp_path / "from", store.url)
    (tmp_path / "key").write_bytes(b"k" * 31)
    (tmp_path / "key").chmod(0o600)
    with pytest.raises(Refused, match="exactly 32 bytes"):
        machine().push(tmp_path / "from", store.url)


def test_garbage_goes_by_generations(tmp_path, store, machine):
    def gc(keep):
        return machine().call("gc", "--from", store.url, "--keep-generations", keep)

    trees.make_project(tmp_path / "old", files=100, seed=1)
    trees.make_project(tmp_path / "new", files=100, seed=2)
    old, new = (machine().push(tmp_path / name, store.url)["id"] for name in ("old", "new"))
    assert gc(2)["deleted"] == 0
    for _ in range(4):
        machine().push(tmp_path / "new", store.url)  # says that it is still needed
        last = gc(2)
    assert last["trees"] >= 1 and len(store.packs()) == 1
    with pytest.raises(Refused):
        machine("second").pull(old, tmp_path / "to", store.url)
    machine("second").pull(new, tmp_path / "to", store.url)
    assert trees.describe(tmp_path / "to") == trees.describe(tmp_path / "new")
    # Nobody believes that the deleted content is still there.
    assert machine().push(tmp_path / "old", store.url)["id"] == old
    machine("third").call("verify", old, "--from", store.url)


def test_pushes_beside_gc(tmp_path, store, machine):
    """Nothing is locked: a tree that a push has told is whole, as long as it is not forgotten."""
    told, stop, wrong, between, looked = [], threading.Event(), [], threading.Lock(), threading.Event()
    looked.set()

    def collect():
        try:
            while not stop.is_set():
                if not looked.wait(0.1):  # one for each look: a slow push would be forgotten before anybody can look
                    continue
                with between:
                    looked.clear()
                    machine("gc").call("gc", "--from", store.url, "--keep-generations", 2)
        except Exception as error:  # pylint: disable=broad-except
            wrong.append(error)

    def push(name):
        try:
            for i in range(4):
                said = machine(name).push(tmp_path / name, store.url)
                with between:  # pushes run beside gc; only this look does not
                    try:
                        machine(f"check-{name}").call("verify", said["id"], "--from", store.url)
                        told.append(said["id"])
                    except Refused as error:
                        if error.kind != "not_found":
                            raise
                    finally:
                        looked.set()
                trees.change(tmp_path / name, 0.2, seed=i)
        except Refused as error:
            if error.kind != "busy":
                wrong.append(error)

    for name in ("one", "two"):
        trees.make_project(tmp_path / name, files=40, seed=7)
    machine("first").push(tmp_path / "one", store.url)  # else there is no store to collect in
    workers = [threading.Thread(target=collect)] + [threading.Thread(target=push, args=(name,)) for name in ("one", "two")]
    for worker in workers:
        worker.start()
    for worker in workers[1:]:
        worker.join()
    stop.set()
    workers[0].join()
    assert not wrong and told, wrong
    for name in ("one", "two"):
        tree = machine(name).push(tmp_path / name, store.url)["id"]
        machine("check").call("verify", tree, "--from", store.url)


def test_an_emptied_store_is_noticed(tmp_path, store, machine):
    trees.make_project(tmp_path / "from", files=20)
    first = machine().push(tmp_path / "from", store.url)
    for path in sorted((store.files / "acme").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    again = machine().push(tmp_path / "from", store.url)
    assert again["new_chunks"] == first["new_chunks"]
    machine("second").call("verify", again["id"], "--from", store.url)


def test_s3_is_gone_for_a_while(tmp_path, server):
    machine = Content(tmp_path, environment=server.environment)
    url = f"s3://{s3.BUCKET}"
    trees.make_project(tmp_path / "from", files=60, size=300_000)
    server.kill()
    with pytest.raises(Refused, match="tried for 1 s"):
        machine.push(tmp_path / "from", url, AISBX_S3_PATIENCE="1")
    back = threading.Timer(2, server.start)
    back.start()
    tree = machine.push(tmp_path / "from", url)["id"]
    back.join()
    server.kill()
    back = threading.Timer(2, server.start)
    back.start()
    Content(tmp_path, "second", environment=server.environment).pull(tree, tmp_path / "to", url)
    back.join()
    assert trees.describe(tmp_path / "to") == trees.describe(tmp_path / "from")


def test_s3_that_refuses_says_why(tmp_path, server):
    trees.write(tmp_path / "from/file", b"x")
    machine = Content(tmp_path, environment=server.environment)
    with pytest.raises(Refused, match="AWS_SECRET_ACCESS_KEY") as found:
        machine.push(tmp_path / "from", f"s3://{s3.BUCKET}", AWS_SECRET_ACCESS_KEY="wrong")
    assert found.value.kind == "denied"
    with pytest.raises(Refused, match="NoSuchBucket"):
        machine.push(tmp_path / "from", "s3://nobucket")
    with pytest.raises(Refused, match="needs AWS_ACCESS_KEY_ID"):
        machine.push(tmp_path / "from", f"s3://{s3.BUCKET}", AWS_ACCESS_KEY_ID="")


class Peer:
    """Another machine that serves what it has."""

    def __init__(self, machine, directory):
        self.process = subprocess.Popen(machine.words("serve", "--from", directory, "--listen", "127.0.0.1:0"), stdout=subprocess.PIPE)
        self.url = "http://" + json.loads(self.process.stdout.readline())["listening"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        assert self.process.wait(pace.HANGS) == 0
        self.process.stdout.close()


def overheard(machine, tree):
    """The header by which a machine shows a peer that it has the key."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        puller = threading.Thread(target=lambda: pytest.raises(Refused, machine.pull, tree, machine.place / "nothing", "http://%s:%d" % listener.getsockname(),
                                                               AISBX_S3_PATIENCE="0"))
        puller.start()
        connection, _ = listener.accept()
        with connection:
            request = connection.recv(65536).decode()
        listener.close()
        puller.join()
    return next(line for line in request.split("\r\n") if line.startswith("Authorization:"))


def asked(url, path, header):
    done = subprocess.run(["curl", "-s", "--path-as-is", "-o", "/dev/null", "-w", "%{http_code}", "-H", header, f"{url}/{path}"], capture_output=True, text=True,
                          check=True, timeout=pace.HANGS)
    return done.stdout


def test_from_peer_to_peer(tmp_path):
    first, second = Content(tmp_path), Content(tmp_path, "second")
    trees.make_nasty(tmp_path / "from")
    trees.make_project(tmp_path / "from/more", files=1200)
    tree = first.push(tmp_path / "from", f"dir:{tmp_path}/store")["id"]
    with Peer(first, f"dir:{tmp_path}/store") as peer:
        second.pull(tree, tmp_path / "to", peer.url)
        assert trees.describe(tmp_path / "to") == trees.describe(tmp_path / "from")
        with pytest.raises(Refused, match="can only be read"):
            second.push(tmp_path / "from", peer.url)
        for other in (Content(tmp_path, "other", key="other-key"), Content(tmp_path, "other", tenant="other")):
            with pytest.raises(Refused, match="another tenant, or has another key") as found:
                other.pull(tree, tmp_path / "stolen", peer.url)
            assert found.value.kind == "denied"
        word = overheard(second, tree)
        assert asked(peer.url, "acme/packs/" + sorted(os.listdir(tmp_path / "store/acme/packs"))[0], word) == "200", "the word is good"
        os.symlink(tmp_path / "key", tmp_path / "store/acme/packs/link")
        for path in ("acme/../../key", "acme//etc/passwd", "acme/packs", "acme/packs/../../../key", "acme/packs/link", "acme/", "other/packs/x"):
            assert asked(peer.url, path, word) == "404", path
            assert asked(peer.url, path, "Authorization: Bearer 0") == "403", path


def test_a_peer_that_is_gone_or_damaged_is_passed_over(tmp_path, server):
    first, second = (Content(tmp_path, name, environment=server.environment) for name in ("first", "second"))
    trees.make_project(tmp_path / "from", files=60, size=900_000)
    url = f"s3://{s3.BUCKET}"
    tree = first.push(tmp_path / "from", url)["id"]
    assert first.push(tmp_path / "from", f"dir:{tmp_path}/store")["id"] == tree
    damage(sorted((tmp_path / "store/acme/packs").iterdir())[0], "damaged")
    with Peer(first, f"dir:{tmp_path}/store") as peer:
        said = second.pull(tree, tmp_path / "to", f"http://127.0.0.1:{s3.free_port()}", peer.url, url, AISBX_S3_PATIENCE="2")
    assert trees.describe(tmp_path / "to") == trees.describe(tmp_path / "from")
    assert said["damaged"] >= 1
    assert said["received"] < 1.5 * trees.size(tmp_path / "store"), "the rest came from the peer"


@pytest.mark.parametrize("words", [[], ["push"], ["what"], ["pull", "short", "--from", "dir:/x", "--to", "y"], ["push", "--from", "x", "--to", "ftp://x"],
                                   ["gc", "--from", "dir:/x", "--keep-generations", "0"], ["push", "--from", "x", "--to", "dir:/x", "--exact"]])
def test_usage(tmp_path, words):
    with pytest.raises(Refused) as found:
        Content(tmp_path).call(*words)
    assert found.value.kind in ("usage", "not_found")
