/* SPDX-License-Identifier: Apache-2.0 */
/* Control groups by their files. The differences between v1 and v2 are in one table of controllers. */
#include "run/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "sys/sys.h"

#define BIT(l) (1u << LIMIT_##l)
/* Every group of ours is called so, with its supervisor's pid behind. */
#define OUR_NAME "aisbx-"
/* A group without processes may be one whose supervisor is just about to start them. */
#define SWEEP_AFTER_S 3
/* Looking for them costs something: one run of so many does. */
#define SWEEP_EVERY 16
/* A killed supervisor may have been in a group that nobody is in any more: a login that is over,
 * a container. */
#define SWEEP_DEPTH 8
/* The kernel's own, for v1 and v2. */
#define CPU_PERIOD_US 100000u

static const char *const v1_root = "/sys/fs/cgroup";

static int write_number(int dir, const char *file, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return sys_write_file(dir, file, text);
}

static int memory_v1(int dir, uint64_t value)
{
	int r = write_number(dir, "memory.limit_in_bytes", value);
	int swap = r < 0 ? r : write_number(dir, "memory.memsw.limit_in_bytes", value);

	/* Without accounting of swap there is no such file; then swapping takes nothing away
	 * from the limit. */
	return swap < 0 && swap != -ENOENT && swap != -EOPNOTSUPP ? swap : r;
}

static int memory_v2(int dir, uint64_t value)
{
	int r = write_number(dir, "memory.max", value);
	int swap = r < 0 ? r : sys_write_file(dir, "memory.swap.max", "0");

	if (swap < 0 && swap != -ENOENT)
		return swap;
	/* A box whose largest process vanished is no box to go on with. */
	return r < 0 ? r : sys_write_file(dir, "memory.oom.group", "1");
}

static int processes(int dir, uint64_t value)
{
	return write_number(dir, "pids.max", value);
}

static int cpu_v1(int dir, uint64_t value)
{
	int r = write_number(dir, "cpu.cfs_period_us", CPU_PERIOD_US);

	return r < 0 ? r : write_number(dir, "cpu.cfs_quota_us", value * CPU_PERIOD_US / 1000);
}

static int cpu_v2(int dir, uint64_t value)
{
	char text[64];

	snprintf(text, sizeof(text), "%llu %u", (unsigned long long)(value * CPU_PERIOD_US / 1000),
		 CPU_PERIOD_US);
	return sys_write_file(dir, "cpu.max", text);
}

/* Which limit a controller holds, and how it is told so in each version. */
static const struct controller {
	const char *name;
	uint32_t limit;
	int (*set[3])(int dir, uint64_t value); /* by version */
} controllers[] = {
	{ "memory", LIMIT_MEMORY, { NULL, memory_v1, memory_v2 } },
	{ "pids", LIMIT_PROCESSES, { NULL, processes, processes } },
	{ "cpu", LIMIT_CPU, { NULL, cpu_v1, cpu_v2 } },
};
#define N_CONTROLLERS (sizeof(controllers) / sizeof(*controllers))

/* ---- where groups can be made ---- */

/* Here no group is to be had. Any other error is one of the run: it does not go on with less than it could
 * have. */
static bool is_no(int r)
{
	return r == -ENOENT || r == -EACCES || r == -EPERM || r == -EROFS || r == -EBUSY ||
	       r == -EOPNOTSUPP || r == -ENOTDIR || r == -ENODEV;
}

/* The first LEN - 1 bytes of a small file, as text. */
static int read_text(int dir, const char *file, char *ret, size_t len)
{
	scoped(drop_fd) int fd = sys_open(dir, file, O_RDONLY, 0);
	ssize_t n = fd < 0 ? fd : sys_read(fd, ret, len - 1);

	ret[n > 0 ? n : 0] = '\0';
	return n < 0 ? (int)n : 0;
}

/* Our path in the tree of CONTROLLER ("": v2) out of /proc/self/cgroup. */
static bool own_path(const char *membership, const char *controller, char *ret, size_t cap)
{
	for (const char *line = membership; line && *line;
	     line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		const char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL;
		size_t len = strlen(controller);

		if (!path)
			return false;
		names++;
		/* Either the only name, or one of several with commas between. */
		for (const char *at = names; at <= path; at += strcspn(at, ",:") + 1) {
			if (strcspn(at, ",:") != len || strncmp(at, controller, len) != 0)
				continue;
			snprintf(ret, cap, "%.*s", (int)strcspn(path + 1, "\n"), path + 1);
			return ret[0] == '/' && !strstr(ret, "/.."); /* outside our view of the tree */
		}
	}
	return false;
}

static bool is_unified(const char *path)
{
	struct statfs fs;

	return statfs(path, &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC;
}

static int limits_in(int dir, const char *file, uint32_t *ret)
{
	char text[256], *rest = text, *word;
	int r = read_text(dir, file, text, sizeof(text));

	*ret = 0;
	while ((word = strsep(&rest, " \n")))
		for (size_t i = 0; i < N_CONTROLLERS; i++)
			if (!strcmp(word, controllers[i].name))
				*ret |= 1u << controllers[i].limit;
	return r;
}

/*
 * Processes of its own, in a group that is not the first of all. Such a group gives no memory controller to
 * those below; it would give cpu and pids, and then no ordinary group could be made in it any more, by
 * anybody ("domain threaded").
 */
static bool is_occupied(int dir)
{
	char text[16];

	return faccessat(dir, "cgroup.type", F_OK, 0) == 0 &&
	       (read_text(dir, "cgroup.procs", text, sizeof(text)) < 0 || text[0]);
}

/* Lets groups below DIR have those controllers of WANTED they can; RET_GIVEN: which they have. */
static int enable(int dir, uint32_t wanted, uint32_t *ret_given)
{
	uint32_t there = 0, have = 0;
	int r = limits_in(dir, "cgroup.controllers", &there);

	if (r == 0)
		r = limits_in(dir, "cgroup.subtree_control", &have);
	if (r < 0)
		return r;
	wanted &= there;
	for (size_t i = 0; i < N_CONTROLLERS && !(wanted & ~have && is_occupied(dir)); i++) {
		char word[16];

		if (!(wanted & ~have & (1u << controllers[i].limit)))
			continue;
		snprintf(word, sizeof(word), "+%s", controllers[i].name);
		r = sys_write_file(dir, "cgroup.subtree_control", word);
		if (r < 0 && !is_no(r))
			return r;
		have |= r == 0 ? 1u << controllers[i].limit : 0;
	}
	*ret_given = have & wanted;
	return 0;
}

/* The group at PATH, if we may make groups in it, and which of the limits WANTED those can hold. */
static int open_parent(const char *path, uint32_t wanted, uint32_t *ret_given)
{
	int at = sys_open(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, 0), err = 0;

	*ret_given = 0;
	if (at < 0)
		return at;
	/* Who comes in from outside needs the second as well. */
	if (faccessat(at, ".", W_OK | X_OK, AT_EACCESS) < 0 ||
	    faccessat(at, "cgroup.procs", W_OK, AT_EACCESS) < 0)
		err = -errno;
	else if (wanted)
		err = enable(at, wanted, ret_given);
	if (err < 0)
		close(at);
	return err < 0 ? err : at;
}

/*
 * The nearest group at or above our own in which groups with controllers can be made. A group that has both
 * processes and controllers is not possible in v2, so mostly it is the one above.
 */
static int find_unified(const char *root, const char *membership, uint32_t wanted, uint32_t *ret_given,
			char *path, size_t cap)
{
	char own[384];
	int r = -ENOENT;

	if (!own_path(membership, "", own, sizeof(own)))
		return -ENOENT;
	for (;;) {
		char *slash = strrchr(own, '/');

		snprintf(path, cap, "%s%s", root, strcmp(own, "/") ? own : "");
		r = open_parent(path, wanted, ret_given);
		if (r < 0 ? !is_no(r) : *ret_given == wanted)
			return r;
		if (r >= 0)
			close(r);
		if (!strcmp(own, "/"))
			return -EACCES;
		slash[slash == own] = '\0'; /* one up */
	}
}

static int find_v1(const struct controller *ctl, const char *membership, char *path, size_t cap)
{
	char own[384];
	uint32_t given;

	if (!own_path(membership, ctl->name, own, sizeof(own)))
		return -ENOENT;
	snprintf(path, cap, "%s/%s%s", v1_root, ctl->name, strcmp(own, "/") ? own : "");
	return open_parent(path, 0, &given);
}

/* ---- what others left ---- */

/* The name is the supervisor's pid and the time it was made, which the kernel's own times of a
 * group are not. */
static void give_name(int pid, unsigned long long made, char ret[CGROUP_NAME])
{
	snprintf(ret, CGROUP_NAME, OUR_NAME "%d-%llx", pid, made);
}

/* Whether it is such a name, and nothing that only begins like one. */
static bool read_name(const char *name, int *ret_pid, unsigned long long *ret_made)
{
	char again[CGROUP_NAME];

	if (sscanf(name, OUR_NAME "%9d-%16llx", ret_pid, ret_made) != 2 || *ret_pid < 1)
		return false;
	give_name(*ret_pid, *ret_made, again);
	return !strcmp(name, again);
}

bool cgroup_is_left(const char *name)
{
	unsigned long long made;
	int pid;

	return read_name(name, &pid, &made) && kill(pid, 0) < 0 && errno == ESRCH;
}

static bool is_abandoned(const char *name)
{
	struct timespec now;
	unsigned long long made;
	int pid;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return read_name(name, &pid, &made) &&
	       made / 1000000000 + SWEEP_AFTER_S < (unsigned long long)now.tv_sec && cgroup_is_left(name);
}

/* Takes PARENT. */
static void sweep_in(int parent)
{
	DIR *dir = parent < 0 ? NULL : fdopendir(parent);
	const struct dirent *entry;

	if (!dir && parent >= 0)
		close(parent);
	while (dir && (entry = readdir(dir)))
		if (is_abandoned(entry->d_name))
			unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR);
	if (dir)
		closedir(dir);
}

/* ---- one group ---- */

static uint32_t limited_by(const uint64_t *limits)
{
	uint32_t limited = 0;

	for (size_t i = 0; i < N_CONTROLLERS; i++)
		if (limits[controllers[i].limit])
			limited |= 1u << controllers[i].limit;
	return limited;
}

/*
 * Processors are shared out among groups, and where there is none among sessions: a box of a thousand
 * sessions would have a thousand shares of the machine. So it is a group with or without a limit on them.
 */
static uint32_t wanted_of(const uint64_t *limits)
{
	return limited_by(limits) | BIT(CPU);
}

/* Takes PARENT. */
static int add_tree(struct cgroup *c, int parent, unsigned int version, uint32_t given,
		    const uint64_t *limits, struct aisbx_error *e)
{
	struct cgroup_tree *t = &c->trees[c->n];
	uint32_t held = given & limited_by(limits);
	int r = sys_mkdir(parent, c->name, 0755);

	*t = (struct cgroup_tree){ .dir = -1, .parent = parent, .entry = -1, .limits = held };
	if (r < 0) {
		close(parent);
		return aisbx_fail(e, AISBX_AREA_RUN, -r, "make the control group of the box");
	}
	c->n++;
	t->dir = r = sys_open(parent, c->name, O_RDONLY | O_DIRECTORY, 0);
	if (r >= 0 && version == 1)
		t->entry = r = sys_open(t->dir, "tasks", O_WRONLY, 0);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, -r, "open the control group of the box");
	for (size_t i = 0; i < N_CONTROLLERS; i++) {
		const struct controller *ctl = &controllers[i];

		if (!(held & (1u << ctl->limit)))
			continue;
		r = ctl->set[version](t->dir, limits[ctl->limit]);
		if (r < 0)
			return aisbx_fail(e, AISBX_AREA_RUN, -r, "set --%s in the control group of the box",
					  limit_option((enum limit)ctl->limit));
	}
	if (held)
		c->version = version;
	return 0;
}

static int make_v1(struct cgroup *c, const char *membership, const uint64_t *limits, struct aisbx_error *e)
{
	char path[512];
	int r = 0;

	for (size_t i = 0; r == 0 && i < N_CONTROLLERS; i++) {
		const struct controller *ctl = &controllers[i];
		int parent;

		if (!(wanted_of(limits) & (1u << ctl->limit)))
			continue;
		parent = find_v1(ctl, membership, path, sizeof(path));
		if (parent >= 0)
			r = add_tree(c, parent, 1, 1u << ctl->limit, limits, e);
		else if (!is_no(parent))
			r = aisbx_fail(e, AISBX_AREA_RUN, -parent, "look for a control group for %s",
				       ctl->name);
	}
	return r;
}

static const char *unified_root(void)
{
	static const char *const roots[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };

	for (size_t i = 0; i < 2; i++)
		if (is_unified(roots[i]))
			return roots[i];
	return NULL;
}

int cgroup_make(struct cgroup *c, const uint64_t limits[LIMIT_COUNT], struct aisbx_error *e)
{
	const char *root = unified_root();
	char membership[4096], path[512];
	uint32_t wanted = wanted_of(limits), given = 0;
	struct timespec now;
	bool hybrid;
	int parent, r = 0;

	*c = (struct cgroup){ 0 };
	r = read_text(AT_FDCWD, "/proc/self/cgroup", membership, sizeof(membership));
	if (r < 0)
		return is_no(r) ? 0 : aisbx_fail(e, AISBX_AREA_RUN, -r, "read which control group this is");
	clock_gettime(CLOCK_MONOTONIC, &now);
	give_name((int)getpid(), now.tv_sec * 1000000000ULL + (unsigned long long)now.tv_nsec, c->name);
	hybrid = !root || strcmp(root, v1_root) != 0;
	/* Where v1 has the controllers, the group in v2's tree is there to count time and to kill. */
	parent = root ? find_unified(root, membership, hybrid ? 0 : wanted, &given, path, sizeof(path))
		      : -ENOENT;
	if (parent < 0 && is_no(parent) && !hybrid &&
	    wanted & BIT(CPU)) /* the controller that is delegated least */
		parent = find_unified(root, membership, wanted & ~BIT(CPU), &given, path, sizeof(path));
	if (parent >= 0)
		r = add_tree(c, parent, 2, given, limits, e);
	else if (!is_no(parent))
		r = aisbx_fail(e, AISBX_AREA_RUN, -parent, "look for a control group");
	if (r == 0 && hybrid)
		r = make_v1(c, membership, limits, e);
	if (r < 0)
		cgroup_remove(c);
	for (size_t i = 0; i < c->n && now.tv_nsec / 1000 % SWEEP_EVERY == 0;
	     i++) /* who was killed cannot do it himself */
		sweep_in(openat(c->trees[i].parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	return r;
}

/* Memory that a process has just given back may be counted for a moment longer. */
static int set_again(const struct controller *ctl, const struct cgroup_tree *t, uint64_t value)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	int r, tries = 50;

	while ((r = ctl->set[t->entry >= 0 ? 1 : 2](t->dir, value)) == -EBUSY && tries-- > 0)
		nanosleep(&pause, NULL);
	return r;
}

int cgroup_tighten(struct cgroup *c, unsigned int others, const uint64_t limits[LIMIT_COUNT],
		   struct aisbx_error *e)
{
	c->others = others;
	for (size_t i = 0; i < c->n; i++)
		for (size_t k = 0; k < N_CONTROLLERS; k++) {
			uint32_t limit = controllers[k].limit;
			uint64_t more = limit == LIMIT_PROCESSES ? others : 0;
			int r = c->trees[i].limits & (1u << limit)
					? set_again(&controllers[k], &c->trees[i], limits[limit] + more)
					: 0;

			if (r < 0)
				return aisbx_fail(e, AISBX_AREA_RUN, -r,
						  "set --%s in the control group of the box",
						  limit_option((enum limit)limit));
			/* What was used before is not the command's. */
			if (c->trees[i].limits & BIT(MEMORY))
				sys_write_file(c->trees[i].dir, "memory.max_usage_in_bytes", "0");
		}
	return 0;
}

uint32_t cgroup_held(const struct cgroup *c)
{
	uint32_t held = 0;

	for (size_t i = 0; i < c->n; i++)
		held |= c->trees[i].limits;
	return held;
}

const char *cgroup_method(const struct cgroup *c)
{
	static const char *const names[] = { NULL, "cgroup v1", "cgroup v2" };

	return names[c->version];
}

size_t cgroup_entries(const struct cgroup *c, int ret_fds[CGROUP_TREES], bool *ret_clone)
{
	*ret_clone = c->n && c->trees[0].entry < 0;
	for (size_t i = 0; i < c->n; i++)
		ret_fds[i] = c->trees[i].entry < 0 ? c->trees[i].dir : c->trees[i].entry;
	return c->n;
}

/* ---- what it used ---- */

/* The number behind KEY in a file of lines "KEY NUMBER"; of the whole file when KEY is NULL. */
static bool number_in(int dir, const char *file, const char *key, uint64_t *ret)
{
	char text[2048];
	const char *at = text;
	size_t len = key ? strlen(key) : 0;
	scoped(drop_fd) int fd = -1;
	ssize_t n;

	/* Not by way of sys/: a number that cannot be had is missing in the result, and stops nothing. */
	fd = openat(dir, file, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n < 0)
		return false;
	text[n] = '\0';
	while (key && at && (strncmp(at, key, len) != 0 || at[len] != ' ')) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	if (!at || sscanf(at + (key ? len + 1 : 0), "%llu", (unsigned long long *)ret) != 1)
		return false;
	return true;
}

static void keep_peak(uint64_t now, uint64_t *peak)
{
	if (now > *peak)
		*peak = now;
}

void cgroup_read(const struct cgroup *c, struct run_usage *ret)
{
	uint64_t peak;

	for (size_t i = 0; i < c->n; i++) {
		const struct cgroup_tree *t = &c->trees[i];
		bool v1 = t->entry >= 0;

		if (!v1)
			number_in(t->dir, "cpu.stat", "usage_usec", &ret->cpu_us);
		if (t->limits & BIT(MEMORY)) {
			if (number_in(t->dir, v1 ? "memory.usage_in_bytes" : "memory.current", NULL,
				      &ret->mem))
				keep_peak(ret->mem, &ret->mem_peak);
			if (number_in(t->dir, v1 ? "memory.max_usage_in_bytes" : "memory.peak", NULL, &peak))
				keep_peak(peak, &ret->mem_peak);
			number_in(t->dir, v1 ? "memory.oom_control" : "memory.events", "oom_kill",
				  &ret->oom_kills);
		}
		if (t->limits & BIT(PROCESSES)) {
			if (number_in(t->dir, "pids.current", NULL, &ret->pids)) {
				ret->pids -= ret->pids < c->others ? ret->pids : c->others;
				keep_peak(ret->pids, &ret->pids_peak);
			}
			/* since Linux 6.1 */
			if (!c->others && number_in(t->dir, "pids.peak", NULL, &peak))
				keep_peak(peak, &ret->pids_peak);
			number_in(t->dir, "pids.events", "max", &ret->refused_forks);
		}
	}
}

bool cgroup_kill(const struct cgroup *c)
{
	return c->n && c->trees[0].entry < 0 && sys_write_file(c->trees[0].dir, "cgroup.kill", "1") == 0;
}

void cgroup_remove(struct cgroup *c)
{
	while (c->n) {
		struct cgroup_tree *t = &c->trees[--c->n];

		close_fd(&t->entry);
		close_fd(&t->dir);
		sys_unlink(t->parent, c->name,
			   AT_REMOVEDIR); /* what somebody still is in stays, and the sweep finds it */
		close_fd(&t->parent);
	}
	c->version = 0;
}

/* Takes PARENT. */
static void sweep_below(int parent, unsigned int depth)
{
	scoped(drop_dir) DIR *dir = depth < SWEEP_DEPTH ? fdopendir(parent) : NULL;
	const struct dirent *entry;

	if (!dir) {
		close(parent);
		return;
	}
	while ((entry = readdir(dir))) {
		int below;

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		below = openat(dirfd(dir), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (below >= 0)
			sweep_below(below, depth + 1);
	}
	sweep_in(openat(dirfd(dir), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

void cgroup_sweep(void)
{
	int root = open(v1_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (root >= 0)
		sweep_below(root, 0);
}
