# SPDX-License-Identifier: Apache-2.0
"""The template for Lima. There is no limactl to check it here, so its fields are written down, from Lima's own templates/default.yaml
(version 1.0, https://github.com/lima-vm/lima/blob/master/templates/default.yaml); a field that is not among them is an error there, too."""
import pathlib
import re
import subprocess

import jsonschema
import pytest
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEMPLATE = ROOT / "packaging/lima/aisbx.yaml"

SIZE = {"type": "string", "pattern": r"^[1-9][0-9]*(KiB|MiB|GiB|TiB)$"}


def keys(required=(), **properties):
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


SCRIPT = {"type": "string", "pattern": r"^#!/bin/(ba)?sh\n"}
SCHEMA = keys(
    minimumLimaVersion={"type": "string", "pattern": r"^[0-9]+\.[0-9]+\.[0-9]+$"},
    vmType={"enum": ["default", "qemu", "vz"]},
    arch={"enum": ["default", "x86_64", "aarch64"]},
    images={"type": "array", "minItems": 1, "items": keys(
        ["location"], location={"type": "string", "pattern": "^(https://|~?/)"}, arch={"enum": ["x86_64", "aarch64", "riscv64", "armv7l"]},
        digest={"type": "string", "pattern": "^sha(256|512):[0-9a-f]+$"})},
    cpus={"type": "integer", "minimum": 1},
    memory=SIZE,
    disk=SIZE,
    mounts={"type": "array", "items": keys(["location"], location={"type": "string", "pattern": "^[~/]"}, mountPoint={"type": "string"},
                                           writable={"type": "boolean"})},
    mountType={"enum": ["default", "reverse-sshfs", "9p", "virtiofs"]},
    containerd=keys(system={"type": "boolean"}, user={"type": "boolean"}),
    ssh=keys(localPort={"type": "integer"}, loadDotSSHPubKeys={"type": "boolean"}, forwardAgent={"type": "boolean"}, forwardX11={"type": "boolean"},
             forwardX11Trusted={"type": "boolean"}),
    provision={"type": "array", "items": keys(["mode", "script"], mode={"enum": ["system", "user", "boot", "dependency"]}, script=SCRIPT)},
    probes={"type": "array", "items": keys(["script"], mode={"enum": ["readiness"]}, description={"type": "string"}, script=SCRIPT, hint={"type": "string"})},
    param={"type": "object", "additionalProperties": {"type": "string"}},
    message={"type": "string"},
    required=["images"],
)
# Names between {{ and }}, by the field that has them.
VARIABLES = {"provision": {"Home", "UID", "User"}, "probes": {"Home", "UID", "User"}, "message": {"Name", "Dir", "Hostname", "User", "UID", "Home"}}


@pytest.fixture(name="template", scope="module")
def _template():
    return yaml.safe_load(TEMPLATE.read_text())


def test_fields(template):
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    jsonschema.validate(template, SCHEMA)


@pytest.mark.parametrize("spoil", [{"image": []}, {"memory": "8G"}, {"cpus": "4"}, {"mounts": [{"path": "~"}]}, {"provision": [{"mode": "root", "script": "#!/bin/sh\n"}]},
                                   {"probes": [{"script": "true"}]}, {"images": []}])
def test_control_other_fields_are_refused(template, spoil):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**template, **spoil}, SCHEMA)


def test_every_script_is_one_and_uses_what_lima_knows(template):
    for field, variables in VARIABLES.items():
        texts = [template[field]] if isinstance(template[field], str) else [item["script"] for item in template[field]]
        for text in texts:
            used = set(re.findall(r"\{\{\.([\w.]+)\}\}", text))
            assert used <= variables | {f"Param.{name}" for name in template["param"]}, used
            if field != "message":
                plain = re.sub(r"\{\{.*?\}\}", "x", text)
                done = subprocess.run(["bash", "-n"], input=plain, text=True, capture_output=True, check=False)
                assert done.returncode == 0, done.stderr


def test_it_is_the_debian_and_the_packages_of_the_manual(template):
    install = (ROOT / "docs/install.md").read_text()
    wanted = re.search(r"apt-get install (.*?)\n    meson", install, re.S).group(1).replace("\\\n", " ").split()
    script = template["provision"][0]["script"]
    assert not [p for p in wanted if p not in script.split()]
    assert {i["arch"] for i in template["images"]} == {"x86_64", "aarch64"} and all("debian-12" in i["location"] for i in template["images"])


def test_nothing_of_the_person_is_given_away(template):
    assert template["ssh"]["forwardAgent"] is False and [m["location"] for m in template["mounts"]] == ["~"]


POSIX = set("""errno fcntl limits poll signal stdbool stddef stdint stdio stdlib string sys/stat sys/types sys/wait unistd stdarg""".split())


def test_what_a_mac_has_to_build_uses_posix_only():
    """The files that docs/macos.md says to compile."""
    page = (ROOT / "docs/macos.md").read_text()
    command = re.search(r"cc .*", page).group(0)
    files = [p for word in command.split() if word.endswith(".c") for p in ROOT.glob(word)]
    assert {p.name for p in files} >= {"main.c", "send.c", "message.c", "obey.c", "base64.c", "buf.c"}
    headers = {h for p in files + list((ROOT / "src/remote").glob("*.h")) for h in re.findall(r"#include <([\w/]+)\.h>", p.read_text())}
    assert headers <= POSIX, headers - POSIX


def test_the_command_of_the_page_works(tmp_path):
    page = (ROOT / "docs/macos.md").read_text()
    command = re.search(r"cc .*", page).group(0)
    done = subprocess.run(command.replace("-o aisbx", f"-o {tmp_path}/aisbx").replace("cc ", "cc -Wall -Wextra -Wpedantic -Werror ", 1), shell=True, cwd=ROOT,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert subprocess.run([tmp_path / "aisbx"], capture_output=True, text=True, check=False, env={}).stderr.startswith("usage: aisbx")
