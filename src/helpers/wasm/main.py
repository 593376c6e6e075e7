# SPDX-License-Identifier: Apache-2.0
# What a python does that is prepared once and then copied for each program. It imports what programs use, says where
# it waits, and leaves. Each copy goes on in begin(), with the arguments, the directory and the variables of its program.
import sys

# Imported ahead of time; what is not here a program imports as always.
for _name in ("abc argparse array ast base64 bisect calendar collections contextlib copy csv dataclasses datetime decimal "
              "difflib enum fractions functools glob hashlib heapq html inspect io itertools json keyword linecache logging "
              "math numbers operator os pathlib pprint queue random re secrets shutil statistics string struct tempfile "
              "textwrap threading time timeit token tokenize traceback types typing unicodedata urllib.parse uuid warnings "
              "weakref zlib asyncio unittest").split():
    try:
        __import__(_name)
    except ImportError:
        pass


def _aisbx():
    import asyncio
    import atexit
    import builtins
    import gc
    import io
    import linecache
    import os
    import random
    import selectors
    import threading
    import time
    import traceback
    import types

    job = bytes(256 << 10)  # written by the host: two counts, then directory, arguments, variables, each with a NUL
    text = b"_aisbx_begin()\0"
    address = 16  # of the bytes of such an object, from its beginning

    def take():
        n_args, n_env = int.from_bytes(job[0:4], "little"), int.from_bytes(job[4:8], "little")
        words, at = [], 8
        for _ in range(1 + n_args + n_env):
            end = job.index(b"\0", at)
            words.append(job[at:end].decode("utf-8", "surrogateescape"))
            at = end + 1
        return words[0], words[1:1 + n_args], words[1 + n_args:]

    def set_up(cwd, env):
        os.environ.clear()
        for word in env:
            name, _, value = word.partition("=")
            os.environ[name] = value
        try:
            os.chdir(cwd)
        except OSError as error:
            sys.stderr.write("aisbx: change to the directory '%s': %s\n" % (cwd, error.strerror))
            os._exit(126)
        random.seed()  # else each program would have the same numbers
        for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
            stream = open(number, mode, encoding="utf-8", errors="backslashreplace" if number == 2 else "surrogateescape"
                          if number == 0 else "strict", closefd=False, buffering=-1 if number < 2 else 1)
            if number == 2 or (number == 1 and os.isatty(1)):
                stream.reconfigure(line_buffering=True)
            stream.mode = mode
            setattr(sys, name, stream)
            setattr(sys, "__%s__" % name, stream)

    def usage(word):
        sys.stderr.write("aisbx: this python takes a FILE, -c TEXT, -m MODULE, or - for standard input; not '%s'\n" % word)
        os._exit(2)

    def choose(args):
        """What to run: a function, and what becomes of sys.argv."""
        at = 1
        while at < len(args) and args[at] in ("-I", "-u", "-E", "-s", "-S", "-B", "-q", "-X", "-W", "-P"):
            at += 2 if args[at] in ("-X", "-W") else 1
        word = args[at] if at < len(args) else "-"
        if word in ("-c", "-m") and at + 1 < len(args):
            return word, args[at + 1], args[at + 2:]
        if word == "-":
            return "-", None, args[at + 1:]
        if word in ("-V", "--version"):
            print("Python " + sys.version.split()[0])
            sys.stdout.flush()
            os._exit(0)
        if word.startswith("-"):
            usage(word)
        return "file", word, args[at + 1:]

    def resolve(path):
        """As python does for the directory of a program; without a look at times, which are another every time."""
        try:
            return os.path.join(os.path.dirname(path), os.readlink(path))
        except OSError:
            return path

    def run_text(source, name, module):
        exec(compile(source, name, "exec", dont_inherit=True), module.__dict__)

    def run(how, what, rest):
        module = types.ModuleType("__main__")
        module.__builtins__ = builtins
        module.__annotations__ = {}
        sys.modules["__main__"] = module
        if how == "m":
            how = "-m"
        if how == "-m":
            import runpy
            sys.argv = ["-m"] + rest
            sys.path[0] = os.getcwd()
            runpy._run_module_as_main(what)
        elif how == "-c":
            sys.argv = ["-c"] + rest
            sys.path[0] = ""
            run_text(what, "<string>", module)
        elif how == "-":
            sys.argv = ["-"] + rest
            sys.path[0] = ""
            run_text(sys.stdin.buffer.read(), "<stdin>", module)
        else:
            sys.argv = [what] + rest
            try:
                with io.open_code(os.path.abspath(what)) as file:
                    source = file.read()
            except OSError as error:
                sys.stderr.write("%s: can't open file '%s': [Errno %d] %s\n" % ("python3", os.path.abspath(what), error.errno,
                                                                              os.strerror(error.errno)))
                os._exit(2)
            sys.path[0] = os.path.dirname(os.path.abspath(resolve(what)))
            module.__file__ = what
            module.__cached__ = None
            run_text(source, what, module)

    def status_of(error):
        code = error.code
        if code is None:
            return 0
        if isinstance(code, int):
            return code & 0xff
        sys.stderr.write("%s\n" % (code,))
        return 1

    own = run.__code__.co_filename

    def show(kind, error, frames):
        """As python shows it: from the program's own first line on."""
        while frames is not None and frames.tb_frame.f_code.co_filename == own and \
                frames.tb_frame.f_code.co_name in ("call", "run", "run_text", "finish"):
            frames = frames.tb_next
        error.__traceback__ = frames
        sys.excepthook(kind, error, frames)

    def call(function, *args):
        try:
            function(*args)
            return 0
        except SystemExit as error:
            return status_of(error)
        except BaseException as error:
            try:
                show(type(error), error, error.__traceback__)
            except SystemExit as last:
                return status_of(last)
            except BaseException:
                traceback.print_exc()
            return 1

    def finish():
        threading._shutdown()
        atexit._run_exitfuncs()

    def begin():
        sys.setrecursionlimit(1000)
        cwd, args, env = take()
        set_up(cwd, env)
        status = call(run, *choose(args))
        status = call(finish) or status
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:
                status = status or 120
        os._exit(status)

    class EventLoop(asyncio.SelectorEventLoop):
        """Without the socket by which other threads and signals wake it: there are none."""

        def _make_self_pipe(self):
            self._ssock = self._csock = None
            self._internal_fds += 1

        def _close_self_pipe(self):
            self._internal_fds -= 1

        def _write_to_self(self):
            pass

    class EventLoopPolicy(asyncio.DefaultEventLoopPolicy):
        _loop_factory = EventLoop

    class Selector(selectors._BaseSelectorImpl):
        """Waits for time alone: no descriptor here is one that becomes ready."""

        def select(self, timeout=None):
            if timeout is None:
                raise OSError("aisbx: everything waits, and nothing here can wake it")
            time.sleep(max(timeout, 0))
            return []

    selectors.DefaultSelector = Selector
    asyncio.set_event_loop_policy(EventLoopPolicy())
    builtins._aisbx_begin = begin
    linecache.clearcache()
    gc.collect()
    gc.freeze()
    builtins._aisbx_kept = (job, text)
    sys.setrecursionlimit(0x5ca1ab1)  # by which the host finds where limits are kept, see prepare.c
    os.write(1, b"ready %d %d\n" % (id(text) + address, id(job) + address))
    os._exit(0)


_aisbx()
