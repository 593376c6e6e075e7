/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the programs of a person that lie where a box has something of its own: directories of PATH in the
 * home, the toolchains they belong to, and environments that a shell has activated. They are shown read-only.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/path.h"
#include "base/scope.h"
#include "driver/layout.h"
#include "policy/secret.h"
#include "policy/tool_env.h"

#define CONFIG_MAX (16u << 10) /* of a pyvenv.cfg */
#define MAX_PARTS  8

struct search {
	const struct layout *l;
	struct shown_list *ret; /* NULL: only what cannot be shown is of interest */
	char *told;             /* NULL, or gets the first sentence about that */
	size_t cap;
};

extern char **environ;

static void show(const struct search *s, const char *host, const char *guest)
{
	struct stat st;

	if (!s->ret || layout_in_project(s->l, guest) || stat(host, &st) < 0)
		return;
	shown_list_add(s->ret, &(struct shown){ (char *)host, (char *)guest, S_ISDIR(st.st_mode), false });
}

/* The toolchain that BELOW, in the home, belongs to; false: none that is known. */
static bool show_toolchain(const struct search *s, const char *below)
{
	const char *const *parts = toolchain_paths(below);

	for (size_t i = 0; parts && i < MAX_PARTS && parts[i]; i++) {
		scoped(drop_mem) char *part = path_join(s->l->host.home, parts[i]);

		if (part)
			show(s, part, part);
	}
	return parts;
}

/* NULL, or why PATH, which is real, is not shown. */
static const char *why_not(const struct layout *l, const char *path)
{
	static const char *const never[] = { "/proc", "/sys", "/dev", "/run" };
	static const char secrets[] = "it is, or contains, a place of secrets";
	const char *below = path_below(path, l->host.home), *other = path_below(path, "/home");

	if (below)
		return secret_in_home(below) ? secrets : NULL;
	for (size_t i = 0; i < sizeof(never) / sizeof(*never); i++)
		if (path_is_within(path, never[i]))
			return "no box shows what lies there";
	if (path_is_within(l->host.home, path) || !strchr(path + 1, '/'))
		return "it contains more than an environment";
	if (other) { /* of somebody else */
		other += strcspn(other, "/");
		other += *other == '/';
	} else {
		other = path_below(path, "/root");
	}
	if ((other && secret_in_home(other)) || secret_in_system(path))
		return secrets;
	return access(path, R_OK | X_OK) < 0 ? "it cannot be read" : NULL;
}

/* GUEST leads to REAL. Programs use the one, links inside the other. */
static void show_both(const struct search *s, const char *real, const char *guest)
{
	const char *below = path_below(real, s->l->host.home);

	if (layout_is_replaced(s->l, real) && (!below || !show_toolchain(s, below)))
		show(s, real, real);
	if (strcmp(real, guest) != 0 && layout_is_replaced(s->l, guest))
		show(s, real, guest);
}

static void tell(const struct search *s, const char *variable, int n, const char *path, const char *why)
{
	if (s->told && !*s->told)
		snprintf(s->told, s->cap,
			 "the box does not have '%.300s', which %.*s names: %s; the programs that the box "
			 "finds "
			 "in its place may be others",
			 path, n, variable, why);
}

/* What a virtual environment of Python at REAL takes its interpreter from. */
static void show_base(const struct search *s, const char *real)
{
	scoped(drop_mem) char *config = path_join(real, "pyvenv.cfg");
	scoped(drop_fd) int fd = config ? open(config, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC) : -1;
	scoped(buf_finish) struct buf text = { 0 };
	scoped(drop_mem) char *given = NULL;
	scoped(drop_mem) char *base = NULL;
	const char *value, *below;
	size_t n;

	if (fd < 0 || io_read_all(fd, CONFIG_MAX, &text) < 0 || !buf_str(&text))
		return;
	value = tool_env_base(text.data, &n);
	given = value && *value == '/' ? strndup(value, n) : NULL;
	base = given ? realpath(given, NULL) : NULL;
	below = base ? path_below(base, s->l->host.home) : NULL;
	if (!base || !layout_is_replaced(s->l, base) || (below && show_toolchain(s, below)))
		return;
	*strrchr(base, '/') = '\0';
	/* A file of the project could name anything. */
	if (*base && !layout_in_project(s->l, real)) {
		const char *why = why_not(s->l, base);

		why ? tell(s, "pyvenv.cfg", 10, base, why) : show(s, base, base);
	}
}

/* TEXT is "NAME=VALUE", with a name of N bytes. */
static void look_at_variable(const struct search *s, const char *text, size_t n)
{
	const struct layout *l = s->l;
	scoped(drop_mem) char *guest = path_resolve("/", text + n + 1);
	scoped(drop_mem) char *real = guest && path_is_clean(guest) ? realpath(guest, NULL) : NULL;
	const char *below = real ? path_below(real, l->host.home) : NULL, *why;
	struct stat st;

	if (!real || stat(real, &st) < 0 || !S_ISDIR(st.st_mode) || layout_is_shown(l, guest))
		return;
	if (!layout_in_project(l, real) && (layout_is_replaced(l, real) || layout_is_replaced(l, guest))) {
		why = below && toolchain_paths(below) ? NULL
		      : layout_is_replaced(l, real)   ? why_not(l, real)
						      : NULL;
		if (why) {
			tell(s, text, (int)n, guest, why);
			return;
		}
		show_both(s, real, guest);
	}
	if (n == strlen("VIRTUAL_ENV") && !strncmp(text, "VIRTUAL_ENV", n))
		show_base(s, real);
}

static void look_at_environment(const struct search *s)
{
	for (char **v = environ; v && *v; v++) {
		const char *value = strchr(*v, '=');

		if (value && value[1] == '/' && tool_env_name(*v, (size_t)(value - *v)))
			look_at_variable(s, *v, (size_t)(value - *v));
	}
}

static void look_at_path(const struct search *s)
{
	const char *home = s->l->host.home, *path = getenv("PATH");

	while (path && *path) {
		size_t n = strcspn(path, ":");
		scoped(drop_mem) char *given = strndup(path, n);
		scoped(drop_mem) char *dir = given && *given == '/' ? realpath(given, NULL) : NULL;
		const char *below = dir ? path_below(dir, home) : NULL;

		path += n + (path[n] == ':');
		if (below && *below && !secret_home_holds(below))
			show_both(s, dir, path_is_clean(given) ? given : dir);
	}
}

void tools_find(const struct layout *l, struct shown_list *ret)
{
	const struct search s = { .l = l, .ret = ret };

	look_at_path(&s);
	look_at_environment(&s);
}

bool tools_tell_hidden(const struct run_spec *spec, char *ret, size_t cap)
{
	scoped(drop_mem) char *home = host_home();
	const struct layout l = { .spec = spec, .host.home = home };
	const struct search s = { .l = &l, .told = ret, .cap = cap };

	*ret = '\0';
	if (home && !layout_in_project(&l, home))
		look_at_environment(&s);
	return *ret;
}
