/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Goes behind the glass: Landlock, no capabilities, no new privileges, the filter; then checks that they
 * work.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/str.h"
#include "look/look.h"
#include "policy/secret.h"
#include "sys/sys.h"

/*
 * Every right of files up to LOOK_LANDLOCK_ABI but two, binding and connecting TCP, abstract sockets and
 * signals. To list directories is allowed everywhere; to cut files is refused by the filter where it takes no
 * right to write. Landlock would go up the whole path for them whenever anything is opened.
 */
#define READ_DIR  (1ULL << 3)
#define TRUNCATE  (1ULL << 14)
#define ALL_FILES (((1ULL << 16) - 1) & ~(READ_DIR | TRUNCATE))
#define ALL_NET   3ULL
#define ALL_SCOPE 3ULL

int look_available(struct aisbx_error *e)
{
	int abi = sys_landlock_abi();

	if (abi >= LOOK_LANDLOCK_ABI)
		return 0;
	aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_RUN, ENOSYS,
		     "the glass is not available: %s%d, and version %d is needed",
		     abi < 0 ? "the kernel has no Landlock, error " : "the kernel's Landlock has version ",
		     abi < 0 ? -abi : abi, LOOK_LANDLOCK_ABI);
	return aisbx_hint(e, "Linux 6.12 or later, booted with 'lsm=landlock,...'; or use 'aisbx run'");
}

static int refuse_start(struct aisbx_error *e, const char *what)
{
	return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_RUN, EPERM,
			    "the glass does not work: %s was not refused; nothing was run", what);
}

/* A file that is always there and one's own; it is opened and nothing is written. */
static bool can_write(void)
{
	scoped(drop_fd) int fd = open("/proc/self/comm", O_WRONLY | O_CLOEXEC);

	return fd >= 0;
}

static bool can_read(int dir, const char *name)
{
	scoped(drop_fd) int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	return fd >= 0;
}

/* Of a directory its first file: names can be listed. *RET_TRIED: there was something to try. */
static bool can_read_secret(const char *path, bool *ret_tried)
{
	scoped(drop_dir) DIR *dir = opendir(path);
	const struct dirent *d;

	if (!dir) {
		*ret_tried = true;
		return can_read(AT_FDCWD, path);
	}
	while ((d = readdir(dir)) != NULL)
		if (d->d_type == DT_REG) {
			*ret_tried = true;
			return can_read(dirfd(dir), d->d_name);
		}
	return false;
}

/* The first secret that is a file stands for all: they are refused by one and the same rule, or rather by
 * having none. */
static int measure_files(const struct strlist *hidden, struct aisbx_error *e)
{
	pid_t parent = getppid();
	bool tried = false;

	if (can_write())
		return refuse_start(e, "a write");
	for (size_t i = 0; !tried && i < hidden->n; i++)
		if (!str_is_one_of(hidden->items[i], "/dev|/sys|/home") &&
		    can_read_secret(hidden->items[i], &tried))
			return refuse_start(e, "to read a secret");
	if (parent > 0 && kill(parent, 0) == 0)
		return refuse_start(e, "a signal");
	return 0;
}

static int measure_socket(struct aisbx_error *e)
{
	scoped(drop_fd) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return fd >= 0 ? refuse_start(e, "a socket") : 0;
}

static int build(const struct look_places *places, const char *scratch, int *ret_ruleset,
		 struct aisbx_error *e)
{
	scoped(drop_fd) int ruleset = -1;
	int r = look_available(e);

	if (r < 0)
		return r;
	ruleset = sys_landlock_create(ALL_FILES, ALL_NET, ALL_SCOPE);
	if (ruleset < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, -ruleset, "create a Landlock ruleset");
	r = look_show(ruleset, places, e);
	if (r == 0 && scratch)
		r = look_show_all(ruleset, scratch, ALL_FILES, e);
	if (r == 0)
		*ret_ruleset = take_fd(&ruleset);
	return r;
}

/*
 * A limit of one byte, not of none: a program that is handed core dumps by the kernel is not started for it,
 * and would be for none.
 */
static int give_up(int ruleset, struct aisbx_error *e)
{
	int r = sys_rlimit(RLIMIT_CORE, 1, 1);

	if (r == -EPERM) /* the hard limit is 0 already */
		r = sys_rlimit(RLIMIT_CORE, 0, 0);
	if (r == 0)
		r = sys_close_later(STDERR_FILENO + 1);
	if (r == 0)
		r = sys_prctl(PR_SET_NO_NEW_PRIVS, 1, 0);
	if (r == 0)
		r = sys_landlock_enforce(ruleset);
	if (r == 0)
		r = sys_prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0);
	if (r == 0)
		r = sys_capset(0, 0, 0);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_RUN, -r, "go behind the glass") : 0;
}

static int load_filter(enum look_hears who, int *ret_listener, struct aisbx_error *e)
{
	unsigned short n = 0;
	scoped(drop_mem) struct sock_filter *code = look_filter(who, &n);
	int r = code ? sys_seccomp_load(code, n, ret_listener != NULL) : -ENOMEM;

	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, -r, "load the seccomp filter");
	if (ret_listener)
		*ret_listener = r;
	return 0;
}

int look_enter(const char *const *env, const char *scratch, int *ret_listener, struct aisbx_error *e)
{
	const enum look_hears who = !ret_listener ? LOOK_NOBODY : scratch ? LOOK_REFUSED : LOOK_WRITES;
	scoped(look_places_finish) struct look_places places = { 0 };
	scoped(drop_fd) int ruleset = -1;
	int r = look_places_read(env, &places, e);

	if (r == 0)
		r = build(&places, scratch, &ruleset, e);
	if (r == 0)
		r = give_up(ruleset, e);
	if (r == 0)
		r = measure_files(&places.hidden, e);
	if (r == 0)
		r = load_filter(who, ret_listener, e);
	if (r == 0 && !ret_listener) /* who listens is asked for it: the supervisor measures that */
		r = measure_socket(e);
	return r;
}

const char **look_environment(const char *const *env)
{
	static const char *const more[] = { "GIT_OPTIONAL_LOCKS=0", "PYTHONDONTWRITEBYTECODE=1", NULL };
	size_t n = 0, at = 0;
	const char **list;

	while (env && env[n])
		n++;
	list = calloc(n + sizeof(more) / sizeof(*more), sizeof(*list));
	for (size_t i = 0; list && i < n; i++) {
		size_t name = strcspn(env[i], "=");
		bool is_ours = false;

		for (const char *const *m = more; *m; m++)
			is_ours |= !strncmp(*m, env[i], name) && (*m)[name] == '=';
		if (env[i][name] == '=' && name > 0 && !is_ours && !secret_env_name(env[i], name))
			list[at++] = env[i];
	}
	for (const char *const *m = more; list && *m; m++)
		list[at++] = *m;
	return list;
}
