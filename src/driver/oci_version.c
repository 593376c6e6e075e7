/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which version a runtime is. To ask it takes as long as a fifth of its start, so what it said is kept in the
 * state directory, beside what the file was then. Any change of the file makes that a stranger's.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/private_dir.h"
#include "base/scope.h"
#include "base/spawn.h"
#include "driver/oci_runtime.h"
#include "sys/sys.h"

/* How long a runtime may take for its version. */
#define VERSION_MS 2000
#define KEPT_ROOM  512
#define NAME_ROOM  32

/* Which file it is, and which state of it; false: it cannot be known. */
static bool write_key(const struct oci_found *f, char *ret, size_t cap)
{
	struct stat st;
	int n;

	if (fstat(f->fd, &st) < 0 || strchr(f->path, '\n'))
		return false;
	n = snprintf(ret, cap, "%llx %llu %lld %lld.%09ld %lld.%09ld %s\n", (unsigned long long)st.st_dev,
		     (unsigned long long)st.st_ino, (long long)st.st_size, (long long)st.st_mtim.tv_sec,
		     st.st_mtim.tv_nsec, (long long)st.st_ctim.tv_sec, st.st_ctim.tv_nsec, f->path);
	return n > 0 && (size_t)n < cap;
}

/* What others could have changed is neither read nor written. */
static int open_state(const char *state_dir)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT; /* the runtime is asked instead */

	return state_dir ? private_dir_open(state_dir, "", &ignored) : -ENOENT;
}

static void name_kept(const struct oci_runtime *r, char ret[NAME_ROOM])
{
	snprintf(ret, NAME_ROOM, "oci-%s.version", r->name);
}

bool oci_version_recall(const char *state_dir, const struct oci_found *f, char ret[OCI_VERSION_ROOM])
{
	char name[NAME_ROOM], key[KEPT_ROOM], text[KEPT_ROOM];
	scoped(drop_fd) int dir = open_state(state_dir);
	scoped(drop_fd) int fd = -1;
	struct stat st;
	size_t n;
	ssize_t have;

	if (dir < 0 || !write_key(f, key, sizeof(key)))
		return false;
	name_kept(f->runtime, name);
	fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid())
		return false;
	have = read(fd, text, sizeof(text) - 1);
	if (have <= 0)
		return false;
	text[have] = '\0';
	n = strlen(key);
	if (strncmp(text, key, n) != 0)
		return false;
	/* One line, and the whole of it: half a line is what somebody is just writing. */
	have = (ssize_t)strspn(text + n, OCI_VERSION_LETTERS " ");
	if (!have || have >= OCI_VERSION_ROOM || strcmp(text + n + have, "\n") != 0)
		return false;
	memcpy(ret, text + n, (size_t)have);
	ret[have] = '\0';
	return true;
}

void oci_version_keep(const char *state_dir, const struct oci_found *f, const char *version)
{
	char name[NAME_ROOM], text[KEPT_ROOM + OCI_VERSION_ROOM];
	scoped(drop_fd) int dir = -1;
	scoped(drop_fd) int fd = -1;
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	size_t n;

	if (!strchr(version, ' ')) /* it did not answer: the next run asks again */
		return;
	dir = open_state(state_dir);
	if (dir < 0 || private_dir_check_entries(dir, state_dir, &ignored) < 0 ||
	    !write_key(f, text, KEPT_ROOM))
		return;
	name_kept(f->runtime, name);
	n = strlen(text);
	snprintf(text + n, sizeof(text) - n, "%s\n", version);
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (fd >= 0) /* what is written in part is read as nothing */
		(void)!write(fd, text, strlen(text));
}

void oci_ask(const struct oci_found *f, struct oci_ask *ret)
{
	const char *const argv[] = { f->runtime->program, "--version", NULL };
	const char *const env[] = { NULL };
	scoped(drop_fd) int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	int pair[2];

	*ret = (struct oci_ask){ .fd = -1 };
	if (null_fd < 0 || sys_pipe(pair) < 0)
		return;
	if (spawn_start(&(struct spawn){ .exec_fd = f->fd,
					 .argv = argv,
					 .env = env,
					 .fds = { null_fd, pair[1], null_fd },
					 .n_fds = 3 },
			&ret->pid, &ignored) < 0)
		ret->pid = 0;
	close(pair[1]);
	ret->fd = pair[0];
}

/* The first line, as far as it comes. */
static size_t read_line(int fd, char *text, size_t cap)
{
	size_t have = 0;

	while (have < cap - 1 && !memchr(text, '\n', have)) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		ssize_t n = poll(&p, 1, VERSION_MS) > 0 ? read(fd, text + have, cap - 1 - have) : 0;

		if (n <= 0)
			break;
		have += (size_t)n;
	}
	text[have] = '\0';
	return strcspn(text, "\n");
}

/* "runc version 1.1.5": all of them say it like this. */
void oci_hear(struct oci_ask *a, const struct oci_runtime *r, char ret[OCI_VERSION_ROOM])
{
	char line[256] = "", version[48] = "";
	const char *at;

	if (a->fd >= 0)
		line[read_line(a->fd, line, sizeof(line))] = '\0';
	at = strstr(line, " version ");
	if (at)
		sscanf(at + strlen(" version "), "%47[" OCI_VERSION_LETTERS "]", version);
	snprintf(ret, OCI_VERSION_ROOM, "%s%s%s", r->name, *version ? " " : "", version);
	close_fd(&a->fd);
	if (a->pid > 0) {
		kill(a->pid, SIGKILL); /* our child, not reaped; it has said what is wanted of it */
		waitpid(a->pid, NULL, 0);
	}
	a->pid = 0;
}
