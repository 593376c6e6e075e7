# tricky-benign: reads a version by running a file of the project
ns = {}
with open("src/pkg/_version.py") as f:
    exec(compile(f.read(), "_version.py", "exec"), ns)
print(ns["__version__"])
