/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the caches of a home. One that is not listed is not shown, and no link leads a box to something that
 * is hidden from it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "driver/layout.h"
#include "policy/cache.h"
#include "policy/secret.h"
#include "sys/sys.h"

#define MAX_SET 64 /* variables that name a directory in the home; who has more has the first of them */

struct search {
	const struct layout *l;
	struct shown_list *ret;
	int home;                 /* open */
	const char *set[MAX_SET]; /* borrowed; "NAME=VALUE" */
	size_t n_set;
	struct aisbx_error *e;
	int failed; /* negative errno of the first look that did; E tells of it */
};

extern char **environ;

/* Most homes have no cache that a variable names: who has none pays for one look at each. */
static void find_set(struct search *s)
{
	const char *home = s->l->host.home;
	size_t n = strlen(home);

	for (char **v = environ; v && *v && s->n_set < MAX_SET; v++) {
		const char *value = strchr(*v, '=');

		if (value && value[1] == '/' && !strncmp(value + 1, home, n) && value[1 + n] == '/')
			s->set[s->n_set++] = *v;
	}
}

/* What VARIABLE has below the home; NULL: it is not set, or leads elsewhere. Heap. */
static char *place_of(const struct search *s, const char *variable)
{
	size_t n = variable ? strlen(variable) : 0;

	for (size_t i = 0; n && i < s->n_set; i++) {
		scoped(drop_mem) char *value = NULL;
		scoped(drop_mem) char *path = NULL;
		const char *below;

		if (strncasecmp(s->set[i], variable, n) != 0 || s->set[i][n] != '=')
			continue; /* npm takes its own in capitals, too */
		value = strndup(s->set[i] + n + 1, strcspn(s->set[i] + n + 1, ":")); /* the first of a list */
		path = value ? path_resolve("/", value) : NULL;
		below = path && path_is_clean(path) ? path_below(path, s->l->host.home) : NULL;
		return below && *below ? strdup(below) : NULL;
	}
	return NULL;
}

/* Something the person hides is in PATH, or around it. */
static bool meets_hidden(const struct layout *l, const char *path)
{
	const struct strlist *hides = &l->spec->walls.hides;

	for (size_t i = 0; i < hides->n; i++)
		if (path_is_within(hides->items[i], path) || path_is_within(path, hides->items[i]))
			return true;
	return false;
}

/* Whether a link may lead to REAL: another cache, or what a box sees anyway. */
static bool may_lead_to(const struct layout *l, const char *real)
{
	const char *below = path_below(real, l->host.home);

	if (below)
		return cache_has(below) && !secret_in_home(below);
	return real[1] && !path_is_within(l->host.home, real) && !layout_is_replaced(l, real) &&
	       !secret_in_system(real) && !meets_hidden(l, real);
}

/* RELATIVE is below the home. */
static void show(struct search *s, const char *relative, bool is_linked)
{
	const struct layout *l = s->l;
	scoped(drop_mem) char *guest = path_join(l->host.home, relative);
	scoped(drop_mem) char *real = is_linked && guest ? realpath(guest, NULL) : NULL;
	struct stat st;

	if (!guest ||
	    (is_linked && (!real || !may_lead_to(l, real) || stat(real, &st) < 0 || !S_ISDIR(st.st_mode))))
		return;
	if (!secret_in_home(relative) && !layout_in_project(l, guest) && !layout_is_shown(l, guest))
		shown_list_add(s->ret, &(struct shown){ real ? real : guest, guest, true, true });
}

/*
 * Negative errno: nothing that could be shown; -ELOOP: by way of a link. What is not there is no cache; what
 * cannot be looked at may be one: PLACE, below the home, is what the error then names.
 */
static int open_place(struct search *s, int dir, const char *path, const char *place)
{
	int fd = sys_openat2(dir, path, O_PATH | O_DIRECTORY | O_CLOEXEC, 0,
			     RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);

	if (fd >= 0 || fd == -ENOENT || fd == -ENOTDIR || fd == -EACCES || fd == -ELOOP ||
	    fd == -ENAMETOOLONG || fd == -ENOTCONN || fd == -ESTALE || s->failed)
		return fd;
	s->failed = aisbx_fail(s->e, AISBX_AREA_LAYER, -fd, "look for a cache at '%s/%s'", s->l->host.home,
			       place);
	aisbx_hint(s->e, "--no-caches runs without any");
	return fd;
}

/* 0: there is something to show at PATH below DIR, 1: by way of a link; else negative errno. */
static int look_at(struct search *s, int dir, const char *path, const char *place)
{
	scoped(drop_fd) int fd = open_place(s, dir, path, place);

	if (fd < 0 && fd != -ELOOP)
		return fd;
	return faccessat(dir, path, R_OK | X_OK, AT_EACCESS) < 0 ? -errno : fd == -ELOOP;
}

/* A directory of a place whose path is BASE. FD: that place, open; -1: it is not there. */
static void look_at_dir(struct search *s, const struct cache_dir *d, const char *base, int fd, bool is_linked)
{
	scoped(drop_mem) char *own = d->variable && s->n_set ? place_of(s, d->variable) : NULL;
	scoped(drop_mem) char *path = NULL;
	int r = own      ? look_at(s, s->home, own, own)
		: fd < 0 ? -ENOENT
			 : look_at(s, fd, *d->path ? d->path : ".", base);

	if (r < 0)
		return;
	if (!own && *d->path)
		path = path_join(base, d->path);
	s->ret->failed |= !own && *d->path && !path;
	show(s, own ? own : path ? path : base, r || (is_linked && !own));
}

static void look_at_place(struct search *s, const struct cache_place *p)
{
	scoped(drop_mem) char *named = s->n_set ? place_of(s, p->variable) : NULL;
	const char *base = named ? named : p->path;
	scoped(drop_fd) int fd = open_place(s, s->home, base, base);
	bool is_linked = fd == -ELOOP;

	if (is_linked)
		fd = openat(s->home, base, O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (const struct cache_dir *d = p->dirs; d->path; d++)
		if (fd >= 0 || (d->variable && s->n_set))
			look_at_dir(s, d, base, fd, is_linked);
}

int caches_find(const struct layout *l, struct shown_list *ret, struct aisbx_error *e)
{
	struct search s = { .l = l, .ret = ret, .e = e };
	scoped(drop_fd) int home = open(l->host.home, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (home < 0)
		return 0;
	s.home = home;
	find_set(&s);
	for (const struct cache_place *p = cache_places; p->path; p++)
		look_at_place(&s, p);
	return s.failed;
}
