/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aisbx-scan: reads programs from its standard input and prints the facts in them (see scan/wire.h). A
 * program of its own, because its input is not trusted and its parsers are large. It knows no policy, opens
 * nothing and starts nothing.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/asan.h"
#include "base/scope.h"
#include "base/std_fds.h"
#include "scan/core/tree.h"
#include "scan/core/wire.h"

#define CPU_MS 5000 /* for one program; what is not read by then is told as a fact */
#define CPU_SECONDS \
	1200 /* for all of them: against what the budget above cannot stop; aisbx has a deadline, too */
#define MEMORY ((rlim_t)2 << 30)

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#error "there is no system call filter for this machine yet"
#endif

static void limit(int what, rlim_t most)
{
	struct rlimit l;

	if (getrlimit(what, &l) == 0) {
		l.rlim_max = l.rlim_max < most ? l.rlim_max : most;
		l.rlim_cur = l.rlim_max;
		setrlimit(what, &l);
	}
}

#if !WITH_ASAN
#define ALLOW(call) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* Reading, writing, memory, the time, the end: whoever takes this process over by a bug in a parser has no
 * more. */
static int forbid_calls(void)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(read),
		ALLOW(write),
		ALLOW(brk),
		ALLOW(mmap),
		ALLOW(munmap),
		ALLOW(mremap),
		ALLOW(madvise),
		ALLOW(clock_gettime),
		ALLOW(lseek), /* stdio, at its end */
		ALLOW(fstat),
#ifdef __NR_newfstatat
		ALLOW(newfstatat),
#endif
		ALLOW(rt_sigreturn),
		ALLOW(exit),
		ALLOW(exit_group),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { .len = sizeof(rules) / sizeof(*rules), .filter = rules };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0 ? -errno : 0;
}
#endif

static int limit_all(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_CPU, CPU_SECONDS);
#if WITH_ASAN /* its shadow alone has terabytes, and it looks for leaks in /proc, from a second process */
	return 0;
#else
	limit(RLIMIT_NOFILE, 3);
	limit(RLIMIT_AS, MEMORY);
	return forbid_calls();
#endif
}

/* tree-sitter aborts when there is no memory; so does whoever takes this process over. These can be told
 * apart. */
static void *must_have(void *p, size_t size)
{
	if (!p && size)
		_exit(WIRE_NO_MEMORY);
	return p;
}

static void *take_memory(size_t size)
{
	return must_have(malloc(size), size);
}

static void *take_zeroes(size_t n, size_t size)
{
	return must_have(calloc(n, size), n * size);
}

static void *take_more(void *p, size_t size)
{
	return must_have(realloc(p, size), size);
}

static int complain(const char *what)
{
	fprintf(stderr, "aisbx-scan: %s\n", what);
	return 1;
}

/* The next line of standard input without its end, at most CAP-1 bytes. 1, 0 at the end of input, -1 for
 * none. */
static int read_line(char *line, size_t cap)
{
	size_t n = 0;
	int c;

	while ((c = getchar()) != EOF && c != '\n' && n < cap - 1)
		line[n++] = (char)c;
	line[n] = '\0';
	return c == '\n' ? 1 : c == EOF && n == 0 ? 0 : -1;
}

static int answer(const struct scan_language *language, size_t len)
{
	scoped(drop_mem) char *text = malloc(len + 1);
	scoped(facts_finish) struct facts facts = { 0 };
	scoped(buf_finish) struct buf b = { 0 };

	must_have(text, len);
	if (fread(text, 1, len, stdin) != len)
		return complain("a string ends too early");
	text[len] = '\0';
	tree_allow(CPU_MS);
	scan_any(text, len, &facts);
	if (language->read(text, len, NULL, &facts) < 0)
		facts.failed = 1;
	if (facts.failed)
		return WIRE_NO_MEMORY;
	for (size_t i = 0; i < facts.n; i++) {
		wire_put_fact(&b, &facts.list[i]);
		if (b.len > 1 << 20) {
			fwrite(b.data, 1, b.len, stdout);
			b.len = 0;
		}
	}
	wire_put_end(&b, &facts);
	if (b.failed)
		return WIRE_NO_MEMORY;
	fwrite(b.data, 1, b.len, stdout);
	return fflush(stdout) == 0 ? 0 : 1;
}

int main(void)
{
	char line[WIRE_MAX_NAME + 24], name[WIRE_MAX_NAME + 1];
	int r;

	std_fds_hold();
	ts_set_allocator(take_memory, take_zeroes, take_more, free);
	if (limit_all() < 0)
		return complain("the kernel could not enforce the filter (seccomp)");
	while ((r = read_line(line, sizeof(line))) > 0) {
		const struct scan_language *language;
		size_t len;

		if (sscanf(line, "%32s %zu", name, &len) != 2 || len > WIRE_MAX_TEXT)
			return complain("this is not a request");
		language = scan_language_find(name);
		if (!language)
			return complain("unknown language");
		r = answer(language, len);
		if (r)
			return r;
	}
	return r < 0 ? complain("this is not a request") : 0;
}
