# SPDX-License-Identifier: Apache-2.0
"""Contexts do not see each other; each has its directory and language; they can be listed, restarted and removed."""
from e2b import InvalidArgumentException, NotFoundException
from e2b_code_interpreter import Sandbox

with Sandbox.create() as sandbox:
    sandbox.files.make_dir("/home/user/project")
    one, two = sandbox.create_code_context(), sandbox.create_code_context(cwd="/home/user/project", language="python")
    assert one.id != two.id and (two.language, two.cwd) == ("python", "/home/user/project"), (one, two)
    sandbox.run_code("x = 1", context=one)
    sandbox.run_code("x = 2", context=two)
    sandbox.run_code("x = 3")
    assert [sandbox.run_code("x", context=context).text for context in (one, two, None)] == ["1", "2", "3"]
    assert sandbox.run_code("import os\nos.path.samefile('.', '/home/user/project')", context=two).text == "True"
    assert {one.id, two.id} <= {context.id for context in sandbox.list_code_contexts()}

    sandbox.restart_code_context(one)
    assert sandbox.run_code("x", context=one).error.name == "NameError"
    sandbox.remove_code_context(one)
    assert one.id not in {context.id for context in sandbox.list_code_contexts()}
    try:
        sandbox.run_code("x", context=one)
        raise AssertionError("the context is gone")
    except NotFoundException:
        pass
    try:
        sandbox.run_code("x", language="python", context=two)
        raise AssertionError("language and context")
    except InvalidArgumentException:
        pass

    assert "".join(sandbox.run_code("name=bash; echo hello from $name", language="bash").logs.stdout) == "hello from bash\n"
    script = sandbox.run_code("const square = n => n * n; console.log('from javascript'); square(12)", language="javascript")
    assert "".join(script.logs.stdout) == "from javascript\n" and script.text == "144", script
    assert sandbox.run_code("square(3)", language="javascript").text == "9", "it remembers, too"
