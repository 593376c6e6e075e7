/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The home of a box. The person's is hidden: in its place is an empty one with decoys and git's name and
 * e-mail address, and over it tools and caches of the host. In a box that stays it has layers like any other
 * tree. What is put there at every run lies below those layers, so that it is no change of the box's.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/path.h"
#include "base/scope.h"
#include "driver/driver.h"
#include "driver/layout.h"
#include "policy/git_identity.h"
#include "policy/secret.h"

#define GIT_MAX (1u << 20) /* of a configuration of git */

void shown_list_finish(struct shown_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->items[i].host);
		free(l->items[i].guest);
	}
	free(l->items);
}

static bool is_listed(const struct shown_list *l, const struct shown *s)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct shown *o = &l->items[i];
		const char *below = path_below(s->guest, o->guest), *same = path_below(s->host, o->host);

		if (o->is_cache == s->is_cache && below && same && !strcmp(below, same))
			return true;
	}
	return false;
}

void shown_list_add(struct shown_list *l, const struct shown *s)
{
	struct shown *grown;

	if (is_listed(l, s))
		return;
	grown = realloc(l->items, (l->n + 1) * sizeof(*grown));
	if (grown) {
		l->items = grown;
		grown[l->n] = (struct shown){ strdup(s->host), strdup(s->guest), s->is_dir, s->is_cache };
		l->failed |= !grown[l->n].host || !grown[l->n].guest;
		l->n++;
	}
	l->failed |= !grown;
}

static void read_identity(const char *path, struct git_identity *ret)
{
	scoped(drop_fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	scoped(buf_finish) struct buf text = { 0 };
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && io_read_all(fd, GIT_MAX, &text) == 0 &&
	    buf_str(&text))
		git_identity_read(text.data, ret);
}

void home_git_identity(const char *home, struct buf *ret)
{
	const char *own = getenv("GIT_CONFIG_GLOBAL"), *config = getenv("XDG_CONFIG_HOME");
	scoped(git_identity_finish) struct git_identity who = { 0 };
	scoped(drop_mem) char *plain = path_join(home, ".gitconfig");
	scoped(drop_mem) char *other = NULL;

	if (own && path_is_clean(own)) {
		read_identity(own, &who);
	} else if (!plain || (config ? asprintf(&other, "%s/git/config", config) < 0
				     : asprintf(&other, "%s/.config/git/config", home) < 0)) {
		other = NULL;
		ret->failed = true;
		return;
	} else {
		read_identity(other, &who);
		read_identity(plain, &who);
	}
	git_identity_write(&who, ret);
}

/* In a file, not in variables: what the box says itself wins. */
static void add_identity(struct layout *l)
{
	const char *own = getenv("GIT_CONFIG_GLOBAL");
	scoped(buf_finish) struct buf text = { 0 };
	scoped(drop_mem) char *plain = path_join(l->host.home, ".gitconfig");
	const char *at = own && path_is_clean(own) && path_is_within(own, l->host.home) ? own : plain;

	if (l->spec->profile.env != ENV_ALL_BUT_SECRETS || !plain)
		return;
	home_git_identity(l->host.home, &text);
	l->b->strings.failed |= text.failed;
	if (text.len && !layout_is_shown(l, at))
		jail_plan_add_file(l->b, 0, 0644, at, text.data, text.len);
}

static void add_decoys(struct layout *l)
{
	for (const char *const *p = decoy_paths; *p; p++) {
		scoped(drop_mem) char *path = path_join(l->host.home, *p);

		if (!path || layout_is_shown(l, path) || l->watched->n == JAIL_PLAN_MAX_WATCHED)
			continue;
		jail_plan_add_file(l->b, JAIL_PLAN_WATCH, 0600, path, decoy_text, strlen(decoy_text));
		strlist_add(l->watched, path);
	}
}

/* Where something will be mounted in the home. */
static void add_point(struct layout *l, const char *guest, bool is_dir)
{
	const char *below = path_below(guest, l->host.home);

	if (!below || !*below)
		return;
	if (is_dir)
		jail_plan_add_op(l->b, JAIL_PLAN_DIR, 0, 0755, NULL, guest);
	else
		jail_plan_add_file(l->b, 0, 0644, guest, "", 0);
}

/* They are made below the layers: in those they would be changes of the box's. */
static void add_points(struct layout *l, const struct shown_list *shown)
{
	const struct run_walls *w = &l->spec->walls;
	struct stat st;

	for (size_t i = 0; i < shown->n; i++)
		add_point(l, shown->items[i].guest, shown->items[i].is_dir);
	if (layout_has_project(l))
		add_point(l, w->project, true);
	for (size_t i = 0; i < w->n_mounts; i++)
		if (stat(w->mounts[i].host, &st) == 0)
			add_point(l, w->mounts[i].guest, S_ISDIR(st.st_mode));
	if (w->fresh)
		add_point(l, w->fresh, true);
}

/* Over what is in the home so far. */
static int add_layers(struct layout *l, const struct shown_list *shown, struct aisbx_error *e)
{
	const struct run_hooks *hooks = &l->spec->hooks;
	scoped(buf_finish) struct buf layers = { 0 };
	int r = hooks->layers ? hooks->layers(hooks->box_ctx, RUN_HOME, NULL, &layers, e) : 0;

	if (r < 0 || !layers.len)
		return r;
	add_points(l, shown);
	jail_plan_add_clone(l->b, JAIL_PLAN_WRITABLE | JAIL_PLAN_HERE, l->host.home, l->host.home,
			    layers.data, layers.len);
	return layers.failed ? aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "layers of the home") : 0;
}

static int add_cache(struct layout *l, const struct shown *s, struct aisbx_error *e)
{
	const struct run_hooks *hooks = &l->spec->hooks;
	scoped(buf_finish) struct buf layers = { 0 };
	scoped(drop_mem) char *key = path_join(RUN_HOME, path_below(s->guest, l->host.home));
	int r = 0;

	if (!key)
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "layers of '%s'", s->guest);
	if (hooks->layers)
		r = hooks->layers(hooks->box_ctx, key, s->host, &layers, e);
	if (r == -ENOENT) { /* gone since it was looked for */
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		return 0;
	}
	if (r == 0)
		jail_plan_add_clone(l->b, JAIL_PLAN_WRITABLE | JAIL_PLAN_OPTIONAL | JAIL_PLAN_TRY | l->idmap,
				    s->host, s->guest, layers.data ? layers.data : "", layers.len);
	return r;
}

static int add_shown(struct layout *l, const struct shown_list *shown, struct aisbx_error *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < shown->n; i++) {
		const struct shown *s = &shown->items[i];

		if (s->is_cache)
			r = add_cache(l, s, e);
		else
			jail_plan_add_op(l->b, s->is_dir ? JAIL_PLAN_CLONE : JAIL_PLAN_BIND,
					 JAIL_PLAN_OPTIONAL | l->idmap, 0, s->host, s->guest);
	}
	return r;
}

int home_add(struct layout *l, struct aisbx_error *e)
{
	scoped(shown_list_finish) struct shown_list shown = { 0 };
	const char *home = l->host.home;
	int r;

	if (layout_in_project(l, home)) { /* the project shows the home: cover its secrets one by one */
		for (const char *const *p = secret_home_paths; *p; p++) {
			scoped(drop_mem) char *path = path_join(home, *p);

			if (path)
				layout_hide(l, path);
		}
		return 0;
	}
	tools_find(l, &shown);
	r = l->spec->profile.caches ? caches_find(l, &shown, e) : 0;
	if (r < 0)
		return r;
	jail_plan_add_op(l->b, JAIL_PLAN_SCRATCH, 0, 0700, NULL, home);
	add_decoys(l);
	add_identity(l);
	r = add_layers(l, &shown, e);
	if (r == 0)
		r = add_shown(l, &shown, e);
	if (r == 0 && shown.failed)
		r = aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "lay out the home");
	return r;
}
