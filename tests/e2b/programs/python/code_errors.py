# SPDX-License-Identifier: Apache-2.0
"""An exception in the code is a result with its name, value and traceback; code that hangs is interrupted; the variables stay."""
from e2b import TimeoutException
from e2b_code_interpreter import Sandbox

with Sandbox.create() as sandbox:
    sandbox.run_code("kept = 'kept'\ndef divide(a, b):\n    return a / b")
    seen = []
    failed = sandbox.run_code("print('before')\ndivide(1, 0)\nprint('after')", on_error=seen.append)
    assert (failed.error.name, failed.error.value) == ("ZeroDivisionError", "division by zero"), failed.error
    assert "divide" in failed.error.traceback and "ZeroDivisionError" in failed.error.traceback, failed.error.traceback
    assert "".join(failed.logs.stdout) == "before\n" and failed.results == [], failed
    assert [error.name for error in seen] == ["ZeroDivisionError"], seen

    assert sandbox.run_code("def broken(:").error.name == "SyntaxError"
    assert sandbox.run_code("unknown_name").error.name == "NameError"
    assert sandbox.run_code("import sys; sys.exit(3)").error.name == "SystemExit"
    assert sandbox.run_code("kept").text == "'kept'"

    try:
        sandbox.run_code("print('spinning', flush=True)\nwhile True: pass", timeout=2)
        raise AssertionError("an endless loop came to its end")
    except TimeoutException as error:
        assert "timeout" in str(error), error
    assert sandbox.run_code("kept").text == "'kept'", "the loop was interrupted, the variables are there"
