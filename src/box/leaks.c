/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Searches for what runs left behind: processes, mounts, cgroups, namespaces, files. Only counts; removes
 * nothing. Root sees those of all users, others only their own. What a run has while it starts, runs or ends
 * is not a leak: its maker must be gone, and a suspected leak is checked again a little later.
 */
#include "box/leaks.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/str.h"
#include "box/scratch_layer.h"
#include "box/runs.h"
#include "driver/driver.h"

/* More are counted, but not listed. */
#define MAX_FOUND 32
/* Deeper than any delegated group lies. */
#define CGROUP_DEPTH 8
#define MAX_NETS     256
/* Between two looks: longer than anything is half made or half gone. */
#define PAUSE_MS 500
/* In every program that can be a supervisor, and in no other: this file is part of it. */
#define ORPHAN "aisbx-jail without its supervisor"

/* In the masks of /proc/PID/status. */
#define BIT_OF(signal) (1ULL << ((signal)-1))

/* One look at everything. */
struct search {
	struct leaks leaks;
	const char *scratch_dir;
	struct strlist seen;          /* what was counted, by names that nothing else ever gets */
	const struct strlist *before; /* of the look before, or NULL: what is not in it does not count */
	ino_t nets[MAX_NETS];         /* of orphans; our own first */
	size_t n_nets;
};

struct process {
	int pid, parent;
	uid_t uid;
	bool is_init; /* pid 1 of a pid namespace below ours */
	unsigned long long started;
};

static void note(struct leaks *l, const char *text)
{
	if (l->found.n < MAX_FOUND)
		strlist_add(&l->found, text);
}

/* IDENTITY of the KIND, told in the words behind it. */
__attribute__((format(printf, 4, 5))) static bool count(struct search *s, size_t *kind, const char *identity,
							const char *fmt, ...)
{
	scoped(drop_mem) char *text = NULL;
	va_list args;
	int n;

	if (s->before && !strlist_has(s->before, identity))
		return false;
	va_start(args, fmt);
	n = vasprintf(&text, fmt, args);
	va_end(args);
	strlist_add(&s->seen, identity);
	++*kind;
	if (n >= 0)
		note(&s->leaks, text);
	else
		text = NULL;
	return true;
}

static bool is_mine(uid_t uid)
{
	return geteuid() == 0 || uid == geteuid();
}

static size_t read_text(const char *path, char *ret_text, size_t cap)
{
	scoped(drop_file) FILE *f = fopen(path, "re");
	size_t n = f ? fread(ret_text, 1, cap - 1, f) : 0;

	ret_text[n] = '\0';
	return n;
}

static unsigned long long number_after(const char *text, const char *key, int base)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, base) : 0;
}

/*
 * Pid 1 of a box, or what is about to make it: called by its bare name without arguments (see run/begin.c),
 * and deaf to signals. Its executable nobody may see.
 */
static bool is_jail(int pid, const char *status)
{
	static const char name[] = "aisbx-jail";
	char path[64], words[sizeof(name) + 2];

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	return read_text(path, words, sizeof(words)) == sizeof(name) && !memcmp(words, name, sizeof(name)) &&
	       number_after(status, "\nSigBlk:\t", 16) & BIT_OF(SIGTERM);
}

/* Not one that is dead or was sent SIGKILL. */
static bool read_process(int pid, const char *status, struct process *ret)
{
	struct process p = { .pid = pid };
	char path[64], text[1024];
	const char *at = strstr(status, "\nState:\t");

	if (!at || strchr("ZXx", at[strlen("\nState:\t")]) ||
	    number_after(status, "\nSigPnd:\t", 16) & BIT_OF(SIGKILL) ||
	    number_after(status, "\nShdPnd:\t", 16) & BIT_OF(SIGKILL))
		return false;
	p.parent = (int)number_after(status, "\nPPid:\t", 10);
	p.uid = (uid_t)number_after(status, "\nUid:\t", 10);
	at = strstr(status, "\nNSpid:\t");
	if (at) {
		size_t n = strcspn(++at, "\n");

		p.is_init = n > 2 && !strncmp(at + n - 2, "\t1", 2) &&
			    memchr(at + strlen("NSpid:\t"), '\t', n - 7);
	}
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	read_text(path, text, sizeof(text));
	at = strrchr(text, ')'); /* field 2; the time it was started is 22 */
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	p.started = at ? strtoull(at, NULL, 10) : 0;
	*ret = p;
	return at;
}

/* The file at PATH has TEXT in it. */
static bool holds(const char *path, const char *text)
{
	scoped(drop_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool found = false;
	struct stat st;
	void *at;

	if (fd < 0 || fstat(fd, &st) < 0 || !st.st_size)
		return false;
	at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (at != MAP_FAILED) {
		found = memmem(at, (size_t)st.st_size, text, strlen(text));
		munmap(at, (size_t)st.st_size);
	}
	return found;
}

/* By what it is called or was called as; under another name, by what its program holds. */
static bool is_ours(int pid)
{
	char path[64], text[PATH_MAX];
	const char *slash;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	read_text(path, text, sizeof(text));
	if (!strncmp(text, "aisbx", 5))
		return true;
	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	read_text(path, text, sizeof(text));
	slash = strrchr(text, '/');
	if (!strncmp(slash ? slash + 1 : text, "aisbx", 5))
		return true;
	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	return holds(path, ORPHAN);
}

static void add_net(struct search *l, const char *pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%s/ns/net", pid);
	if (stat(path, &st) < 0 || l->n_nets == MAX_NETS)
		return;
	for (size_t i = 0; i < l->n_nets; i++)
		if (l->nets[i] == st.st_ino)
			return;
	l->nets[l->n_nets++] = st.st_ino;
}

/*
 * A box dies with its supervisor, whose child its pid 1 is; when the parent is no program of aisbx's,
 * the supervisor is gone and somebody else inherited the child. A parent outside our view may be anybody.
 */
static void look_at_process(struct search *l, const char *name)
{
	char path[64], status[4096], identity[64];
	struct process p;

	snprintf(path, sizeof(path), "/proc/%d/status", atoi(name));
	read_text(path, status, sizeof(status));
	if (!is_jail(atoi(name), status) || !read_process(atoi(name), status, &p) || !is_mine(p.uid) ||
	    !p.parent)
		return;
	if (is_ours(p.parent)) {
		l->leaks.live_boxes += p.is_init;
		return;
	}
	snprintf(identity, sizeof(identity), "process %d %llu", p.pid, p.started);
	if (count(l, &l->leaks.processes, identity, "process %d: " ORPHAN, p.pid))
		add_net(l, name);
}

static void count_processes(struct search *l)
{
	scoped(drop_dir) DIR *dir = opendir("/proc");
	struct dirent *entry;

	add_net(l, "self");
	while (dir && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			look_at_process(l, entry->d_name);
	l->leaks.namespaces = l->n_nets ? l->n_nets - 1 : 0;
}

/* Kinds of file systems that boxes have of their own (see jail/mounts.c); others may call anything aisbx. */
static bool is_own_mount(const char *line, char ret_at[256])
{
	const char *dash = strstr(line, " - ");
	char type[16], source[64];
	struct stat st;

	return dash && sscanf(dash + 3, "%15s %63s", type, source) == 2 && !strcmp(source, "aisbx") &&
	       (!strcmp(type, "tmpfs") || !strcmp(type, "overlay")) &&
	       sscanf(line, "%*s %*s %*s %*s %255s", ret_at) == 1 &&
	       (geteuid() == 0 || (stat(ret_at, &st) == 0 && is_mine(st.st_uid)));
}

static void count_mounts(struct search *l)
{
	scoped(drop_file) FILE *f = fopen("/proc/self/mountinfo", "re");
	scoped(strlist_finish) struct strlist places = { 0 };
	scoped(drop_mem) char *line = NULL;
	size_t cap = 0;

	while (f && getline(&line, &cap, f) > 0) {
		char at[256];

		if (!is_own_mount(line, at))
			continue;
		if (!strcmp(at, "/")) /* we are in a box, and these are what it is made of */
			return;
		strlist_add(&places, at);
	}
	for (size_t i = 0; i < places.n; i++) {
		scoped(drop_mem) char *identity = NULL;

		if (asprintf(&identity, "mount %s", places.items[i]) > 0)
			count(l, &l->leaks.mounts, identity, "mount at %s", places.items[i]);
	}
}

/* A group with processes belongs to a live box; one with groups below is counted by those. */
static bool is_empty_group(const char *path)
{
	char procs[PATH_MAX], text[16];
	scoped(drop_dir) DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
			return false;
	if (snprintf(procs, sizeof(procs), "%s/cgroup.procs", path) >= (int)sizeof(procs) ||
	    access(procs, R_OK) < 0)
		return false;
	read_text(procs, text, sizeof(text));
	return !text[0];
}

static void count_groups(struct search *l, const char *path, int depth)
{
	scoped(drop_dir) DIR *dir = depth < CGROUP_DEPTH ? opendir(path) : NULL;
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char below[PATH_MAX];
		struct stat st;

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.' ||
		    snprintf(below, sizeof(below), "%s/%s", path, entry->d_name) >= (int)sizeof(below))
			continue;
		if (driver_is_left(entry->d_name) && stat(below, &st) == 0 && is_mine(st.st_uid) &&
		    is_empty_group(below))
			count(l, &l->leaks.cgroups, below, "cgroup %s", below); /* such a name comes once */
		count_groups(l, below, depth + 1);
	}
}

/* What is made for a policy and removed after it: locked while it is used, and with nothing else in
 * it. */
static bool is_left_scratch_dir(int dir)
{
	scoped(drop_fd) int again = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	scoped(drop_dir) DIR *in = again < 0 ? NULL : fdopendir(again);
	const struct dirent *entry;
	struct stat st;

	if (!in)
		return false;
	again = -1;
	while ((entry = readdir(in)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
		    strcmp(entry->d_name, "policy.rego") != 0 && strcmp(entry->d_name, "input.json") != 0)
			return false;
	return fstat(dir, &st) == 0 && is_mine(st.st_uid) && (st.st_mode & 07777) == 0700 &&
	       flock(dir, LOCK_EX | LOCK_NB) == 0;
}

static void count_scratch_dirs(struct search *l, const char *path)
{
	scoped(drop_dir) DIR *dir = opendir(path);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		scoped(drop_mem) char *whole = NULL;
		scoped(drop_fd) int fd = -1;

		if (strncmp(entry->d_name, l->scratch_dir, strlen(l->scratch_dir)) != 0 ||
		    strlen(entry->d_name) != strlen("XXXXXX") + strlen(l->scratch_dir))
			continue;
		fd = openat(dirfd(dir), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0 && is_left_scratch_dir(fd) && asprintf(&whole, "%s/%s", path, entry->d_name) > 0)
			count(l, &l->leaks.files, whole, "directory %s of a policy check that was killed",
			      whole);
	}
}

/* Layers of runs whose changes were to go with them, in a PATH of ours alone: locked while the run lives, and
 * by the lock on PATH until they are that. */
static void count_layers(struct search *l, const char *path)
{
	scoped(drop_dir) DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir || flock(dirfd(dir), LOCK_EX) < 0)
		return;
	while ((entry = readdir(dir))) {
		scoped(drop_mem) char *whole = NULL;
		scoped(drop_fd) int fd = entry->d_name[0] == '.'
						 ? -1
						 : openat(dirfd(dir), entry->d_name,
							  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		if (fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) == 0 &&
		    asprintf(&whole, "%s/%s", path, entry->d_name) > 0)
			count(l, &l->leaks.files, whole,
			      "layer %s of a run that was killed; 'aisbx gc' removes it", whole);
	}
}

static const char *variable(const char *const *env, const char *name)
{
	size_t n = strlen(name);

	for (; env && *env; env++)
		if (!strncmp(*env, name, n) && (*env)[n] == '=' && (*env)[n + 1] == '/')
			return *env + n + 1;
	return NULL;
}

static void count_state(struct search *l, const char *const *env)
{
	const char *state = variable(env, "XDG_STATE_HOME"), *home = variable(env, "HOME"),
		   *tmp = variable(env, "TMPDIR");
	scoped(strlist_finish) struct strlist places = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	char path[PATH_MAX];

	if ((state || home) && snprintf(path, sizeof(path), "%s%s/aisbx", state ? state : home,
					state ? "" : "/.local/state") < (int)sizeof(path))
		box_scratch_layer_dirs(path, &places, &ignored);
	for (size_t i = 0; i < places.n; i++)
		count_layers(l, places.items[i]);
	count_scratch_dirs(l, tmp ? tmp : "/tmp");
}

/* A socket at which nobody listens: it is cleared away by who looks next, so it is told, but is no leak. What
 * is kept of detached runs is no leak: it is what they were detached for. */
static void count_dead_runs(struct search *l)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	scoped(strlist_finish) struct strlist ids = { 0 };
	char text[160];

	box_runs_present(&ids, &e);
	for (size_t i = 0; i < ids.n; i++) {
		scoped(drop_fd) int fd = -1;

		e = (struct aisbx_error)AISBX_ERROR_INIT;
		if (box_run_connect(ids.items[i], &fd, &e) != -ECONNREFUSED || e.code)
			continue;
		l->leaks.dead_runs++;
		snprintf(text, sizeof(text),
			 "run %s was killed; 'aisbx ps' records that and removes its socket", ids.items[i]);
		note(&l->leaks, text);
	}
}

static long kernel_nets(void)
{
	scoped(drop_file) FILE *f = fopen("/proc/slabinfo", "re");
	char line[512];
	long n;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "net_namespace %ld", &n) == 1)
			return n;
	return -1;
}

static void look(struct search *l, const char *const *env)
{
	count_processes(l);
	count_mounts(l);
	count_state(l, env);
	count_dead_runs(l);
	count_groups(
		l, "/sys/fs/cgroup",
		0); /* last: there can be as many as supervisors were killed, and only so much is listed */
}

void leaks_finish(struct leaks *l)
{
	strlist_finish(&l->found);
}

void leaks_count(const char *const *env, const char *scratch_dir, struct leaks *ret)
{
	const struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000L };
	struct search first = { .scratch_dir = scratch_dir },
		      again = { .scratch_dir = scratch_dir, .before = &first.seen };
	struct search *last = &first;

	look(&first, env);
	if (first.seen.n) {
		nanosleep(&pause, NULL);
		look(&again, env);
		leaks_finish(&first.leaks);
		last = &again;
	}
	*ret = last->leaks;
	ret->clean = !last->seen.n;
	ret->kernel_nets = kernel_nets();
	strlist_finish(&first.seen);
	strlist_finish(&again.seen);
}
