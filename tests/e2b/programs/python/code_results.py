# SPDX-License-Identifier: Apache-2.0
"""Code as in a notebook: the last value, what was printed, displays, and variables that stay."""
from e2b_code_interpreter import Sandbox

with Sandbox.create(envs={"UNIT": "metres"}) as sandbox:
    done = sandbox.run_code("x = 20\nprint('x is', x)\nimport sys; print('careful', file=sys.stderr)\nx + 1")
    assert done.text == "21" and done.error is None, done
    assert "".join(done.logs.stdout) == "x is 20\n" and "".join(done.logs.stderr) == "careful\n", done.logs
    assert len(done.results) == 1 and done.results[0].is_main_result and "text" in list(done.results[0].formats()), done.results

    again = sandbox.run_code("x += 1\nx")
    assert again.text == "21" and again.execution_count > done.execution_count, (again, done)
    nothing = sandbox.run_code("y = x")
    assert nothing.text is None and nothing.results == [] and nothing.logs.stdout == [], nothing

    seen = []
    sandbox.run_code("print('one')\nprint('two')\n'three'", on_stdout=lambda said: seen.append(said.line), on_result=lambda result: seen.append(result.text))
    assert "".join(seen) == "one\ntwo\n'three'", seen

    assert sandbox.run_code("import os\nos.environ['UNIT']").text == "'metres'"
    assert sandbox.run_code("import os\nos.environ.get('ONCE')", envs={"ONCE": "now"}).text == "'now'"
    assert sandbox.run_code("import os\nos.environ.get('ONCE')").text is None, "for one cell only"

    sandbox.files.write("numbers.csv", "a,b\n1,2\n3,4\n")
    assert sandbox.run_code("import csv\nsum(int(row['b']) for row in csv.DictReader(open('numbers.csv')))").text == "6", "it works in the home"
    sandbox.run_code("open('written.txt', 'w').write('by code')")
    assert sandbox.files.read("written.txt") == "by code"
