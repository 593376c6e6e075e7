# benign: an ordinary setup.py
import os
from setuptools import find_packages, setup

here = os.path.abspath(os.path.dirname(__file__))
about = {}
with open(os.path.join(here, "app", "__version__.py")) as f:
    exec(f.read(), about)
setup(
    name="app",
    version=about["__version__"],
    packages=find_packages(exclude=["tests"]),
    install_requires=["requests>=2"],
    entry_points={"console_scripts": ["app=app.cli:main"]},
)
