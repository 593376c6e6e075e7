/* SPDX-License-Identifier: Apache-2.0 */
/* Projects and changes on their way to another machine. */
#include "box/travel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/env.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/here.h"
#include "box/integrity.h"
#include "box/lifecycle.h"
#include "box/lookup.h"
#include "box/moved.h"
#include "box/project_secrets.h"
#include "layer/flatten.h"
#include "layer/layer.h"
#include "layer/host.h"

void box_departure_finish(struct box_departure *d)
{
	free(d->project);
	free(d->under);
	free(d->at);
	free(d->base);
	free(d->profile);
	strlist_finish(&d->layers);
	strlist_finish(&d->secrets);
	strlist_finish(&d->net);
	strlist_finish(&d->stays);
	*d = (struct box_departure){ 0 };
}

static int find_project(const char *cwd, const char *project, const char *const *env, char **ret,
			struct aisbx_error *e)
{
	scoped(drop_mem) char *given = project ? path_resolve(cwd, project) : NULL;
	struct stat st;

	*ret = given ? realpath(given, NULL) : project ? NULL : box_here(cwd, env);
	if (!*ret)
		return aisbx_fail(e, AISBX_AREA_USAGE, errno, "find the project '%s'",
				  project ? project : cwd);
	errno = 0;
	if (stat(*ret, &st) < 0 || !S_ISDIR(st.st_mode))
		return aisbx_fail(e, AISBX_AREA_USAGE, errno ? errno : ENOTDIR, "project '%s'", *ret);
	return 0;
}

int box_departure_check(const char *project, const char *const *env, struct aisbx_error *e)
{
	scoped(drop_mem) char *state = box_state_path(e);
	const char *given = env_dir(env, "HOME");
	scoped(drop_mem) char *home = given ? realpath(given, NULL) : NULL;

	if (!state)
		return e->code;
	if (home && path_is_within(home, project))
		return aisbx_refuse(
			e, AISBX_KIND_DENIED, AISBX_AREA_USAGE, EPERM,
			"'%s' is not sent to another machine: your home directory is in it, with all "
			"that boxes never see; go to the project's own directory, or name it",
			project);
	return box_check_place(state, project, e);
}

/* Files are stamped by the coarse clock: what is written once this returns has a later stamp than RET. */
void box_departure_take_time(struct timespec *ret)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME_COARSE, ret);
	for (int i = 0; i < 500; i++) {
		clock_gettime(CLOCK_REALTIME_COARSE, &now);
		if (now.tv_sec != ret->tv_sec || now.tv_nsec != ret->tv_nsec)
			return;
		nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
	}
}

static int find_secrets(const char *cwd, struct box_departure *d, struct aisbx_error *e)
{
	scoped(project_secret_files_finish) struct project_secret_files files = { 0 };
	scoped(box_secrets_finish) struct run_secrets values = { 0 };
	int r = project_secrets_find(d->project, path_is_within(cwd, d->project) ? cwd : NULL, &values,
				     &files, e);

	for (size_t i = 0; r == 0 && i < files.n; i++)
		strlist_add(&d->secrets, files.items[i].path);
	return r == 0 && d->secrets.failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "send a project") : r;
}

int box_depart(const char *cwd, const char *project, const char *const *env, struct box_departure *ret,
	       struct aisbx_error *e)
{
	scoped(box_departure_finish) struct box_departure d = { 0 };
	struct store_place place = { 0 };
	int r = find_project(cwd, project, env, &d.project, e);
	size_t len;

	if (r == 0)
		r = box_departure_check(d.project, env, e);
	if (r == 0)
		r = box_moved_read(d.project, &place, e);
	if (r < 0 || !d.project)
		return r;
	d.dev = place.dev;
	d.ino = place.ino;
	d.born = place.born;
	len = strlen(d.project);
	d.at = strdup(path_is_within(cwd, d.project) && cwd[len] == '/' ? cwd + len + 1 : "");
	d.under = strdup(d.project);
	if (!d.at || !d.under)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "send '%s'", d.project);
	box_departure_take_time(&d.since);
	r = find_secrets(cwd, &d, e);
	if (r < 0)
		return r;
	*ret = d;
	d = (struct box_departure){ 0 };
	return 0;
}

/* A layer like the N of CHAIN, newest first; *RET_DIR: its directory of changes to the project. */
static int merge_chain(struct box_state *s, const struct store_layer *chain, size_t n, const char *tree,
		       char ret_id[STORE_ID_MAX], int *ret_lock, char **ret_dir, struct aisbx_error *e)
{
	scoped(drop_mem) const char **ids = calloc(n, sizeof(*ids));
	const char *id = chain[0].id;
	int r = 0;

	if (!ids)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "merge %zu layers", n);
	for (size_t i = 0; i < n; i++)
		ids[i] = chain[n - 1 - i].id;
	if (n > 1) {
		r = box_reserve_layer(s, ret_id, ret_lock, e);
		if (r == 0) /* copies: the top can still change */
			r = layer_flatten(s->layers, ids, n, ret_id, false, e);
		id = ret_id;
	}
	if (r == 0 && asprintf(ret_dir, "%s/%s/%s/up", s->layers, id, tree) < 0) {
		*ret_dir = NULL;
		r = aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "send the changes of a box");
	}
	return r;
}

/* A box that never ran has no such directory. */
static int send_dir(const char *dir, int (*send)(void *ctx, const char *dir, struct aisbx_error *e),
		    void *ctx, struct aisbx_error *e)
{
	struct stat st;

	if (!dir || lstat(dir, &st) < 0)
		return !dir || errno == ENOENT ? 0
					       : aisbx_fail(e, AISBX_AREA_BOX, errno, "look at '%s'", dir);
	return send(ctx, dir, e);
}

int box_send_changes(const char *key, int (*send)(void *ctx, const char *dir, struct aisbx_error *e),
		     void *ctx, struct aisbx_error *e)
{
	scoped(lookup_finish) struct lookup found = LOOKUP_INIT;
	scoped(drop_mem) struct store_layer *chain = NULL;
	scoped(drop_mem) char *dir = NULL;
	scoped(drop_fd) int lock = -1;
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	char tree[32], merged[STORE_ID_MAX] = "", on[STORE_ID_MAX] = "";
	size_t n = 0;
	int r = lookup_open_box(key, true, &found, e);

	if (r == 0 && !found.box.project)
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL, "box '%s' has no project",
				 found.box.name);
	if (r == 0)
		r = box_check_integrity(&found.state, &found.box, e);
	if (r == 0)
		r = store_layer_chain(found.state.store, found.box.top, &chain, &n, e);
	if (r == 0)
		r = box_own_layers(&found.state, &found.box, chain, &n, on, e);
	if (r < 0 || !n)
		return r;
	layer_tree_name(found.box.project, found.box.project, tree, sizeof(tree));
	r = merge_chain(&found.state, chain, n, tree, merged, &lock, &dir, e);
	if (r == 0)
		r = send_dir(dir, send, ctx, e);
	if (merged[0])
		layer_remove(found.state.layers, merged, &ignored);
	return r;
}

int box_remove_others(const char *prefix, const char *but, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state s = { 0 };
	scoped(strlist_finish) struct strlist names = { 0 };
	struct store_box *boxes = NULL;
	size_t n = 0;
	int r = box_state_open(&s, e);

	if (r == 0)
		r = store_box_list(s.store, &boxes, &n, e);
	for (size_t i = 0; i < n; i++) {
		if (!strncmp(boxes[i].name, prefix, strlen(prefix)) &&
		    strncmp(boxes[i].name, but, strlen(but)) != 0)
			strlist_add(&names, boxes[i].id);
		store_box_finish(&boxes[i]);
	}
	free(boxes);
	for (size_t i = 0; r == 0 && i < names.n; i++) {
		struct strlist one = { .items = &names.items[i], .n = 1 };
		scoped(strlist_finish) struct strlist removed = { 0 };
		struct aisbx_error ignored = AISBX_ERROR_INIT;

		box_remove(&one, &removed, &ignored); /* who uses it removes it later */
	}
	return r;
}

int box_remove_dir(const char *path, struct aisbx_error *e)
{
	scoped(drop_mem) char *dir = strdup(path);
	char *slash = dir ? strrchr(dir, '/') : NULL;

	if (!slash || slash == dir)
		return aisbx_fail(e, AISBX_AREA_BOX, dir ? EINVAL : ENOMEM, "remove '%s'", path);
	*slash = '\0';
	return layer_remove(dir, slash + 1, e);
}
