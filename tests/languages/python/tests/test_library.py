# SPDX-License-Identifier: Apache-2.0
"""What Python programs do through the standard library: the calls that the preset `python` must have."""
import asyncio
import concurrent.futures
import fcntl
import glob
import http.server
import logging
import logging.handlers
import mmap
import multiprocessing
import os
import pathlib
import pty
import queue
import resource
import selectors
import shutil
import signal
import socket
import socketserver
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import unittest
import urllib.request
import zipfile


def square(number):
    return number * number


class InPlace(unittest.TestCase):
    def setUp(self):
        self.before = os.getcwd()
        self.place = tempfile.mkdtemp()
        os.chdir(self.place)

    def tearDown(self):
        os.chdir(self.before)
        shutil.rmtree(self.place)


class TestFiles(InPlace):
    def test_tree(self):
        pathlib.Path("a/b").mkdir(parents=True)
        pathlib.Path("a/b/f").write_text("text")
        os.symlink("b/f", "a/link")
        os.link("a/b/f", "a/hard")
        os.chmod("a/hard", 0o640)
        os.utime("a/hard", (1, 2))
        os.replace("a/hard", "a/moved")
        self.assertEqual(os.readlink("a/link"), "b/f")
        self.assertEqual(sorted(glob.glob("a/**", recursive=True)), ["a/", "a/b", "a/b/f", "a/link", "a/moved"])
        shutil.copytree("a", "copy", symlinks=True)
        self.assertEqual(shutil.disk_usage(".").total > 0, True)
        self.assertTrue(os.access("copy/moved", os.R_OK))
        os.truncate("copy/moved", 2)
        self.assertEqual(os.stat("copy/moved").st_size, 2)
        os.mkfifo("pipe")
        os.remove("pipe")
        os.umask(os.umask(0o22))
        os.chown("copy/moved", os.getuid(), os.getgid())
        os.lchown("copy/link", os.getuid(), os.getgid())

    def test_descriptors(self):
        with open("f", "wb+") as f:
            fcntl.flock(f, fcntl.LOCK_EX)
            fcntl.lockf(f, fcntl.LOCK_EX)
            f.write(b"0123456789")
            f.flush()
            os.fsync(f.fileno())
            os.fdatasync(f.fileno())
            os.posix_fallocate(f.fileno(), 0, 4096)
            os.ftruncate(f.fileno(), 4096)
            self.assertEqual(os.pread(f.fileno(), 3, 4), b"456")
            os.pwrite(f.fileno(), b"ab", 4)
            self.assertEqual(os.readv(os.open("f", os.O_RDONLY), [bytearray(4), bytearray(4)]), 8)
            os.writev(f.fileno(), [b"x", b"y"])
            with mmap.mmap(f.fileno(), 4096) as m:
                m[0:2] = b"zz"
                m.flush()
            os.dup2(os.dup(f.fileno()), 40)
            os.fchmod(f.fileno(), 0o600)
            os.close(40)
        os.close(os.memfd_create("f"))

    def test_archives(self):
        pathlib.Path("f").write_text("x" * 10000)
        with tarfile.open("f.tar.gz", "w:gz") as t:
            t.add("f")
        with zipfile.ZipFile("f.zip", "w") as z:
            z.write("f")
        with tarfile.open("f.tar.gz") as t:
            t.extractall("out", filter="data") if hasattr(tarfile, "data_filter") else t.extractall("out")
        self.assertEqual(pathlib.Path("out/f").stat().st_size, 10000)

    def test_log_that_rolls_over(self):
        handler = logging.handlers.RotatingFileHandler("log", maxBytes=64, backupCount=2)
        log = logging.getLogger("sample")
        log.propagate = False
        log.addHandler(handler)
        for i in range(10):
            log.warning("line %d of the log", i)
        handler.close()
        self.assertEqual(sorted(os.listdir(".")), ["log", "log.1", "log.2"])


class TestProcesses(InPlace):
    def test_subprocess(self):
        done = subprocess.run([sys.executable, "-c", "print(input())"], input=b"hello", stdout=subprocess.PIPE,
                              check=True, start_new_session=True)
        self.assertEqual(done.stdout, b"hello\n")
        with self.assertRaises(subprocess.TimeoutExpired):
            subprocess.run(["sleep", "10"], timeout=0.05, close_fds=False)
        self.assertEqual(os.system("exit 3") >> 8, 3)

    def test_fork(self):
        reader, writer = os.pipe()
        pid = os.fork()
        if not pid:
            os.write(writer, b"child")
            os._exit(4)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 4)
        self.assertEqual(os.read(reader, 10), b"child")
        child = subprocess.Popen(["sleep", "10"])
        descriptor = os.pidfd_open(child.pid)
        signal.pidfd_send_signal(descriptor, signal.SIGTERM)
        self.assertEqual(os.waitid(os.P_PIDFD, descriptor, os.WEXITED | os.WNOWAIT).si_status, signal.SIGTERM)
        child.wait()
        self.assertEqual(os.getpgid(0), os.getpgrp())
        self.assertEqual(os.getsid(0) >= 0 and os.getppid() >= 0, True)

    def test_pools(self):
        with concurrent.futures.ProcessPoolExecutor(2) as pool:
            self.assertEqual(list(pool.map(square, range(5))), [0, 1, 4, 9, 16])
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            self.assertEqual(pool.map(square, range(3)), [0, 1, 4])
        with multiprocessing.Manager() as manager:
            shared = manager.dict(a=1)
            self.assertEqual(shared["a"], 1)
        block = multiprocessing.shared_memory.SharedMemory(create=True, size=100)
        block.buf[0] = 9
        block.close()
        block.unlink()

    def test_threads(self):
        q = queue.Queue()
        threads = [threading.Thread(target=q.put, args=(i,)) for i in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(sorted(q.queue), list(range(8)))
        with self.assertRaises(queue.Empty):
            queue.Queue().get(timeout=0.01)

    def test_signals(self):
        seen = []
        signal.signal(signal.SIGALRM, lambda number, frame: seen.append(number))
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        signal.pause()
        signal.alarm(0)
        self.assertEqual(signal.getitimer(signal.ITIMER_REAL), (0.0, 0.0))
        signal.signal(signal.SIGUSR1, lambda number, frame: seen.append(number))
        os.kill(os.getpid(), signal.SIGUSR1)
        signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)
        signal.raise_signal(signal.SIGUSR1)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2})
        os.kill(os.getpid(), signal.SIGUSR2)
        self.assertEqual(signal.sigpending(), {signal.SIGUSR2})
        self.assertEqual(signal.sigtimedwait({signal.SIGUSR2}, 1).si_signo, signal.SIGUSR2)
        self.assertEqual(len(seen), 4)

    def test_terminal(self):
        pid, fd = pty.fork()
        if not pid:
            print("tty" if os.isatty(0) else "none", flush=True)
            os._exit(0)
        self.assertIn(b"tty", os.read(fd, 100))
        os.waitpid(pid, 0)

    def test_limits_and_numbers(self):
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 256), hard))
        self.assertTrue(resource.getrusage(resource.RUSAGE_SELF).ru_utime > 0)
        self.assertTrue(os.times().user > 0 and time.process_time() > 0 and os.cpu_count() > 0)
        os.nice(1)
        try:
            os.sched_setaffinity(0, os.sched_getaffinity(0))
        except PermissionError:
            pass  # a box that is bound to its processors says so
        os.sched_yield()
        self.assertEqual(len(os.urandom(16)), 16)
        self.assertTrue(os.getloadavg()[0] >= 0 and os.uname().sysname == "Linux" and os.getgroups() is not None)
        time.sleep(0.001)


class Echo(socketserver.StreamRequestHandler):
    def handle(self):
        self.wfile.write(self.rfile.readline().upper())


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass


class TestTalk(InPlace):
    def test_web_server(self):
        pathlib.Path("page").write_text("text")
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as server:
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            with urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/page", timeout=20) as page:
                self.assertEqual(page.read(), b"text")
            server.shutdown()
            thread.join()

    def test_datagrams(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as left, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as right:
            left.bind(("127.0.0.1", 0))
            right.sendto(b"x", left.getsockname())
            self.assertEqual(left.recvfrom(5)[0], b"x")

    def test_server(self):
        with socketserver.ThreadingUnixStreamServer("socket", Echo) as server:
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            with socket.socket(socket.AF_UNIX) as s:
                s.settimeout(5)
                s.connect("socket")
                s.sendall(b"hello\n")
                s.shutdown(socket.SHUT_WR)
                self.assertEqual(s.recv(10), b"HELLO\n")
                s.getpeername(), s.getsockname()
            server.shutdown()
            thread.join()

    def test_descriptor_passing(self):
        left, right = socket.socketpair()
        socket.send_fds(left, [b"x"], [0])
        data, fds, _, _ = socket.recv_fds(right, 10, 1)
        self.assertEqual((data, len(fds)), (b"x", 1))
        right.send(b"y")
        self.assertEqual(left.recvfrom(5)[0], b"y")

    def test_options(self):
        with socket.socket(socket.AF_INET) as s:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self.assertEqual(s.getsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR), 1)
            s.setblocking(False)
        self.assertTrue(socket.getaddrinfo("127.0.0.1", 80))

    def test_waiting(self):
        reader, writer = os.pipe()
        os.write(writer, b"x")
        for kind in (selectors.SelectSelector, selectors.PollSelector, selectors.EpollSelector):
            with kind() as s:
                s.register(reader, selectors.EVENT_READ)
                self.assertEqual(len(s.select(1)), 1)

    def test_asyncio(self):
        async def talk():
            child = await asyncio.create_subprocess_exec("cat", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            out, _ = await child.communicate(b"through")
            await asyncio.sleep(0.001)
            await asyncio.get_running_loop().run_in_executor(None, time.sleep, 0)
            server = await asyncio.start_server(lambda r, w: w.close(), "127.0.0.1", 0)
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            self.assertEqual(await reader.read(), b"")
            writer.close()
            server.close()
            return out

        self.assertEqual(asyncio.run(talk()), b"through")
