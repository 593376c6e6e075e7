/* SPDX-License-Identifier: Apache-2.0 */
/* The walls around a process: terminal, limits, Landlock, capabilities, descriptors, seccomp. */
#include "jail/jail.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "sys/sys.h"

static bool wanted(const struct jail *j, uint32_t wall_bit)
{
	return j->order.walls & wall_bit;
}

int jail_terminal(struct jail *j, struct aisbx_error *e)
{
	int unlock = 0, number = 0, r;
	char slave[32];

	if (!(j->order.flags & JAIL_PLAN_TTY))
		return 0;
	r = j->tty_master = sys_open(AT_FDCWD, "/dev/pts/ptmx", O_RDWR | O_NOCTTY, 0);
	if (r >= 0 && (ioctl(r, TIOCSPTLCK, &unlock) < 0 || ioctl(r, TIOCGPTN, &number) < 0))
		r = -errno;
	snprintf(slave, sizeof(slave), "/dev/pts/%d", number);
	if (r >= 0)
		r = j->tty_slave = sys_open(AT_FDCWD, slave, O_RDWR | O_NOCTTY, 0);
	/* Who keeps a command leads the session, so the command's group has a parent in it and Ctrl-Z can
	 * stop it. */
	if (r >= 0 && ioctl(j->tty_slave, TIOCSCTTY, 0) < 0)
		r = -errno;
	return r < 0 ? aisbx_fail(e, AISBX_AREA_JAIL, -r, "open a terminal of the box") : 0;
}

/*
 * The supervisor holds a lease on each decoy, and the kernel tells it when somebody opens one. Inotify
 * would too, but taking an instance down waits for a grace period of the kernel: 10 ms and more, at the
 * end of every run (seen on 6.18).
 */
static int open_decoy(const struct jail_plan *p, const struct jail_plan_op *op)
{
	const char *path = jail_plan_string(p, op->dst);
	char text[128];
	ssize_t n;
	int fd;

	if (op->kind != JAIL_PLAN_FILE) /* a mount, which is as we made it */
		return sys_open(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
	/* A box that stays may have its own file there, or a link, or nothing. */
	fd = sys_openat2(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0,
			 RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
	n = fd < 0 ? fd : read(fd, text, sizeof(text));
	if (n > 0 && (size_t)n == op->data_len && !memcmp(text, p->strings + op->data, (size_t)n))
		return fd;
	close_fd(&fd);
	return sys_open(AT_FDCWD, "/", O_PATH | O_DIRECTORY, 0); /* which stands for it, and says nothing */
}

int jail_decoys(struct jail *j, struct aisbx_error *e)
{
	const struct jail_plan *p = j->plan;

	for (uint32_t i = 0; i < p->head->n_ops; i++) {
		const char *path = jail_plan_string(p, p->ops[i].dst);
		int fd;

		if (!(p->ops[i].flags & JAIL_PLAN_WATCH))
			continue;
		fd = open_decoy(p, &p->ops[i]);
		if (fd < 0)
			return aisbx_fail(e, AISBX_AREA_JAIL, -fd, "find the decoy '%s'", path);
		j->decoys[j->n_decoys++] = fd;
	}
	return 0;
}

/* N of those we may use, from another one on in each box, so that boxes do not all meet on the first. */
static int bind_processors(uint32_t n)
{
	cpu_set_t have, take;
	unsigned int at, total;

	if (sched_getaffinity(0, sizeof(have), &have) < 0)
		return -errno;
	CPU_ZERO(&take);
	total = (unsigned int)CPU_COUNT(&have);
	if (n >= total)
		return 0;
	for (at = (unsigned int)time(NULL) % CPU_SETSIZE; n; at = (at + 1) % CPU_SETSIZE)
		if (CPU_ISSET(at, &have)) {
			CPU_SET(at, &take);
			n--;
		}
	return sched_setaffinity(0, sizeof(take), &take) < 0 ? -errno : 0;
}

int jail_limits(struct jail *j, struct aisbx_error *e)
{
	int err = j->plan->head->processors ? bind_processors(j->plan->head->processors) : 0;

	if (err < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, -err, "bind the box to %u processors",
				  j->plan->head->processors);
	for (int i = 0; i < JAIL_PLAN_RLIMITS; i++) {
		const struct jail_plan_rlimit *l = &j->plan->head->rlimits[i];
		int r = l->set ? sys_rlimit(i, l->soft, l->hard) : 0;

		if (r < 0)
			return aisbx_fail(e, AISBX_AREA_JAIL, -r, "set resource limit %d to %llu", i,
					  (unsigned long long)l->soft);
	}
	return 0;
}

/* By Landlock's version; later headers than Debian 12's name the last ones. */
#define ACCESS_REFER     (1ULL << 13) /* 2 */
#define ACCESS_TRUNCATE  (1ULL << 14) /* 3 */
#define ACCESS_IOCTL_DEV (1ULL << 15) /* 5 */
#define SCOPE_ABSTRACT   (1ULL << 0)  /* 6 */
#define SCOPE_SIGNAL     (1ULL << 1)  /* 6 */

static uint64_t access_known(int abi)
{
	uint64_t known = ACCESS_REFER - 1;

	if (abi >= 2)
		known |= ACCESS_REFER;
	if (abi >= 3)
		known |= ACCESS_TRUNCATE;
	if (abi >= 5)
		known |= ACCESS_IOCTL_DEV;
	return known;
}

static uint64_t access_of(uint32_t kind)
{
	const uint64_t read =
		LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;

	switch (kind) {
	case JAIL_PLAN_RULE_WRITE:
		return ~0ULL;
	case JAIL_PLAN_RULE_DEVICE:
		return read | LANDLOCK_ACCESS_FS_WRITE_FILE | ACCESS_TRUNCATE | ACCESS_IOCTL_DEV;
	default:
		return read;
	}
}

static int add_rules(const struct jail *j, int ruleset, uint64_t known, struct aisbx_error *e)
{
	const struct jail_plan *p = j->plan;
	/* Rights that only directories have; asking for them on a file is an error of its own. */
	const uint64_t for_files = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE |
				   LANDLOCK_ACCESS_FS_WRITE_FILE | ACCESS_TRUNCATE | ACCESS_IOCTL_DEV;

	for (uint32_t i = 0; i < p->head->n_rules; i++) {
		const char *path = jail_plan_string(p, p->rules[i].path);
		uint64_t access = access_of(p->rules[i].kind) & known;
		scoped(drop_fd) int fd = sys_open(AT_FDCWD, path, O_PATH, 0);
		struct stat st;
		int r = fd;

		if (r == -ENOENT) /* nothing there, so nothing to allow */
			continue;
		if (r >= 0)
			r = sys_stat(fd, "", &st, AT_EMPTY_PATH);
		if (r >= 0)
			r = sys_landlock_allow(ruleset, fd,
					       S_ISDIR(st.st_mode) ? access : access & for_files);
		if (r < 0)
			return aisbx_fail(e, AISBX_AREA_JAIL, -r, "Landlock rule for '%s'", path);
	}
	return 0;
}

/* May this process look at PID, as it may at each of its own? */
static bool may_look(pid_t pid)
{
	char path[32], text[8];

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	return readlink(path, text, sizeof(text)) > 0;
}

/*
 * Who has no capabilities sees Landlock by this: a process of its own that was there before is outside of its
 * domain, and can be looked at no more.
 */
static int enforce_and_look(struct jail *j, int ruleset)
{
	int pair[2], r = sys_pipe(pair);
	bool before;
	pid_t pid;
	char end;

	if (r < 0)
		return r;
	prctl(PR_SET_DUMPABLE, 1); /* nobody else is here yet */
	pid = sys_fork(SIGCHLD);
	if (pid != 0)
		prctl(PR_SET_DUMPABLE, 0);
	if (pid == 0) { /* a signal would not reach it any more: the end of the pipe does */
		close(pair[1]);
		_exit(read(pair[0], &end, 1) == 0 ? 0 : 1);
	}
	close(pair[0]);
	if (pid < 0) {
		close(pair[1]);
		return pid;
	}
	before = may_look(pid);
	r = sys_landlock_enforce(ruleset);
	if (r >= 0 && before && !may_look(pid))
		j->measured |= WALL_BIT(LANDLOCK);
	close(pair[1]);
	waitpid(pid, NULL, 0);
	return r;
}

int jail_landlock(struct jail *j, struct aisbx_error *e)
{
	scoped(drop_fd) int ruleset = -1;
	int abi, r;

	if (!wanted(j, WALL_BIT(LANDLOCK)))
		return 0;
	abi = sys_landlock_abi();
	if (abi < 0) {
		aisbx_fail(e, AISBX_AREA_JAIL, -abi, "Landlock");
		return aisbx_hint(
			e, "boot with 'lsm=landlock,...' (Linux 5.13 or later), or use --without landlock");
	}
	ruleset = sys_landlock_create(access_known(abi), 0, abi >= 6 ? SCOPE_ABSTRACT | SCOPE_SIGNAL : 0);
	if (ruleset < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, -ruleset, "create a Landlock ruleset");
	r = add_rules(j, ruleset, access_known(abi), e);
	if (r < 0)
		return r;
	r = j->nested ? enforce_and_look(j, ruleset) : sys_landlock_enforce(ruleset);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, -r, "enforce Landlock");
	if (j->nested)
		return 0;
	/*
	 * Measured here and not later: we still hold every capability over these mounts, so a harmless
	 * change of propagation can be refused by Landlock alone.
	 */
	if (mount(NULL, "/", NULL, MS_PRIVATE, NULL) < 0 && errno == EPERM)
		j->measured |= WALL_BIT(LANDLOCK);
	return 0;
}

int jail_caps(struct jail *j, struct aisbx_error *e)
{
	uint64_t keep = j->plan->head->keep_caps;
	int r = 0;

	if (j->shared) /* what a file of the host can do when it is run there is not for a box to say */
		keep &= ~(1ULL << CAP_SETFCAP);
	else if (!wanted(j, WALL_BIT(CAPS)))
		return 0;
	if (j->nested && (j->order.flags & JAIL_PLAN_SHIFT))
		return 0; /* the runtime has left it no others, and no right to drop any */
	for (int cap = 0; cap < 64 && r == 0; cap++) {
		if (cap < 63 && (keep & (1ULL << cap)))
			continue;
		r = sys_prctl(PR_CAPBSET_DROP, (unsigned long)cap, 0);
		if (r == -EINVAL && cap > CAP_CHECKPOINT_RESTORE - 8) { /* one past the kernel's last */
			r = 0;
			break;
		}
	}
	if (r == 0)
		r = sys_prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0);
	if (r == 0)
		r = sys_capset(keep, keep, 0);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_JAIL, -r, "drop capabilities") : 0;
}

int jail_no_new_privs(struct jail *j, struct aisbx_error *e)
{
	int r;

	if (!wanted(j, WALL_BIT(NNP)))
		return 0;
	r = sys_prctl(PR_SET_NO_NEW_PRIVS, 1, 0);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_JAIL, -r, "set no-new-privileges") : 0;
}

/* The lowest of those that pid 1 still needs, from FIRST on; -1 when there is none. */
static int next_needed(const struct jail *j, int first)
{
	const int few[] = { j->control, j->notify, j->tty_master, j->tty_slave, j->outer_user };
	int next = -1;

	for (size_t i = 0; i < sizeof(few) / sizeof(*few) + j->n_decoys; i++) {
		int fd = i < sizeof(few) / sizeof(*few) ? few[i] : j->decoys[i - sizeof(few) / sizeof(*few)];

		if (fd >= first && (next < 0 || fd < next))
			next = fd;
	}
	return next;
}

int jail_descriptors(struct jail *j, struct aisbx_error *e)
{
	int first = 3, next, r = 0;

	if (!wanted(j, WALL_BIT(FDS)))
		return 0;
	while (r == 0 && (next = next_needed(j, first)) >= 0) {
		if (next > first)
			r = sys_close_range((unsigned int)first, (unsigned int)next - 1);
		first = next + 1;
	}
	if (r == 0)
		r = sys_close_range((unsigned int)first, ~0U);
	if (r == 0 && fcntl(j->control, F_SETFD, FD_CLOEXEC) < 0)
		r = -errno;
	return r < 0 ? aisbx_fail(e, AISBX_AREA_JAIL, -r, "close inherited descriptors") : 0;
}

/* Who is bound to some processors could bind himself to others; a second filter beside the plan's sees to
 * that. */
static int stay_bound(void)
{
	const struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_setaffinity, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	return sys_seccomp_load(code, sizeof(code) / sizeof(*code), 0);
}

int jail_seccomp(struct jail *j, struct aisbx_error *e)
{
	int r = j->plan->head->processors ? stay_bound() : 0;

	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, -r, "keep the box on its processors");
	r = j->shared ? jail_hold_set_ids(wanted(j, WALL_BIT(SECCOMP))) : 0;
	if (!wanted(j, WALL_BIT(SECCOMP)))
		return 0; /* who gave the wall up may have a kernel without filters, and then has none of
			     either */
	if (r < 0) {
		aisbx_fail(e, AISBX_AREA_JAIL, -r,
			   "keep set-user-id files from leaving the box through --rw");
		return aisbx_hint(e, "the kernel needs CONFIG_SECCOMP_FILTER, or use --without seccomp");
	}
	j->notify = sys_seccomp_load(j->plan->filter,
				     (unsigned short)(j->plan->head->n_filter - j->plan->head->n_more), 1);
	if (j->notify < 0) {
		aisbx_fail(e, AISBX_AREA_JAIL, -j->notify, "load the seccomp filter");
		return aisbx_hint(e, "the kernel needs CONFIG_SECCOMP_FILTER, or use --without seccomp");
	}
	return 0;
}

int jail_seccomp_command(const struct jail *j)
{
	const struct jail_plan_head *h = j->plan->head;

	return h->n_more ? sys_seccomp_load(j->plan->filter + h->n_filter - h->n_more,
					    (unsigned short)h->n_more, 0)
			 : 0;
}
