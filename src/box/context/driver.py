import ast, select, shutil, traceback

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


def output(number):
    return [os.open(f"{here}/{number}.{name}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600) for name in ("out", "err")]


def plain_turn(code, variables, fds):
    os.environ.update(variables)
    for fd, new in zip((1, 2), fds):
        os.dup2(new, fd)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    said = {**run(code), "engine": "plain"}
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for stream, fd in (sys.stdout, 1), (sys.stderr, 2):
        try:
            stream.flush()
        except Exception:
            pass
        os.dup2(own[fd - 1], fd)
    return said


def kernel_turn(code, variables, fds):
    signal.signal(signal.SIGINT, lambda *_: cells.interrupt())
    if variables:
        cells.set(variables)
    said = cells.run(code, dict(zip(("stdout", "stderr"), fds)))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if said is None:  # the program ended it, and so this
        os._exit(1)
    return said


def turn(number):
    with open(f"{here}/{number}.code", encoding="utf-8", errors="replace") as f:
        variables, code = json.loads(f.readline()), f.read()
    fds = output(number)
    said = (kernel_turn if cells else plain_turn)(code, variables, fds)
    for fd in fds:
        os.close(fd)
    with open(f"{here}/{number}.new", "wb") as f:
        f.write(wire(said))
    os.rename(f"{here}/{number}.new", f"{here}/{number}.done")


def end(*_):
    if cells:
        cells.end()
    shutil.rmtree(here, ignore_errors=True)
    os._exit(0)


cells = None
signal.signal(signal.SIGINT, signal.SIG_IGN)
with open(here + "/pid", "w", encoding="ascii") as f:
    f.write(str(os.getpid()))
cells = kernel(here)
if cells:
    signal.signal(signal.SIGTERM, end)
while select.select([ask], [], [], idle or None)[0]:
    turn(int(os.read(ask, 64).split()[0]))
end()
