# SPDX-License-Identifier: Apache-2.0
"""Keeps the map of the rooms true: which folder of src may include which, and how a file begins."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SRC = ROOT / "src"

# Folder -> what it may include beside itself, base/ and aisbx/: folders, or single headers.
MAP = {
    "base": set(),
    "sys": set(),
    "secret": set(),
    "jail": {"sys"},
    "layer": {"sys"},
    "image": {"sys"},
    "policy": {"jail/plan.h", "scan/core/rules.h", "secret/secret_spec.h"},
    "net": {"sys", "policy/egress.h"},
    "net/tls": {"net", "sys", "policy/egress.h", "secret/redact.h"},
    "scan/core": set(),
    "scan/python": {"scan/core", "scan/shell/shell.h"},
    "scan/javascript": {"scan/core", "scan/shell/shell.h"},
    "scan/shell": {"scan/core"},
    "expr": set(),
    "project": {"policy", "expr"},
    "store": set(),
    "look": {"sys", "policy/secret.h"},
    "run": {"sys", "secret", "jail/plan.h", "jail/wire.h", "policy/profile.h", "policy/service.h", "policy/egress.h", "net/control.h", "net/ssh_agent.h",
            "net/tls_control.h"},
    "wasm": set(),
    "driver": {"net/control.h", "run", "secret", "sys", "layer", "policy", "wasm", "jail/plan.h", "jail/build.h"},
    "box": {"net/control.h", "net/never_ended.h", "net/placeholder.h", "driver", "image", "layer", "policy", "project", "scan/core", "store", "jail/plan.h", "run/log.h", "run/ready_box.h", "run/run.h", "run/spec.h", "run/terminal.h", "run/turn.h", "secret",
            "helpers/file/wire.h", "sys/probe.h", "sys/remedy.h", "sys/subids.h", "wasm/install.h", "wasm/language.h", "wasm/offer.h"},
    "artifact": {"box", "secret", "store", "driver/driver.h", "helpers/file/wire.h", "policy/trap.h"},
    "promote": {"box", "layer", "secret", "store", "driver/driver.h", "jail/plan.h", "policy/git_identity.h", "policy/system_trap.h",
                "policy/trap.h", "project/judge.h"},
    "flow": {"net/control.h", "policy/egress.h", "box", "promote", "secret", "store", "expr", "project", "driver/driver.h", "jail/plan.h", "policy/profile.h", "policy/scan_policy.h",
             "policy/seccomp.h", "policy/secret.h", "run/log.h", "run/run.h", "scan/core/rules.h"},
    "guard": {"box", "flow", "look", "promote", "project/queued_task.h", "project/project.h", "policy/secret.h"},
    "agent": set(),
    # What box.h hands out may be named directly; doctor asks the kernel through sys/probe.h.
    "op": {"artifact", "promote", "secret", "flow", "guard", "agent", "box", "project", "expr", "policy/profile.h", "driver/driver.h", "run/log.h", "run/run.h",
           "jail/plan.h", "sys/probe.h", "policy/scan_policy.h", "policy/yaml_shape.h", "policy/seccomp.h", "policy/secret.h",
           "scan/core/scan.h", "look", "wasm/install.h", "wasm/language.h"},
    "server/core": {"op", "box/box.h", "secret/secrets.h", "sys/fault.h", "sys/sys.h"},
    "server/rpc": {"server/core", "op", "box/data_dir.h", "box/sessions.h", "secret/secrets.h"},
    "server/mcp": {"server/core", "op", "box/box.h", "box/sessions.h"},
    "server/e2b": {"server/core", "op", "box/box.h"},
    "server/http": {"box/box.h", "box/file_url.h", "server/core", "server/e2b/e2b.h", "server/rpc", "server/mcp", "op", "sys/sys.h"},
    "fleet/core": set(),
    "fleet/bus": {"fleet/core", "fleet/wire"},
    "fleet/wire": {"fleet/core"},
    "fleet/agent": {"fleet/core", "fleet/wire", "fleet/bus", "box/travel.h", "secret/secret_spec.h"},
    "fleet/client": {"fleet/core", "fleet/wire", "fleet/bus", "fleet/agent", "box/travel.h", "cli/cli.h", "op/op.h", "op/try_apart.h", "secret/secret_spec.h", "secret/secrets.h", "server/core", "server/rpc/rpc.h",
                     "server/mcp/mcp.h", "server/mcp/offer.h"},
    "fleet": {"fleet/agent", "fleet/client"},
    "fleet/content": {"sys"},
    # What a node records, through its state, which scrubs what is imported; of a promotion what its journal says.
    "fleet/history": {"fleet/bus", "fleet/core", "store", "box/box.h", "layer/journal_content.h", "policy/git_config.h"},
    "fleet/collect": {"fleet/bus", "fleet/core", "fleet/history/row.h"},
    "lib": set(),
    "remote": set(),
    "cli": {"op", "sys/fault.h"},
    "helpers/file": set(),
    "helpers/merge": {"sys/confine.h"},
    "helpers/seccomp": {"sys/confine.h"},
    "helpers/image": {"image", "layer", "sys"},
    "helpers/wasm": {"sys"},
}
# Made by the build, so in no folder: the header and who may include it.
GENERATED = {"op/operations.h": "op", "seccomp_filters.h": "policy", "profile_tables.h": "policy", "scan_default.h": "policy", "python_main.h": "helpers/wasm", "javascript_runtime.h": "helpers/wasm", "look_filter.h": "look",
             **{f"completion_{shell}.h": "op" for shell in ("bash", "fish", "zsh")},
             **{f"context_{part}.h": "box" for part in ("client", "driver_js", "driver_py", "driver_sh", "interrupt", "kernel_py")},
             **{f"code_{part}.h": "box" for part in ("run_js", "run_py", "show_py", "venv_sh")}}

# Libraries that few rooms keep to themselves.
SOLE = {"sqlite3.h": ("store/", "fleet/agent/"), "git2.h": ("helpers/merge/",), "seccomp.h": ("helpers/seccomp/",), "wasmtime.h": ("helpers/wasm/",), "wasm.h": ("helpers/wasm/",), "wasi.h": ("helpers/wasm/",), "yaml.h": ("policy/", "project/", "helpers/image/"), "archive.h": ("helpers/image/",),
        "curl/curl.h": ("helpers/image/", "fleet/content/"), "zstd.h": ("helpers/image/", "fleet/content/"), "microhttpd.h": ("server/http/", "fleet/content/"), "nats/nats.h": ("fleet/bus/",), "libpq-fe.h": ("fleet/collect/",), "sodium.h": ("fleet/bus/", "fleet/wire/")}

SOURCES = sorted(p for p in SRC.rglob("*") if p.suffix in (".c", ".h"))
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def name(path):
    return str(path.relative_to(ROOT))


def room(path):
    """The folder of a file, or of a header as it is included."""
    return "/".join(path.split("/")[:-1])


def allowed(folder, header):
    target = room(header)
    return target in (folder, "base", "aisbx") or target in MAP[folder] or header in MAP[folder]


def test_there_is_something_to_look_at():
    assert len(SOURCES) > 40


def test_every_folder_is_on_the_map():
    unknown = sorted({room(str(p.relative_to(SRC))) for p in SOURCES} - set(MAP))
    assert not unknown, f"folders without a place on the map: {unknown}"


@pytest.mark.parametrize("source", SOURCES, ids=name)
def test_includes(source):
    folder = room(str(source.relative_to(SRC)))
    wrong = []
    for header in INCLUDE.findall(source.read_text()):
        if header in GENERATED:
            if GENERATED[header] != folder:
                wrong.append(header)
        elif "/" not in header or not ((SRC / header).exists() or (ROOT / "include" / header).exists()):
            wrong.append(f"{header} (write it with its folder)")
        elif not allowed(folder, header):
            wrong.append(header)
    assert not wrong, f"{name(source)} may not include {', '.join(wrong)}"


def test_libraries_have_one_user():
    wrong = [f"{name(p)}: {header}" for p in SOURCES for header in re.findall(r"^\s*#\s*include\s+<([^>]+)>", p.read_text(), re.M)
             if header in SOLE and not str(p.relative_to(SRC)).startswith(SOLE[header])]
    assert not wrong


@pytest.mark.parametrize("source", SOURCES + sorted((ROOT / "include").rglob("*.h")), ids=name)
def test_a_file_begins_with_licence_and_role(source):
    lines = source.read_text().splitlines()
    assert lines[0] == "/* SPDX-License-Identifier: Apache-2.0 */"
    assert lines[1].startswith("/*"), "the second line begins the comment that tells the file's role"
    role = " ".join(lines[1:8]).split("*/")[0].strip("/* ")
    assert len(role) > 15 and "*/" in " ".join(lines[1:8]), "the role is told in one to four lines"


@pytest.mark.parametrize("source", [p for p in SOURCES if p.suffix == ".h"], ids=name)
def test_a_header_guards_itself(source):
    guard = "_".join(source.relative_to(SRC).parts).upper().replace(".", "_")
    assert f"#ifndef {guard}\n#define {guard}\n" in source.read_text()


def test_the_map_holds_no_cycle():
    """Whole folders only: single headers are the agreed exceptions."""
    edges = {f: {t for t in targets if not t.endswith(".h") and t != f} for f, targets in MAP.items()}
    while edges:
        leaves = {f for f, targets in edges.items() if not targets & set(edges)}
        assert leaves, f"cycle among {sorted(edges)}"
        edges = {f: targets for f, targets in edges.items() if f not in leaves}
