/* SPDX-License-Identifier: Apache-2.0 */
/* What can be read about this machine and user without trying anything: versions, settings, cgroups, ids. */
#include "sys/probe.h"

#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/scope.h"
#include "sys/sys.h"

/* PROC_USER_INIT_INO and PROC_PID_INIT_INO: the first namespaces have these inodes on every kernel. */
#define FIRST_PIDNS_INODE 0xEFFFFFFCu

static long number_in(const char *path)
{
	scoped(drop_file) FILE *f = fopen(path, "re");
	long value;

	return f && fscanf(f, "%ld", &value) == 1 ? value : -1;
}

static void add_word(char *list, size_t cap, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Words that do not fit any more are left out: this is for people to read. */
static void add_word(char *list, size_t cap, const char *fmt, ...)
{
	size_t at = strlen(list);
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n <= 0 || at + 1 + (size_t)n >= cap)
		return;
	if (at)
		list[at++] = ',';
	va_start(ap, fmt);
	vsnprintf(list + at, cap - at, fmt, ap);
	va_end(ap);
}

/* /etc/passwd itself and not getpwuid, which a static program cannot use without the shared libc. */
static void read_user(struct probe_facts *f)
{
	scoped(drop_file) FILE *file = fopen("/etc/passwd", "re");
	const struct passwd *pw;

	snprintf(f->user, sizeof(f->user), "%u", (unsigned int)f->uid);
	while (file && (pw = fgetpwent(file)))
		if (pw->pw_uid == f->uid) {
			snprintf(f->user, sizeof(f->user), "%s", pw->pw_name);
			return;
		}
}

static void read_container(struct probe_facts *f)
{
	const char *said = getenv("container"); /* systemd-nspawn, podman, lxc */
	const char *name = "";
	struct stat st;

	/* The files below are also in virtual machines made from a container's image. */
	if (stat("/proc/self/ns/pid", &st) == 0 && st.st_ino == FIRST_PIDNS_INODE)
		return;
	if (getenv("KUBERNETES_SERVICE_HOST") ||
	    access("/var/run/secrets/kubernetes.io", F_OK) == 0) /* first: docker may be below it */
		name = "kubernetes";
	else if (access("/.dockerenv", F_OK) == 0)
		name = "docker";
	else if (access("/run/.containerenv", F_OK) == 0)
		name = "podman";
	else if (said)
		name = said;
	snprintf(f->container, sizeof(f->container), "%s", name);
}

/* START:COUNT of the lines of /etc/subuid that begin with the user's name or number. */
static void read_subuid(struct probe_facts *f)
{
	scoped(drop_file) FILE *file = fopen("/etc/subuid", "re");
	char line[256], number[16];

	snprintf(number, sizeof(number), "%u", (unsigned int)f->uid);
	while (file && fgets(line, sizeof(line), file)) {
		char *range = strchr(line, ':');

		line[strcspn(line, "\n")] = '\0';
		if (!range)
			continue;
		*range++ = '\0';
		if (!strcmp(line, f->user) || !strcmp(line, number))
			add_word(f->subuid, sizeof(f->subuid), "%s", range);
	}
}

/* Path of this process's cgroup in the hierarchy of CONTROLLER; "" is the v2 one. */
static bool cgroup_path(const char *controller, char *ret_path, size_t cap)
{
	scoped(drop_file) FILE *f = fopen("/proc/self/cgroup", "re");
	char line[1024];

	while (f && fgets(line, sizeof(line), f)) {
		char *rest = line, *list, *word;

		line[strcspn(line, "\n")] = '\0';
		strsep(&rest, ":");
		list = strsep(&rest, ":");
		if (!list || !rest)
			continue;
		if (!*controller && !*list) {
			snprintf(ret_path, cap, "%s", rest);
			return true;
		}
		while (*controller && (word = strsep(&list, ",")))
			if (!strcmp(word, controller)) {
				snprintf(ret_path, cap, "%s", rest);
				return true;
			}
	}
	return false;
}

/* A controller is delegated when groups can be made below ours. */
static void add_delegated(struct probe_facts *f, const char *mount_point, const char *controller)
{
	char path[512], full[1200], text[256];
	scoped(drop_file) FILE *list = NULL;
	char *rest = text, *word;

	if (!cgroup_path(controller, path, sizeof(path)))
		return;
	snprintf(full, sizeof(full), "%s%s", mount_point, path);
	if (access(full, W_OK | X_OK) < 0)
		return;
	if (*controller) {
		add_word(f->delegated, sizeof(f->delegated), "%s", controller);
		return;
	}
	snprintf(full, sizeof(full), "%s%s/cgroup.controllers", mount_point, path);
	list = fopen(full, "re");
	if (!list || !fgets(text, sizeof(text), list))
		return;
	while ((word = strsep(&rest, " \n")))
		if (*word)
			add_word(f->delegated, sizeof(f->delegated), "%s", word);
}

static void read_cgroups(struct probe_facts *f)
{
	static const char *const controllers[] = { "cpu",   "cpuacct", "cpuset", "memory",
						   "blkio", "pids",    "freezer" };
	scoped(drop_file) FILE *mounts = fopen("/proc/self/mountinfo", "re");
	bool v1 = false, v2 = false;
	char line[2048], at[512], type[32], options[256];

	while (mounts && fgets(line, sizeof(line), mounts)) {
		const char *dash = strstr(line, " - ");
		char *rest = options, *word;

		if (!dash || sscanf(line, "%*s %*s %*s %*s %511s", at) != 1 ||
		    sscanf(dash + 3, "%31s %*s %255s", type, options) != 2)
			continue;
		if (!strcmp(type, "cgroup2")) {
			v2 = true;
			add_delegated(f, at, "");
		}
		if (strcmp(type, "cgroup") != 0)
			continue;
		v1 = true;
		while ((word = strsep(&rest, ",")))
			for (size_t i = 0; i < sizeof(controllers) / sizeof(*controllers); i++)
				if (!strcmp(word, controllers[i]))
					add_delegated(f, at, word);
	}
	snprintf(f->cgroup, sizeof(f->cgroup), "%s", v1 && v2 ? "hybrid" : v1 ? "v1" : v2 ? "v2" : "none");
}

void probe_facts_read(struct probe_facts *ret)
{
	struct utsname uts;

	*ret = (struct probe_facts){ .uid = geteuid() };
	if (uname(&uts) == 0) {
		snprintf(ret->kernel, sizeof(ret->kernel), "%s", uts.release);
		snprintf(ret->arch, sizeof(ret->arch), "%s", uts.machine);
	}
	ret->max_userns = number_in("/proc/sys/user/max_user_namespaces");
	ret->apparmor_userns = number_in("/proc/sys/kernel/apparmor_restrict_unprivileged_userns");
	ret->userns_clone = number_in("/proc/sys/kernel/unprivileged_userns_clone");
	read_user(ret);
	ret->first_userns = sys_in_first_userns();
	ret->real_root = sys_is_real_root();
	read_container(ret);
	read_subuid(ret);
	read_cgroups(ret);
}
