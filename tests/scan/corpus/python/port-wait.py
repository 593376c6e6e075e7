# tricky-benign: waits for a port
import socket
import time

def wait(port, seconds=10):
    end = time.time() + seconds
    while time.time() < end:
        try:
            with socket.create_connection(("localhost", port), timeout=1):
                return True
        except OSError:
            time.sleep(0.1)
    return False

print(wait(5432))
