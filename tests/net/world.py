# SPDX-License-Identifier: Apache-2.0
"""A small internet for one test process: namespaces of its own, in which public addresses lie on the loopback device and real servers
listen there.

As root it is a network and a mount namespace; as an ordinary user these are in a user namespace, in which that user has the same id as
outside and no right that it did not have. A world ends with whoever made it. Nothing of the host changes: /etc is a copy (root) or a
layer (others), so that the resolver, trusted certificates, known hosts and sources of packages are those of the world.

Servers run as somebody who is not root, PostgreSQL and what else is slow only for who asks for it. The names and addresses are in names.py,
what registries hold in registries.py, the servers that no package has in servers.py.
"""
import contextlib
import ctypes
import fcntl
import ipaddress
import json
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import termios

import box
import certificates
import names
import registries

HERE = pathlib.Path(__file__).resolve().parent
NOBODY = 65534
POSTGRES = "/usr/lib/postgresql/15/bin"
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/go/bin"
RESOLV_CONF = f"nameserver {names.RESOLVER}\nsearch corp.example\n"

_LIBC = ctypes.CDLL(None, use_errno=True)
_CLONE_NEWNS, _MS_BIND, _PR_SET_PDEATHSIG = 0x20000, 4096, 1


def _call(result, what):
    if result != 0:
        err = ctypes.get_errno()
        raise OSError(err, f"{what}: {os.strerror(err)}")


class Seen:
    """What servers see from now on."""

    def __init__(self, world):
        self.world = world
        self.before = {name: len(world.seen(name)) for name in ("web", "proxy", "udp", "tcp")}
        self.asked_before = len(world.asked())

    def __getattr__(self, name):
        """web, proxy, udp or tcp: rows of the log of that name."""
        return self.world.seen(name)[self.before[name]:]

    def asked(self):
        """Names that left: the world's DNS was asked for them."""
        return {name for _, name in self.world.asked()[self.asked_before:]}

    def reached(self, addresses):
        """Whether anything at one of these addresses was connected to, or was sent a datagram."""
        return [row for name in ("web", "udp", "tcp") for row in getattr(self, name) if row["address"] in addresses]

    def nothing_bad(self):
        """No forbidden address was reached, no name of evil's left."""
        bad = self.reached({*names.GATED, *names.EVIL, names.PRIVATE, names.METADATA})
        assert not bad, f"got out: {bad}"
        gone = {name for name in self.asked() if "evil" in name or "secret" in name}
        assert not gone, f"names that left: {gone}"


class Child(subprocess.Popen):
    """One that a test that fails does not wait for."""

    def __exit__(self, kind, value, trace):
        if kind is not None:
            self.kill()
        super().__exit__(kind, value, trace)


class World:
    """with World() as w: w.run("curl", "https://example.com"). Servers log into w.dir; who listens is awaited."""

    def __init__(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="world-"))
        self.dir.chmod(0o755)
        self.processes, self.namespaces = [], []
        self.holder = None
        self.started = {}
        self.server_uid = NOBODY if box.IS_ROOT else os.getuid()

    def __enter__(self):
        try:
            self._prepare()
            self._hold()
            self._serve()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for p in reversed(self.processes):
            p.kill()
        for p in self.processes:
            p.wait()
        if self.holder:
            self.holder.stdin.close()
            self.holder.wait()
        for fd in self.namespaces:
            os.close(fd)
        with contextlib.suppress(FileNotFoundError):
            (self.dir / "work/work").chmod(0o700)  # of overlayfs
        shutil.rmtree(self.dir, ignore_errors=True)

    # How it is made.

    def _prepare(self):
        for name in ("srv", "tls", "log", "etc"):
            (self.dir / name).mkdir()
        certificates.make(self.dir / "tls", names.SERVED)
        etc = self.dir / "etc"
        etc.chmod(0o755)
        if box.IS_ROOT:
            subprocess.run(["cp", "-a", "/etc/.", etc], check=True)
        else:
            (self.dir / "work").mkdir()
        files = {"resolv.conf": RESOLV_CONF, "hosts": names.HOSTS_FILE, "apt/sources.list": registries.APT_SOURCES, "apt/apt.conf.d/99world": registries.APT_CONF,
                 "ssl/certs/ca-certificates.crt": (self.dir / "tls/ca.crt").read_bytes(), "ssl/certs/java/cacerts": certificates.java_store(self.dir / "tls/ca.crt"),
                 "ssh/ssh_known_hosts": certificates.ssh_host_key(self.dir / "tls", names.SSH_HOSTS), "pip.conf": "", "npmrc": ""}
        for name, content in files.items():
            path = etc / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.is_symlink():
                path.unlink()
            (path.write_bytes if isinstance(content, bytes) else path.write_text)(content)
            path.chmod(0o644)
        if box.IS_ROOT:
            shutil.rmtree(etc / "apt/sources.list.d", ignore_errors=True)

    def _hold(self):
        """A process that does nothing, for the namespaces; it ends when its standard input does."""
        addresses = "".join(f"address add {a}/{ipaddress.ip_address(a).max_prefixlen} dev lo{' nodad' if ':' in a else ''}\n" for a in names.ADDRESSES)
        (self.dir / "addresses").write_text("link set lo up\n" + addresses)
        etc = f"mount --bind {self.dir}/etc /etc" if box.IS_ROOT else \
            f"mount -t overlay -o userxattr,lowerdir=/etc,upperdir={self.dir}/etc,workdir={self.dir}/work etc /etc"
        script = f"set -e; ip -batch {self.dir}/addresses; echo 0 > /proc/sys/net/ipv4/ip_unprivileged_port_start; {etc}; echo ready; exec cat"
        own = [] if box.IS_ROOT else ["--map-current-user", "--keep-caps"]
        self.holder = subprocess.Popen(["unshare", *own, "--net", "--mount", "sh", "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       env={"PATH": PATH}, start_new_session=True)
        assert self.holder.stdout.readline() == b"ready\n", "the world could not be made"
        for kind in (() if box.IS_ROOT else ("user",)) + ("net", "mnt"):
            self.namespaces.append(os.open(f"/proc/{self.holder.pid}/ns/{kind}", os.O_RDONLY | os.O_CLOEXEC))

    def _serve(self):
        srv = self.dir / "srv"
        registries.make_web(srv, self.dir / "tls")
        (self.dir / "dnsmasq.conf").write_text(names.dnsmasq_conf(self.dir / "log/dns"))
        (self.dir / "nginx.conf").write_text(names.nginx_conf(self.dir))
        (self.dir / "passwd").write_text(pathlib.Path("/etc/passwd").read_text() + f"git::{self.server_uid}:{self._server_gid()}::{srv}/git:/bin/sh\n")
        self._give_to_servers()
        self.start("servers", "/usr/bin/python3", "-B", HERE / "servers.py", self.dir)
        self.start("dnsmasq", "dnsmasq", "--no-daemon", f"--conf-file={self.dir}/dnsmasq.conf")
        self.start("nginx", "nginx", "-c", f"{self.dir}/nginx.conf", "-e", f"{self.dir}/log/nginx")
        self.wait_for_port(names.RESOLVER, 53)
        self.wait_for_port(names.address("example.com"), 443)
        self.wait_until((self.dir / "log/servers-ready").exists, "servers.py listens")

    def _server_gid(self):
        return NOBODY if box.IS_ROOT else os.getgid()

    def _give_to_servers(self):
        if box.IS_ROOT:
            for name in ("srv", "tls", "log"):
                subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", self.dir / name], check=True)

    def start(self, name, *words, binds=()):
        """A server: ends with this process, writes into log/NAME."""
        with open(self.dir / "log" / f"{name}.out", "wb") as out:
            p = subprocess.Popen(list(map(str, words)), stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, env={"PATH": PATH, "HOME": str(self.dir / "srv")},
                                 start_new_session=True, preexec_fn=self._entering(self.dir, self.server_uid, binds, dies=True))
        self.processes.append(p)
        return p

    # Who comes in.

    def _entering(self, cwd, uid=None, binds=(), dies=False, terminal=False):
        """For a child between fork and exec. A user who is not root loses all rights of this user namespace by the exec. TERMINAL: standard
        input is one, and becomes that of the child's session."""
        gid = self._server_gid() if uid == self.server_uid else pwd.getpwuid(uid).pw_gid if uid else None

        def enter():
            for fd in self.namespaces:
                _call(_LIBC.setns(fd, 0), "setns")
            if binds:
                _call(_LIBC.unshare(_CLONE_NEWNS), "unshare")
                for source, target in binds:
                    _call(_LIBC.mount(os.fsencode(source), os.fsencode(target), None, _MS_BIND, None), f"mount {target}")
            if box.IS_ROOT and uid:
                os.setgroups([])
                os.setgid(gid)
                os.setuid(uid)
            if dies:
                _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            if terminal:
                fcntl.ioctl(0, termios.TIOCSCTTY, 0)
            os.chdir(cwd)
        return enter

    def popen(self, *words, cwd="/", env=None, user=None, terminal=False, **popen):
        """USER: a name; of use only to root."""
        entering = self._entering(cwd, pwd.getpwnam(user).pw_uid if user else None, terminal=terminal)
        return Child(list(map(str, words)), env=env or self.environment(cwd), preexec_fn=entering,
                     **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **popen})

    def run(self, *words, timeout=60, check=False, **popen):
        """A command in the world; output is text."""
        with self.popen(*words, **{"text": True, "errors": "replace", **popen}) as p:
            out, err = p.communicate(timeout=timeout)
        assert not check or p.returncode == 0, f"{words} ended with {p.returncode}: {out[-2000:]} {err[-2000:]}"
        return subprocess.CompletedProcess(words, p.returncode, out, err)

    def environment(self, cwd="/", **more):
        """Nothing of the host's: no proxy, no registry of this machine. Projects lie in their home. Node has its own list of roots, and asks for more."""
        return {"HOME": str(pathlib.Path(cwd).parent), "PATH": PATH, "LC_ALL": "C.UTF-8", "USER": pwd.getpwuid(os.getuid()).pw_name, "XDG_STATE_HOME": os.environ["XDG_STATE_HOME"],
                "NODE_EXTRA_CA_CERTS": "/etc/ssl/certs/ca-certificates.crt", **{k: v for k, v in os.environ.items() if k in ("ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS")}, **more}

    def box_words(self, *words, net=(), profile="dev", options=(), json_output=True):
        rules = [word for rule in ([net] if isinstance(net, str) else net) for word in ("--net", rule)]
        return box.command(*words, profile=profile, options=[*rules, *options], json_output=json_output)

    def box(self, *words, net=(), cwd, profile="dev", options=(), **popen):
        """`aisbx run --json --net ...` in the world; the result, with aisbx's own exit status as "aisbx_status", seconds as in box.run."""
        done = self.run(*self.box_words(*words, net=net, profile=profile, options=options), cwd=cwd, **popen)
        try:
            result = json.loads(done.stdout)
        except ValueError:
            raise AssertionError(f"no JSON but {done.stdout[:500]!r}, {done.stderr[:1000]!r}") from None
        result["aisbx_status"], result["aisbx_stderr"] = done.returncode, done.stderr
        return box.started(result)

    def aisbx(self, *words, **run):
        return self.run(box.aisbx(), *words, **run)

    @property
    def etc(self):
        """The world's /etc, for who is outside."""
        return pathlib.Path(f"/proc/{self.holder.pid}/root/etc")

    @contextlib.contextmanager
    def file(self, name, text):
        """A file of /etc that _prepare has made says something else meanwhile."""
        path = self.etc / name
        before = path.read_bytes()
        path.write_text(text)
        try:
            yield
        finally:
            path.write_bytes(before)

    def connect(self, address, port, timeout=5):
        """A socket of the world, for this process: made by a child that is in there."""
        mine, its = socket.socketpair()
        with mine, its:
            pid = os.fork()
            if pid == 0:
                with contextlib.suppress(BaseException):
                    self._entering("/")()
                    s = socket.create_connection((address, port), timeout)
                    socket.send_fds(its, [b"x"], [s.fileno()])
                    os._exit(0)
                os._exit(1)
            its.close()
            _, fds, _, _ = socket.recv_fds(mine, 1, 1)
            os.waitpid(pid, 0)
        if not fds:
            raise ConnectionError(f"nobody listens at {address} port {port}")
        return socket.socket(fileno=fds[0])

    def listens(self, address, port):
        with contextlib.suppress(ConnectionError):
            self.connect(address, port).close()
            return True
        return False

    def wait_for_port(self, address, port):
        self.wait_until(lambda: self.listens(address, port), f"a server at {address} port {port}")

    def wait_until(self, condition, what):
        def is_so():
            ended = [p.args for p in self.processes if p.poll() is not None]
            assert not ended, f"ended: {ended}; {self.logs()}"
            return condition()
        box.wait_until(is_so, what=what)

    # What servers saw.

    def logs(self):
        return {path.name: path.read_text(errors="replace")[-800:] for path in (self.dir / "log").iterdir() if path.is_file()}

    def asked(self):
        """Names that anybody asked the world's DNS for, in lower case: [(type, name)]."""
        return names.read_dns_log((self.dir / "log/dns").read_text(errors="replace"))

    def seen(self, name="web"):
        """What a server logged, one dictionary a line: web (nginx), proxy, udp, tcp (the gates before forbidden addresses, and echo)."""
        path = self.dir / "log" / name
        return [json.loads(line) for line in path.read_text(errors="replace").splitlines() if line] if path.exists() else []

    @contextlib.contextmanager
    def watch(self):
        """What is new in the logs, see Seen."""
        yield Seen(self)

    # Servers for who asks.

    def need(self, what):
        """ssh, postgres, or a registry: pypi, npm, crates, go, debian, git. Once for all tests of this process; but what a test that failed had
        started went with it (tests/conftest.py)."""
        self.processes = [p for p in self.processes if p.poll() is None]
        if what not in self.started or (self.started[what] and self.started[what].poll() is not None):
            self.started[what] = getattr(self, f"_start_{what}", lambda: self._make(what))()
        return self

    def _make(self, what):
        registries.MAKERS[what](self.dir / "srv")
        self._give_to_servers()

    def _start_ssh(self):
        self.need("git")
        tls = self.dir / "tls"
        where = [*(names.address(name) for name in names.SSH_HOSTS if not name[0].isdigit()), "127.0.0.1"]
        (self.dir / "sshd_config").write_text("".join(f"ListenAddress {a}\n" for a in where) +
                                              f"Port 22\nHostKey {tls}/ssh_host\nPidFile none\nUsePAM no\nStrictModes no\nPermitEmptyPasswords yes\n")
        # -D -e: in the foreground. A passwd of its own, in which "git" is who runs it and needs no password.
        server = self.start("sshd", "/usr/sbin/sshd", "-D", "-e", "-f", self.dir / "sshd_config", binds=[(self.dir / "passwd", "/etc/passwd")])
        self.wait_for_port(names.address("github.com"), 22)
        return server

    def _start_postgres(self):
        data, bin_ = self.dir / "srv/postgres", pathlib.Path(box.need(POSTGRES))
        sockets = self.dir / "srv"
        if data.exists():
            shutil.rmtree(data)
        made = self.start("initdb", bin_ / "initdb", "-D", data, "-U", "postgres", "--auth", "trust", "--no-sync", "--no-instructions")
        assert made.wait() == 0, self.logs()["initdb.out"]
        self.processes.remove(made)
        with open(data / "pg_hba.conf", "a", encoding="ascii") as f:
            f.write("host all all all trust\n")
        server = self.start("postgres", bin_ / "postgres", "-D", data, "-h", f"{names.address('db.example.net')},{names.PRIVATE},127.0.0.1", "-k", sockets, "-F")
        self.wait_for_port(names.address("db.example.net"), 5432)
        self.wait_until(lambda: self.run(bin_ / "pg_isready", "-q", "-h", names.address("db.example.net"), "-U", "postgres").returncode == 0, "PostgreSQL")
        return server
