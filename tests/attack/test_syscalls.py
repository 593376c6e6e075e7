# SPDX-License-Identifier: Apache-2.0
"""Attacks 75 to 91: system calls that a box does not have."""
import os
import signal

import box
import pytest
from case import DIFFERS, UNRECORDED, Case, Without, define_tests, verdict

OFF = Without()
MOUNTS_OFF = Without(walls=("seccomp", "landlock"), privileged="m")

define_tests([
    Case(75, "io_uring", {"EPERM"}, OFF, {"io_uring_setup", "io_uring_enter", "io_uring_register"}),
    # Most kernels keep bpf from ordinary users themselves.
    Case(76, "bpf", {"EPERM"}, Without(expect=UNRECORDED), {"bpf"}),
    Case(77, "keyctl", {"EPERM"}, OFF, {"keyctl", "add_key", "request_key"}),
    Case(78, "userfaultfd", {"EPERM"}, OFF, {"userfaultfd"}),
    Case(79, "ptrace_a_sibling", {"EPERM"}, OFF, {"ptrace"}),
    Case(80, "process_vm", {"EPERM"}, OFF, {"process_vm_readv", "process_vm_writev"}),
    # Without the filter, overlayfs has no handles to give: EOPNOTSUPP instead of EPERM.
    Case(81, "open_by_handle_at", {"EPERM"}, Without(expect=DIFFERS), {"name_to_handle_at", "open_by_handle_at"}),
    Case(82, "new_mount_calls", {"EPERM"}, MOUNTS_OFF,
         {"fsopen", "fsconfig", "fsmount", "move_mount", "open_tree", "mount_setattr"}),
    Case(83, "perf_event_open", {"EPERM"}, OFF, {"perf_event_open"}),
    # The box's root has no such power over the kernel with any wall missing; on the host we would not try.
    Case(84, "kexec_and_modules", {"EPERM"}, Without(expect=UNRECORDED),
         {"kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module"}),
    Case(85, "pidfd_getfd", {"EPERM"}, OFF, {"pidfd_getfd"}),
    # A kernel without the family says EAFNOSUPPORT or ENODEV, which is not the filter's EPERM.
    Case(86, "af_vsock", {"EPERM"}, Without(expect=DIFFERS), {"socket"}),
    Case(87, "af_alg", {"EPERM"}, Without(expect=DIFFERS), {"socket"}),
    # Programs take "no such protocol" for a kernel without audit, and EPERM for a reason to give up.
    Case(88, "af_netlink", {"EPERM", "EPROTONOSUPPORT"}, OFF, {"socket"}),
    Case(89, "af_packet_and_raw", {"EPERM"}, Without(privileged="n"), {"socket"}),
    # 999 is unknown to the kernel too; listmount it knows, and the filter does not.
    Case(91, "unknown_number", {"ENOSYS"}, Without(expect=DIFFERS)),
], globals())


@pytest.mark.parametrize("profile", box.PROFILES)
@pytest.mark.parametrize("how", ["int80", "x32"])
def test_090_foreign_system_calls_kill(place, profile, how):
    with box.Watch(place.root):
        result = box.started(box.run("./probe", how, cwd=place.project, profile=profile))
    assert result["signal"] == signal.SIGSYS and result["exit_code"] is None
    assert result["status"] == "failed" and result["aisbx_status"] == 128 + signal.SIGSYS
    assert result["stdout"] == ""
    # Only the one process: a shell around it goes on and can report.
    result = box.started(box.run("sh", "-c", f"./probe {how}; echo $?", cwd=place.project, profile=profile))
    assert result["stdout"].strip() == str(128 + signal.SIGSYS)
    # Control: the kernel answers, if only that it has no such table (x32 is often left out).
    control = box.run("./probe", how, cwd=place.project, profile=profile, options=["--without", "seccomp"])
    assert verdict(control)["tries"]


def test_extra_violation_quotes_the_rule(place):
    """A violation names the reason of the line that refused, not that of another line for the same call."""
    result = box.run("./probe", "tiocsti", cwd=place.project)
    rules = [v["rule"] for v in result["violations"] if v["what"].startswith("ioctl")]
    assert rules and all("TIOCSTI" in rule for rule in rules), rules


def test_extra_refused_calls_are_counted(place):
    """Many refusals of one call are one violation with a count; the box cannot flood the record."""
    n = 500
    script = f"import os\nfor _ in range({n}):\n  try: os.chroot('/')\n  except PermissionError: pass\n"
    result = box.started(box.run("python3", "-c", script, cwd=place.project,
                                 env={**os.environ, "PATH": "/usr/bin:/bin"}))
    assert result["exit_code"] == 0, result["stderr"]
    assert [v["count"] for v in result["violations"] if v["what"] == "chroot"] == [n]
