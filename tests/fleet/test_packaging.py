# SPDX-License-Identifier: Apache-2.0
"""packaging/fleet is what it says: manifests fit the schema of Kubernetes, nothing is privileged, keys come by reference, and every option that a
unit or a manifest gives is one that the program has."""
import json
import os
import pathlib
import re
import subprocess

import jsonschema
import pytest
import yaml

import fleet_shipped
import fleet_tools
import pace

AISBX = os.environ["AISBX"]
SHIPPED = fleet_shipped.SHIPPED
SCHEMA = json.loads((pathlib.Path(__file__).parent / "kubernetes.schema.json").read_text())
MANIFESTS = [(path.name, object) for path in sorted((SHIPPED / "kubernetes").glob("*.yaml")) if path.name != "nats-values.yaml" for object in yaml.safe_load_all(path.read_text())]
UNITS = sorted((SHIPPED / "systemd").glob("*.service"))


def errors(object):
    schema = {**SCHEMA["kinds"][object["kind"]], "$defs": SCHEMA["$defs"]}
    return [error.message for error in jsonschema.Draft7Validator(schema).iter_errors(object)]


def pods():
    for name, object in MANIFESTS:
        spec = object.get("spec", {})
        template = spec.get("template") or spec.get("podTemplate")
        if template:
            yield name, template["spec"]


def test_manifests_fit_the_schema():
    """agent-sandbox's own kinds have no schema here: of these the pod is checked, below."""
    checked = [object for _, object in MANIFESTS if object["apiVersion"] in ("v1", "apps/v1", "policy/v1")]
    assert sorted(object["kind"] for object in checked) == ["ConfigMap", "Deployment", "PodDisruptionBudget", "PodDisruptionBudget", "Service", "StatefulSet"]
    for object in checked:
        assert not errors(object)


def test_the_schema_notices():
    """One wrong word, deep inside."""
    object = next(object for _, object in MANIFESTS if object["kind"] == "StatefulSet")
    spec = object["spec"]["template"]["spec"]
    wrong = {**object, "spec": {**object["spec"], "template": {**object["spec"]["template"], "spec": {**spec, "hostUserz": False}}}}
    assert errors(wrong)


def test_pods():
    found = list(pods())
    assert [name for name, _ in found] == ["hub.yaml", "node.yaml", "sandbox.yaml"]
    for name, spec in found:
        assert not errors({"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"selector": {}, "template": {"spec": spec}}}), name
        assert spec["hostUsers"] is False and spec["automountServiceAccountToken"] is False
        assert not any(key in spec for key in ("hostNetwork", "hostPID", "hostIPC"))
        for container in spec["containers"]:
            assert not container["securityContext"].get("privileged")
            assert container["securityContext"]["capabilities"]["drop"] == ["ALL"]
            mounted = {mount["name"] for mount in container["volumeMounts"]}
            assert {volume["name"] for volume in spec["volumes"]} <= mounted
        assert not any("hostPath" in volume for volume in spec["volumes"])


def options_of(*words):
    done = subprocess.run([AISBX, *words, "--help"], capture_output=True, text=True, timeout=pace.HANGS, check=True)
    return set(re.findall(r"--[a-z-]+", done.stdout))


def test_figures_are_there():
    """Of the metrics that manifests and documents name the program has each, and a pod that says that it can be scraped has the port."""
    top = SHIPPED.parents[1]
    source = (top / "src/fleet/agent/figures.c").read_text()
    has = {"aisbx_" + name for name in re.findall(r'"((?:fleet|node)_\w+)"', source)}
    scaled = next(object for name, object in MANIFESTS if name == "autoscale.yaml")
    texts = [scaled["spec"]["triggers"][0]["metadata"]["query"], (top / "docs/fleet.md").read_text()]
    named = {re.sub("_(bucket|sum|count)$", "", name) for text in texts for name in re.findall(r"aisbx_(?:fleet|node)_\w+", text)}
    assert "aisbx_fleet_wanted_slots" in named and named <= has
    target = next(object for _, object in MANIFESTS if object["kind"] == scaled["spec"]["scaleTargetRef"]["kind"])
    assert target["metadata"]["name"] == scaled["spec"]["scaleTargetRef"]["name"]
    for kind in ("Deployment", "StatefulSet"):
        template = next(object for _, object in MANIFESTS if object["kind"] == kind)["spec"]["template"]
        port = template["metadata"]["annotations"]["prometheus.io/port"]
        container = template["spec"]["containers"][0]
        assert container["args"][container["args"].index("--metrics") + 1] == f"$(POD_IP):{port}" and container["ports"][0]["containerPort"] == int(port)


def test_options_are_there():
    """Of `aisbx fleet hub`, `fleet node` and `serve` in manifests and units."""
    given = [container["args"] for _, spec in pods() for container in spec["containers"]]
    for unit in UNITS:
        given += [line.split()[1:] for line in re.findall(r"^ExecStart=(/usr/bin/aisbx .*)$", unit.read_text(), re.M)]
    assert len(given) == 5
    for words in given:
        verb = words[:2] if words[0] == "fleet" else words[:1]
        assert {word for word in words if word.startswith("--")} <= options_of(*verb), words


@pytest.mark.parametrize("i", [1, 2, 3])
def test_variables_of_a_server(tmp_path, i):
    """nats-server takes what a unit would give it: a line's value as it stands there."""
    fleet_shipped.authority(tmp_path)
    fleet_shipped.certificate(tmp_path, "server")
    variables = dict(line.split("=", 1) for line in (SHIPPED / f"server-{i}.env").read_text().splitlines() if not line.startswith("#"))
    used = set(re.findall(r"\$(AISBX_\w+)", (SHIPPED / "nats-server.conf").read_text()))
    assert set(variables) == used and variables["AISBX_NATS_NAME"] == f"nats-{i}"
    for name in ("CERT", "KEY", "CA"):
        variables[f"AISBX_NATS_{name}"] = str(tmp_path / pathlib.Path(variables[f"AISBX_NATS_{name}"]).name)
    variables["AISBX_NATS_STORE"] = str(tmp_path / "store")
    for path in (SHIPPED / "nats-server.conf", SHIPPED / "example/accounts.conf"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    done = subprocess.run([fleet_tools.tool("nats-server"), "-t", "-c", tmp_path / "nats-server.conf"], env={**os.environ, **variables}, capture_output=True, text=True, timeout=pace.HANGS)
    assert done.returncode == 0, done.stderr
    # And it needs each of them.
    del variables["AISBX_NATS_CERT"]
    assert subprocess.run([fleet_tools.tool("nats-server"), "-t", "-c", tmp_path / "nats-server.conf"], env={**os.environ, **variables}, capture_output=True, timeout=pace.HANGS).returncode != 0


def test_boxes_do_not_see_the_key_of_their_node():
    """A node refuses to start with a key where boxes would see it."""
    container = next(spec for name, spec in pods() if name == "node.yaml")["containers"][0]
    path = next(variable["value"] for variable in container["env"] if variable["name"] == "AISBX_NATS_CREDS")
    assert path.startswith("/run/") and path in [mount["mountPath"] for mount in container["volumeMounts"]]
    unit = (SHIPPED / "systemd/aisbx-fleet-node.service").read_text()
    assert "LoadCredential=node.seed:" in unit and "AISBX_NATS_CREDS=%d/node.seed" in unit  # %d is below /run


def test_hubs_and_nodes_sign():
    """Both come with a key of their own and the keys of hubs; hubs with those of nodes."""
    for role, more in (("hub", {"AISBX_FLEET_NODE_KEYS"}), ("node", set())):
        wanted = {"AISBX_FLEET_KEY", "AISBX_FLEET_HUB_KEYS"} | more
        container = next(spec for name, spec in pods() if name == f"{role}.yaml")["containers"][0]
        given = {variable["name"]: variable.get("value") for variable in container["env"]}
        assert {name for name in given if name.startswith("AISBX_FLEET_")} == wanted
        for name in wanted:
            assert any(f"{given[name]}/".startswith(f'{mount["mountPath"]}/') for mount in container["volumeMounts"]), given[name]
        unit = (SHIPPED / f"systemd/aisbx-fleet-{role}.service").read_text()
        assert set(re.findall(r"(AISBX_FLEET_\w+)=", unit)) == wanted
        assert f"LoadCredential={role}.key:" in unit and f"AISBX_FLEET_KEY=%d/{role}.key" in unit


def test_units_have_no_filter_where_boxes_are():
    """Filters of system calls would hold inside boxes; and a unit without boxes has all of them."""
    filters = ("RestrictNamespaces", "RestrictSUIDSGID", "LockPersonality", "SystemCallFilter", "SystemCallArchitectures", "NoNewPrivileges", "ProtectKernelTunables", "PrivateDevices", "ProtectClock")
    for unit in UNITS:
        has = [name for name in filters if re.search(rf"^{name}=", unit.read_text(), re.M)]
        assert has == ([] if unit.name == "aisbx-fleet-node.service" else list(filters)), unit.name
