# SPDX-License-Identifier: Apache-2.0
# Runs the program on standard input inside a box, and says on stderr, behind the mark given as argument, what its last
# expression was and which exception ended it. tools/sdk-types puts it into the SDKs.
import ast
import linecache
import os
import traceback
import types


def execute(code, results):
    main = types.ModuleType("__main__")
    sys.modules["__main__"] = main
    tree = ast.parse(code, "<code>")
    last = ast.Expression(tree.body.pop().value) if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<code>", "exec"), main.__dict__)
    value = eval(compile(last, "<code>", "eval"), main.__dict__) if last else None
    results.extend(figures())
    if value is not None:
        results.append(show(value))


def boot():
    mark, sys.argv = sys.argv[1], ["<code>"]
    os.environ.setdefault("MPLBACKEND", "agg")
    sys.path.insert(0, "")
    code = sys.stdin.buffer.read().decode()
    linecache.cache["<code>"] = (len(code), None, code.splitlines(True), "<code>")
    results, error, status = [], None, 0
    try:
        execute(code, results)
    except BaseException as e:
        frames = e.__traceback__
        while frames and frames.tb_frame.f_code.co_filename != "<code>":
            frames = frames.tb_next
        text = "".join(traceback.format_exception(type(e), e, frames))
        error = {"name": type(e).__name__, "value": str(e), "traceback": text}
        status = e.code if isinstance(e, SystemExit) else 1
        if isinstance(e, SystemExit):
            status = 0 if status is None else status if isinstance(status, int) else 1
            error = error if status else None
        else:
            sys.stderr.write(text)
    sys.stdout.flush()
    sys.stderr.flush()
    said = b"\x1e" + mark.encode() + wire({"results": results, "error": error}) + b"\n"
    while said:
        said = said[os.write(2, said):]
    sys.exit(status)


boot()
