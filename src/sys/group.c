/* SPDX-License-Identifier: Apache-2.0 */
/* Supplementary groups: which of them a project uses, and whether /etc/subgid allows it in a box. */
#include "sys/group.h"

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"

#define MOST_ENTRIES 256 /* to look at in a directory */

bool sys_in_group(gid_t group)
{
	gid_t list[1024];
	int n = getgroups(sizeof(list) / sizeof(*list), list);

	if (group == getegid())
		return true;
	for (int i = 0; i < n; i++)
		if (list[i] == group)
			return true;
	return false;
}

static bool is_other(gid_t group)
{
	return group != 0 && group != getegid() && sys_in_group(group);
}

gid_t sys_other_group(const char *dir)
{
	struct dirent *entry;
	gid_t found = 0;
	struct stat st;
	DIR *d;

	if (geteuid() == 0 || getgroups(0, NULL) <= 0 || stat(dir, &st) < 0)
		return 0;
	if (is_other(st.st_gid))
		return st.st_gid;
	d = opendir(dir);
	for (int i = 0; d && !found && i < MOST_ENTRIES && (entry = readdir(d)); i++)
		if (strcmp(entry->d_name, "..") != 0 &&
		    fstatat(dirfd(d), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && is_other(st.st_gid))
			found = st.st_gid;
	if (d)
		closedir(d);
	return found;
}

/* "NAME:FIRST:COUNT", where NAME is ours or our number. */
static bool allows(char *line, const char *name, gid_t group)
{
	char *first = strchr(line, ':'), *count = first ? strchr(first + 1, ':') : NULL, number[32];
	unsigned long from, n;

	if (!count)
		return false;
	*first = '\0';
	snprintf(number, sizeof(number), "%u", geteuid());
	from = strtoul(first + 1, NULL, 10);
	n = strtoul(count + 1, NULL, 10);
	return (!strcmp(line, number) || (*name && !strcmp(line, name))) && group >= from && group - from < n;
}

/* From /etc/passwd itself, as sys/probe_facts.c reads it. */
void sys_user_name(char *ret, size_t cap)
{
	scoped(drop_file) FILE *file = fopen("/etc/passwd", "re");
	const struct passwd *pw;

	*ret = '\0';
	while (file && !*ret && (pw = fgetpwent(file)))
		if (pw->pw_uid == geteuid())
			snprintf(ret, cap, "%s", pw->pw_name);
}

bool sys_may_map_group(gid_t group)
{
	scoped(drop_file) FILE *f = NULL;
	char line[512], name[64];
	bool found = false;
	struct stat st;

	if (stat(SYS_NEWGIDMAP, &st) < 0 || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
		return false;
	f = fopen("/etc/subgid", "re");
	sys_user_name(name, sizeof(name));
	while (f && !found && fgets(line, sizeof(line), f))
		found = allows(line, name, group);
	return found;
}

void sys_group_words(gid_t group, char *ret_name, char *ret_line, size_t cap)
{
	scoped(drop_file) FILE *file = fopen("/etc/group", "re");
	const struct group *g;
	char user[64];

	snprintf(ret_name, cap, "%u", group);
	while (file && (g = fgetgrent(file)))
		if (g->gr_gid == group)
			snprintf(ret_name, cap, "%s (%u)", g->gr_name, group);
	sys_user_name(user, sizeof(user));
	if (*user)
		snprintf(ret_line, cap, "%s:%u:1", user, group);
	else
		snprintf(ret_line, cap, "%u:%u:1", geteuid(), group);
}
