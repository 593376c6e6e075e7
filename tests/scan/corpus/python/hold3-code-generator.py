# tricky-benign: makes source files, with names of dangerous functions in them
import pathlib
import textwrap

body = textwrap.dedent("""
    import os

    def run(cmd):
        return os.system(cmd)
    """)
out = pathlib.Path("gen")
out.mkdir(exist_ok=True)
(out / "runner.py").write_text(body)
