# SPDX-License-Identifier: Apache-2.0
"""What an assistant does: takes a table from its user, runs the code a model wrote, mends it, hands back a file."""
from e2b_code_interpreter import Sandbox

TABLE = "city,year,people\nOslo,2020,693494\nOslo,2024,717710\nBergen,2020,283929\nBergen,2024,291940\n"
WRITTEN = ["""
import csv
rows = list(csv.DictReader(open('/home/user/table.csv')))
growth = {r['town']: int(r['people']) for r in rows}
""", """
growth = {}
for row in rows:
    growth.setdefault(row['city'], []).append(int(row['people']))
report = '\\n'.join(f'{city}: {100 * (new - old) / old:.1f} %' for city, (old, new) in growth.items())
open('/home/user/report.md', 'w').write('# Growth\\n' + report + '\\n')
print(report)
growth
"""]

with Sandbox.create(timeout=300) as sandbox:
    sandbox.files.write("/home/user/table.csv", TABLE)
    tries = []
    for code in WRITTEN:
        done = sandbox.run_code(code)
        tries.append(done.error.name if done.error else done.text)
        if not done.error:
            break
    assert tries == ["KeyError", "{'Oslo': [693494, 717710], 'Bergen': [283929, 291940]}"], tries
    assert "".join(done.logs.stdout) == "Oslo: 3.5 %\nBergen: 2.8 %\n", done.logs
    assert sandbox.files.read("/home/user/report.md") == "# Growth\nOslo: 3.5 %\nBergen: 2.8 %\n"
    assert done.to_json().startswith("{") and "693494" in done.to_json()
