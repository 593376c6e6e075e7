/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of what there is, by which a program is given to this driver or to another before it runs. */
#include "wasm/offer.h"

#include <string.h>

#include "base/str.h"

static const char processes[] = "needs processes", threads[] = "needs threads", sockets[] = "needs sockets",
		  machine[] = "needs the machine itself",
		  bits[] = "is another here, in another version with 32 bits",
		  missing[] = "is no module of WebAssembly's";

struct lack {
	const char *names; /* with bars between them */
	const char *why;
};

/* Modules of Python's library that work; all of a package by its first name. */
static const char python_has[] = "__future__|__main__|abc|aifc|argparse|array|ast|asyncio|atexit|base64|bdb|"
				 "binascii|bisect|builtins|bz2|calendar|"
				 "cgi|cmath|cmd|code|codecs|codeop|collections|colorsys|compileall|"
				 "configparser|contextlib|contextvars|copy|copyreg|"
				 "cProfile|csv|dataclasses|datetime|dbm|decimal|difflib|dis|doctest|email|"
				 "encodings|enum|errno|filecmp|fileinput|"
				 "fnmatch|fractions|functools|gc|genericpath|getopt|gettext|glob|graphlib|"
				 "gzip|hashlib|heapq|hmac|html|importlib|"
				 "inspect|io|ipaddress|itertools|json|keyword|linecache|locale|logging|"
				 "marshal|math|mimetypes|modulefinder|netrc|"
				 "ntpath|nturl2path|numbers|opcode|operator|optparse|os|pathlib|pdb|pickle|"
				 "pickletools|pkgutil|platform|plistlib|"
				 "posix|posixpath|pprint|profile|pstats|py_compile|pyclbr|pyexpat|queue|"
				 "quopri|random|re|reprlib|runpy|sched|"
				 "secrets|selectors|shelve|shlex|shutil|signal|site|sqlite3|sre_compile|sre_"
				 "constants|sre_parse|stat|statistics|"
				 "string|stringprep|struct|symtable|sys|sysconfig|tabnanny|tarfile|tempfile|"
				 "textwrap|this|threading|time|timeit|"
				 "token|tokenize|tomllib|trace|traceback|tracemalloc|types|typing|"
				 "unicodedata|unittest|urllib|uuid|warnings|wave|"
				 "weakref|xml|zipapp|zipfile|zipimport|zlib|_thread";

static const struct lack python_modules[] = {
	{ "subprocess|multiprocessing|pty|crypt|webbrowser|venv|ensurepip|pip", processes },
	{ "concurrent", threads },
	{ "socket|ssl|socketserver|http|ftplib|smtplib|poplib|imaplib|nntplib|telnetlib|xmlrpc|wsgiref|"
	  "requests|urllib3|"
	  "aiohttp|httpx|smtpd|asyncore|asynchat",
	  sockets },
	{ "ctypes|fcntl|mmap|resource|select|termios|tty|curses|readline|rlcompleter|grp|pwd|syslog|tkinter|"
	  "turtle|"
	  "faulthandler|lzma|spwd|nis|ossaudiodev|getpass|zoneinfo",
	  machine },
};

static const struct lack python_functions[] = {
	{ "os.fork|os.forkpty|os.system|os.popen|os.execv|os.execve|os.execvp|os.execvpe|os.execl|os.execlp|"
	  "os.spawnv|"
	  "os.spawnl|os.posix_spawn|os.posix_spawnp|os.kill|os.killpg|os.wait|os.waitpid|os.pipe|os.dup|os."
	  "dup2|os.getppid|"
	  "os.nice|os.abort|asyncio.create_subprocess_exec|asyncio.create_subprocess_shell",
	  processes },
	{ "threading.Thread|threading.Timer|_thread.start_new_thread|asyncio.to_thread|threading.Barrier",
	  threads },
	{ "urllib.request.urlopen|urllib.request.urlretrieve|asyncio.open_connection|asyncio.start_server|"
	  "asyncio.start_unix_server|asyncio.open_unix_connection",
	  sockets },
	{ "os.getuid|os.geteuid|os.getgid|os.getegid|os.getlogin|os.getgroups|os.chmod|os.chown|os.umask|os."
	  "statvfs|os.mkfifo|"
	  "os.mknod|os.sched_getaffinity|os.uname|os.getloadavg|os.times|os.getpgid|os.getsid|os.setsid|os."
	  "sync|"
	  "os.get_terminal_size|os.getrandom|os.memfd_create|os.sendfile|os.fwalk|os.access|os.stat_result|"
	  "shutil.disk_usage|shutil.chown|shutil.copystat|shutil.copymode|shutil.which|hashlib.pbkdf2_hmac|"
	  "hashlib.scrypt|"
	  "time.tzset|time.thread_time|signal.alarm|signal.setitimer|signal.pause|signal.pthread_sigmask|"
	  "signal.sigwait|"
	  "inspect.getsource|inspect.getsourcelines|platform.uname|platform.node|platform.platform|platform."
	  "system|"
	  "platform.machine|platform.python_version|stat.filemode",
	  machine },
	{ "sys.maxsize|sys.getsizeof|sys.platform|sys.version|sys.version_info|struct.calcsize|hash|os.name",
	  bits },
};

static const char javascript_has[] =
	"assert|buffer|crypto|events|fs|os|path|perf_hooks|process|querystring|readline|stream|"
	"string_decoder|timers|url|util|module|console|constants|punycode";

static const struct lack javascript_modules[] = {
	{ "child_process|cluster", processes },
	{ "worker_threads", threads },
	{ "http|https|http2|net|tls|dgram|dns|undici|axios|node-fetch|ws", sockets },
	{ "vm|v8|inspector|zlib|tty|repl|wasi|async_hooks|diagnostics_channel|trace_events|sqlite|sea|test",
	  machine },
};

static const struct lack javascript_functions[] = {
	{ "fetch|WebSocket|XMLHttpRequest|Response|Request|Headers|EventSource", sockets },
	{ "Worker|SharedArrayBuffer|Atomics.wait|MessageChannel|BroadcastChannel|MessagePort", threads },
	{ "process.kill|process.fork", processes },
	{ "crypto.createCipheriv|crypto.createDecipheriv|crypto.generateKeyPairSync|crypto.generateKeyPair|"
	  "crypto.createSign|"
	  "crypto.createVerify|crypto.subtle|crypto.pbkdf2Sync|crypto.scryptSync|crypto.diffieHellman|"
	  "WebAssembly|"
	  "WebAssembly.Module|WebAssembly.Instance|WebAssembly.instantiate|WebAssembly.compile|Intl.Collator|"
	  "Intl.DisplayNames|Intl.DateTimeFormat|Intl.PluralRules|Intl.Segmenter|Intl.ListFormat|Intl."
	  "RelativeTimeFormat",
	  machine },
};

static const struct {
	const char *language, *has;
	const struct lack *modules;
	size_t n_modules;
	const struct lack *functions;
	size_t n_functions;
} offers[] = {
#define N(list) (sizeof(list) / sizeof(*(list)))
	{ "python", python_has, python_modules, N(python_modules), python_functions, N(python_functions) },
	{ "javascript", javascript_has, javascript_modules, N(javascript_modules), javascript_functions,
	  N(javascript_functions) },
#undef N
};

static const char *find(const struct lack *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (str_is_one_of(name, list[i].names))
			return list[i].why;
	return NULL;
}

const char *wasm_lacks_module(const char *language, const char *name)
{
	for (size_t i = 0; i < sizeof(offers) / sizeof(*offers); i++) {
		char first[64];
		const char *bare = !strncmp(name, "node:", 5) ? name + 5 : name, *why;
		size_t n = strcspn(bare, "./");

		if (strcmp(offers[i].language, language) != 0)
			continue;
		if (bare[0] == '.' || bare[0] == '/') /* a file beside it */
			return NULL;
		if (n >= sizeof(first))
			return missing;
		memcpy(first, bare, n);
		first[n] = '\0';
		why = find(offers[i].modules, offers[i].n_modules, first);
		return why ? why : str_is_one_of(first, offers[i].has) ? NULL : missing;
	}
	return missing;
}

const char *wasm_lacks_function(const char *language, const char *name)
{
	for (size_t i = 0; i < sizeof(offers) / sizeof(*offers); i++)
		if (!strcmp(offers[i].language, language))
			return find(offers[i].functions, offers[i].n_functions, name);
	return NULL;
}
