// SPDX-License-Identifier: Apache-2.0
/*
 * Tries every system call number, in all three calling conventions of x86_64, and every argument a rule looks
 * at, under the real filter of every preset, and compares with what was meant. No allowed call is really
 * made: a last filter hands each to the tracer, which sees exactly what the filter under test lets through,
 * and skips it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "seccomp_filters.h"

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

enum {
	LAST_NR = 600,
	MAX_PROBES = 32768,
	X32_BIT = 0x40000000,
	ODD = 0x7fffffff, /* as an argument: no exception of any rule holds for it */
	RULES = sizeof(seccomp_rules) / sizeof(seccomp_rules[0]),
};

enum outcome { NOTHING, ALLOWED, NOTIFIED, DENIED };

struct probe {
	long nr;
	unsigned long arg[6];
	enum syscall_verdict expected;
	enum outcome outcome;
	long result;
};

/* Shared with the tracee, which makes no system call of its own between two probes. */
struct progress {
	volatile unsigned int current;
	volatile int listener; /* -1: not there yet; -2: the kernel refused the filter */
	volatile bool go;
	unsigned int count;
	struct probe probe[MAX_PROBES];
};

static struct progress *progress;
static int child_events;
static unsigned int preset; /* under test */

/* What a preset makes of the verdict that default.rules has for a call. */
static enum syscall_verdict in_preset(const struct syscall_rule *r, enum syscall_verdict by_default)
{
	if (!r || r->absent & 1U << preset)
		return SYSCALL_ABSENT;
	if (r->chosen & 1U << preset)
		return by_default;
	return r->verdict == SYSCALL_ABSENT ? SYSCALL_ABSENT : SYSCALL_REFUSE;
}

static void add_probe(enum syscall_verdict expected, long nr, unsigned long a0, unsigned long a1,
		      unsigned long a2)
{
	struct probe *p = &progress->probe[progress->count++];

	assert_true(progress->count <= MAX_PROBES);
	*p = (struct probe){ .nr = nr, .arg = { a0, a1, a2, ODD, ODD, ODD }, .expected = expected };
}

static long raw_call(long nr, const unsigned long *arg)
{
	register unsigned long r10 __asm__("r10") = arg[3];
	register unsigned long r8 __asm__("r8") = arg[4];
	register unsigned long r9 __asm__("r9") = arg[5];
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(nr), "D"(arg[0]), "S"(arg[1]), "d"(arg[2]), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

static long int80_call(long nr)
{
	long result;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(nr), "b"(ODD), "c"(ODD), "d"(ODD), "S"(ODD), "D"(ODD)
			 : "memory", "r8", "r9", "r10", "r11"); /* kernels before 4.17 lose these four */
	return (int)result;
}

static int load_filter(const struct sock_filter *code, unsigned short count, unsigned int flags)
{
	struct sock_fprog program = { count, (struct sock_filter *)code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

static void tracee(void)
{
	/* weaker than every refusal, so it speaks only where the filter under test says allow */
	static const struct sock_filter trace_all[] = { BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE) };
	int listener;

	if (ptrace(PTRACE_TRACEME, 0, 0, 0) || raise(SIGSTOP) || load_filter(trace_all, 1, 0))
		_exit(2);
	/* last: a preset may refuse everything that was needed for getting here */
	listener = load_filter(seccomp_presets[preset].code, seccomp_presets[preset].count,
			       SECCOMP_FILTER_FLAG_NEW_LISTENER);
	progress->listener = listener < 0 ? -2 : listener;
	while (!progress->go)
		__builtin_ia32_pause();
	for (unsigned int i = 0; i < progress->count; i++) {
		progress->current = i;
		progress->probe[i].result = raw_call(progress->probe[i].nr, progress->probe[i].arg);
	}
	progress->current = progress->count;
	_exit(0);
}

static const struct syscall_rule *find_rule(const struct syscall_rule *rules, size_t count, long nr)
{
	for (size_t i = 0; i < count; i++)
		if (rules[i].nr == nr)
			return &rules[i];
	return NULL;
}

static void answer_notice(int listener)
{
	struct seccomp_notif notice = { 0 };
	struct seccomp_notif_resp answer = { .error = -EPERM };
	struct probe *p = &progress->probe[progress->current];
	const struct syscall_rule *rule = find_rule(seccomp_rules, RULES, p->nr);

	assert_return_code(ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &notice), errno);
	assert_int_equal(notice.data.nr, p->nr);
	p->outcome = NOTIFIED;
	answer.id = notice.id;
	if (rule && rule->verdict == SYSCALL_TELL && rule->chosen & 1U << preset) {
		answer.error = 0;
		answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
	}
	assert_return_code(ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer), errno);
}

/* Returns false once the tracee has ended. */
static bool follow_tracee(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, WNOHANG) > 0) {
		if (!WIFSTOPPED(status)) {
			assert_true(WIFEXITED(status));
			assert_int_equal(WEXITSTATUS(status), 0);
			return false;
		}
		assert_int_equal(status >> 8, SIGTRAP | PTRACE_EVENT_SECCOMP << 8);
		if (progress->go &&
		    progress->current < progress->count) { /* otherwise it is a call of the tracee's own */
			progress->probe[progress->current].outcome = ALLOWED;
			assert_return_code(ptrace(PTRACE_POKEUSER, pid, offsetof(struct user, regs.orig_rax),
						  -1L),
					   errno);
		}
		assert_return_code(ptrace(PTRACE_CONT, pid, 0, 0), errno);
	}
	return true;
}

/* The tracee's listener, once it has one. It stops for each call of its own on the way. */
static int take_listener(pid_t pid)
{
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0), listener;

	assert_return_code(pidfd, errno);
	while (progress->listener == -1)
		assert_true(follow_tracee(pid));
	assert_true(progress->listener >= 0);
	listener = (int)syscall(SYS_pidfd_getfd, pidfd, progress->listener, 0);
	assert_return_code(listener, errno);
	close(pidfd);
	return listener;
}

static void run_probes(void)
{
	struct pollfd wait_for[2] = { { .fd = child_events, .events = POLLIN }, { .events = POLLIN } };
	struct signalfd_siginfo event;
	int status;
	pid_t pid;

	progress->current = 0;
	progress->listener = -1;
	progress->go = false;
	for (unsigned int i = 0; i < progress->count; i++)
		progress->probe[i].outcome = NOTHING;
	pid = fork();
	assert_return_code(pid, errno);
	if (!pid)
		tracee();
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSTOPPED(status));
	assert_return_code(ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL),
			   errno);
	assert_return_code(ptrace(PTRACE_CONT, pid, 0, 0), errno);
	wait_for[1].fd = take_listener(pid);
	progress->go = true;

	do {
		assert_true(poll(wait_for, 2, -1) > 0);
		if (wait_for[1].revents & POLLIN)
			answer_notice(wait_for[1].fd);
		if (wait_for[0].revents & POLLIN)
			assert_int_equal(read(child_events, &event, sizeof(event)), sizeof(event));
	} while (follow_tracee(pid));
	close(wait_for[1].fd);
	for (unsigned int i = 0; i < progress->count; i++)
		if (progress->probe[i].outcome == NOTHING && progress->probe[i].result < 0)
			progress->probe[i].outcome = DENIED;
}

static bool agrees(const struct probe *p, enum syscall_verdict expected)
{
	switch (expected) {
	case SYSCALL_ALLOW:
		return p->outcome == ALLOWED;
	case SYSCALL_OWN: /* odd arguments name nobody of one's own, and here nobody looks */
	case SYSCALL_REFUSE:
		return p->outcome == NOTIFIED && p->result == -EPERM;
	case SYSCALL_ABSENT:
		return p->outcome == DENIED && p->result == -ENOSYS;
	case SYSCALL_UNSUPPORTED:
		return p->outcome == DENIED && p->result == -EPROTONOSUPPORT;
	case SYSCALL_TELL:
		return p->outcome == NOTIFIED && p->result == -EBADF; /* it was made, on no socket */
	case SYSCALL_WATCH:                                           /* of look.rules alone */
		return false;
	}
	return false;
}

/*
 * Runs what add_probe collected under every preset, and insists on the verdict given there where the preset
 * has the call.
 */
static void expect_probes(void)
{
	unsigned int wrong = 0;

	for (preset = 0; preset < SECCOMP_PRESETS; preset++) {
		run_probes();
		for (unsigned int i = 0; i < progress->count; i++) {
			const struct probe *p = &progress->probe[i];

			if (agrees(p, in_preset(find_rule(seccomp_rules, RULES, p->nr), p->expected)))
				continue;
			wrong++;
			print_error(
				"%s: call %ld(%#lx, %#lx, %#lx): verdict %d meant, outcome %d, result %ld\n",
				seccomp_presets[preset].name, p->nr, p->arg[0], p->arg[1], p->arg[2],
				(int)p->expected, (int)p->outcome, p->result);
		}
	}
	assert_int_equal(wrong, 0);
}

/* How many of the probes that were run differ from the table. */
static unsigned int compare(const struct syscall_rule *rules, size_t count, bool loud)
{
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < progress->count; i++) {
		const struct probe *p = &progress->probe[i];
		const struct syscall_rule *r = find_rule(rules, count, p->nr);

		if (agrees(p, in_preset(r, r ? r->verdict : SYSCALL_ABSENT)))
			continue;
		wrong++;
		if (loud)
			print_error("%s: %ld %s: outcome %d, result %ld\n", seccomp_presets[preset].name,
				    p->nr, r ? r->name : "(not listed)", (int)p->outcome, p->result);
	}
	return wrong;
}

/*
 * uretprobe and uprobe: Linux exempts them from every filter (seen in 6.18), for the kernel itself plants
 * them in traced programs. Called from anywhere else they end the caller.
 */
static bool is_exempt(long nr)
{
	return nr == 335 || nr == 336;
}

static void probe_all_numbers(void)
{
	for (long nr = 0; nr <= LAST_NR; nr++)
		if (!is_exempt(nr))
			add_probe(SYSCALL_ABSENT, nr, ODD, ODD, ODD);
	run_probes();
}

static void test_native_numbers(void **state)
{
	unsigned int wrong = 0;

	(void)state;
	for (preset = 0; preset < SECCOMP_PRESETS; preset++) {
		progress->count = 0;
		probe_all_numbers();
		assert_int_equal(progress->count, LAST_NR + 1 - 2);
		wrong += compare(seccomp_rules, RULES, true);
	}
	assert_int_equal(wrong, 0);
}

/* A preset is smaller than default.rules, and what it leaves out is refused: nothing else makes it one. */
static void test_presets_are_smaller(void **state)
{
	(void)state;
	for (unsigned int p = 1; p < SECCOMP_PRESETS; p++) {
		unsigned int has = 0, lacks = 0;

		for (size_t i = 0; i < RULES; i++) {
			const struct syscall_rule *r = &seccomp_rules[i];
			bool usable = r->verdict == SYSCALL_ALLOW || r->verdict == SYSCALL_TELL ||
				      r->verdict == SYSCALL_OWN || r->exceptions;

			assert_int_equal(r->chosen & r->absent, 0);
			if (r->chosen & 1U << p)
				assert_true(usable);
			has += usable && r->chosen & 1U << p;
			lacks += usable && !(r->chosen & 1U << p);
		}
		print_message("%s: %u calls, %u fewer than default\n", seccomp_presets[p].name, has, lacks);
		assert_true(has > 20 && lacks > 100);
	}
}

/* Control: a preset that was compiled as if it had one call more, or one fewer, is noticed. */
static void test_control_altered_presets(void **state)
{
	struct syscall_rule altered[RULES];

	(void)state;
	for (preset = 1; preset < SECCOMP_PRESETS; preset++) {
		progress->count = 0;
		probe_all_numbers();
		for (size_t i = 0; i < RULES; i++) {
			const struct syscall_rule *r = &seccomp_rules[i];
			bool same =
				r->verdict != SYSCALL_ALLOW &&
				r->verdict !=
					SYSCALL_TELL; /* refused or absent either way, for odd arguments */

			memcpy(altered, seccomp_rules, sizeof(altered));
			altered[i].chosen ^= (unsigned short)(1U << preset);
			same |= (r->absent & 1U << preset) != 0;
			assert_int_equal(compare(altered, RULES, false), !same);
		}
	}
}

/* Numbers next to the borders of the tree's last ranges. */
static void test_far_numbers(void **state)
{
	static const long far[] = { 1023, 1024, 65536, X32_BIT - 1, 0xffffffff, -1 };

	(void)state;
	for (size_t i = 0; i < sizeof(far) / sizeof(far[0]); i++)
		add_probe(SYSCALL_ABSENT, far[i], ODD, ODD, ODD);
	expect_probes();
}

/* The comparison must notice any entry that says something else, and any that is missing. */
static void test_control_altered_table(void **state)
{
	struct syscall_rule altered[RULES];

	(void)state;
	probe_all_numbers();
	for (size_t i = 0; i < RULES; i++) {
		for (int v = SYSCALL_ALLOW; v <= SYSCALL_ABSENT; v++) {
			memcpy(altered, seccomp_rules, sizeof(altered));
			altered[i].verdict = (enum syscall_verdict)v;
			/* for the kernel those are one, and in here odd arguments name no thread */
			if (seccomp_rules[i].verdict == SYSCALL_OWN && v == SYSCALL_REFUSE)
				continue;
			assert_int_equal(compare(altered, RULES, false),
					 altered[i].verdict != seccomp_rules[i].verdict);
		}
		memcpy(altered, seccomp_rules, sizeof(altered));
		altered[i].nr = -2;
		assert_int_equal(compare(altered, RULES, false), seccomp_rules[i].verdict != SYSCALL_ABSENT);
	}
}

static void test_every_known_call_is_listed(void **state)
{
	unsigned int missing = 0;

	(void)state;
	for (size_t i = 1; i < RULES; i++)
		assert_true(seccomp_rules[i - 1].nr < seccomp_rules[i].nr);
	for (int nr = 0; nr < 4096; nr++) {
		char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_X86_64, nr);
		const struct syscall_rule *r = find_rule(seccomp_rules, RULES, nr);

		if (name && !r && !is_exempt(nr)) {
			print_error("%s (%d) is not listed\n", name, nr);
			missing++;
		} else if (name && r) {
			assert_string_equal(name, r->name);
		}
		if (r)
			assert_true(strlen(r->reason) > 0);
		free(name);
	}
	assert_int_equal(missing, 0);
}

/*
 * Makes each call in a process of its own and counts those that do not die of the signal. The filter is
 * loaded once, in the process that forks them.
 */
static unsigned int count_survivors(long nr_base, bool int80, int signal, long step)
{
	pid_t pid = fork();
	int status;

	assert_return_code(pid, errno);
	if (pid) {
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
		return progress->current;
	}
	progress->current = 0;
	if (load_filter(seccomp_presets[preset].code, seccomp_presets[preset].count, 0))
		_exit(1);
	for (long nr = 0; nr <= LAST_NR; nr += step) {
		static const unsigned long odd[6] = { ODD, ODD, ODD, ODD, ODD, ODD };

		pid = fork();
		if (pid < 0)
			_exit(2);
		if (!pid) {
			alarm(30); /* a call that is wrongly made may wait for ever */
			_exit((int80 ? int80_call(nr_base + nr) : raw_call(nr_base + nr, odd)) == 0);
		}
		if (waitpid(pid, &status, 0) != pid)
			_exit(3);
		if (!WIFSIGNALED(status) || WTERMSIG(status) != signal)
			progress->current++;
	}
	_exit(0);
}

static void test_x32_numbers_kill(void **state)
{
	(void)state;
	/* one range of the tree in every preset: every number once, some under each */
	for (preset = 0; preset < SECCOMP_PRESETS; preset++)
		assert_int_equal(count_survivors(X32_BIT, false, SIGSYS, preset ? 40 : 1), 0);
}

/* Control and question in one: without the filter, does this kernel take the call? getpid is 20 there. */
static bool int80_works(void)
{
	pid_t pid = fork();
	int status;

	assert_return_code(pid, errno);
	if (!pid)
		_exit(int80_call(20) != getpid());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void test_i386_numbers_kill(void **state)
{
	(void)state;
	/* a kernel without the 32-bit interface answers the instruction itself with SIGSEGV */
	for (preset = 0; preset < SECCOMP_PRESETS; preset++)
		assert_int_equal(count_survivors(0, true, int80_works() ? SIGSYS : SIGSEGV, preset ? 40 : 1),
				 0);
}

/* Control: the same method must count native calls, which do not kill, as survivors. */
static void test_control_survivors(void **state)
{
	(void)state;
	assert_int_equal(count_survivors(LAST_NR + 1, false, SIGSYS, 1), LAST_NR + 1);
}

static void test_namespace_bits(void **state)
{
	const unsigned long spaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
				     CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
	const unsigned long thread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD;

	(void)state;
	for (int bit = 0; bit < 64; bit++) {
		unsigned long flag = 1UL << bit;
		enum syscall_verdict v = flag & spaces ? SYSCALL_REFUSE : SYSCALL_ALLOW;

		add_probe(v, SYS_clone, flag, ODD, ODD);
		add_probe(v, SYS_clone, flag | SIGCHLD, ODD, ODD);
		add_probe(v, SYS_clone, flag | thread, ODD, ODD);
		add_probe(SYSCALL_REFUSE, SYS_clone, flag | CLONE_NEWUSER, ODD, ODD);
		add_probe(flag & CLONE_NEWTIME ? SYSCALL_REFUSE : v, SYS_unshare, flag, ODD, ODD);
		add_probe(SYSCALL_ABSENT, SYS_clone3, flag, ODD, ODD);
	}
	add_probe(SYSCALL_ALLOW, SYS_clone, SIGCHLD, ODD, ODD);
	add_probe(SYSCALL_ALLOW, SYS_unshare, CLONE_FS | CLONE_FILES, ODD, ODD);
	expect_probes();
}

static enum syscall_verdict socket_verdict(unsigned long family, unsigned long type, unsigned long protocol)
{
	bool inet = family == AF_INET || family == AF_INET6;

	if (family == AF_UNIX || (family == AF_NETLINK && protocol == 0))
		return SYSCALL_ALLOW;
	if (family == AF_NETLINK && protocol == 9 /* NETLINK_AUDIT */)
		return SYSCALL_UNSUPPORTED;
	if (inet && type == SOCK_STREAM && protocol == 262 /* IPPROTO_MPTCP */)
		return SYSCALL_ABSENT;
	if (inet && type == SOCK_STREAM && (protocol == 0 || protocol == 6))
		return SYSCALL_ALLOW;
	if (inet && type == SOCK_DGRAM && (protocol == 0 || protocol == 17))
		return SYSCALL_ALLOW;
	return SYSCALL_REFUSE;
}

static void test_sockets(void **state)
{
	/* any, icmp, tcp, udp, icmp6, l2tp, sctp, udplite, raw, smc, mptcp */
	static const unsigned long protocols[] = { 0, 1, 6, 9, 17, 58, 115, 132, 136, 255, 256, 262 };

	(void)state;
	for (unsigned long family = 0; family <= 45; family++)
		for (unsigned long type = 0; type < 16; type++)
			for (size_t i = 0; i < sizeof(protocols) / sizeof(protocols[0]); i++) {
				enum syscall_verdict v = socket_verdict(family, type, protocols[i]);

				add_probe(v, SYS_socket, family, type, protocols[i]);
				add_probe(v, SYS_socket, family, type | SOCK_CLOEXEC | SOCK_NONBLOCK,
					  protocols[i]);
			}
	for (unsigned long protocol = 0; protocol < 32; protocol++) {
		add_probe(socket_verdict(AF_NETLINK, SOCK_RAW, protocol), SYS_socket, AF_NETLINK, SOCK_RAW,
			  protocol);
		add_probe(socket_verdict(AF_NETLINK, SOCK_DGRAM, protocol), SYS_socket, AF_NETLINK,
			  SOCK_DGRAM, protocol);
	}
	for (unsigned long family = 0; family <= 45; family++)
		add_probe(family == AF_UNIX ? SYSCALL_ALLOW : SYSCALL_REFUSE, SYS_socketpair, family,
			  SOCK_STREAM, 0);
	/* the kernel drops the high half: it must not turn a refused value into an allowed one */
	for (int bit = 32; bit < 64; bit++) {
		add_probe(SYSCALL_REFUSE, SYS_socket, AF_VSOCK | 1UL << bit, SOCK_STREAM, 0);
		add_probe(SYSCALL_REFUSE, SYS_socket, AF_INET, SOCK_RAW | 1UL << bit, 0);
		add_probe(SYSCALL_REFUSE, SYS_socket, AF_NETLINK, SOCK_RAW, 12 | 1UL << bit);
	}
	expect_probes();
}

static void test_ioctl_requests(void **state)
{
	static const unsigned long bad[] = { TIOCSTI, TIOCLINUX, TIOCSETD };
	static const unsigned long good[] = { TCGETS,  TIOCGWINSZ, TIOCSPGRP, FIONREAD,
					      FIONBIO, FIOCLEX,    0,         0xffffffff };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		add_probe(SYSCALL_REFUSE, SYS_ioctl, 0, bad[i], 0);
		add_probe(SYSCALL_REFUSE, SYS_ioctl, 0, bad[i] | ~0UL << 32, 0);
		for (int bit = 32; bit < 64; bit++)
			add_probe(SYSCALL_REFUSE, SYS_ioctl, 0, bad[i] | 1UL << bit, 0);
		/* a neighbour is another request: the rules must not be wider than meant */
		for (int bit = 0; bit < 32; bit++)
			if ((bad[i] ^ 1UL << bit) != bad[0] && (bad[i] ^ 1UL << bit) != bad[1])
				add_probe(SYSCALL_ALLOW, SYS_ioctl, 0, bad[i] ^ 1UL << bit, 0);
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		add_probe(SYSCALL_ALLOW, SYS_ioctl, 0, good[i], 0);
		add_probe(SYSCALL_ALLOW, SYS_ioctl, 0, good[i] | 1UL << 32, 0);
	}
	expect_probes();
}

static void test_file_types(void **state)
{
	(void)state;
	for (unsigned long type = 0; type <= S_IFMT; type += 0x1000) {
		bool plain = type == 0 || type == S_IFREG || type == S_IFIFO || type == S_IFSOCK;
		enum syscall_verdict v = plain ? SYSCALL_ALLOW : SYSCALL_REFUSE;

		for (unsigned long high = 0; high <= 0x10000; high += 0x10000) {
			add_probe(v, SYS_mknod, ODD, type | 0644 | high, 0);
			add_probe(v, SYS_mknodat, ODD, ODD, type | 04755 | high);
		}
	}
	for (unsigned long flags = 0; flags < 8; flags++) {
		add_probe(flags & 4 ? SYSCALL_REFUSE : SYSCALL_ALLOW, SYS_renameat2, ODD, ODD, ODD);
		progress->probe[progress->count - 1].arg[4] = flags;
	}
	expect_probes();
}

static void test_told_addresses(void **state)
{
	(void)state;
	add_probe(SYSCALL_TELL, SYS_connect, ODD, ODD, ODD);
	add_probe(SYSCALL_TELL, SYS_sendto, ODD, ODD, ODD);
	add_probe(SYSCALL_ALLOW, SYS_sendto, ODD, ODD, ODD);
	progress->probe[progress->count - 1].arg[4] = 0;
	for (int bit = 0; bit < 64; bit++) {
		add_probe(SYSCALL_TELL, SYS_sendto, ODD, ODD, ODD);
		progress->probe[progress->count - 1].arg[4] = 1UL << bit;
	}
	expect_probes();
}

static void test_own_process_only(void **state)
{
	static const long of_a_thread[] = { SYS_prlimit64, SYS_sched_setparam, SYS_sched_setscheduler,
					    SYS_sched_setattr, SYS_sched_setaffinity };

	(void)state;
	for (size_t i = 0; i < sizeof(of_a_thread) / sizeof(of_a_thread[0]); i++) {
		add_probe(SYSCALL_ALLOW, of_a_thread[i], 0, ODD, ODD);
		for (int bit = 0; bit < 64; bit++)
			add_probe(SYSCALL_OWN, of_a_thread[i], 1UL << bit, ODD, ODD);
	}
	add_probe(SYSCALL_ALLOW, SYS_prlimit64, 1, ODD, 0);
	for (unsigned long which = 0; which < 4; which++)
		for (unsigned long who = 0; who < 3; who++) {
			add_probe(which || who ? SYSCALL_OWN : SYSCALL_ALLOW, SYS_setpriority, which, who,
				  ODD);
			add_probe(which != 1 || who ? SYSCALL_OWN : SYSCALL_ALLOW, SYS_ioprio_set, which, who,
				  ODD);
		}
	add_probe(SYSCALL_ALLOW, SYS_personality, 0, 0, 0);
	add_probe(SYSCALL_ALLOW, SYS_personality, 0xffffffff, 0, 0);
	add_probe(SYSCALL_ALLOW, SYS_personality, ~0UL, 0, 0);
	for (int bit = 0; bit < 32; bit++) {
		unsigned long flag = 1UL << bit;

		add_probe(flag == ADDR_NO_RANDOMIZE ? SYSCALL_ALLOW : SYSCALL_REFUSE, SYS_personality, flag,
			  0, 0);
		add_probe(SYSCALL_REFUSE, SYS_personality, flag | READ_IMPLIES_EXEC, 0, 0);
		add_probe(SYSCALL_REFUSE, SYS_personality, ~flag & 0xffffffff, 0, 0);
	}
	for (unsigned long option = 0; option < 100; option++) {
		enum syscall_verdict v = option == PR_SET_MM ? SYSCALL_REFUSE : SYSCALL_ALLOW;

		add_probe(v, SYS_prctl, option, 0, 0);
		add_probe(v, SYS_prctl, option | 1UL << 40, 0, 0);
	}
	add_probe(SYSCALL_ALLOW, SYS_move_pages, 0, 1, 0);
	add_probe(SYSCALL_REFUSE, SYS_move_pages, 1, 1, 0);
	expect_probes();
}

static int clear_progress(void **state)
{
	(void)state;
	memset(progress, 0, sizeof(*progress));
	preset = 0;
	return 0;
}

static int set_up(void **state)
{
	struct rlimit no_core = { 0, 0 };
	sigset_t child;

	(void)state;
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	child_events = signalfd(-1, &child, SFD_CLOEXEC);
	alarm(120); /* a lost event must fail the test, not hang it */
	return progress == MAP_FAILED || child_events < 0 || sigprocmask(SIG_BLOCK, &child, NULL) ||
	       setrlimit(RLIMIT_CORE, &no_core);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_known_call_is_listed),
		cmocka_unit_test(test_presets_are_smaller),
		cmocka_unit_test_setup(test_native_numbers, clear_progress),
		cmocka_unit_test_setup(test_far_numbers, clear_progress),
		cmocka_unit_test_setup(test_control_altered_table, clear_progress),
		cmocka_unit_test_setup(test_control_altered_presets, clear_progress),
		cmocka_unit_test_setup(test_x32_numbers_kill, clear_progress),
		cmocka_unit_test_setup(test_i386_numbers_kill, clear_progress),
		cmocka_unit_test_setup(test_control_survivors, clear_progress),
		cmocka_unit_test_setup(test_namespace_bits, clear_progress),
		cmocka_unit_test_setup(test_sockets, clear_progress),
		cmocka_unit_test_setup(test_ioctl_requests, clear_progress),
		cmocka_unit_test_setup(test_file_types, clear_progress),
		cmocka_unit_test_setup(test_told_addresses, clear_progress),
		cmocka_unit_test_setup(test_own_process_only, clear_progress),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
