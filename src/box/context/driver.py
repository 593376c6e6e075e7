import ast, os, select, shutil, signal, traceback

here, idle = sys.argv[1], float(sys.argv[2])
names = {"__name__": "__main__"}
shutil.rmtree(here, ignore_errors=True)
os.makedirs(here, 0o700)
os.mkfifo(here + "/ask")
ask = os.open(here + "/ask", os.O_RDWR)
own = os.dup(1), os.dup(2)


def charts():
    found = list(figures())
    if found:
        sys.modules["matplotlib.pyplot"].close("all")
    return found


def run(code):
    said = {"results": [], "error": None}
    try:
        tree = ast.parse(code, "<code>")
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "<code>", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "<code>", "eval"), names) if last else None
        said["results"] = charts() + ([] if value is None else [show(value)])
    except BaseException as error:
        trace = error.__traceback__
        while trace and trace.tb_frame.f_globals is globals():
            trace = trace.tb_next
        lines = [f.lineno for f in traceback.extract_tb(trace) if f.filename == "<code>"]
        said["error"] = {"name": type(error).__name__, "message": str(error), "line": lines[-1] if lines else getattr(error, "lineno", None),
                         "traceback": "".join(traceback.format_exception(type(error), error, trace))}
    return said


def turn(number):
    with open(f"{here}/{number}.code", encoding="utf-8", errors="replace") as f:
        variables, code = f.readline(), f.read()
    os.environ.update(json.loads(variables))
    for fd, name in (1, "out"), (2, "err"):
        new = os.open(f"{here}/{number}.{name}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(new, fd)
        os.close(new)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    said = run(code)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for stream, fd in (sys.stdout, 1), (sys.stderr, 2):
        try:
            stream.flush()
        except Exception:
            pass
        os.dup2(own[fd - 1], fd)
    with open(f"{here}/{number}.new", "wb") as f:
        f.write(wire(said))
    os.rename(f"{here}/{number}.new", f"{here}/{number}.done")


signal.signal(signal.SIGINT, signal.SIG_IGN)
with open(here + "/pid", "w", encoding="ascii") as f:
    f.write(str(os.getpid()))
while select.select([ask], [], [], idle or None)[0]:
    turn(int(os.read(ask, 64).split()[0]))
shutil.rmtree(here, ignore_errors=True)
