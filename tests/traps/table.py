# SPDX-License-Identifier: Apache-2.0
"""The table of traps, src/policy/traps.def, as data; and as the table of docs/traps.md: `table.py` prints that."""
import ast
import pathlib
import re

FILE = pathlib.Path(__file__).resolve().parents[2] / "src/policy/traps.def"
KINDS = {"git-hook": "Git and its relatives", "git-config": "Git and its relatives", "editor": "Editors and language servers",
         "agent": "Agents", "gate": "Agents", "tool": "Linters, formatters, test runners, bundlers",
         "lifecycle": "Package managers and builds", "ci": "Build servers", "startup": "Shells, logins, desktops, interpreters"}


def rows():
    """Dictionaries: macro, kind, pattern, key (of KEY, else ""), tool, when, proof."""
    found = []
    for line in FILE.read_text().splitlines():
        if match := re.fullmatch(r"(TRAP|GUARD|KEY)(\(.*\))", line):
            words = list(ast.literal_eval(match[2]))
            if match[1] != "KEY":
                words.insert(2, "")
            found.append(dict(zip(("macro", "kind", "pattern", "key", "tool", "when", "proof"), (match[1], *words), strict=True)))
    return found


def page():
    """The tables, a chapter for each group."""
    out = []
    for title in dict.fromkeys(KINDS.values()):
        out += [f"### {title}", "", "| name | tool | what makes it obey | proved |", "| --- | --- | --- | --- |"]
        for row in rows():
            if KINDS[row["kind"]] == title:
                name = row["pattern"] if len(row["pattern"]) < 400 else row["pattern"][:60] + " ... " + row["pattern"][-40:]
                cells = [f"`{name}`" + (f" at `{row['key']}`" if row["key"] else ""), row["tool"], row["when"], "yes" if row["proof"] else "no"]
                out.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        out.append("")
    return "\n".join(out)


if __name__ == "__main__":
    print(page(), end="")
