/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walls of aisbx-tls: it reads what a box and the whole internet send, with secrets in its memory. So it
 * has no file, makes no socket and no process; a hole in its libraries leads to the connections that it has,
 * and no further.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "base/asan.h"
#include "base/error.h"
#include "base/scope.h"
#include "net/tls/tls.h"
#include "sys/sys.h"

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#else
#error "aisbx-tls has no list of system calls for this machine"
#endif

#define FS_V1     0x1fffULL    /* all rights of files, by Landlock's version */
#define FS_REFER  (1ULL << 13) /* 2 */
#define FS_TRUNC  (1ULL << 14) /* 3 */
#define FS_IOCTL  (1ULL << 15) /* 5 */
#define NET_ALL   3ULL         /* 4 */
#define SCOPE_ALL 3ULL         /* 6 */

static const int calls[] = {
	/* connections and the broker */
	__NR_read,
	__NR_write,
	__NR_readv,
	__NR_writev,
	__NR_recvfrom,
	__NR_sendto,
	__NR_recvmsg,
	__NR_sendmsg,
	__NR_shutdown,
	__NR_close,
	__NR_epoll_ctl,
	__NR_epoll_pwait,
#ifdef __NR_epoll_wait
	__NR_epoll_wait,
#endif
	__NR_fcntl,
	__NR_fstat, /* of descriptors that came */
#ifdef __NR_newfstatat
	__NR_newfstatat, /* as fstat: the C library's; Landlock and an empty path */
#endif
	/* memory */
	__NR_mmap,
	__NR_munmap,
	__NR_mremap,
	__NR_brk,
	__NR_madvise,
	__NR_mprotect,
	__NR_futex,
	/* time and chance */
	__NR_clock_gettime,
	__NR_gettimeofday,
	__NR_getrandom,
	__NR_getpid, /* OpenSSL asks whether it was forked */
	/* the end */
	__NR_exit_group,
	__NR_exit,
	__NR_rt_sigreturn,
	__NR_restart_syscall,
#if WITH_ASAN
	__NR_sigaltstack,
	__NR_gettid,
	__NR_clone,
	__NR_openat,
	__NR_readlink,
	__NR_sched_yield,
	__NR_getppid,
	__NR_prctl,
	__NR_rt_sigprocmask,
	__NR_rt_sigaction,
	__NR_wait4,
	__NR_ptrace,
	__NR_getdents64,
	__NR_kill,
	__NR_tgkill,
	__NR_dup2,
	__NR_pipe2,
	__NR_lseek,
	__NR_unlink,
	__NR_getrlimit,
	__NR_prlimit64,
#endif
};

#define MAX_MEMORY (1ULL << 30)                           /* beyond it connections end */
#define LEVEL      offsetof(struct seccomp_data, args[1]) /* its low half: both machines are little-endian */
#define N_CALLS    (sizeof(calls) / sizeof(calls[0]))

static int landlock(struct aisbx_error *e)
{
	int abi = sys_landlock_abi(), r;
	uint64_t late = (abi >= 2 ? FS_REFER : 0) | (abi >= 3 ? FS_TRUNC : 0) | (abi >= 5 ? FS_IOCTL : 0);
	scoped(drop_fd) int ruleset = -1;

	if (abi < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, -abi, "ask for Landlock");
	ruleset = sys_landlock_create(FS_V1 | late, abi >= 4 ? NET_ALL : 0, abi >= 6 ? SCOPE_ALL : 0);
	r = ruleset < 0 ? ruleset : sys_landlock_enforce(ruleset);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_RUN, -r, "enforce Landlock") : 0;
}

/* One comparison per call: there are few. Whatever else is called ends the process. */
static int seccomp(struct aisbx_error *e)
{
	struct sock_filter code[2 * N_CALLS + 12];
	unsigned short n = 0;
	int r;

	code[n++] =
		(struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
	code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < N_CALLS; i++) {
		code[n++] =
			(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)calls[i], 0, 1);
		code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	/* setsockopt, but only of TCP: pieces are not to wait for each other. */
	code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_setsockopt, 0, 3);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, LEVEL);
	code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_TCP, 0, 1);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	r = sys_seccomp_load(code, n, 0);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_RUN, -r, "load the filter of system calls") : 0;
}

int walls_build(struct aisbx_error *e)
{
	const char *without = getenv("AISBX_WITHOUT");
	int r = sys_prctl(PR_SET_NO_NEW_PRIVS, 1, 0);

	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, -r, "give up new privileges");
	sys_prctl(PR_SET_DUMPABLE, 0, 0); /* secrets are in its memory */
	sys_rlimit(RLIMIT_CORE, 0, 0);
	sys_rlimit(RLIMIT_NPROC, 0, 0);
#if !WITH_ASAN /* its shadow alone has terabytes */
	sys_rlimit(RLIMIT_DATA, MAX_MEMORY, MAX_MEMORY);
#endif
	/* A person may have given that wall up, and was told. */
	if (landlock(e) < 0 && (!without || strcmp(without, "landlock") != 0))
		return e->code;
	return seccomp(e);
}
