# Runs a program as `python3 FILE` would, and stores what its last expression was. sdk/boot/show.py stands in front of this.
import ast
import os
import types

SAID = "/tmp/.aisbx-said"


def trimmed(kind, error, trace):
    while trace and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    sys.__excepthook__(kind, error.with_traceback(trace), trace)


def tell(results):
    try:
        with open(SAID + ".new", "wb") as f:
            f.write(wire({"results": results}))
        os.rename(SAID + ".new", SAID)
    except Exception:  # the program has come to its end all the same
        pass


def run(path):
    main = types.ModuleType("__main__")
    main.__file__ = path
    sys.modules["__main__"] = main
    with open(path, "rb") as f:
        tree = compile(f.read(), path, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    last = ast.Expression(tree.body.pop().value) if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, path, "exec", dont_inherit=True), main.__dict__)
    value = eval(compile(last, path, "eval", dont_inherit=True), main.__dict__) if last else None
    results = []
    try:
        results.extend(figures())
        if value is not None:
            results.append(show(value))
    except Exception:  # so is a value that cannot be shown
        pass
    if results:
        tell(results)


del sys.argv[0]
sys.excepthook = trimmed
run(sys.argv[0])
