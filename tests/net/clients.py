# SPDX-License-Identifier: Apache-2.0
"""Clients that install or fetch something: what each needs of the world, the rule with which it works in a box, and how to tell that it did.

No proxy variable is set for any of them.
"""
import dataclasses

import box
import names
import registries

CARGO = '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2018"\n\n[dependencies]\ntinycrate = "1.2"\n'


@dataclasses.dataclass(frozen=True)
class Client:
    net: tuple       # presets or rules
    hosts: set       # names of net.hosts in the result
    script: str
    expect: str
    needs: str = ""
    files: dict = dataclasses.field(default_factory=dict)
    outside: str = None  # instead of the script where there is no box
    root_only: bool = False

    def prepare(self, world, project):
        if self.needs:
            world.need(self.needs)
        for name, text in self.files.items():
            path = project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


_APT = "-o APT::Sandbox::User=root -o Dir::State=$PWD/state -o Dir::Cache=$PWD/cache"

INSTALLERS = {
    "pip": Client(("python-packages",), {"pypi.org", "files.pythonhosted.org"}, needs="pypi", expect="from a wheel",
                  script="/usr/bin/python3 -m pip install -q --no-compile --root-user-action=ignore --break-system-packages --target got tinywheel\n"
                         "PYTHONPATH=got /usr/bin/python3 -c 'import tinywheel; print(tinywheel.WORD)'"),
    "npm": Client(("npm",), {"registry.npmjs.org"}, needs="npm", expect="from a module", files={"package.json": "{}\n"},
                  script="npm install --no-update-notifier tiny-module\nnode -p 'require(\"tiny-module\")'"),
    # Debian's cargo has the sparse protocol, but does not use it by itself yet.
    "cargo": Client(("crates",), {"index.crates.io", "static.crates.io"}, needs="crates", expect="from a crate",
                    files={"Cargo.toml": CARGO, "src/main.rs": "fn main() {}\n"},
                    script="RUSTC_BOOTSTRAP=1 /usr/bin/cargo -Z sparse-registry fetch\ncat \"$HOME\"/.cargo/registry/src/*/tinycrate-1.2.0/src/lib.rs"),
    "go": Client(("go",), {"proxy.golang.org"}, needs="go", expect="from a module",
                 files={"go.mod": f"module a\n\ngo 1.18\n\nrequire {registries.GO_MODULE} {registries.GO_VERSION}\n", "go.sum": registries.go_sum()},
                 script=f"GOFLAGS=-modcacherw go mod download\ncat \"$HOME\"/go/pkg/mod/{registries.GO_MODULE}@{registries.GO_VERSION}/tiny.go"),
    "git-https": Client(("github",), {"github.com"}, needs="git", expect="hello from git",
                        script="git clone -q https://github.com/acme/hello.git\ncat hello/README"),
    "git-ssh": Client(("github.com:22",), {"github.com"}, needs="ssh", expect="hello from git",
                      script="git clone -q git@github.com:acme/hello.git\ncat hello/README"),
    "apt-get": Client(("debian",), {"deb.debian.org"}, needs="debian", expect="from a package", root_only=True,
                      script="apt-get -q update && apt-get -q install -y tinydeb && tinydeb",
                      outside=f"mkdir -p state/lists/partial cache/archives/partial; apt-get -q {_APT} update && apt-get -q {_APT} -s install tinydeb && echo from a package"),
    "psql": Client(("db.example.net:5432",), {"db.example.net"}, needs="postgres", expect="42",
                   script="psql -h db.example.net -U postgres -Atc 'select 6 * 7'"),
    # A database in the private network of a company, by a rule that says so.
    "psql-private": Client((f"{names.PRIVATE}/32:5432",), set(), needs="postgres", expect="42",
                           script=f"psql -h {names.PRIVATE} -U postgres -Atc 'select 6 * 7'"),
}


def usable():
    """Names of those that this user can run: apt-get installs into the system, which only root can."""
    return [name for name, client in INSTALLERS.items() if box.IS_ROOT or not client.root_only]
