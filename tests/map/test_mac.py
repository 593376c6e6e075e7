# SPDX-License-Identifier: Apache-2.0
"""The templates for AppArmor and SELinux, read by those systems' own tools.

No kernel here has either, so nothing is loaded: the templates are compiled, and the module of SELinux is put together
with a whole policy, which finds a type that does not exist and a rule that the policy forbids for good.
"""
import bz2
import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
APPARMOR = ROOT / "packaging" / "apparmor" / "aisbx"
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
SELINUX = ROOT / "packaging" / "selinux"


def run(*words, **more):
    return subprocess.run([os.fspath(w) for w in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300,
                          stdin=subprocess.DEVNULL, **more)


def good(*words, **more):
    done = run(*words, **more)
    assert done.returncode == 0, (words, done.stdout)
    return done.stdout


def known_to_apt(package):
    """A machine may have thrown its lists away."""
    if "Candidate: (none)" in (text := good("apt-cache", "policy", package)) or "Candidate:" not in text:
        good("apt-get", "-qq", "update")


def unpacked(name, packages, suite=None):
    """Packages of Debian, downloaded by apt and unpacked, not installed; of another release where SUITE says so."""
    top = pathlib.Path(os.environ.get("AISBX_TEST_CACHE") or pathlib.Path.home() / ".cache" / "aisbx-tests")
    place = top / name
    if place.is_dir():
        return place
    work = top / f"{name}.{os.getpid()}"
    work.mkdir(parents=True)
    try:
        options = ["-qq", "-o", "APT::Sandbox::User=root"]
        known_to_apt(packages[0])
        if suite:
            options += other_release(work, suite)
            good("apt-get", *options, "update")
        good("apt-get", *options, "download", *packages, cwd=work)
        for package in work.glob("*.deb"):
            good("dpkg", "-x", package, work / "root")
        (work / "root").rename(place)
    finally:
        shutil.rmtree(work)
    return place


def other_release(work, suite):
    """Options of apt for the release SUITE from wherever this machine gets its own."""
    uri = good("apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", "Origin: Debian", "Label: Debian",
               "Component: main").split("\n")[0]
    assert uri, "apt knows no place of Debian's packages; try apt-get update"
    (work / "lists" / "partial").mkdir(parents=True)
    (work / "cache" / "archives" / "partial").mkdir(parents=True)
    (work / "suite.list").write_text(f"deb [signed-by={KEYS}] {uri} {suite} main\n")
    return ["-o", f"Dir::Etc::sourcelist={work}/suite.list", "-o", "Dir::Etc::sourceparts=/dev/null",
            "-o", f"Dir::State::lists={work}/lists", "-o", f"Dir::Cache={work}/cache"]


@pytest.fixture(scope="module")
def parser():
    """Words that start a parser of AppArmor 4: `userns` came with it. Debian 12 has 3, so that of Debian 13 is fetched."""
    installed = shutil.which("apparmor_parser", path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    if installed and int(re.search(r"version (\d+)", good(installed, "--version"))[1]) >= 4:
        return [installed, "-Q", "-K"]
    root = unpacked("apparmor", ["apparmor", "libc6", "libstdc++6", "libgcc-s1"], "trixie")
    rules = root / "etc" / "apparmor.d"
    return [root / "usr/lib64/ld-linux-x86-64.so.2", "--library-path", root / "usr/lib/x86_64-linux-gnu",
            root / "usr/sbin/apparmor_parser", "-Q", "-K", "--base", rules, "-M", rules / "abi" / "4.0"]


def test_apparmor_compiles(parser, tmp_path):
    good(*parser, "-o", tmp_path / "whole", APPARMOR)
    names = good(*parser, "-N", APPARMOR)
    assert {"aisbx", "aisbx-jail"} <= set(names.split("\n"))
    # The rule that it is all about makes a difference, and a word that is none is noticed.
    text = APPARMOR.read_text()
    (tmp_path / "without").write_text(re.sub(r"^  userns,$", "", text, flags=re.MULTILINE))
    good(*parser, "-o", tmp_path / "less", tmp_path / "without")
    assert (tmp_path / "less").read_bytes() != (tmp_path / "whole").read_bytes()
    (tmp_path / "wrong").write_text(text.replace("userns,", "usernames,"))
    assert run(*parser, tmp_path / "wrong").returncode != 0


def test_apparmor_names_what_is_installed():
    build = (ROOT / "meson.build").read_text() + (ROOT / "src" / "meson.build").read_text()
    assert "libexecdir" in build and "'aisbx-jail'" in build
    for program in ("bin/aisbx", "libexec/aisbx/aisbx-jail"):
        assert f"/usr/{{local/,}}{program} " in APPARMOR.read_text()
        assert f"/usr/(local/)?{program}\t" in (SELINUX / "aisbx.fc").read_text()


def module(source, place):
    """The compiled module of SELinux, or None when the compiler refuses it."""
    done = run("checkmodule", "-M", "-m", "-o", place / "aisbx.mod", source)
    if done.returncode:
        return None
    good("semodule_package", "-o", place / "aisbx.pp", "-m", place / "aisbx.mod", "-f", SELINUX / "aisbx.fc")
    good("/usr/libexec/selinux/hll/pp", place / "aisbx.pp", place / "aisbx.cil")
    return place / "aisbx.cil"


def altered(place, old, new):
    text = (SELINUX / "aisbx.te").read_text()
    assert old in text
    place.mkdir()
    (place / "aisbx.te").write_text(text.replace(old, new))
    return module(place / "aisbx.te", place)


def test_selinux_links_with_a_whole_policy(tmp_path):
    policy = unpacked("selinux", ["selinux-policy-default"]) / "usr/share/selinux/default"
    others = []
    for name in ("base", "unprivuser", "staff"):
        (tmp_path / f"{name}.pp").write_bytes(bz2.decompress((policy / f"{name}.pp.bz2").read_bytes()))
        good("/usr/libexec/selinux/hll/pp", tmp_path / f"{name}.pp", tmp_path / f"{name}.cil")
        # Names of people belong to modules that are not here.
        lines = (tmp_path / f"{name}.cil").read_text().splitlines(keepends=True)
        (tmp_path / f"{name}.cil").write_text("".join(s for s in lines if not s.startswith("(selinuxuser")))
        others.append(tmp_path / f"{name}.cil")

    def link(cil):
        return run("secilc", "-M", "1", "-c", "33", "-o", tmp_path / "policy", "-f", tmp_path / "contexts", *others, cil)

    (tmp_path / "real").mkdir()
    done = link(module(SELINUX / "aisbx.te", tmp_path / "real"))
    assert done.returncode == 0, done.stdout
    contexts = (tmp_path / "contexts").read_text()
    assert contexts.count("aisbx_exec_t") == 2 and "libexec/aisbx/aisbx-jail" in contexts
    # What it must not be: a mistake in the language, a type that nobody has, a rule that the policy forbids.
    assert altered(tmp_path / "typo", "permissive aisbx_t;", "permisive aisbx_t;") is None
    assert link(altered(tmp_path / "unknown", "type user_t, ", "type user_t, nobody_has_t, ")).returncode != 0
    forbidden = link(altered(tmp_path / "forbidden", "permissive aisbx_t;", "require { type shadow_t; }\n"
                             "allow aisbx_t shadow_t:file { getattr open read };"))
    assert forbidden.returncode != 0 and "neverallow" in forbidden.stdout, forbidden.stdout
