# SPDX-License-Identifier: Apache-2.0
"""Templates through a registry: pushed here, pulled there, the same; what a registry says is never more than a wish.

The same file runs as root and as an ordinary user.
"""
import contextlib
import gzip
import io
import json
import os
import tarfile

import pytest

import box
import images
import registry
import rpc
from files import FileBox


@pytest.fixture(name="host", scope="module")
def fixture_host(tmp_path_factory):
    with registry.registry(tmp_path_factory.mktemp("registry")) as address:
        yield address


class Machine(FileBox):
    """aisbx with a state of its own that knows the registry HOST."""

    def __init__(self, root, host):
        root.mkdir()
        (root / "config/aisbx").mkdir(parents=True)
        (root / "config/aisbx/images.yaml").write_text(f"plain_http: ['{host}']\n")
        self.config = root / "config"
        os.environ.pop("XDG_CONFIG_HOME", None)
        super().__init__(root)
        self.env["XDG_CONFIG_HOME"] = str(self.config)

    def inside(self, name, script):
        result = self.ok("run", "--box", name, "--", "sh", "-ec", script)
        assert "isolation" in result, result
        return result["stdout"]


@pytest.fixture(name="two")
def fixture_two(tmp_path, host):
    with contextlib.closing(Machine(tmp_path / "here", host)) as here, contextlib.closing(Machine(tmp_path / "there", host)) as there:
        yield here, there
        for m in here, there:
            for kept in m.ok("ls", "--all")["boxes"]:
                m.ok("rm", kept["id"])


def add_image(m, name="bb:1", labels=None):
    """An image with a shell, brought from a file so that its blobs are there."""
    busybox = box.need("/bin/busybox", "an image")
    with open(busybox, "rb") as f:
        data = f.read()
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for entry, body in (("bin", None), ("bin/busybox", data), ("etc", None), ("etc/gone", b"gone\n"), ("srv", None)):
            info = tarfile.TarInfo(entry)
            info.mode = 0o755
            if body is None:
                info.type = tarfile.DIRTYPE
            else:
                info.size = len(body)
            tar.addfile(info, io.BytesIO(body or b""))
        for word in ("sh", "cat", "ls", "rm", "echo"):
            info = tarfile.TarInfo(f"bin/{word}")
            info.type, info.linkname = tarfile.SYMTYPE, "busybox"
            tar.addfile(info)
    layout = images.Layout(m.home / f"layout-{len(os.listdir(m.home))}", out.getvalue(), config={"Env": ["PATH=/bin"], "Labels": labels or {}})
    return m.ok("image import", "--name", name, layout.path)


def test_of_this_machine(two, host):
    """Changes of home and system, links, modes and what was deleted come over; the settings too, as far as they give nothing."""
    here, there = two
    system = "echo s > /etc/shared-one; rm -f /etc/os-release; " if box.IS_ROOT else ""
    here.sh(system + "echo tool > ~/tool; ln ~/tool ~/same; ln -s tool ~/link; mkdir -p ~/d ~/.cache/pip; chmod 700 ~/d; echo c > ~/.cache/pip/warm; rm -rf ~/.bashrc; echo p > mine.txt")
    here.ok("template save", "b", "ready")
    sent = here.ok("template push", "ready", f"{host}/team/ready:1")
    assert sent["to"] == f"{host}/team/ready:1" and sent["sent"] == 3
    assert here.ok("template push", "ready", f"{host}/team/ready:1")["digest"] == sent["digest"], "the same bytes"
    got = there.ok("template pull", f"{host}/team/ready:1")
    assert got["name"] == "ready" and got["image"] is None and got["profile"] == "dev" and got["recipe"] is None
    assert got["pulled"] == {"reference": f"{host}/team/ready:1", "digest": sent["digest"], "profile": "dev", "net": [], "recipe": None, "lock": None}
    assert there.ok("image ls")["images"] == [], "the image was only the way"
    there.ok("create", "new", "--from", "ready")
    assert there.inside("new", "cat ~/tool ~/link ~/.cache/pip/warm; stat -c %h ~/same; stat -c %a ~/d; ls; test ! -e mine.txt").split() == ["tool", "tool", "c", "2", "700"]
    if box.IS_ROOT:
        assert there.inside("new", "cat /etc/shared-one; test -e /etc/os-release || echo gone; test ! -e /etc/passwd-x; stat -c %u:%g /etc/shared-one") == "s\ngone\n0:0\n"
    there.ok("gc")
    assert there.inside("new", "cat ~/tool") == "tool\n"
    again = there.ok("template push", "ready", f"{host}/team/again:1")
    assert again["digest"] == sent["digest"], "nothing was lost on the way"


def test_on_an_image(two, host):
    """The image's layers and one more. Where the image is already, only that is sent."""
    here, there = two
    add_image(here, labels={"aisbx.pseudo.policy": '{"net":"none"}'})
    here.ok("create", "w", "--from", "bb:1")
    here.inside("w", "echo ready > /srv/data; rm /etc/gone")
    here.ok("template save", "w", "served")
    sent = here.ok("template push", "served", f"{host}/team/served:1")
    got = there.ok("template pull", f"{host}/team/served:1", "--name", "mine", "--shared")
    assert got["name"] == "mine" and got["shared"] and got["image"] and got["pulled"]["digest"] == sent["digest"]
    there.ok("create", "new", "--from", "mine")
    assert there.inside("new", "cat /srv/data; ls /etc/gone 2>/dev/null || echo gone") == "ready\ngone\n"
    assert there.ok("diff", "new")["changes"] == []
    assert "policy of the image" in there.refused("EACCES", "create", "--from", "mine", "--net", "example.org:443"), "its policy came along"
    assert there.ok("template push", "mine", f"{host}/team/served:2")["there"] == 2
    assert "cannot be removed" in there.refused("EBUSY", "image rm", f"{host}/team/served:1")
    # An image packed from such a box is no template.
    there.inside("new", "echo more > /srv/more")
    there.ok("image pack", "new", "packed:1")
    there.ok("image push", "packed:1", f"{host}/team/packed:1")
    assert "is an image, not a template" in here.refused("EOPNOTSUPP", "template pull", f"{host}/team/packed:1")


def test_what_is_refused(two, host):
    here, there = two
    here.sh("echo w > work.txt; echo t > ~/tool")
    here.ok("template save", "--with-project", "b", "all")
    assert "only for that one" in here.refused("EOPNOTSUPP", "template push", "all", f"{host}/x/all:1")
    here.refused("ENOENT", "template push", "nothing", f"{host}/x/all:1")
    here.ok("template save", "b", "one")
    here.refused("EINVAL", "template push", "one", "UPPER/Case:bad tag")
    here.ok("template push", "one", f"{host}/x/one:1")
    there.ok("template save", "b", "one")
    assert "--replace" in there.refused("EEXIST", "template pull", f"{host}/x/one:1")
    there.refused("EINVAL", "template pull", f"{host}/x/one:1", "--name", "host")
    assert there.ok("template pull", f"{host}/x/one:1", "--replace")["pulled"]
    there.refused("ENOENT", "template pull", f"{host}/x/nobody:1")
    # As an image there is nothing to run in it.
    there.ok("image pull", f"{host}/x/one:1", "--name", "bare")
    assert "no system in it" in there.refused("EOPNOTSUPP", "create", "--from", "bare")
    assert "no system in it" in there.refused("EOPNOTSUPP", "run", "--image", "bare", "--", "true")
    assert "saved or pulled" in build(there, "one")


def build(m, name):
    (m.project / f"{name}.yaml").write_text(f"name: {name}\nsteps: [true]\n")
    return m.refused("EEXIST", "template build", f"./{name}.yaml")


def test_settings_are_wishes(two, host):
    """Network is told and not given; a profile that allows more than the usual one does not count; a stricter one does."""
    here, there = two
    for name, profile in ("wide", "open"), ("narrow", "strict"):
        (here.config / "aisbx/profiles").mkdir(exist_ok=True)
        (here.config / "aisbx/profiles/open.yaml").write_text("name: open\nextends: dev\nnet: allow\n")
        here.ok("create", name, "--profile", profile, "--net", "example.org:443", "--no-caches", "--autosnap")
        here.ok("template save", name, name)
        here.ok("template push", name, f"{host}/w/{name}:1")
    (there.config / "aisbx/profiles").mkdir()
    (there.config / "aisbx/profiles/open.yaml").write_text("name: open\nextends: dev\nnet: allow\n")
    wide, narrow = (there.ok("template pull", f"{host}/w/{name}:1") for name in ("wide", "narrow"))
    assert wide["profile"] == "dev" and wide["pulled"]["profile"] == "open", "it is here, but allows more"
    assert narrow["profile"] == "strict" and wide["net"] == narrow["net"] == [] and wide["pulled"]["net"] == ["example.org:443"]
    made = there.ok("create", "new", "--from", "wide")
    assert made["profile"] == "dev" and made["autosnap"] and "example.org" not in json.dumps(there.ok("allow", "--box", "new"))
    there.ok("create", "given", "--from", "wide", "--net", "example.org:443")
    assert "example.org" in json.dumps(there.ok("allow", "--box", "given"))


def send(host, name, label, *archives):
    """An image at HOST with LABEL, as a stranger makes it, of tar ARCHIVES; its reference."""
    packed = [gzip.compress(a, mtime=0) for a in archives]
    labels = {"aisbx.template": label if isinstance(label, str) else json.dumps(label)}
    config = registry.compact({"architecture": "amd64", "os": "linux", "config": {"Labels": labels},
                               "rootfs": {"type": "layers", "diff_ids": [registry.digest(a) for a in archives]}})
    for data in config, *packed:
        registry.put(host, name, None, data)
    registry.put(host, f"{name}/manifests/1", registry.MANIFEST,
                 registry.compact({"schemaVersion": 2, "mediaType": registry.MANIFEST,
                                   "config": {"mediaType": registry.CONFIG, "digest": registry.digest(config), "size": len(config)},
                                   "layers": [{"mediaType": registry.LAYER, "digest": registry.digest(d), "size": len(d)} for d in packed]}))
    return f"{host}/{name}:1"


def this_system():
    """As a label has it."""
    with open("/etc/os-release", encoding="utf-8") as f:
        lines = dict(line.strip().split("=", 1) for line in f if "=" in line)
    return {"os": " ".join(lines[k].strip('"') for k in ("ID", "VERSION_ID") if k in lines), "machine": os.uname().machine}


def test_another_system(two, host):
    _, there = two
    home = images.tar({"home/": None, "home/x": "x\n"})
    label = {"version": 1, "name": "t", **this_system()}
    for key, value in ("os", "plan 9"), ("machine", "vax"):
        text = there.refused("EOPNOTSUPP", "template pull", send(host, f"h/{key}", {**label, key: value}, home))
        assert value in text and label[key] in text
    if not box.IS_ROOT:
        assert "only boxes of root" in there.refused("EPERM", "template pull", send(host, "h/system", {**label, "system": True}, home))
    assert there.ok("template ls")["templates"] == [] and there.ok("image ls")["images"] == [], "nothing of them is here"
    there.ok("template pull", send(host, "h/same", label, home))
    there.ok("create", "new", "--from", "t")
    assert there.inside("new", "cat ~/x") == "x\n", "control: the same one for this system is taken"


HOSTILE_LABELS = ["", "[]", "{}", "{", '{"version":1}', '{"version":2,"name":"t"}', '{"version":1,"name":"t","name":"u"}', '{"version":1,"name":"../t"}',
                  '{"version":1,"name":"t\\u001b[2J"}', '{"version":1,"name":"t","shared":true}', '{"version":1,"name":"t","project":"/"}',
                  '{"version":1,"name":"t","profile":"/etc/passwd"}', '{"version":1,"name":"t","profile":"../x"}', '{"version":1,"name":"t","net":"any"}',
                  '{"version":1,"name":"t","net":["a\\nb"]}', '{"version":1,"name":"t","os":"x"}', '{"version":1,"name":"t","system":true}',
                  '{"version":1,"name":"t","recipe":"r"}', '{"version":1,"name":"t","recipe":"r","lock":"' + "z" * 64 + '"}',
                  '{"version":1,"name":"' + "n" * 65 + '"}', '{"version":1,"name":"t","x":"' + "x" * 70000 + '"}', "[" * 5000]


def test_hostile_labels(two, host):
    """Refused before anything is unpacked."""
    _, there = two
    for n, label in enumerate(HOSTILE_LABELS):
        there.refused("EBADMSG", "template pull", send(host, f"l/n{n}", label, images.tar({"home/": None})))
    assert there.ok("template ls")["templates"] == [] and there.ok("image ls")["images"] == []


def test_hostile_trees(two, host):
    """What lies in the archive beside changes of home and system gets no place in a layer."""
    _, there = two
    label = {"version": 1, "name": "t", **this_system()}
    before = set(os.listdir(there.state / "aisbx/layers"))
    for n, files in enumerate(({"project/": None, "project/x": "x"}, {"draft": "x"}, {"home": "x"}, {"home": (tarfile.SYMTYPE, "/etc")}, {"m0123456789abcdef/": None},
                               {"root/": None}, {"up/": None}, {"m012/": None}, {".links/": None})):
        there.refused("EBADMSG", "template pull", send(host, f"t/n{n}", label, images.tar({**files, "c0123456789abcdef/": None})))
    assert there.ok("template ls")["templates"] == [] and there.ok("image ls")["images"] == []
    there.ok("gc")
    assert set(os.listdir(there.state / "aisbx/layers")) == before, "no layer is left"


def test_a_recipe_of_a_stranger_is_not_ours(two, host):
    """What was pulled never passes for built: 'template build' would trust its lock."""
    here, there = two
    (here.project / "r.yaml").write_text("name: r\nsteps: ['echo good > ~/r']\n")
    built = here.ok("template build", "./r.yaml")
    label = {"version": 1, "name": "r", **this_system(), "recipe": "r", "lock": built["key"]}
    got = there.ok("template pull", send(host, "r/r", label, images.tar({"home/": None, "home/r": "evil\n"})))
    assert got["recipe"] is None and got["pulled"]["recipe"] == "r" and got["pulled"]["lock"] == built["key"]
    (there.project / "r.yaml").write_text((here.project / "r.yaml").read_text())
    assert "not built here" in there.refused("EEXIST", "template build", "./r.yaml")
    assert here.ok("template build", "./r.yaml")["built"] is False, "control: the same key is enough for one's own"


def test_sessions_may_not(two, host):
    """What leaves the machine or comes from elsewhere is the person's."""
    here, _ = two
    here.ok("template save", "b", "one")
    with contextlib.closing(rpc.Rpc(cwd=here.project, env=here.env)) as ann:
        ann.call("rpc.hello", owner="ann")
        for method, words in ("template.push", {"template": "one", "reference": f"{host}/s/one:1"}), ("template.pull", {"reference": f"{host}/s/one:1"}):
            assert ann.error(method, **words)["data"]["kind"] == "denied"
