# SPDX-License-Identifier: Apache-2.0
"""Commands that people and agents type to look at a project, which the guard was never tuned for: few of them end in a box."""
import concurrent.futures
import gzip
import json
import pathlib
import sqlite3

import box
import pytest

HERE = pathlib.Path(__file__).resolve().parent
FILES = {
    "src/app.py": 'import os\nimport sys\n\n\ndef main():\n    """Says what there is."""\n    print(os.getcwd())  # TODO\n    return 0\n\n\n'
                  'if __name__ == "__main__":\n    sys.exit(main())\n',
    "src/util.py": "import json\n\n\ndef twice(n):\n    return 2 * n\n", "src/__init__.py": "", "src/index.js": "console.log('hello');\n",
    "src/hello.c": "#include <stdio.h>\nint main(void) { return puts(\"hello\") < 0; }\n",
    "tests/test_app.py": "import src.util\n\n\ndef test_twice():\n    assert src.util.twice(2) == 4\n",
    "README.md": "# Shop\n\nA small project.\n\n- one\n- two\n", "CHANGELOG.md": "## 1.2.0\n\n## 1.10.3\n", "notes.txt": "foo\nme@home\nbob\n",
    "names.txt": "bob\nanna\nbob\ncarl\n", "data.csv": "name,price,stock\nbread,2.5,10\nmilk,1.2,4\n", "config.ini": "[app]\ndebug = no\n",
    "config.yaml": "app:\n  debug: false\n", "settings.json": '{"a": 1, "b": 2}\n', "requirements.txt": "# needs\nflask==2.0\n",
    "package.json": '{"name": "shop", "version": "1.2.0", "scripts": {"test": "true", "build": "tsc"}, "dependencies": {"left": "1"}}\n',
    "events.jsonl": '{"level": "error"}\n{"level": "info"}\n', "server.log": "12:00 main ERROR no\n12:01 main WARN hm\n12:02 web INFO ok\n",
    "Makefile": "all: hello\n\nhello: src/hello.c\n\tcc -o $@ $<\n", "run.sh": "#!/bin/sh\nexec python3 src/app.py\n", ".gitignore": "build\n",
}
PATCH = "--- a/notes.txt\n+++ b/notes.txt\n@@ -1,3 +1,3 @@\n-foo\n+bar\n me@home\n bob\n"


def commands():
    return [line.replace("⏎", "\n") for line in (HERE / "everyday.txt").read_text().splitlines()]


@pytest.fixture
def shop(world):
    """A project that is not the one of the guard's own tests."""
    for name, text in FILES.items():
        (world.project / name).parent.mkdir(exist_ok=True)
        (world.project / name).write_text(text)
    (world.project / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(64))
    (world.project / "server.log.gz").write_bytes(gzip.compress(FILES["server.log"].encode()))
    (world.project / "change.patch").write_text(PATCH)
    with sqlite3.connect(world.project / "shop.db") as db:
        db.execute("create table item (name)")
    db.close()
    me = "git -c user.name=t -c user.email=t@t"
    world.sh(f"chmod +x run.sh && tar czf release.tar.gz README.md && python3 -m zipfile -c release.zip README.md && git config user.name t && "
             f"git config user.email t@t && git add . && {me} commit -qm second && git update-index -q --refresh")
    return world


def test_they_are_many():
    assert len(commands()) >= 300 and len(set(commands())) == len(commands())


def test_few_of_them_end_in_a_box(shop, tell):
    """Run for real: whether one needs a box is known only then."""
    asked = commands()
    with box.Watch(shop.home), concurrent.futures.ThreadPoolExecutor(4) as several:
        done = list(several.map(lambda c: shop.guard("--", c), asked))
    boxed = {c: d.get("wanted") for c, d in zip(asked, done) if d["act"] != "run"}
    tell(f"guard: {len(asked)} everyday commands, {len(boxed)} ended in a box ({100 * len(boxed) / len(asked):.1f} %)")
    assert len(boxed) <= 0.03 * len(asked), json.dumps(boxed, indent=1)
