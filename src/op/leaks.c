/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks for leftovers of runs: processes, mounts, cgroups, namespaces, files. Only counts; removes
 * nothing. Root sees everybody's, others only what is their own.
 */
#include "op/leaks.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/str.h"
#include "box/runs.h"

/* More are counted, but not listed. */
#define MAX_FOUND 32
/* Deeper than any delegated group lies. */
#define CGROUP_DEPTH 8
#define MAX_NETS     256

struct leaks {
	json_int_t processes, mounts, cgroups, namespaces, files, live_boxes, dead_runs;
	json_t *found;
	ino_t nets[MAX_NETS]; /* of orphans; our own first */
	size_t n_nets;
};

struct process {
	int pid, parent;
	uid_t uid;
	bool is_init; /* pid 1 of a pid namespace below ours */
};

static void note(struct leaks *l, json_t *text)
{
	if (text && json_array_size(l->found) < MAX_FOUND)
		json_array_append_new(l->found, text);
	else
		json_decref(text);
}

static bool is_mine(uid_t uid)
{
	return geteuid() == 0 || uid == geteuid();
}

static void read_text(const char *path, char *ret_text, size_t cap)
{
	scoped(drop_file) FILE *f = fopen(path, "re");

	ret_text[f ? fread(ret_text, 1, cap - 1, f) : 0] = '\0';
}

/*
 * Name of the program of PID. Pid 1 of a box lets nobody see its executable, and before Linux 6.14 a
 * program started by descriptor has a number for its name; what it was called as is always readable.
 */
static void program_of(int pid, char *ret_name, size_t cap)
{
	char path[64], target[PATH_MAX];
	const char *base;
	size_t len;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	n = readlink(path, target, sizeof(target) - 1);
	target[n > 0 ? n : 0] = '\0';
	if (n <= 0) {
		snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
		read_text(path, target, sizeof(target));
	}
	base = strrchr(target, '/') ? strrchr(target, '/') + 1 : target;
	len = strcspn(base, " "); /* "NAME (deleted)" */
	snprintf(ret_name, cap, "%.*s", (int)(len < cap ? len : cap - 1), base);
}

static bool read_process(int pid, struct process *ret)
{
	struct process p = { .pid = pid };
	char path[64], text[4096];
	const char *at;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	read_text(path, text, sizeof(text));
	at = strstr(text, "\nPPid:\t");
	if (!at || strstr(text, "\nState:\tZ"))
		return false;
	p.parent = atoi(at + strlen("\nPPid:\t"));
	at = strstr(text, "\nUid:\t");
	p.uid = at ? (uid_t)strtoul(at + strlen("\nUid:\t"), NULL, 10) : 0;
	at = strstr(text, "\nNSpid:\t");
	if (at) {
		size_t n = strcspn(++at, "\n");

		p.is_init = n > 2 && !strncmp(at + n - 2, "\t1", 2) && memchr(at + strlen("NSpid:\t"), '\t', n - 7);
	}
	*ret = p;
	return true;
}

static void add_net(struct leaks *l, const char *pid)
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
 * the supervisor is gone and somebody else inherited the child.
 */
static void look_at_process(struct leaks *l, const char *name)
{
	struct process p;
	char program[64], parent[64];

	program_of(atoi(name), program, sizeof(program));
	if (strcmp(program, "aisbx-jail") != 0 || !read_process(atoi(name), &p) || !is_mine(p.uid))
		return;
	program_of(p.parent, parent, sizeof(parent));
	if (!strncmp(parent, "aisbx", 5)) {
		l->live_boxes += p.is_init;
		return;
	}
	l->processes++;
	add_net(l, name);
	note(l, json_sprintf("process %d: aisbx-jail without its supervisor", p.pid));
}

static void count_processes(struct leaks *l)
{
	scoped(drop_dir) DIR *dir = opendir("/proc");
	struct dirent *entry;

	add_net(l, "self");
	while (dir && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			look_at_process(l, entry->d_name);
	l->namespaces = (json_int_t)(l->n_nets ? l->n_nets - 1 : 0);
}

static void count_mounts(struct leaks *l)
{
	scoped(drop_file) FILE *f = fopen("/proc/self/mountinfo", "re");
	scoped(drop_mem) char *line = NULL;
	size_t cap = 0;

	while (f && getline(&line, &cap, f) > 0) {
		const char *dash = strstr(line, " - ");
		char at[256], source[64];

		if (!dash || sscanf(dash + 3, "%*s %63s", source) != 1 || strcmp(source, "aisbx") != 0)
			continue;
		l->mounts++;
		if (sscanf(line, "%*s %*s %*s %*s %255s", at) == 1)
			note(l, json_sprintf("mount at %s", at));
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
	if (snprintf(procs, sizeof(procs), "%s/cgroup.procs", path) >= (int)sizeof(procs) || access(procs, R_OK) < 0)
		return false;
	read_text(procs, text, sizeof(text));
	return !text[0];
}

static void count_groups(struct leaks *l, const char *path, int depth)
{
	scoped(drop_dir) DIR *dir = depth < CGROUP_DEPTH ? opendir(path) : NULL;
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char below[PATH_MAX];
		struct stat st;

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.' ||
		    snprintf(below, sizeof(below), "%s/%s", path, entry->d_name) >= (int)sizeof(below))
			continue;
		if (!strncmp(entry->d_name, "aisbx", 5) && stat(below, &st) == 0 && is_mine(st.st_uid) &&
		    is_empty_group(below)) {
			l->cgroups++;
			note(l, json_sprintf("cgroup %s", below));
		}
		count_groups(l, below, depth + 1);
	}
}

static void count_files(struct leaks *l, const char *path, const char *pattern)
{
	scoped(drop_dir) DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		struct stat st;

		if (!str_matches(entry->d_name, pattern) ||
		    fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !is_mine(st.st_uid))
			continue;
		l->files++;
		note(l, json_sprintf("file %s/%s", path, entry->d_name)); /* NULL, so not listed, when no UTF-8 */
	}
}

/* Layers of runs whose changes were to go with them: locked while the run lives. */
static void count_layers(struct leaks *l, const char *path)
{
	scoped(drop_dir) DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		scoped(drop_fd) int fd = entry->d_name[0] == '.'
						 ? -1
						 : openat(dirfd(dir), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		if (fd < 0 || flock(fd, LOCK_SH | LOCK_NB) < 0)
			continue;
		l->files++;
		note(l, json_sprintf("layer %s/%s of a run that was killed; 'aisbx gc' removes it", path, entry->d_name));
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

static void count_state(struct leaks *l, const char *const *env)
{
	const char *state = variable(env, "XDG_STATE_HOME"), *runtime = variable(env, "XDG_RUNTIME_DIR");
	const char *home = variable(env, "HOME");
	char path[PATH_MAX];

	if (state || home) {
		snprintf(path, sizeof(path), "%s%s/aisbx", state ? state : home, state ? "" : "/.local/state");
		count_files(l, path, "run-*");
		strncat(path, "/passing", sizeof(path) - strlen(path) - 1);
		count_layers(l, path);
	}
	snprintf(path, sizeof(path), "/var/tmp/aisbx-passing-%u", (unsigned int)geteuid());
	count_layers(l, path);
	if (runtime) {
		snprintf(path, sizeof(path), "%s/aisbx", runtime);
		count_files(l, path, "run-*");
	}
	count_files(l, "/tmp", "aisbx-*");
}

/* A socket at which nobody listens: it is cleared away by who looks next, so it is told, but is no leak. What is kept of detached runs is no leak: it is what they were detached for. */
static void count_dead_runs(struct leaks *l)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	scoped(strlist_finish) struct strlist ids = { 0 };

	box_runs_present(&ids, &e);
	for (size_t i = 0; i < ids.n; i++) {
		scoped(drop_fd) int fd = -1;

		e = (struct aisbx_error)AISBX_ERROR_INIT;
		if (box_run_connect(ids.items[i], &fd, &e) != -ECONNREFUSED || e.code)
			continue;
		l->dead_runs++;
		note(l, json_sprintf("run %s was killed; 'aisbx ps' writes that down and removes its socket", ids.items[i]));
	}
}

/* How many network namespaces the kernel has, ours and others'; only root may ask. */
static json_t *kernel_nets(void)
{
	scoped(drop_file) FILE *f = fopen("/proc/slabinfo", "re");
	char line[512];
	long n;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "net_namespace %ld", &n) == 1)
			return json_integer(n);
	return json_null();
}

json_t *leaks_count(const char *const *env, bool *ret_clean)
{
	struct leaks l = { .found = json_array() };

	count_processes(&l);
	count_mounts(&l);
	count_state(&l, env);
	count_dead_runs(&l);
	count_groups(&l, "/sys/fs/cgroup", 0); /* last: there can be as many as supervisors were killed, and only so much is listed */
	*ret_clean = !l.processes && !l.mounts && !l.cgroups && !l.namespaces && !l.files;
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "processes", l.processes, "mounts", l.mounts,
			 "cgroups", l.cgroups, "namespaces", l.namespaces, "files", l.files, "live_boxes", l.live_boxes,
			 "dead_runs", l.dead_runs, "kernel_net_namespaces", kernel_nets(), "found", l.found);
}
