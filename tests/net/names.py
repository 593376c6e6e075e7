# SPDX-License-Identifier: Apache-2.0
"""Names and addresses of the world: what its DNS says, and what its web server does with them."""
import re
import socket

RESOLVER = "9.9.9.9"
HOST_RESOLVER = "127.0.0.53"  # for tests in which the host's resolver is a local one
PRIVATE, METADATA, METADATA6 = "10.1.2.3", "169.254.169.254", "fd00:ec2::254"
PROXY, PROXY_PORT, PROXY_USER, PROXY_PASSWORD = "10.20.0.1", 3128, "alice", "p%40ss:word"  # as in a URL: the password is "p@ss:word"
REBIND_PORT = 5354

# Public hosts; each has a web server on ports 80, 443, 8080, 8443.
HOSTS = {
    "example.com": ["93.184.216.34", "2606:2800:220:1::34"],
    "www.example.com": ["93.184.216.34"],  # two names at one address
    "api.example.org": ["93.184.216.40"],
    "deep.api.example.org": ["93.184.216.41"],
    "example.org": ["93.184.216.42"],
    "only6.example.com": ["2606:2800:220:1::6"],
    "evil.example": ["45.33.32.156", "2600:3c01::bb2f"],
    "other.evil.example": ["45.33.32.157"],
    "pypi.org": ["151.101.0.223"],
    "files.pythonhosted.org": ["151.101.0.223"],
    "registry.npmjs.org": ["104.16.0.35"],
    "index.crates.io": ["18.64.0.10"],
    "static.crates.io": ["18.64.0.11"],
    "crates.io": ["18.64.0.12"],
    "proxy.golang.org": ["142.250.1.141"],
    "sum.golang.org": ["142.250.1.142"],
    "deb.debian.org": ["199.232.82.132"],
    "security.debian.org": ["199.232.82.133"],
    "github.com": ["140.82.112.3"],
    "api.github.com": ["140.82.112.6"],
    "codeload.github.com": ["140.82.112.9"],
    "db.example.net": ["44.1.2.3"],     # PostgreSQL, too
    "udp.example.net": ["44.1.2.4"],    # echo on UDP 7000, on 443 and on TCP 7000, see servers.py
    "mirror.example.org": ["93.184.216.43"],
    "mirror.corp.example": [PRIVATE],   # a company's own
    "short.corp.example": ["93.184.216.50"],
}
# Names that lead where no box may go; a web server answers there, too.
TRAPS = {
    "to-loopback.example": ["127.0.0.1"],
    "to-loopback-other.example": ["127.9.9.9"],
    "to-loopback6.example": ["::1"],
    "to-zero.example": ["0.0.0.0"],
    "to-private.example": [PRIVATE],
    "to-private172.example": ["172.16.5.4"],
    "to-private192.example": ["192.168.7.7"],
    "to-cgnat.example": ["100.64.0.1"],
    "to-metadata.example": [METADATA],
    "to-metadata6.example": [METADATA6],
    "to-unique-local.example": ["fd12:3456::1"],
    "to-multicast.example": ["224.0.0.251"],
    "to-nat64.example": ["64:ff9b::7f00:1"],
    "to-nat64-private.example": ["64:ff9b::a01:203"],
    "to-6to4.example": ["2002:7f00:1::1"],
    "to-mapped.example": ["::ffff:127.0.0.1"],
    "to-both.example": ["93.184.216.34", PRIVATE],
}
# A name whose address nobody has.
SILENT = {"gone.example.net": ["44.1.2.99"]}
CNAMES = {"alias.example.com": "example.com", "alias-private.example": "to-private.example"}
TEXTS = {"txt.example.com": "v=world", "_dmarc.example.com": "p=none"}
SERVICES = {"_postgresql._tcp.example.net": ("db.example.net", 5432)}
REBINDING = "rebind.example"  # first public, then loopback, in turn; see servers.py
REBINDING_ADDRESSES = ["93.184.216.60", "127.0.0.1"]
IN_HOSTS = {"in-hosts.example": "93.184.216.70"}  # only in /etc/hosts

SSH_HOSTS = ["github.com", "140.82.112.3", "example.com"]
SERVED = [*HOSTS, *TRAPS, *CNAMES, REBINDING, *IN_HOSTS, "host.aisbx.internal", "localhost"]
_ALL = [a for table in (HOSTS, TRAPS) for row in table.values() for a in row]
# Those a device can have: multicast, :: and mapped addresses it cannot, and loopback is there.
ADDRESSES = sorted({RESOLVER, PROXY, REBINDING_ADDRESSES[0], *IN_HOSTS.values(),
                    *(a for a in _ALL if not a.startswith(("127.", "0.", "224.", "::")))})
EVIL = [a for name in ("evil.example", "other.evil.example") for a in HOSTS[name]]
GATED = sorted({*EVIL, *(a for row in TRAPS.values() for a in row if a in ADDRESSES or a.startswith("127.9.")), METADATA, METADATA6} - {"93.184.216.34"})
GATED_PORTS = (22, 80, 443, 8080, 8443)
ABSTRACT = "world-abstract"
HOSTS_FILE = f"127.0.0.1 localhost\n127.0.1.1 {socket.gethostname()}\n::1 localhost ip6-localhost ip6-loopback\n" + "".join(f"{a} {n}\n" for n, a in IN_HOSTS.items())


def address(name, family=4):
    """The first address of a host."""
    return next(a for a in {**HOSTS, **TRAPS, **SILENT}[name] if (":" in a) == (family == 6))


def dnsmasq_conf(log):
    lines = ["port=53", "no-resolv", "no-hosts", "no-poll", "log-queries=extra", f"log-facility={log}", "local-ttl=60", "local=/#/",
             f"server=/{REBINDING}/127.0.0.1#{REBIND_PORT}", "cache-size=0", "edns-packet-max=1232"]
    lines += [f"host-record={name},{a}" for table in (HOSTS, TRAPS, SILENT) for name, row in table.items() for a in row]
    lines += [f"cname={name},{target}" for name, target in CNAMES.items()]
    lines += [f"txt-record={name},{text}" for name, text in TEXTS.items()]
    lines += [f"srv-host={name},{host},{port}" for name, (host, port) in SERVICES.items()]
    return "\n".join(lines) + "\n"


def read_dns_log(text):
    return [(kind, name.lower()) for kind, name in re.findall(r" query\[([\w=]+)\] (\S+) from ", text)]


# What a server block adds to "answer who you are"; a host without one gets only that.
_ROOTS = {
    "pypi.org": "pypi", "files.pythonhosted.org": "pypi-files", "registry.npmjs.org": "npm", "index.crates.io": "crates-index",
    "static.crates.io": "crates", "proxy.golang.org": "go", "deb.debian.org": "debian",
}


def nginx_conf(top):
    """Every name and address answers /whoami in JSON: how the request came in. The log has the same, a line per request."""
    facts = ('"host":"$http_host","sni":"$ssl_server_name","address":"$server_addr","port":$server_port,"protocol":"$server_protocol","client":"$remote_addr",'
             '"method":"$request_method","path":"$uri"')
    listen = "".join(f"listen {a}{port}{how};" for a in ("", "[::]:") for port, how in ((80, ""), (8080, ""), (443, " ssl http2"), (8443, " ssl http2")))
    whoami = f"location = /whoami {{ default_type application/json; return 200 '{{{facts}}}\\n'; }}"
    redirect = "location /to-evil { return 302 https://evil.example/whoami; } location /to-evil-plain { return 302 http://evil.example/whoami; }"

    def block(name, rest, default=""):
        ports = listen.replace(";", " default_server reuseport;") if default else listen
        return f"server {{ {ports} server_name {name}; {whoami} {redirect} {rest} }}"

    blocks = [block("_", f"root {top}/srv/www;", default="yes")]
    blocks += [block(name, f"root {top}/srv/{root}; default_type text/html; location ~ /$ {{ index index.html; }}") for name, root in _ROOTS.items()]
    blocks.append(block("github.com", f"location ~ [.]git(/|$) {{ proxy_pass http://unix:{top}/srv/git.sock; proxy_request_buffering off; client_max_body_size 0; }}"))
    temporary = "".join(f"{what}_temp_path {top}/srv/tmp-{what};" for what in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    return f"""daemon off; master_process off; pid {top}/srv/nginx.pid; worker_rlimit_nofile 16384;
events {{ worker_connections 8000; }}
http {{
    {temporary}
    log_format facts escape=json '{{{facts},"authorization":"$http_authorization","second":"$http_x_api_key","status":$status}}';
    access_log {top}/log/web facts;
    sendfile on; keepalive_timeout 60s; server_names_hash_bucket_size 128;
    types {{ text/html html; application/json json; }}
    ssl_certificate {top}/tls/server.crt; ssl_certificate_key {top}/tls/server.key; ssl_session_cache none;
    {chr(10).join(blocks)}
}}
"""
