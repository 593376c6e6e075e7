# SPDX-License-Identifier: Apache-2.0
"""Attacks 15 to 22 and 27: what the kernel shows in /proc and /sys."""
import os
import pathlib
import shutil
import subprocess

import box
import pytest
from case import DIFFERS, Case, Outside, Reason, Without, define_tests, ends, verdict

NOT_MINE = {"EACCES", "EPERM", "EROFS", "ENOENT"}
# A covered file can be opened by a root that keeps dac_override, and is empty.
EMPTY = NOT_MINE | {"ENODATA"}
MODES = Reason("an ordinary user is refused by the file's own mode, in a box or not")

define_tests([
    Case(15, "kcore_keys_timer_list", EMPTY, Outside()),
    Case(16, "sysrq_trigger", NOT_MINE,
         {"root": Outside() if os.path.exists("/proc/sysrq-trigger") else Reason("this kernel has no sysrq at all"),
          "user": MODES}),
    Case(17, "core_pattern", NOT_MINE, {"root": Outside(), "user": MODES}),
    Case(18, "modprobe_path", NOT_MINE, {"root": Outside(), "user": MODES}),
    Case(19, "cgroup_v1_release_agent", NOT_MINE, Without(walls=("seccomp", "landlock"), privileged="mC"), {"mount"}),
    Case(20, "own_cgroup_limits", NOT_MINE, Outside(expect=DIFFERS)),
    Case(21, "proc_one", {"EACCES", "EPERM"},
         Reason("pid 1 is not dumpable with any wall missing; test_021_a_sibling is the control")),
    Case(22, "overwrite_of_our_binary", {"EACCES", "EPERM"}, Reason("see test_022_* for the control")),
    Case(27, "sys_firmware", {"ENOENT", "EROFS", "EACCES"}, Outside()),
], globals())


@pytest.mark.parametrize("profile", box.PROFILES)
def test_021_a_sibling(place, profile):
    """The control of 21: the same reads of an ordinary process of the box work, so pid 1's refusal is pid 1's."""
    found = ends(verdict(box.run("./probe", "proc-sibling", cwd=place.project, profile=profile)))
    got = {what.split("/")[-1]: end for what, end in found.items()}
    assert got["environ"] == got["maps"] == got["mem"] == got["exe"] == got["fd"] == "OK"


@pytest.mark.parametrize("profile", box.PROFILES)
def test_018_kernel_settings_are_unchanged(place, profile):
    """Sweeps /proc/sys for anything that a box can open for writing."""
    script = ("find /proc/sys /proc/irq /proc/bus /proc/fs -type f -exec sh -c "
              "'for f; do : 2>/dev/null >>\"$f\" && echo \"$f\"; done' sh {} + 2>/dev/null; exit 0")
    result = box.started(box.run("bash", "-c", script, cwd=place.project, profile=profile))
    assert result["status"] == "ok" and result["stdout"] == ""


class Installed:
    """A copy of aisbx and aisbx-jail that belongs to the attacking user, so that no file mode protects it."""

    def __init__(self, root):
        source = pathlib.Path(box.aisbx()).parent
        root.mkdir()
        for name in ("aisbx", "aisbx-jail"):
            shutil.copy(box.need(source / name), root / name)
            os.chmod(root / name, 0o777)
        self.root, self.program, self.jail = root, str(root / "aisbx"), root / "aisbx-jail"


@pytest.mark.parametrize("profile", box.PROFILES)
@pytest.mark.parametrize("shown", [False, True])
def test_022_jail_binary_survives(place, tmp_path, profile, shown):
    """CVE-2019-5736 in full: scripts and links that make the box's first exec be of /proc/self/exe."""
    own = Installed(tmp_path / "own")
    (place.project / "self").symlink_to("/proc/self/exe")
    for name, interpreter in (("script", "/proc/self/exe"), ("thread", "/proc/thread-self/exe"),
                              ("one", "/proc/1/exe")):
        (place.project / name).write_text(f"#!{interpreter}\n")
        (place.project / name).chmod(0o755)
    options = ["--ro", str(own.root)] if shown else []
    with box.Watch(place.root):
        for words in (["./self"], ["./script"], ["./thread"], ["./one"], ["/proc/self/exe"], ["./probe", "22"],
                      ["sh", "-c", "for e in /proc/[0-9]*/exe; do : >>$e; done"],
                      ["sh", "-c", f"for i in 1 2 3; do ./script; ./self; done; : >>{own.jail}; rm -f {own.jail}"]):
            result = box.run(*words, cwd=place.project, profile=profile, program=own.program, options=options)
            assert result["aisbx_status"] != 0 or "sh" in words[0] or "probe" in words[0], words
    # Control: outside, this user can overwrite that file by its name and, on Linux 6.11, even while it runs.
    done = subprocess.run([place.project / "probe", "overwrite", own.jail], check=True, stdout=subprocess.PIPE)
    assert ends(box.last_json(done.stdout.decode())) == {f"overwrite {own.jail}": "OK"}
    assert own.jail.stat().st_size == 0
