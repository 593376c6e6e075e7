# SPDX-License-Identifier: Apache-2.0
# Programs that need what WASI does not have: processes, threads, sockets, signals, shared objects, a 64-bit build.
#: run-true
#! needs subprocess
import subprocess
r = subprocess.run(['true'])
print(r.returncode)
#: run-capture
#! needs subprocess
import subprocess, sys
r = subprocess.run([sys.executable, '-c', 'print(6 * 7)'], capture_output=True, text=True)
print(r.stdout, r.returncode)
#: check-output
#! needs subprocess
import subprocess
print(subprocess.check_output(['echo', 'hello'], text=True).strip())
print(subprocess.getoutput('echo x y'))
#: shell-pipeline
#! needs subprocess
import subprocess
r = subprocess.run('printf "b\\na\\n" | sort', shell=True, capture_output=True, text=True)
print(r.stdout.split())
#: popen-communicate
#! needs subprocess
import subprocess
p = subprocess.Popen(['cat'], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
print(p.communicate('typed in'), p.returncode)
#: called-process-error
#! needs subprocess
import subprocess
try:
    subprocess.run(['sh', '-c', 'exit 3'], check=True)
except subprocess.CalledProcessError as e:
    print(e.returncode)
#: timeout-expired
#! needs subprocess
import subprocess
try:
    subprocess.run(['sleep', '5'], timeout=0.1)
except subprocess.TimeoutExpired as e:
    print('too slow', e.timeout)
#: os-popen
#! needs subprocess
import os
with os.popen('echo from popen') as p:
    print(p.read().strip())
#: os-system
#! needs os.system
import os, sys
sys.stdout.flush()
code = os.system('exit 2')
print(os.waitstatus_to_exitcode(code))
#: fork-wait
#! needs os.fork
import os
pid = os.fork()
if pid == 0:
    os._exit(7)
_, st = os.waitpid(pid, 0)
print(os.waitstatus_to_exitcode(st))
#: fork-pipe
#! needs os.fork
import os
r, w = os.pipe()
if os.fork() == 0:
    os.write(w, b'from child')
    os._exit(0)
os.wait()
print(os.read(r, 100))
#: posix-spawn
#! needs os.posix_spawn
import os
pid = os.posix_spawnp('true', ['true'], os.environ)
print(os.waitpid(pid, 0)[1])
print(pid > 0)
#: os-exec
#! needs os.execv
import os, sys
print('replacing', flush=True)
os.execv('/bin/echo', ['echo', 'replaced'])
#: os-pipe
#! needs os.pipe
import os
r, w = os.pipe()
os.write(w, b'through a pipe')
os.close(w)
print(os.read(r, 50))
#: os-dup2
#! needs os.dup2
import os
fd = os.open('o.txt', os.O_CREAT | os.O_WRONLY)
os.dup2(fd, 9)
os.write(9, b'dup')
print(open('o.txt').read())
#: thread-start-join
#! needs threads
import threading
out = []
ts = [threading.Thread(target=out.append, args=(i,)) for i in range(4)]
for t in ts:
    t.start()
for t in ts:
    t.join()
print(sorted(out))
#: thread-lock-counter
#! needs threads
import threading
n, lock = 0, threading.Lock()
def work():
    global n
    for _ in range(500):
        with lock:
            n += 1
ts = [threading.Thread(target=work) for _ in range(3)]
[t.start() for t in ts]
[t.join() for t in ts]
print(n)
#: thread-queue-worker
#! needs threads
import threading, queue
q, out = queue.Queue(), []
def work():
    while (x := q.get()) is not None:
        out.append(x * x)
        q.task_done()
t = threading.Thread(target=work)
t.start()
for i in range(5):
    q.put(i)
q.join()
q.put(None)
t.join()
print(out)
#: thread-timer
#! needs threads
import threading
t = threading.Timer(0.01, print, ['timer fired'])
t.start()
t.join()
print(t.finished.is_set())
#: thread-event
#! needs threads
import threading
ev = threading.Event()
t = threading.Thread(target=lambda: ev.set())
t.start()
print(ev.wait(5))
t.join()
#: thread-barrier
#! needs threads
import threading
b = threading.Barrier(2)
got = []
t = threading.Thread(target=lambda: got.append(b.wait()))
t.start()
got.append(b.wait())
t.join()
print(sorted(got))
#: thread-condition
#! needs threads
import threading
c, items = threading.Condition(), []
def consume():
    with c:
        c.wait_for(lambda: items)
        print('got', items.pop())
t = threading.Thread(target=consume)
t.start()
with c:
    items.append(5)
    c.notify()
t.join()
#: thread-local
#! needs threads
import threading
l = threading.local()
l.v = 'main'
seen = []
t = threading.Thread(target=lambda: seen.append(hasattr(l, 'v')))
t.start()
t.join()
print(seen, l.v)
#: low-level-thread
#! needs threads
import _thread, time
done = _thread.allocate_lock()
done.acquire()
_thread.start_new_thread(done.release, ())
done.acquire()
print('released')
#: thread-excepthook
#! needs threads
import threading
threading.excepthook = lambda a: print('hook', a.exc_type.__name__)
t = threading.Thread(target=lambda: 1 / 0)
t.start()
t.join()
#: dump-traceback-later
#! needs threads
import faulthandler
faulthandler.dump_traceback_later(60)
faulthandler.cancel_dump_traceback_later()
print('armed and cancelled')
#: pool-threads
#! needs concurrent.futures.thread
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(3) as ex:
    print(list(ex.map(lambda x: x ** 2, range(6))))
#: pool-as-completed
#! needs concurrent.futures.thread
from concurrent.futures import ThreadPoolExecutor, as_completed
with ThreadPoolExecutor() as ex:
    fs = {ex.submit(len, w): w for w in ('a', 'bb', 'ccc')}
    print(sorted((fs[f], f.result()) for f in as_completed(fs)))
#: pool-exception
#! needs concurrent.futures.thread
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(1) as ex:
    f = ex.submit(int, 'x')
    print(type(f.exception()).__name__)
#: pool-processes
#! needs concurrent.futures.process
from concurrent.futures import ProcessPoolExecutor
if __name__ == '__main__':
    with ProcessPoolExecutor(1) as ex:
        print(list(ex.map(abs, [-1, -2])))
#: mp-pool
#! needs multiprocessing
import multiprocessing as mp
if __name__ == '__main__':
    with mp.Pool(2) as p:
        print(p.map(abs, [-3, 2, -1]))
#: mp-process-queue
#! needs multiprocessing
import multiprocessing as mp
def child(q):
    q.put('hello from child')
if __name__ == '__main__':
    q = mp.Queue()
    p = mp.Process(target=child, args=(q,))
    p.start()
    print(q.get())
    p.join()
    print(p.exitcode)
#: mp-value
#! needs multiprocessing
from multiprocessing import Value
v = Value('i', 5)
with v.get_lock():
    v.value += 1
print(v.value)
#: mp-shared-memory
#! needs multiprocessing
from multiprocessing import shared_memory
s = shared_memory.SharedMemory(create=True, size=16)
s.buf[:2] = b'ok'
print(bytes(s.buf[:2]))
s.close()
s.unlink()
#: mp-cpu-count
#! needs multiprocessing
import multiprocessing
print(multiprocessing.cpu_count() >= 1)
print(multiprocessing.current_process().name)
#: socketpair
#! needs sockets
import socket
a, b = socket.socketpair()
a.sendall(b'ping')
print(b.recv(10))
a.close(); b.close()
#: tcp-loopback
#! needs sockets
import socket
s = socket.create_server(('127.0.0.1', 0))
c = socket.create_connection(s.getsockname())
k, _ = s.accept()
c.sendall(b'hi')
print(k.recv(5))
for x in (c, k, s):
    x.close()
#: udp-loopback
#! needs sockets
import socket
a = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
a.bind(('127.0.0.1', 0))
b = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
b.sendto(b'dgram', a.getsockname())
print(a.recv(20))
a.close(); b.close()
#: getaddrinfo
#! needs sockets
import socket
info = socket.getaddrinfo('127.0.0.1', 80, type=socket.SOCK_STREAM)
print(info[0][4])
#: hostname
#! needs sockets
import socket
name = socket.gethostname()
print(len(name) > 0)
#: inet-pton-v6
#! needs sockets
import socket
p = socket.inet_pton(socket.AF_INET6, '::1')
print(p.hex(), socket.inet_ntop(socket.AF_INET6, p))
#: connection-refused
#! needs sockets
import socket
s = socket.socket(); s.bind(('127.0.0.1', 0)); port = s.getsockname()[1]; s.close()
try:
    socket.create_connection(('127.0.0.1', port), 1)
except ConnectionRefusedError as e:
    print('refused')
#: socketserver-bind
#! needs sockets
import socketserver
with socketserver.TCPServer(('127.0.0.1', 0), socketserver.BaseRequestHandler) as s:
    print(s.server_address[0])
print('closed')
#: http-server-bind
#! needs sockets
import http.server
s = http.server.HTTPServer(('127.0.0.1', 0), http.server.BaseHTTPRequestHandler)
print(s.server_address[0])
s.server_close()
#: selector-sockets
#! needs sockets
import selectors, socket
a, b = socket.socketpair()
sel = selectors.DefaultSelector()
sel.register(b, selectors.EVENT_READ, 'b')
a.send(b'x')
print([k.data for k, _ in sel.select(1)])
sel.close(); a.close(); b.close()
#: urlopen-refused
#! needs sockets
import urllib.request, urllib.error
try:
    urllib.request.urlopen('http://127.0.0.1:9/', timeout=1)
except urllib.error.URLError as e:
    print('URLError')
#: epoll
#! needs select.epoll
import select
e = select.epoll()
print(e.poll(0))
e.close()
#: asyncio-run
import asyncio
async def main():
    await asyncio.sleep(0.01)
    return 'done'
print(asyncio.run(main()))
#: asyncio-gather
import asyncio
async def f(n):
    await asyncio.sleep(0.01 * n)
    return n * n
async def main():
    print(await asyncio.gather(*(f(n) for n in (3, 1, 2))))
asyncio.run(main())
#: asyncio-queue
import asyncio
async def main():
    q = asyncio.Queue()
    async def prod():
        for i in range(3):
            await q.put(i)
        await q.put(None)
    t = asyncio.create_task(prod())
    while (x := await q.get()) is not None:
        print('got', x)
    await t
asyncio.run(main())
#: asyncio-timeout
import asyncio
async def main():
    try:
        await asyncio.wait_for(asyncio.sleep(5), 0.01)
    except asyncio.TimeoutError:
        print('timed out')
asyncio.run(main())
#: asyncio-taskgroup
import asyncio
async def bad():
    raise ValueError('x')
async def main():
    try:
        async with asyncio.TaskGroup() as tg:
            tg.create_task(bad())
            tg.create_task(asyncio.sleep(1))
    except* ValueError as g:
        print('group', len(g.exceptions))
asyncio.run(main())
#: asyncio-cancel
import asyncio
async def main():
    t = asyncio.create_task(asyncio.sleep(9))
    await asyncio.sleep(0)
    t.cancel()
    try:
        await t
    except asyncio.CancelledError:
        print('cancelled')
asyncio.run(main())
#: asyncio-semaphore
import asyncio
async def main():
    s, peak, now = asyncio.Semaphore(2), 0, 0
    async def w():
        nonlocal peak, now
        async with s:
            now += 1; peak = max(peak, now)
            await asyncio.sleep(0)
            now -= 1
    await asyncio.gather(*(w() for _ in range(6)))
    print(peak)
asyncio.run(main())
#: asyncio-new-loop
import asyncio
loop = asyncio.new_event_loop()
loop.call_soon(print, 'soon')
loop.call_soon(loop.stop)
loop.run_forever()
loop.close()
#: asyncio-to-thread
#! needs threads
import asyncio
async def main():
    print(await asyncio.to_thread(sum, [1, 2, 3]))
asyncio.run(main())
#: asyncio-streams
#! needs sockets
import asyncio
async def main():
    async def h(r, w):
        w.write((await r.readline()).upper()); w.close()
    s = await asyncio.start_server(h, '127.0.0.1', 0)
    r, w = await asyncio.open_connection(*s.sockets[0].getsockname())
    w.write(b'echo\n')
    print(await r.read())
    w.close(); s.close()
asyncio.run(main())
#: unittest-async
import unittest
class T(unittest.IsolatedAsyncioTestCase):
    async def test_a(self):
        print('in async test')
unittest.main(argv=['x'])
#: signal-alarm
#! needs signal.alarm
import signal, time
signal.signal(signal.SIGALRM, lambda *a: print('alarm'))
signal.setitimer(signal.ITIMER_REAL, 0.01)
time.sleep(0.05)
#: kill-self
#! needs os.kill
import os, signal
signal.signal(signal.SIGUSR1, lambda s, f: print('signal', s == signal.SIGUSR1))
os.kill(os.getpid(), signal.SIGUSR1)
print('after')
#: sigmask
#! needs signal.pthread_sigmask
import signal
old = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])
print(signal.SIGUSR2 in signal.pthread_sigmask(signal.SIG_BLOCK, []))
#: ctypes-struct
#! needs ctypes
import ctypes
class P(ctypes.Structure):
    _fields_ = [('x', ctypes.c_int), ('y', ctypes.c_short)]
print(ctypes.sizeof(P), P(1, 2).y)
#: ctypes-libc
#! needs ctypes
import ctypes
libc = ctypes.CDLL(None)
print(libc.abs(-5))
#: mmap-file
#! needs mmap
import mmap
open('m', 'wb').write(b'hello map')
with open('m', 'r+b') as f, mmap.mmap(f.fileno(), 0) as m:
    m[0:5] = b'HELLO'
    print(m[:], m.find(b'map'))
#: readline-module
#! needs readline
import readline
readline.add_history('x')
print(readline.get_current_history_length())
#: ssl-context
#! needs ssl
import ssl
c = ssl.create_default_context()
print(c.check_hostname, c.verify_mode.name)
#: lzma-roundtrip
#! needs lzma
import lzma
d = b'abc' * 100
print(lzma.decompress(lzma.compress(d)) == d)
#: tar-xz
#! needs lzma
import tarfile
open('f', 'w').write('x')
with tarfile.open('a.tar.xz', 'w:xz') as t:
    t.add('f')
print(tarfile.open('a.tar.xz').getnames())
#: zoneinfo
#! needs zoneinfo data
from zoneinfo import ZoneInfo
from datetime import datetime
print(datetime(2024, 7, 1, tzinfo=ZoneInfo('Europe/Berlin')).isoformat())
#: zoneinfo-utc
#! needs zoneinfo data
from zoneinfo import ZoneInfo
from datetime import datetime
print(datetime(2024, 1, 1, tzinfo=ZoneInfo('UTC')))
#: getuid
#! needs os.getuid
import os
print(os.getuid() >= 0, os.geteuid() >= 0)
print(isinstance(os.getgroups(), list))
#: getppid
#! needs os.getppid
import os
print(os.getppid() >= 0)
print(os.getpid() != os.getppid())
#: pwd-grp
#! needs pwd
import pwd, grp
print(pwd.getpwuid(0).pw_name)
print(grp.getgrgid(0).gr_name)
#: resource-limits
#! needs resource
import resource
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
print(soft > 0)
#: fcntl-lock
#! needs fcntl
import fcntl
with open('l', 'w') as f:
    fcntl.flock(f, fcntl.LOCK_EX)
    print('locked')
#: pbkdf2
#! needs hashlib.pbkdf2_hmac
import hashlib
k = hashlib.pbkdf2_hmac('sha256', b'pw', b'salt', 1000)
print(k.hex()[:16])
#: scrypt
#! needs hashlib.scrypt
import hashlib
k = hashlib.scrypt(b'pw', salt=b's', n=16, r=1, p=1)
print(k.hex()[:16])
#: chmod-mode
#! needs file modes
import os, stat
open('x', 'w').close()
os.chmod('x', 0o640)
print(oct(stat.S_IMODE(os.stat('x').st_mode)))
#: umask
#! needs os.umask
import os
old = os.umask(0o077)
open('p', 'w').close()
print(oct(os.stat('p').st_mode & 0o777))
#: pty
#! needs pty
import pty, os
m, s = pty.openpty()
print(os.isatty(s))
os.close(m); os.close(s)
#: exit-status-255
#! needs subprocess
import sys
print('minus one')
sys.stdout.flush()
import subprocess
print(subprocess.run([sys.executable, '-c', 'raise SystemExit(-1)']).returncode)
#: venv-module
#! needs venv
import venv
b = venv.EnvBuilder(with_pip=False)
print(b.with_pip)
#: webbrowser-module
#! needs webbrowser
import webbrowser
print(callable(webbrowser.open))
print(issubclass(webbrowser.Error, Exception))
#: statvfs
#! needs os.statvfs
import os, shutil
print(os.statvfs('.').f_bsize > 0)
print(shutil.disk_usage('.').total > 0)
#: getrandom-memfd
#! needs os.getrandom
import os
print(len(os.getrandom(8)))
fd = os.memfd_create('x')
print(os.write(fd, b'abc'))
#: word-size
#! needs 64-bit build
import sys, struct, array
print(sys.maxsize == 2 ** 63 - 1, struct.calcsize('P'), array.array('l').itemsize)
print(hash(2 ** 40), len(range(2 ** 40)))
#: deep-memo
from functools import lru_cache
@lru_cache(None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(300))
#: deep-getattr
class A:
    def __getattr__(self, n):
        return self.missing
try:
    A().x
except RecursionError:
    print('too deep')
#: deep-json
import json
s = '[' * 900 + ']' * 900
print(len(json.dumps(json.loads(s))))
