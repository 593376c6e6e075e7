# SPDX-License-Identifier: Apache-2.0
"""`require_signature` in images.yaml: a signed image of a registry comes here, and nothing else does.

Keys by openssl, signatures in the registry as cosign puts them there. The cases of one signature by itself are in
tests/unit/helpers/image/test_signature.c, those of layouts in test_image_fetch.py.
"""
import pytest

import images
import registry as reg

FILES = {"etc/name": b"signed\n"}


@pytest.fixture(name="host", scope="module")
def fixture_host(tmp_path_factory):
    with reg.registry(tmp_path_factory.mktemp("registry")) as host:
        yield host


@pytest.fixture(name="keys", scope="module")
def fixture_keys(tmp_path_factory):
    """Ours, and those of somebody else: (private file, public file)."""
    place = tmp_path_factory.mktemp("keys")
    for name in ("ours", "theirs"):
        reg.key_pair(place / name)
    return place


@pytest.fixture(name="door")
def fixture_door(tmp_path, keys):
    door = images.Door(tmp_path)
    place = door.root / "home/.config/aisbx"
    place.mkdir(parents=True)
    (place / "images.yaml").write_text(f"require_signature: true\nkeys: [{keys}/ours/pub]\n")
    yield door
    for image in door.image("ls")["images"]:
        door.image("rm", image["id"])


def pushed(host, name, place):
    """An image that is there under NAME; its digest. Each has a content of its own."""
    image = reg.Image({**FILES, "etc/repository": name.encode()})
    home = place / "made"
    (home / "images/blobs/sha256").mkdir(parents=True)
    for digest, data in {**image.blobs, image.digest: image.manifest}.items():
        (home / "images/blobs/sha256" / digest.split(":")[1]).write_bytes(data)
    answer = reg.push(home, image.digest, f"{host}/{name}:1")
    assert answer.ok, answer.error
    return image.digest


def test_signed(door, host, keys, tmp_path):
    digest = pushed(host, "team/signed", tmp_path)
    reg.sign_image(host, "team/signed", digest, keys / "ours/key")
    assert door.image("pull", f"{host}/team/signed:1")["digest"] == digest
    assert door.image("pull", f"{host}/team/signed@{digest}")["digest"] == digest


@pytest.mark.parametrize("case,word", [("none", "there is no signature"), ("other-key", "none of the keys"), ("other-digest", "another image"),
                                       ("other-repository", "another repository"), ("other-registry", "another repository")])
def test_refused(door, host, keys, tmp_path, case, word):
    digest = pushed(host, f"team/{case}", tmp_path)
    how = {"other-digest": {"about": "sha256:" + "0" * 64}, "other-repository": {"says": f"{host}/team/signed"},
           "other-registry": {"says": f"registry.example/team/{case}"}}.get(case, {})
    if case != "none":
        reg.sign_image(host, f"team/{case}", digest, keys / ("theirs/key" if case == "other-key" else "ours/key"), **how)
    error = door.refused("pull", f"{host}/team/{case}:1")
    assert error["code"] == "EKEYREJECTED" and word in error["text"], error
    assert door.image("ls")["images"] == [] and door.layers() == set() and len(door.blobs()) == 0
    (door.root / "home/.config/aisbx/images.yaml").unlink()
    assert door.image("pull", f"{host}/team/{case}:1")["digest"] == digest, "control: only the signature is missing"


def test_copied_to_a_mirror(door, host, keys, tmp_path):
    """The signature speaks of the repository that a person asks for, not of the mirror that has the bytes."""
    digest = pushed(host, "library/tool", tmp_path)
    reg.sign_image(host, "library/tool", digest, keys / "ours/key", says="index.docker.io/library/tool")
    assert "another repository" in door.refused("pull", f"{host}/library/tool:1")["text"]
    with (door.root / "home/.config/aisbx/images.yaml").open("a") as settings:
        settings.write(f"mirrors: {{docker.io: ['http://{host}']}}\n")
    assert door.image("pull", "tool:1")["name"] == "docker.io/library/tool:1"
