# benign: tasks of a project
from invoke import task

@task
def clean(c):
    c.run("rm -rf dist build *.egg-info")

@task(pre=[clean])
def build(c):
    c.run("python -m build")

@task
def test(c, verbose=False):
    c.run("pytest" + (" -v" if verbose else ""))
