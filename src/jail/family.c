/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the box's /proc. The result is out of date at once: callers repeat it until nothing changes. */
#include "jail/family.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/scope.h"
#include "sys/sys.h"

void census_finish(struct census *c)
{
	free(c->list);
	*c = (struct census){ 0 };
}

/* "PID (NAME) STATE PARENT GROUP ..."; the name may hold anything, so from behind. */
static bool read_process(int proc, const char *name, struct process *ret)
{
	scoped(drop_fd) int fd = -1;
	char path[32], text[512];
	const char *at;
	char *rest;
	ssize_t n;

	snprintf(path, sizeof(path), "%.16s/stat", name);
	fd = sys_open(proc, path, O_RDONLY, 0);
	n = fd < 0 ? -1 : sys_read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return false; /* gone meanwhile */
	text[n] = '\0';
	at = strrchr(text, ')');
	if (!at || strlen(at) < 4)
		return false;
	*ret = (struct process){ .pid = atoi(name), .state = at[2] };
	ret->parent = (pid_t)strtol(at + 3, &rest, 10);
	ret->group = (pid_t)strtol(rest, NULL, 10);
	return true;
}

static int add(void *ctx, const struct process *p)
{
	struct census *c = ctx;

	if (p->pid == 1)
		return 0;
	if (c->n == c->cap) {
		size_t cap = c->cap ? c->cap * 2 : 256;
		void *grown = realloc(c->list, cap * sizeof(*c->list));

		if (!grown)
			return -ENOMEM;
		c->list = grown;
		c->cap = cap;
	}
	c->list[c->n++] = *p;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct process *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static struct process *find(const struct census *c, pid_t pid)
{
	struct process key = { .pid = pid };

	return c->n ? bsearch(&key, c->list, c->n, sizeof(key), compare) : NULL;
}

static bool is_root(pid_t pid, const pid_t *roots, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (roots[i] == pid)
			return true;
	return false;
}

/* Up to the first who is placed already, or has nobody above him here; then down again, placing all on the
 * way. */
static void place(struct census *c, struct process *p, struct process **way, const pid_t *roots,
		  size_t n_roots)
{
	size_t n = 0;

	for (; p && !p->depth && n < c->n; p = find(c, p->parent))
		way[n++] = p;
	while (n-- > 0) {
		struct process *at = way[n], *up = p;

		at->depth = up ? up->depth + 1 : 1;
		at->family = is_root(at->parent, roots, n_roots) ? at->parent : up ? up->family : 0;
		p = at;
	}
}

static int by_depth(const void *a, const void *b)
{
	const struct process *x = a, *y = b;

	return (x->depth > y->depth) - (x->depth < y->depth);
}

/* Calls ACT for what each numbered directory of DIR says; until it returns other than 0. */
static int each_process(int dir, int (*act)(void *ctx, const struct process *p), void *ctx)
{
	_Alignas(struct sys_dirent) char room[8192];
	int r = 0;
	ssize_t n;

	while (r == 0 && (n = sys_getdents(dir, room, sizeof(room))) != 0) {
		if (n < 0)
			return (int)n;
		for (ssize_t at = 0; r == 0 && at < n;) {
			const struct sys_dirent *entry = (const void *)(room + at);
			struct process p;

			at += entry->d_reclen;
			if (isdigit((unsigned char)entry->d_name[0]) && read_process(dir, entry->d_name, &p))
				r = act(ctx, &p);
		}
	}
	return r;
}

static int moves(void *ctx, const struct process *p)
{
	(void)ctx;
	return process_rests(p) ? 0 : 1;
}

bool process_threads_rest(pid_t pid)
{
	scoped(drop_fd) int tasks = -1;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = sys_open(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0);
	return tasks == -ENOENT || (tasks >= 0 && each_process(tasks, moves, NULL) == 0);
}

int census_take(struct census *c, const pid_t *roots, size_t n_roots)
{
	scoped(drop_fd) int proc = sys_open(AT_FDCWD, "/proc", O_RDONLY | O_DIRECTORY, 0);
	scoped(drop_mem) struct process **way = NULL;
	int r = proc;

	c->n = 0;
	if (r >= 0)
		r = each_process(proc, add, c);
	if (r < 0 || !c->n)
		return r < 0 ? r : 0;
	way = malloc(c->n * sizeof(*way));
	if (!way)
		return -ENOMEM;
	qsort(c->list, c->n, sizeof(*c->list), compare);
	for (size_t i = 0; i < c->n; i++)
		place(c, &c->list[i], way, roots, n_roots);
	qsort(c->list, c->n, sizeof(*c->list), by_depth);
	return 0;
}

const struct process *census_find(const struct census *c, pid_t pid)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->list[i].pid == pid)
			return &c->list[i];
	return NULL;
}

bool process_rests(const struct process *p)
{
	return strchr("TtZX", p->state);
}

static bool user_of(pid_t pid, uid_t *ret_uid)
{
	scoped(drop_fd) int fd = -1;
	char path[32], text[2048];
	const char *at;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	fd = sys_open(AT_FDCWD, path, O_RDONLY, 0);
	n = fd < 0 ? -1 : sys_read(fd, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	at = strstr(text, "\nUid:\t");
	*ret_uid = at ? (uid_t)strtoul(at + 6, NULL, 10) : 0;
	return at;
}

/*
 * A box of root has CAP_SETUID, but not CAP_KILL: who became somebody else in it is out of reach of root's
 * signals. We can go the same way he went. It takes our death signal and our hiding from ptrace: put them
 * back.
 */
int family_signal(pid_t pid, int sig)
{
	int r = kill(pid, sig) < 0 ? -errno : 0;
	uid_t me = geteuid(), uid;

	if (r != -EPERM || !user_of(pid, &uid) || syscall(SYS_setresuid, -1, uid, -1) < 0)
		return r;
	r = kill(pid, sig) < 0 ? -errno : 0;
	if (syscall(SYS_setresuid, -1, me, -1) < 0)
		_exit(125); /* as whom would we go on? */
	prctl(PR_SET_DUMPABLE, 0);
	if (getpid() == 1)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return r;
}
