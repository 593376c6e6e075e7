# SPDX-License-Identifier: Apache-2.0
"""Images come and go: files of every kind are recognised, equal layers are there once, and what is removed is gone.

The same file runs as root and as an ordinary user.
"""
import json
import os
import re
import shutil
import socket
import subprocess

import pytest

import box
import images
import oci_tools
import pty_run
import rpc

SECOND = {"etc/": None, "etc/name": "second\n", "etc/.wh.gone": "", "opt/": None, "opt/new": "new\n"}
CONFIG = {"Entrypoint": ["/bin/tool", "a b"], "Cmd": ["--help"], "Env": ["PATH=/bin", "A=1"], "User": "1000:1000", "WorkingDir": "/opt",
          "ExposedPorts": {"80/tcp": {}}, "Labels": {"by": "me"}}
TREE = {"etc": None, "etc/name": "second\n", "bin": None, "bin/tool": "#!/bin/sh\n", "opt": None, "opt/new": "new\n"}


@pytest.fixture(name="door")
def fixture_door(tmp_path):
    door = images.Door(tmp_path)
    yield door
    for kept in door.ok("ls", "--all")["boxes"]:
        door.ok("rm", kept["id"])
    for image in door.image("ls")["images"]:
        door.image("rm", image["id"])
    door.ok("gc")
    assert door.layers() == set() and door.blobs() == set() and door.chunks() == (set(), set()), "everything goes with its image"
    assert not list((door.state / "images" / "tmp").iterdir()) if (door.state / "images").exists() else True


@pytest.fixture(name="layout")
def fixture_layout(tmp_path):
    return images.Layout(tmp_path / "tool", images.tar(images.rootfs(("etc/gone", "x"))), images.tar(SECOND), config=CONFIG)


def said(door, *words):
    done = subprocess.run([box.aisbx(), *map(str, words)], cwd=door.project, env=door.env, capture_output=True, text=True, timeout=120, check=True)
    assert done.stderr == "", "nothing is drawn where nobody sees it"
    return done.stdout.splitlines()


def test_layout(door, layout):
    got = door.image("import", layout.path)
    assert got["name"] == "tool" and got["digest"] == layout.manifest["digest"] and (got["layers"], got["unpacked"]) == (2, 2)
    assert door.tree("tool") == TREE
    assert [i["id"] for i in door.image("ls")["images"]] == [got["id"]]
    shown = door.image("show", "tool")
    assert shown["config"] == {"entrypoint": CONFIG["Entrypoint"], "cmd": CONFIG["Cmd"], "env": CONFIG["Env"], "user": "1000:1000", "workdir": "/opt",
                               "ports": {"80/tcp": {}}, "labels": {"by": "me"}}
    assert [(x["digest"], x["blob"]) for x in shown["layers"]] == [(x["digest"], True) for x in layout.layers] and shown["platform"] == "linux/amd64"
    assert door.blobs() == {d["digest"] for d in (*layout.layers, layout.config, layout.manifest)}
    assert door.image("verify", "tool")["blobs"] == 4
    again = door.image("import", layout.path)
    assert (again["id"], again["unpacked"]) == (got["id"], 0), "it is here already"


def test_by_id_and_digest(door, layout):
    got = door.image("import", layout.path)
    for key in (got["id"], got["digest"], got["digest"][7:19]):
        assert door.image("show", key)["id"] == got["id"]


def test_words(door, layout):
    assert said(door, "image", "import", layout.path) == ["tool"]
    assert said(door, "image", "ls")[1].split()[0] == "tool"
    shown = said(door, "image", "show", "tool")
    assert "entrypoint  /bin/tool a b" in shown and "directory   /opt" in shown and "variables   PATH=/bin" in shown, shown
    assert said(door, "image", "verify", "tool")[0].startswith("4 blobs (") and said(door, "image", "rm", "tool") == []


def skopeo(*words):
    policy = ["--insecure-policy"]
    subprocess.run([*oci_tools.SKOPEO, *policy, "copy", "-q", *words], check=True, timeout=60, capture_output=True)


def made_as(kind, layout, root):
    """The image of LAYOUT as a file of that kind."""
    path = root / "made.tar"
    if kind.startswith("oci"):
        layout.archive(path)
    elif kind.startswith("docker"):
        skopeo(f"oci:{layout.path}", f"docker-archive:{path}:made:latest")
    else:
        path.write_bytes(images.tar({k: v for k, v in {"./": None, **TREE}.items()}))
    for end, words in {".gz": ["gzip"], ".xz": ["xz", "-1"], ".zst": ["zstd", "-q", "--rm"]}.items():
        if kind.endswith(end):
            subprocess.run([*words, path], check=True, timeout=60)
            path = path.with_name(path.name + end)
    return path


@pytest.mark.parametrize("kind", ["oci.tar", "oci.tar.gz", "docker.tar", "docker.tar.zst", "rootfs.tar", "rootfs.tar.gz", "rootfs.tar.xz", "rootfs.tar.zst"])
def test_kinds(door, layout, tmp_path, kind):
    got = door.image("import", made_as(kind, layout, tmp_path))
    assert got["name"] == "made" and got["layers"] == (1 if "rootfs" in kind else 2)
    assert door.tree("made") == TREE
    door.image("verify", "made")


def test_a_layout_of_umoci(door, tmp_path):
    where = f"{tmp_path}/u:v1"
    for words in (["init", "--layout", f"{tmp_path}/u"], ["new", "--image", where], ["config", "--image", where, "--config.cmd", "hello"]):
        subprocess.run(["umoci", *words], check=True, timeout=60, capture_output=True)
    (tmp_path / "content").write_text("by umoci\n")
    subprocess.run(["umoci", "insert", "--rootless", "--image", where, tmp_path / "content", "/content"], check=True, timeout=60, capture_output=True)
    door.image("import", tmp_path / "u")
    assert door.tree("u")["content"] == "by umoci\n" and door.image("show", "u")["config"]["cmd"] == ["hello"]


def test_init_says_what_to_type(door, tmp_path):
    path = tmp_path / "deb.tar"
    path.write_bytes(images.tar(images.rootfs()))
    assert said(door, "init", "--rootfs", path, "--name", "my/deb:1") == ["image my/deb:1 is ready; run a command in it:",
                                                                          "  aisbx run --image my/deb:1 -- /bin/sh"]


def test_equal_layers_are_there_once(door, layout, tmp_path):
    door.image("import", layout.path)
    other = images.Layout(tmp_path / "other", images.tar(images.rootfs(("etc/gone", "x"))), images.tar({"opt/other": "1"}))
    got = door.image("import", other.path)
    assert (got["layers"], got["unpacked"]) == (2, 1) and len(door.layers()) == 3
    first = door.image("show", "tool")["layers"][0]
    assert first == door.image("show", "other")["layers"][0]
    door.image("rm", "tool")
    assert len(door.layers()) == 2 and door.image("verify", "other")["layers"] == 2, "what another needs stays"
    moved = images.Layout(tmp_path / "moved", images.tar({"opt/other": "1"}), images.tar(images.rootfs(("etc/gone", "x"))))
    assert door.image("import", moved.path)["unpacked"] == 2, "control: the same layers on others are others"


def test_at_the_same_time(door, layout):
    running = [door.start("image", "import", "--json", "--name", f"n{i}", layout.path) for i in range(4)]
    ends = [door.end(p) for p in running]
    assert [status for status, _ in ends] == [0] * 4, ends
    assert len({r["id"] for _, r in ends}) == 1 and len(door.layers()) == 2
    assert door.image("ls")["images"][0]["names"] == ["n0", "n1", "n2", "n3"] and door.tree("n3") == TREE


def test_names(door, layout, tmp_path):
    door.image("import", "--name", "a:1", layout.path)
    door.image("import", "--name", "docker.io/library/b:latest", layout.path)
    assert door.image("show", "b")["names"] == ["a:1", "docker.io/library/b:latest"]
    other = images.Layout(tmp_path / "other", images.tar(images.rootfs()))
    moved = door.image("import", "--name", "a:1", other.path)
    assert door.image("show", "a:1")["id"] == moved["id"] and door.image("show", "b")["names"] == ["docker.io/library/b:latest"], "a name points to one"
    door.image("import", "--name", "again", other.path)
    assert door.image("rm", "again")["removed"] is False and door.image("show", "a:1")["names"] == ["a:1"]
    assert door.image("rm", "a:1")["removed"] is True
    for bad in ("", "host", "box:x", "-x", "a b", "x" * 300, "image:x", "é"):
        assert door.refused("import", "--name", bad, other.path)["code"] == "EINVAL", bad
    assert door.refused("show", "nobody")["code"] == door.refused("rm", "nobody")["code"] == "ENOENT"


def test_no_blobs(door, layout, tmp_path):
    door.image("import", "--no-blobs", layout.path)
    assert door.blobs() == {layout.config["digest"], layout.manifest["digest"]}
    assert door.image("verify", "tool") == {"blobs": 2, "not_kept": 2, "bytes": layout.config["size"] + layout.manifest["size"], "layers": 2, "files": 0}
    assert [x["blob"] for x in door.image("show", "tool")["layers"]] == [False, False]
    assert "--no-blobs" in door.refused("save", "tool", tmp_path / "out")["text"]
    door.image("import", layout.path)
    assert door.image("verify", "tool")["blobs"] == 4, "they are back"
    other = images.Layout(tmp_path / "other", images.tar(images.rootfs(("etc/gone", "x"))))
    door.image("import", "--no-blobs", other.path)
    assert door.image("verify", "tool")["blobs"] == 4, "one that another image needs stays"


def flip(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.chmod(0o600)
    path.write_bytes(data)


@pytest.mark.parametrize("which", ["layer", "config", "manifest"])
def test_a_damaged_source_brings_nothing(door, layout, which):
    flip(layout.blob({"layer": layout.layers[1], "config": layout.config, "manifest": layout.manifest}[which]))
    door.refused("import", layout.path)
    assert door.image("ls")["images"] == [] and door.layers() == set()


def test_verify_finds_damage(door, layout):
    door.image("import", layout.path)
    mine = door.state / "images" / "blobs"
    for descriptor in (layout.layers[0], layout.config, layout.manifest):
        path = mine / descriptor["digest"].replace(":", "/")
        good = path.read_bytes()
        flip(path)
        assert descriptor["digest"][7:] in door.refused("verify", "tool")["text"]
        path.write_bytes(good)
    door.image("verify", "tool")
    layer = door.image("show", "tool")["layers"][0]["layer"]
    os.rename(door.state / "layers" / layer / "root", door.state / "layers" / layer / "gone")
    assert layer in door.refused("verify", "tool")["text"]
    os.rename(door.state / "layers" / layer / "gone", door.state / "layers" / layer / "root")


def test_nothing_is_an_image(door, tmp_path):
    (tmp_path / "text").write_text("no archive\n" * 100)
    (tmp_path / "empty").write_bytes(b"")
    for path in (tmp_path, tmp_path / "text", tmp_path / "empty", tmp_path / "missing", "/dev/null"):
        door.refused("import", path)
    assert door.refused("import", "--platform", "nonsense", tmp_path / "text")["code"] == "EINVAL"
    assert door.layers() == set()


@pytest.mark.parametrize("form", ["oci-archive", "layout", "docker-archive"])
def test_saved_and_back(door, layout, tmp_path, form):
    door.image("import", layout.path)
    out = tmp_path / "out"
    assert door.image("save", "--format", form, "tool", out)["digest"] == layout.manifest["digest"]
    assert door.refused("save", "--format", form, "tool", out)["code"] == "EEXIST"
    door.image("rm", "tool")
    got = door.image("import", out)
    assert door.tree("out") == TREE
    assert form == "docker-archive" or got["digest"] == layout.manifest["digest"], "byte for byte"


# Settings


def settings(door, text):
    place = door.root / "home" / ".config" / "aisbx"
    place.mkdir(parents=True, exist_ok=True)
    (place / "images.yaml").write_text(text)
    return place


def test_settings_are_read_strictly(door, layout):
    for text, word in (("require_signature: true\n", "keys"), ("requiresignature: true\n", "require_signature"), ("keys: /a\n", "list"),
                       ("mirrors: [a]\n", "mapping"), ("require_signature: true\nkeys: [~/nokey.pub]\n", "nokey.pub")):
        settings(door, text)
        assert word in door.refused("import", layout.path)["text"], text
    place = settings(door, "plain_http: [localhost:5000]\nmirrors: {docker.io: [https://mirror.example]}\n")
    explained = door.ok("config", "explain", "images")["values"]
    assert explained[0]["value"] == str(place / "images.yaml")
    door.image("import", layout.path)


def test_a_required_signature(door, layout, tmp_path):
    place = settings(door, "require_signature: true\nkeys: [~/.config/aisbx/key.pub]\n")
    subprocess.run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", tmp_path / "key"], check=True, timeout=60)
    subprocess.run(["openssl", "ec", "-in", tmp_path / "key", "-pubout", "-out", place / "key.pub"], check=True, timeout=60, capture_output=True)
    door.refused("import", layout.path)
    (tmp_path / "root.tar").write_bytes(images.tar(images.rootfs()))
    assert door.refused("import", tmp_path / "root.tar")["code"] == "EACCES", "such a file cannot have one"
    assert door.image("ls")["images"] == []
    shutil.rmtree(place)
    door.image("import", layout.path)


# Who may


DENIED = {"image.pull": {"reference": "a"}, "image.import": {"file": "IMAGE"}, "image.init": {"rootfs": "IMAGE"}, "image.rm": {"image": "tool"},
          "image.pack": {"box": "b", "name": "n"}, "image.push": {"image": "tool"}, "image.save": {"image": "tool", "file": "out"}}


def test_a_session_only_looks(door, layout):
    """Neither files of the host nor its network are there for an agent; where an image came from is not told either."""
    door.image("import", layout.path)
    before = door.blobs()
    with rpc.Rpc(cwd=door.project, env=door.env) as agent:
        agent.call("rpc.hello", owner="ann")
        for method, arguments in DENIED.items():
            said_no = agent.answer(agent.send_params(method, {k: str(layout.path) if v == "IMAGE" else v for k, v in arguments.items()}))
            assert said_no["error"]["data"]["kind"] == "denied", (method, said_no)
        listed, shown = agent.call("image.ls"), agent.call("image.show", image="tool")
        assert listed["images"][0]["name"] == "tool" and str(door.root) not in json.dumps([listed, shown]) and shown["used_by"] == []
    assert door.blobs() == before and not (door.project / "out").exists()
    with rpc.Rpc(cwd=door.project, env=door.env) as person:
        assert person.call("image.import", file=str(layout.path), name="mine")["name"] == "mine", "control: the person may"


# On the screen


def test_bars(door, tmp_path):
    """A line for each layer while it is unpacked, and nothing of it stays."""
    big = [images.tar({f"f{i}": chr(65 + i) * 3_000_000}) for i in range(3)]
    layout = images.Layout(tmp_path / "big", *big)
    with pty_run.Terminal(["image", "import", layout.path], door.project, door.env, width=70) as screen:
        while screen.more(30):
            pass
        screen.process.wait(60)
    text = screen.seen.decode()
    assert " parts" in text, text
    assert text.rstrip().endswith("big") and all(pty_run.width_of(x) < 70 for x in re.sub(r"\x1b\[[?0-9]*[a-zA-Z]", "\n", text).splitlines())


# A full disk


def test_full_disk(door, tmp_path):
    """What did not fit leaves nothing behind, and the same works where there is room."""
    layout = images.Layout(tmp_path / "big", images.tar(images.rootfs()), images.tar({"big": "".join(chr(33 + i * i % 90) for i in range(6_000_000))}))
    small = tmp_path / "small"
    small.mkdir()
    script = 'mount -t tmpfs -o size=4m,mode=700 none "$1"; export XDG_STATE_HOME="$1"; a=$2; shift 2; "$a" image import --json "$@"; echo "= $?"; ' \
             '"$a" gc >&2; ls "$XDG_STATE_HOME"/aisbx/layers "$XDG_STATE_HOME"/aisbx/images/blobs/sha256 "$XDG_STATE_HOME"/aisbx/images/tmp'
    done = subprocess.run(["unshare", "-rm", "sh", "-c", script, "-", small, box.aisbx(), layout.path], env=door.env, capture_output=True, text=True,
                          timeout=120, check=True)
    first, status, *left = done.stdout.splitlines()
    assert "No space left" in json.loads(first)["error"]["text"] and status == "= 125", done
    assert [x for x in left if x and not x.endswith(":")] == [], done
    door.image("import", layout.path)


# Boxes


@pytest.fixture(name="busy", scope="module")
def fixture_busy(tmp_path_factory):
    """A root file system that a shell runs in."""
    root = tmp_path_factory.mktemp("busy")
    shutil.copy(box.need("/bin/busybox", "an image"), root / "busybox")
    tree = images.rootfs(("usr/", None))
    body = images.tar({**tree, **{f"bin/{n}": (images.tarfile.SYMTYPE, "busybox") for n in ("sh", "cat", "rm", "mkdir", "ls")}})
    path = root / "busy.tar"
    path.write_bytes(body)
    with images.tarfile.open(path, "a") as archive:
        archive.add(root / "busybox", "bin/busybox")
    return path


def test_packed(door, busy):
    """What a box changed is a layer of a new image, the same bytes each time; and an image that is in use stays."""
    door.image("import", busy)
    door.ok("create", "--from", "busy", "b")
    door.sh("b", "echo new > /etc/new; rm /etc/name; mkdir /opt; echo deep > /opt/f")
    door.ok("snap", "b", "s")
    door.sh("b", "echo later > /etc/later")
    got = door.image("pack", "b@s", "busy:2")
    assert (got["layers"], got["unpacked"], got["source"]) == (2, 1, "box b@s")
    again = door.image("pack", "b@s", "busy:3")
    assert again["id"] == got["id"] and again["digest"] == got["digest"] and again["unpacked"] == 0
    assert door.image("pack", "b", "busy:4")["digest"] != got["digest"], "control: the box is further"
    tree = door.tree("busy:2")
    assert tree["etc/new"] == "new\n" and tree["opt/f"] == "deep\n" and "etc/name" not in tree and "etc/later" not in tree
    status, result = door.call("run", "--image", "busy:2", "--", "/bin/sh", "-c", "cat /etc/new /opt/f")
    assert (status, result["stdout"]) == (0, "new\ndeep\n"), result
    assert "box 'b'" in door.refused("rm", "busy")["text"] and door.image("show", "busy")["used_by"] == ["box 'b'"]
    door.ok("create", "host")
    assert "stands on this machine" in door.refused("pack", "host", "n")["text"]


# A registry


@pytest.fixture(name="registry", scope="module")
def fixture_registry(tmp_path_factory):
    """Debian's, on this machine's loopback; its address."""
    where = tmp_path_factory.mktemp("registry")
    port = free_port()
    (where / "config.yml").write_text(f"version: 0.1\nlog: {{level: error}}\nstorage: {{filesystem: {{rootdirectory: {where}/data}}}}\n"
                                      f"http: {{addr: '127.0.0.1:{port}'}}\n")
    with subprocess.Popen(["docker-registry", "serve", where / "config.yml"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        box.wait_until(lambda: answers(port))
        yield f"127.0.0.1:{port}"
        server.terminate()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def answers(port):
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0


def test_pull_and_push(door, layout, registry):
    """Pushed and pulled back it is byte for byte the same, also where skopeo is between."""
    settings(door, f"plain_http: ['{registry}']\n")
    skopeo("--dest-tls-verify=false", f"oci:{layout.path}", f"docker://{registry}/a/tool:1")
    got = door.image("pull", f"{registry}/a/tool:1")
    assert got["name"] == f"{registry}/a/tool:1" and got["digest"] == layout.manifest["digest"] and door.tree(got["id"]) == TREE
    sent = door.image("push", got["id"], f"{registry}/b/tool:2")
    assert (sent["to"], sent["digest"]) == (f"{registry}/b/tool:2", layout.manifest["digest"])
    assert door.image("push", got["id"], f"{registry}/b/tool:2")["sent"] == 0
    door.image("rm", got["id"])
    back = door.image("pull", "--name", "mine", f"{registry}/b/tool:2")
    assert back["digest"] == layout.manifest["digest"] and door.image("verify", "mine")["blobs"] == 4
    by_digest = door.image("pull", f"{registry}/b/tool@{layout.manifest['digest']}")
    assert by_digest["id"] == back["id"] and by_digest["unpacked"] == 0
    assert door.refused("pull", f"{registry}/nobody/has:it")["code"] == "ENOENT"
    assert "say where" in door.refused("push", got["digest"])["text"]


def test_pull_where_a_box_is_made(door, layout, registry):
    """--pull brings what is not here, once; without it nothing is fetched, and a name that is here is not asked for elsewhere."""
    settings(door, f"plain_http: ['{registry}']\n")
    skopeo("--dest-tls-verify=false", f"oci:{layout.path}", f"docker://{registry}/p/tool:1")
    name = f"{registry}/p/tool:1"
    for words in (("create", "--from", name, "b"), ("run", "--image", name, "--", "true")):
        status, result = door.call(*words)
        assert status == 125 and "image pull" in result["error"]["text"], result
    assert door.ok("create", "--pull", "--from", f"image:{name}", "b")["image"] == door.image("show", name)["id"]
    assert door.image("ls")["images"][0]["names"] == [name], "not the name of the box"
    door.ok("rm", "b")
    door.image("rm", name)
    status, result = door.call("run", "--pull", "--image", name, "--", "x")
    assert status == 126 and "/bin/tool" in result["error"] and door.image("show", name)["names"] == [name], result
    door.ok("create", "--pull", "--from", "host", "h")
    door.ok("create", "--pull", "--from", "h", "h2")
    for words in (("create", "--pull", "c"), ("run", "--pull", "--", "true")):
        status, result = door.call(*words)
        assert status == 125 and "--pull is about an image" in result["error"]["text"], result
    status, result = door.call("create", "--pull", "--from", f"{registry}/nobody/has:it", "c")
    assert status == 125 and result["error"]["code"] == "ENOENT"
