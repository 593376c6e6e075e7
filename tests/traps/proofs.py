# SPDX-License-Identifier: Apache-2.0
"""What proves rows of the table of traps: a file is planted, its tool is started the innocent way, and the planted code runs.

`PROOFS` maps the name in the table to a Proof. In files and commands {C} is the canary, which planted code makes, and {D} the directory.
"""
import dataclasses

SH = "#!/bin/sh\ntouch {C}\nexec \"$@\"\n"
PY = "import pathlib\npathlib.Path('{C}').touch()\n"
JS = "require('fs').writeFileSync('{C}', '');\n"
PACKAGE = '{{"name": "x", "version": "1.0.0"}}\n'
EVIL_INI = "addopts = -p evil\n"
PYTEST = ["/usr/bin/python3 -B -m pytest -q -p no:cacheprovider"]
CARGO = '[package]\nname = "x"\nversion = "1.0.0"\nedition = "2021"\n'
CHECK = ["cargo check -q --offline"]


@dataclasses.dataclass
class Proof:
    traps: dict  # the files of which the row tells
    run: list  # the innocent commands
    others: dict = dataclasses.field(default_factory=dict)  # what is there anyway, or what the trap leads to
    before: tuple = ()  # what the person did before
    consent: str = "true"  # what the tool wants the person to say, once
    home: bool = False  # the directory is a home
    env: dict = dataclasses.field(default_factory=dict)


def hook(name):
    return {name: "#!/bin/sh\ntouch {C}\n"}


COMMIT = ["git -c user.name=x -c user.email=x@localhost commit -q --allow-empty -m x"]
INIT = ("git init -q",)
FSMONITOR = "[core]\n\tfsmonitor = touch {C}; false\n"

PROOFS = {
    "git-hooks": Proof(hook(".git/hooks/pre-commit"), COMMIT, before=INIT),
    "git-config": Proof({".git/config": "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = touch {C}; false\n"}, ["git status"], before=INIT),
    "git-attributes": Proof({".gitattributes": "* filter=x\n"}, ["git add ."], {"file": "x\n"},
                            (*INIT, "git config filter.x.clean 'touch {C}; cat'")),
    "git-home": Proof({".gitconfig": FSMONITOR}, ["git status"], before=INIT, home=True),
    "git-xdg": Proof({".config/git/config": FSMONITOR}, ["git status"], before=INIT, home=True),
    "git-hookspath": Proof(hook(".githooks/pre-commit"), COMMIT, before=(*INIT, "git config core.hooksPath .githooks")),
    "hg": Proof({".hg/hgrc": "[alias]\nstatus = !touch {C}\n"}, ["hg status"], before=("hg init",)),
    "hg-home": Proof({".hgrc": "[alias]\nstatus = !touch {C}\n"}, ["hg status"], before=("hg init",), home=True),
    "vim-exrc": Proof({".exrc": "silent !touch {C}\n"}, ["vim -n -T dumb -c qa!"], before=("echo set exrc >home/.vimrc",)),
    "eslint": Proof({"eslint.config.cjs": JS + "module.exports = [];\n"}, ["eslint ."], {"a.js": "let a = 1;\n"}),
    "prettier-rc": Proof({".prettierrc.cjs": JS + "module.exports = {{}};\n"}, ["prettier --check a.js"], {"a.js": "let a = 1;\n"}),
    "prettier-config": Proof({"prettier.config.cjs": JS + "module.exports = {{}};\n"}, ["prettier --check a.js"], {"a.js": "let a = 1;\n"}),
    "package-prettier": Proof({"package.json": '{{"name": "x", "prettier": "./evil.cjs"}}\n'}, ["prettier --check a.js"],
                              {"evil.cjs": JS + "module.exports = {{}};\n", "a.js": "let a = 1;\n"}),
    "mocharc": Proof({".mocharc.cjs": JS + "module.exports = {{}};\n"}, ["mocha a.js"], {"a.js": ""}),
    "pytest-conftest": Proof({"conftest.py": PY}, PYTEST),
    "pytest-ini": Proof({"pytest.ini": "[pytest]\n" + EVIL_INI}, PYTEST, {"evil.py": PY}),
    "pytest-tox": Proof({"tox.ini": "[pytest]\n" + EVIL_INI}, PYTEST, {"evil.py": PY}),
    "pytest-setup-cfg": Proof({"setup.cfg": "[tool:pytest]\n" + EVIL_INI}, PYTEST, {"evil.py": PY}),
    "pyproject-pytest": Proof({"pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-p evil'\n"}, PYTEST, {"evil.py": PY}),
    "pylint": Proof({".pylintrc": "[MAIN]\ninit-hook=open('{C}', 'w').close()\n"}, ["pylint a.py"], {"a.py": "A = 1\n"}),
    "flake8": Proof({".flake8": "[flake8:local-plugins]\nextension =\n  X1 = evil:Check\npaths = .\n"}, ["flake8 a.py"],
                    {"a.py": "A = 1\n", "evil.py": PY + "class Check:\n    name = 'x'\n    version = '1'\n    def __init__(self, tree): pass\n"
                                                       "    def run(self): return []\n"}),
    "mypy": Proof({"mypy.ini": "[mypy]\nplugins = ./evil.py\n"}, ["mypy --cache-dir=/dev/null a.py"],
                  {"a.py": "A = 1\n", "evil.py": PY + "def plugin(version): raise SystemExit\n"}),
    "nox": Proof({"noxfile.py": PY}, ["nox -l"]),
    "prove": Proof({".proverc": "--exec 'touch {C}'\n"}, ["prove"], {"t/a.t": "print \"1..0\\n\";\n"}),
    "npmrc": Proof({".npmrc": "script-shell={D}/evil\n"}, ["npm test"], {"evil": SH, "package.json": '{{"scripts": {{"test": "true"}}}}\n'}),
    "yarn-path": Proof({".yarnrc": 'yarn-path "./evil.js"\n'}, ["yarn --version"], {"evil.js": JS, "package.json": PACKAGE}),
    "pnpmfile": Proof({".pnpmfile.cjs": JS}, ["pnpm install --offline"], {"package.json": PACKAGE}),
    "node-modules": Proof({"node_modules/.bin/tool": SH}, ["npx --no tool"], {"package.json": PACKAGE}),
    "npm-scripts": Proof({"package.json": '{{"name": "x", "scripts": {{"postinstall": "touch {C}"}}}}\n'}, ["npm install --offline"]),
    "npm-version": Proof({"package.json": '{{"name": "x", "version": "1.0.0", "scripts": {{"version": "touch {C}"}}}}\n'},
                         ["npm version --no-git-tag-version patch"]),
    "npm-place": Proof({"package.json": '{{"name": "x", "dependencies": {{"y": "file:./y"}}}}\n'}, ["npm install --offline"],
                       {"y/package.json": '{{"name": "y", "version": "1.0.0", "scripts": {{"postinstall": "touch {C}"}}}}\n'}),
    "pip-setup": Proof({"setup.py": PY + "from setuptools import setup\nsetup(name='x')\n"},
                       ["/usr/bin/python3 -m pip -q install --no-index --no-build-isolation --no-deps --target out ."]),
    "pip-backend": Proof({"pyproject.toml": "[build-system]\nrequires = []\nbuild-backend = 'evil'\nbackend-path = ['.']\n"},
                         ["/usr/bin/python3 -m pip -q install --no-index --no-build-isolation --no-deps --target out ."], {"evil.py": PY}),
    "cargo-build": Proof({"build.rs": 'fn main() {{ std::fs::write("{C}", "").unwrap() }}\n'}, CHECK, {"Cargo.toml": CARGO, "src/lib.rs": ""}),
    "cargo-key": Proof({"Cargo.toml": CARGO + 'build = "x.rs"\n'}, CHECK,
                       {"x.rs": 'fn main() {{ std::fs::write("{C}", "").unwrap() }}\n', "src/lib.rs": ""}),
    "cargo-config": Proof({".cargo/config.toml": '[build]\nrustc-wrapper = "{D}/evil"\n'}, CHECK,
                          {"evil": SH, "Cargo.toml": CARGO, "src/lib.rs": ""}),
    "cmake-lists": Proof({"CMakeLists.txt": "cmake_minimum_required(VERSION 3.10)\nproject(x NONE)\nexecute_process(COMMAND touch {C})\n"},
                         ["cmake -B out ."]),
    "direnv": Proof({".envrc": "touch {C}\n"}, ["direnv export bash"], consent="direnv allow ."),
    "bashrc": Proof({".bashrc": "touch {C}\n"}, ["bash -ic true"], home=True),
    "profile": Proof({".profile": "touch {C}\n"}, ["bash -lc true"], home=True),
    "zshenv": Proof({".zshenv": "touch {C}\n"}, ["zsh -c true"], home=True),
    "tmux": Proof({".tmux.conf": "run-shell 'touch {C}'\n"}, ["tmux -S {D}/s$$ new-session -d 'sleep 60' \\; run-shell true && tmux -S {D}/s$$ kill-server"], home=True),
    "pdbrc": Proof({".pdbrc": "!open('{C}', 'w').close()\nquit\n"}, ["/usr/bin/python3 -m pdb a.py"], {"a.py": "A = 1\n"}),
    "sitecustomize": Proof({"sitecustomize.py": PY}, ["/usr/bin/python3 -c pass"], env={"PYTHONPATH": "{D}"}),
    "python-pth": Proof({"lib/python3.11/site-packages/x.pth": "import pathlib; pathlib.Path('{C}').touch()\n"}, ["/usr/bin/python3 -c pass"],
                        env={"PYTHONUSERBASE": "{D}"}),
    "egg-info": Proof({"evil.egg-info/entry_points.txt": "[pytest11]\nevil = evil\n"}, PYTEST,
                      {"evil.egg-info/PKG-INFO": "Metadata-Version: 2.1\nName: evil\nVersion: 1\n", "evil.py": PY}),
    "python-shadow": Proof({"random.py": PY}, ["/usr/bin/python3 -c 'import tempfile'"]),
    "python-pip": Proof({"pip.py": PY}, ["/usr/bin/python3 -m pip --version"]),
}
