# SPDX-License-Identifier: Apache-2.0
"""What the world's registries hold: one small package each, in the form that its client reads. Made from nothing, in milliseconds."""
import base64
import gzip
import hashlib
import io
import json
import os
import subprocess
import tarfile
import zipfile

# Not where Debian's own is: what the host knows of that is signed.
APT_SOURCES = "deb [trusted=yes] http://deb.debian.org/world bookworm main\n"
APT_CONF = 'Acquire::Languages "none";\nAPT::Install-Recommends "false";\n'
BIG = 32 << 20  # bytes of /big


def _write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


def _tar_gz(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", format=tarfile.USTAR_FORMAT) as tar:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(text.encode()), 0o644
            tar.addfile(info, io.BytesIO(text.encode()))
    return out.getvalue()


def _zip(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as z:
        for name, text in files.items():
            z.writestr(name, text)
    return out.getvalue()


def make_web(srv, tls):
    _write(srv / "www/index.html", "hello from the world\n")
    _write(srv / "www/ca.crt", (tls / "ca.crt").read_bytes())
    with open(srv / "www/big", "wb") as f:
        f.truncate(BIG)
    (srv / "git").mkdir()


def make_pypi(srv):
    """python -c 'import tinywheel; print(tinywheel.WORD)'"""
    wheel = _zip({"tinywheel.py": 'WORD = "from a wheel"\n',
                  "tinywheel-1.2.dist-info/METADATA": "Metadata-Version: 2.1\nName: tinywheel\nVersion: 1.2\n",
                  "tinywheel-1.2.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: world\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
                  "tinywheel-1.2.dist-info/RECORD": "tinywheel.py,,\ntinywheel-1.2.dist-info/METADATA,,\ntinywheel-1.2.dist-info/WHEEL,,\ntinywheel-1.2.dist-info/RECORD,,\n"})
    name = "tinywheel-1.2-py3-none-any.whl"
    _write(srv / "pypi-files/packages" / name, wheel)
    _write(srv / "pypi/simple/tinywheel/index.html", f"""<!DOCTYPE html><html><head><meta name="pypi:repository-version" content="1.0"></head><body>
<a href="https://files.pythonhosted.org/packages/{name}#sha256={hashlib.sha256(wheel).hexdigest()}">{name}</a></body></html>""")


def make_npm(srv):
    """node -p 'require("tiny-module")'"""
    manifest = {"name": "tiny-module", "version": "1.2.0", "main": "index.js"}
    packed = _tar_gz({"package/package.json": json.dumps(manifest), "package/index.js": 'module.exports = "from a module";\n'})
    sha512 = base64.b64encode(hashlib.sha512(packed).digest()).decode()
    version = {**manifest, "dist": {"tarball": "https://registry.npmjs.org/tiny-module/-/tiny-module-1.2.0.tgz", "integrity": f"sha512-{sha512}",
                                    "shasum": hashlib.sha1(packed).hexdigest()}}
    _write(srv / "npm/tiny-module/index.html", json.dumps({"name": "tiny-module", "dist-tags": {"latest": "1.2.0"}, "versions": {"1.2.0": version}}))
    _write(srv / "npm/tiny-module/-/tiny-module-1.2.0.tgz", packed)


def make_crates(srv):
    """A crate "tinycrate" 1.2.0, in a sparse index."""
    manifest = '[package]\nname = "tinycrate"\nversion = "1.2.0"\nedition = "2018"\n'
    packed = _tar_gz({"tinycrate-1.2.0/Cargo.toml": manifest, "tinycrate-1.2.0/src/lib.rs": 'pub const WORD: &str = "from a crate";\n'})
    line = {"name": "tinycrate", "vers": "1.2.0", "deps": [], "cksum": hashlib.sha256(packed).hexdigest(), "features": {}, "yanked": False}
    _write(srv / "crates-index/config.json", json.dumps({"dl": "https://static.crates.io/crates", "api": "https://crates.io"}))
    _write(srv / "crates-index/ti/ny/tinycrate", json.dumps(line) + "\n")
    _write(srv / "crates/crates/tinycrate/1.2.0/download", packed)


GO_MODULE, GO_VERSION = "example.com/tiny", "v1.2.0"
_GO_FILES = {"go.mod": f"module {GO_MODULE}\n\ngo 1.18\n", "tiny.go": 'package tiny\n\nconst Word = "from a module"\n'}


def go_sum():
    """The lines of go.sum with which nobody has to ask sum.golang.org."""
    def h1(files):
        lines = "".join(f"{hashlib.sha256(text.encode()).hexdigest()}  {name}\n" for name, text in sorted(files.items()))
        return "h1:" + base64.b64encode(hashlib.sha256(lines.encode()).digest()).decode()

    prefix = f"{GO_MODULE}@{GO_VERSION}/"
    return (f"{GO_MODULE} {GO_VERSION} {h1({prefix + n: t for n, t in _GO_FILES.items()})}\n"
            f"{GO_MODULE} {GO_VERSION}/go.mod {h1({'go.mod': _GO_FILES['go.mod']})}\n")


def make_go(srv):
    top, prefix = srv / "go" / GO_MODULE / "@v", f"{GO_MODULE}@{GO_VERSION}/"
    _write(top / "list", GO_VERSION + "\n")
    _write(top / f"{GO_VERSION}.info", json.dumps({"Version": GO_VERSION, "Time": "2024-01-01T00:00:00Z"}))
    _write(top / f"{GO_VERSION}.mod", _GO_FILES["go.mod"])
    _write(top / f"{GO_VERSION}.zip", _zip({prefix + name: text for name, text in _GO_FILES.items()}))


def make_debian(srv):
    """A package "tinydeb": a program that says so."""
    tree = srv / "tmp-deb"
    _write(tree / "DEBIAN/control", "Package: tinydeb\nVersion: 1.2\nArchitecture: all\nMaintainer: World <world@example.com>\nDescription: tiny\n")
    _write(tree / "usr/bin/tinydeb", "#!/bin/sh\necho from a package\n")
    (tree / "usr/bin/tinydeb").chmod(0o755)
    pool = srv / "debian/world/pool/tinydeb_1.2_all.deb"
    pool.parent.mkdir(parents=True)
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Zgzip", "--build", tree, pool], check=True, stdout=subprocess.DEVNULL)
    deb = pool.read_bytes()
    control = (tree / "DEBIAN/control").read_text()
    packages = f"{control}Filename: pool/tinydeb_1.2_all.deb\nSize: {len(deb)}\nSHA256: {hashlib.sha256(deb).hexdigest()}\n\n".encode()
    arch = subprocess.run(["dpkg", "--print-architecture"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    suite = srv / "debian/world/dists/bookworm"
    sums = ""
    for name, content in ((f"main/binary-{arch}/Packages", packages), (f"main/binary-{arch}/Packages.gz", gzip.compress(packages))):
        _write(suite / name, content)
        sums += f" {hashlib.sha256(content).hexdigest()} {len(content)} {name}\n"
    _write(suite / "Release", f"Origin: World\nSuite: stable\nCodename: bookworm\nDate: Mon, 01 Jan 2024 00:00:00 UTC\nArchitectures: {arch} all\nComponents: main\nSHA256:\n{sums}")


def make_git(srv):
    """github.com:acme/hello.git, one commit with a README."""
    work, repository = srv / "tmp-git", srv / "git/acme/hello.git"
    who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in (("NAME", "World"), ("EMAIL", "world@example.com"))}
    env = {"PATH": os.environ["PATH"], "HOME": str(srv), "GIT_CONFIG_NOSYSTEM": "1", **who}

    def git(*words):
        subprocess.run(["git", *map(str, words)], env=env, check=True, stdout=subprocess.DEVNULL)

    git("init", "-q", "-b", "main", work)
    _write(work / "README", "hello from git\n")
    git("-C", work, "add", ".")
    git("-C", work, "commit", "-qm", "hello")
    git("clone", "-q", "--bare", work, repository)
    git("-C", repository, "config", "http.receivepack", "true")


MAKERS = {"pypi": make_pypi, "npm": make_npm, "crates": make_crates, "go": make_go, "debian": make_debian, "git": make_git}
