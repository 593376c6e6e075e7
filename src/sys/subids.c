/* SPDX-License-Identifier: Apache-2.0 */
/* Subordinate ids of this user: found in /etc, mapped by the programs that may. */
#include "sys/subids.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/end_with.h"
#include "base/scope.h"
#include "sys/group.h"
#include "sys/sys.h"

#define NEEDED (SYS_SUBIDS_COUNT - 1)

/* Digits up to END, not more than an id can have. */
static bool read_number(const char **at, char end, uint64_t *ret)
{
	uint64_t n = 0;
	const char *c = *at;

	for (; *c >= '0' && *c <= '9'; c++) {
		n = n * 10 + (uint64_t)(*c - '0');
		if (n > UINT32_MAX)
			return false;
	}
	if (c == *at || *c != end)
		return false;
	*at = c + 1;
	*ret = n;
	return true;
}

uint32_t sys_subids_of_line(const char *line, const char *name, uint32_t uid, uint32_t own)
{
	const char *colon = strchr(line, ':'), *at = colon ? colon + 1 : NULL;
	size_t len = colon ? (size_t)(colon - line) : 0;
	uint64_t first, count;
	char number[16];

	snprintf(number, sizeof(number), "%u", uid);
	if (!len || ((len != strlen(number) || memcmp(line, number, len) != 0) &&
		     (len != strlen(name) || memcmp(line, name, len) != 0)))
		return 0;
	if (!read_number(&at, ':', &first) || !read_number(&at, '\0', &count))
		return 0;
	/* Root and the user are no subordinates, and no two ids of a box are the same. */
	if (!first || count < NEEDED || first + NEEDED > UINT32_MAX || (own >= first && own - first < NEEDED))
		return 0;
	return (uint32_t)first;
}

static uint32_t first_of(const char *path, const char *name, uint32_t own)
{
	scoped(drop_file) FILE *f = fopen(path, "re");
	char line[512];
	uint32_t found = 0;

	while (f && !found && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		found = sys_subids_of_line(line, name, geteuid(), own);
	}
	return found;
}

bool sys_subids_find(struct sys_subids *ret, char *why, size_t cap)
{
	char name[64];
	struct stat st;
	bool programs = stat(SYS_NEWUIDMAP, &st) == 0 && stat(SYS_NEWGIDMAP, &st) == 0;

	*ret = (struct sys_subids){ 0 };
	if (cap)
		*why = '\0';
	if (geteuid() == 0) {
		snprintf(why, cap, "they are for ordinary users; boxes of root have ids of their own");
		return false;
	}
	sys_user_name(name, sizeof(name));
	if (!programs)
		snprintf(why, cap, "newuidmap and newgidmap are not installed (package uidmap)");
	else if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
		snprintf(why, cap, "setuid programs such as newuidmap have no effect here (no_new_privs)");
	else if (!(ret->uid = first_of("/etc/subuid", name, geteuid())) ||
		 !(ret->gid = first_of("/etc/subgid", name, getegid())))
		snprintf(why, cap,
			 "%s has no range of %u ids for you; 'usermod --add-subuids 100000-165535 "
			 "--add-subgids 100000-165535 %s' as root adds them (choose ids that nobody has)",
			 ret->uid ? "/etc/subgid" : "/etc/subuid", SYS_SUBIDS_COUNT, *name ? name : "NAME");
	if (ret->uid && ret->gid)
		return true;
	*ret = (struct sys_subids){ 0 };
	return false;
}

void sys_subids_text(const struct sys_subids *ids, char ret[SYS_SUBIDS_TEXT])
{
	snprintf(ret, SYS_SUBIDS_TEXT, "%u:%u", ids->uid, ids->gid);
}

bool sys_subids_parse(const char *text, struct sys_subids *ret)
{
	uint64_t uid, gid;

	*ret = (struct sys_subids){ 0 };
	if (!read_number(&text, ':', &uid) || !read_number(&text, '\0', &gid) || !uid || !gid)
		return false;
	*ret = (struct sys_subids){ (uint32_t)uid, (uint32_t)gid };
	return true;
}

/* Only who is outside may map, so a child stays there. */
int sys_subids_enter(const struct sys_subids *ids, enum sys_subids_view view)
{
	int pair[2], status = 0, r = 0;
	pid_t self = getpid(), child;
	char go = 0;

	if (pipe2(pair, O_CLOEXEC) < 0)
		return -errno;
	child = sys_fork(0);
	if (child == 0) {
		close(pair[1]);
		_exit(read(pair[0], &go, 1) == 1 && sys_subids_map(self, ids, view) == 0 ? 0 : 1);
	}
	if (child < 0)
		r = child;
	else if (unshare(CLONE_NEWUSER) < 0)
		r = -errno;
	else if (write(pair[1], &go, 1) != 1)
		r = -EPIPE;
	close(pair[0]);
	close(pair[1]);
	while (child > 0 && waitpid(child, &status, __WCLONE) < 0 && errno == EINTR)
		continue;
	return r < 0 ? r : status ? -EPERM : 0;
}

/* Not by children of ours, whom somebody else may wait for. */
static int map_unseen(pid_t pid, const struct sys_subids *ids)
{
	pid_t child = sys_fork(0);
	int status = 0;

	if (child == 0)
		_exit(sys_subids_map(pid, ids, SYS_SUBIDS_HOST) == 0 ? 0 : 1);
	while (child > 0 && waitpid(child, &status, __WCLONE) < 0)
		if (errno != EINTR)
			return -errno;
	return child < 0 ? child : status ? -EPERM : 0;
}

/* A child is in it as long as it takes to get hold of it. */
static int make_namespace(void)
{
	struct sys_clone how = { .flags = CLONE_NEWUSER, .cgroup = -1 };
	const pid_t parent = getpid();
	struct sys_subids ids;
	char path[48];
	pid_t child;
	int r;

	if (!sys_subids_find(&ids, NULL, 0))
		return -EOPNOTSUPP;
	child = sys_clone_process(&how);
	if (child == 0) {
		while (end_with(parent, SIGKILL))
			pause();
		_exit(1);
	}
	r = child < 0 ? child : map_unseen(child, &ids);
	snprintf(path, sizeof(path), "/proc/%d/ns/user", (int)child);
	if (r == 0) {
		r = open(path, O_RDONLY | O_CLOEXEC);
		r = r < 0 ? -errno : r;
	}
	if (child > 0)
		kill(child, SIGKILL);
	while (child > 0 && waitpid(child, NULL, __WCLONE) < 0 && errno == EINTR)
		continue;
	return r;
}

int sys_subids_namespace(void)
{
	/* Of the process, as its ids are: to make one takes two programs, and thousands of files may need it.
	 */
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static int made = -EAGAIN;
	int fd;

	if (geteuid() == 0)
		return -EOPNOTSUPP;
	pthread_mutex_lock(&lock);
	if (made == -EAGAIN)
		made = make_namespace();
	fd = made;
	pthread_mutex_unlock(&lock);
	return fd;
}
