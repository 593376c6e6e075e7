/* SPDX-License-Identifier: Apache-2.0 */
/*
 * If a box can change the host's own files, it must not set bits that let others act as their owner: a filter
 * beside the plan's checks the mode of every call that has one, and answers EPERM.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "jail/jail.h"
#include "sys/sys.h"

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#else
#error "find out the architecture for seccomp"
#endif

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif
#define X32_BIT 0x40000000u
/* __O_TMPFILE, which has no name of its own outside of the kernel: the same everywhere but on alpha, parisc
 * and sparc. */
#define MAKES   (O_CREAT | 020000000)
#define SET_IDS (S_ISUID | S_ISGID)
#define NONE    (-1)

/* Calls with a mode; mkdir is none of them: the kernel takes the two bits out itself. */
static const struct {
	unsigned int nr;
	int flags; /* argument that says whether a file may be made, else there is no mode; or NONE */
	int mode;
} calls[] = {
#ifdef SYS_open
	{ SYS_open, 1, 2 },         { SYS_creat, NONE, 1 },   { SYS_chmod, NONE, 1 },
	{ SYS_mknod, NONE, 1 },
#endif
	{ SYS_openat, 2, 3 },       { SYS_fchmod, NONE, 1 },  { SYS_fchmodat, NONE, 2 },
	{ SYS_fchmodat2, NONE, 2 }, { SYS_mknodat, NONE, 2 },
};
#define N_CALLS (sizeof(calls) / sizeof(*calls))

struct program {
	struct sock_filter code[16 + 8 * N_CALLS];
	unsigned short n;
};

static void add(struct program *p, unsigned short what, uint32_t k, unsigned char yes, unsigned char no)
{
	p->code[p->n++] = (struct sock_filter){ what, yes, no, k };
}

static void load_arg(struct program *p, int arg)
{
	add(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)(offsetof(struct seccomp_data, args) + 8 * (size_t)arg), 0,
	    0); /* its low half */
}

static void answer(struct program *p, uint32_t what)
{
	add(p, BPF_RET | BPF_K, what, 0, 0);
}

/* Whatever its arguments, which a filter cannot see: who asks has another way. */
static void add_absent(struct program *p, unsigned int nr)
{
	add(p, BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1);
	answer(p, SECCOMP_RET_ERRNO | ENOSYS);
}

static void add_call(struct program *p, size_t i)
{
	add(p, BPF_JMP | BPF_JEQ | BPF_K, calls[i].nr, 0, calls[i].flags == NONE ? 4 : 7);
	if (calls[i].flags != NONE) {
		load_arg(p, calls[i].flags);
		add(p, BPF_JMP | BPF_JSET | BPF_K, MAKES, 1, 0);
		answer(p, SECCOMP_RET_ALLOW);
	}
	load_arg(p, calls[i].mode);
	add(p, BPF_JMP | BPF_JSET | BPF_K, SET_IDS, 1, 0);
	answer(p, SECCOMP_RET_ALLOW);
	answer(p, SECCOMP_RET_ERRNO | EPERM);
}

/* FILTERED: the plan's filter sees to other ways of making calls. */
int jail_hold_set_ids(bool filtered)
{
	struct program p = { .n = 0 };

	if (!filtered) { /* numbers mean other calls there; and io_uring makes calls that no filter sees */
		add(&p, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch), 0, 0);
		add(&p, BPF_JMP | BPF_JEQ | BPF_K, NATIVE, 1, 0);
		answer(&p, SECCOMP_RET_ERRNO | ENOSYS);
	}
	add(&p, BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
	if (!filtered) {
		add(&p, BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1);
		answer(&p, SECCOMP_RET_ERRNO | ENOSYS);
		add_absent(&p, SYS_io_uring_setup);
	}
	add_absent(&p, SYS_openat2);
	for (size_t i = 0; i < N_CALLS; i++)
		add_call(&p, i);
	answer(&p, SECCOMP_RET_ALLOW);
	return sys_seccomp_load(p.code, p.n, 0);
}
