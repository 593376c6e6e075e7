/* SPDX-License-Identifier: Apache-2.0 */
/* Two short lists of system calls, as filters, and Landlock without a single file. */
#include "net/wall.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/scope.h"
#include "sys/sys.h"

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#error "the broker has no filter for this processor"
#endif

#define MAX_FILTER 192

#ifdef __SANITIZE_ADDRESS__ /* what looks for mistakes asks for more */
#define SANITIZER                                                                                            \
	SYS_mmap, SYS_mremap, SYS_mprotect, SYS_madvise, SYS_sigaltstack, SYS_getpid, SYS_gettid, SYS_futex, \
		SYS_sched_yield, SYS_rt_sigaction, SYS_prctl, SYS_getrusage, SYS_tgkill,
#else
#define SANITIZER
#endif

/* What both halves need to live and to end. */
static const int common[] = { SYS_read,       SYS_write,      SYS_close,         SYS_recvmsg,
			      SYS_sendmsg,    SYS_socket,     SYS_bind,          SYS_listen,
			      SYS_setsockopt, SYS_exit_group, SYS_rt_sigreturn,  SYS_rt_sigprocmask,
			      SYS_munmap,     SYS_brk,        SYS_clock_gettime, SANITIZER };

static const int outside[] = {
#ifdef SYS_epoll_wait
	SYS_epoll_wait,
#endif
	SYS_epoll_pwait, SYS_epoll_ctl, SYS_accept4, SYS_connect,  SYS_getsockopt, SYS_getsockname,
	SYS_getpeername, SYS_recvfrom,  SYS_sendto,  SYS_shutdown, SYS_splice,     SYS_pipe2,
	SYS_readv,       SYS_writev,    SYS_mmap,    SYS_mremap,   SYS_madvise,    SYS_fcntl,
	SYS_getrandom,   SYS_futex,     SYS_ioctl,   SYS_fstat,    SYS_ppoll,
#ifdef SYS_poll
	SYS_poll,
#endif
#ifdef SYS_newfstatat
	SYS_newfstatat, /* pread of a descriptor's size; Landlock has no file for it */
#endif
};

static const int inside[] = { SYS_setns, SYS_recvfrom, SYS_sendto };

/* Loads a field of what is asked. */
#define LOAD(field)  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ANSWER(what) BPF_STMT(BPF_RET | BPF_K, (what))
/* Goes on if it is VALUE, else skips N. */
#define IS(value, n) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), 0, (n))

struct filter {
	struct sock_filter code[MAX_FILTER];
	unsigned short n;
};

static void add(struct filter *f, struct sock_filter step)
{
	if (f->n < MAX_FILTER)
		f->code[f->n] = step;
	f->n++;
}

static void allow(struct filter *f, const int *calls, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		add(f, (struct sock_filter)IS(calls[i], 1));
		add(f, (struct sock_filter)ANSWER(SECCOMP_RET_ALLOW));
	}
}

/* Memory that holds code is made by nobody here; sockets are of the Internet only. */
static void begin(struct filter *f)
{
	add(f, (struct sock_filter)LOAD(arch));
	add(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0));
	add(f, (struct sock_filter)ANSWER(SECCOMP_RET_KILL_PROCESS));
	add(f, (struct sock_filter)LOAD(nr));
	add(f, (struct sock_filter)IS(SYS_socket, 5));
	add(f, (struct sock_filter)LOAD(args[0]));
	add(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 2, 0));
	add(f, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 1, 0));
	add(f, (struct sock_filter)ANSWER(SECCOMP_RET_ERRNO | EAFNOSUPPORT));
	add(f, (struct sock_filter)ANSWER(SECCOMP_RET_ALLOW));
}

static int load(struct filter *f)
{
	int r;

	add(f, (struct sock_filter)ANSWER(SECCOMP_RET_KILL_PROCESS));
	if (f->n > MAX_FILTER)
		return -E2BIG;
	r = sys_prctl(PR_SET_NO_NEW_PRIVS, 1, 0);
	return r < 0 ? r : sys_seccomp_load(f->code, f->n, 0);
}

/* By Landlock's version; later headers than Debian 12's name the last ones. */
static int hide_files(void)
{
	int abi = sys_landlock_abi();
	uint64_t files = (1ULL << (abi >= 5 ? 16 : abi >= 3 ? 15 : abi >= 2 ? 14 : 13)) - 1;
	scoped(drop_fd) int ruleset = -1;
	int r;

	if (abi < 0)
		return abi;
	ruleset = sys_landlock_create(files, 0, abi >= 6 ? 3 : 0);
	if (ruleset < 0)
		return ruleset;
	r = sys_prctl(PR_SET_NO_NEW_PRIVS, 1, 0);
	return r < 0 ? r : sys_landlock_enforce(ruleset);
}

int wall_outside(void)
{
	struct filter f = { .n = 0 };
	int r = hide_files();

	begin(&f);
	allow(&f, common, sizeof(common) / sizeof(*common));
	allow(&f, outside, sizeof(outside) / sizeof(*outside));
	return r < 0 ? r : load(&f);
}

int wall_inside(void)
{
	struct filter f = { .n = 0 };
	int r = hide_files();

	begin(&f);
	allow(&f, common, sizeof(common) / sizeof(*common));
	allow(&f, inside, sizeof(inside) / sizeof(*inside));
	return r < 0 ? r : load(&f);
}
