# SPDX-License-Identifier: Apache-2.0
"""The table of mistakes, tests/e2e/mistakes.txt: read, played and, with `python3 tests/lib/mistakes.py AISBX`, written again from what is
said now. Look at every line of the difference: it is what a person reads."""
import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TABLE = pathlib.Path(__file__).resolve().parents[1] / "e2e/mistakes.txt"


@dataclasses.dataclass
class Mistake:
    title: str
    only: str = ""  # "root" or "user": for one of them it is no mistake
    before: list = dataclasses.field(default_factory=list)
    typed: str = ""
    said: str = ""
    status: int = 0

    def text(self):
        lines = [f"--- {self.title}"] + ([f"only: {self.only}"] if self.only else [])
        lines += [f"before: {line}" for line in self.before] + [f"$ {self.typed}"]
        return "\n".join(lines) + f"\n{self.said}[{self.status}]\n"


def read(path=TABLE):
    """What stands before the first row, and all rows."""
    head, *blocks = re.split(r"^--- ", path.read_text(encoding="utf-8"), flags=re.M)
    rows = []
    for block in blocks:
        title, *lines = block.rstrip("\n").split("\n")
        row = Mistake(title)
        while not lines[0].startswith("$ "):
            kind, _, text = lines.pop(0).partition(": ")
            if kind == "only":
                row.only = text
            else:
                assert kind == "before", (title, kind)
                row.before.append(text)
        row.typed = lines.pop(0)[2:]
        status = re.fullmatch(r"\[(\d+)\]", lines[-1]) if lines else None
        if status:
            row.status = int(status[1])
            row.said = "".join(line + "\n" for line in lines[:-1])
        rows.append(row)
    return head, rows


def normal(text, home):
    """Without what differs from machine to machine, and from run to run."""
    text = text.replace(str(home), "~").replace(os.path.realpath(home), "~")
    text = re.sub(r"inside (a box|box '[^']*')", "inside box 'NAME'", text)
    return re.sub(r"\b[0-9a-f]{16}\b", "ID", text)


def play(row, aisbx, home):
    """What is said and the exit status, in a home directory of its own with a project ~/p that has one file."""
    project = home / "p"
    project.mkdir(parents=True, exist_ok=True)
    (project / "readme.txt").write_text("hello\n")
    words = home / "bin"
    words.mkdir()
    (words / "aisbx").symlink_to(aisbx)
    env = {"HOME": str(home), "PATH": f"{words}:/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "TERM": "dumb", "USER": os.environ.get("USER", "root")}
    for line in row.before:
        done = subprocess.run(["bash", "-c", line], cwd=project, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, (row.title, line, done.stdout, done.stderr)
    done = subprocess.run(["bash", "-c", row.typed], cwd=project, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", timeout=60, check=False)
    return normal(done.stdout, home), done.returncode


def who():
    return "user" if os.geteuid() else "root"


def write(aisbx):
    head, rows = read()
    for row in rows:
        if row.only not in ("", who()):
            continue
        with tempfile.TemporaryDirectory() as home:
            os.chmod(home, 0o700)
            try:
                row.said, row.status = play(row, aisbx, pathlib.Path(home).resolve())
            finally:
                subprocess.run(["chmod", "-R", "u+rwX", home], stderr=subprocess.DEVNULL, check=False)
    TABLE.write_text(head + "\n".join(row.text() for row in rows), encoding="utf-8")


if __name__ == "__main__":
    write(os.path.abspath(sys.argv[1]))
