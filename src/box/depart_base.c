/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The project as a box has it, for another machine: a fork keeps that state, and its layers are sent with
 * what lies under them. Only the project travels, so a box that changed anything else is refused.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/integrity.h"
#include "box/lifecycle.h"
#include "box/lookup.h"
#include "box/moved.h"
#include "box/net_options.h"
#include "box/no_caches.h"
#include "box/point.h"
#include "box/project_secrets.h"
#include "box/secret_specs.h"
#include "box/travel.h"
#include "box/variables.h"
#include "layer/layer.h"
#include "policy/secret.h"

/* A fork that nobody came back for is removed by gc after this time. */
#define KEPT_MS (30ull * 24 * 3600 * 1000)
/* As aisbx-content takes them. */
#define LAYERS_MOST 128u

void box_departure_drop(const char *base)
{
	struct box_scratch fork = { .name = "" };

	if (base && strlen(base) < sizeof(fork.name)) {
		memcpy(fork.name, base, strlen(base) + 1);
		box_scratch_drop(&fork);
	}
}

/* One look through the layers of a box, newest first. */
struct search {
	const char *from;        /* borrowed */
	char etc[32];            /* the tree of /etc */
	struct strlist seen;     /* owned; names in the home that a newer layer has */
	struct box_departure *d; /* borrowed */
};

static void search_finish(struct search *s)
{
	strlist_finish(&s->seen);
}

/* What shells leave in a home, and aisbx in /etc, is no change of anybody's. */
static bool is_given(const struct search *s, const char *tree, const char *name)
{
	static const char *const by_shells[] = { ".bash_history", ".zsh_history", ".histfile",
						 ".ash_history",  ".lesshst",     NULL };
	const char *const *given = !strcmp(tree, s->etc)   ? secret_login_names
				   : !strcmp(tree, "home") ? by_shells
							   : NULL;

	while (given && *given && strcmp(*given, name) != 0)
		given++;
	return given && *given;
}

/* Nothing lies under a home: what is removed there is as if it had never been. */
static bool is_gone(struct search *s, int home, const char *name)
{
	struct stat st;

	if (strlist_has(&s->seen, name))
		return true;
	strlist_add(&s->seen, name);
	return fstatat(home, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISCHR(st.st_mode) && !st.st_rdev;
}

/* *RET_NAME: the first that is changed in TREE of LAYER; NULL: nothing is. Heap. */
static int find_change(struct search *s, const char *layer, const char *tree, char **ret_name)
{
	scoped(drop_mem) char *dir = path_join(layer, tree);
	scoped(drop_mem) char *up = dir ? path_join(dir, "up") : NULL;
	scoped(drop_dir) DIR *d = up ? opendir(up) : NULL;
	const struct dirent *entry;
	int r = 0;

	*ret_name = NULL;
	if (!d)
		return !up ? -ENOMEM : errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
	while (!*ret_name && (entry = dir_next(d, &r))) {
		const char *name = entry->d_name;

		if (is_given(s, tree, name) || (!strcmp(tree, "home") && is_gone(s, dirfd(d), name)))
			continue;
		*ret_name = strdup(name);
		if (!*ret_name)
			return -ENOMEM;
	}
	return s->seen.failed ? -ENOMEM : r;
}

static int refuse_change(const char *from, const char *tree, const char *name, struct aisbx_error *e)
{
	const bool home = !strcmp(tree, "home");

	return aisbx_refuse(
		e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_BOX, EOPNOTSUPP,
		"'%.100s' is not sent: its %s was changed, too ('%.60s' and perhaps more), and of a box only "
		"the changes of its project travel; %sput the rest into an image ('aisbx image pack', "
		"'aisbx template push') and give that to a job with --project as --image",
		from, home ? "home" : "system", name,
		home ? "remove in its home what the command does not need, or " : "");
}

/* One layer: its project is sent, what its runs left in caches is not needed, and nothing else may be. */
static int check_layer(struct search *s, const char *layer, struct aisbx_error *e)
{
	static const char caches[] = "what the box changed in its caches";
	scoped(drop_dir) DIR *dir = opendir(layer);
	const struct dirent *entry;
	int r = 0;

	if (!dir)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "look what '%s' changed", s->from);
	while (r == 0 && (entry = dir_next(dir, &r))) {
		const char *tree = entry->d_name;
		scoped(drop_mem) char *name = NULL;

		if (!strcmp(tree, "project") || !strcmp(tree, "pin"))
			continue;
		r = find_change(s, layer, tree, &name);
		if (r == 0 && name && *tree != 'c')
			return refuse_change(s->from, tree, name, e);
		if (r == 0 && name && !strlist_has(&s->d->stays, caches))
			strlist_add(&s->d->stays, caches);
	}
	return r < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -r, "look what '%s' changed", s->from) : 0;
}

static int check_layers(struct lookup *found, const char *from, struct box_departure *d,
			struct aisbx_error *e)
{
	scoped(search_finish) struct search s = { .from = from, .d = d };
	scoped(drop_mem) struct store_layer *chain = NULL;
	char on[STORE_ID_MAX] = "";
	size_t n = 0;
	int r = store_layer_chain(found->state.store, found->box.top, &chain, &n, e);

	layer_tree_name("/etc", d->project, s.etc, sizeof(s.etc));
	if (r == 0)
		r = box_own_layers(&found->state, &found->box, chain, &n, on, e);
	for (size_t i = 0; r == 0 && i < n; i++) {
		scoped(drop_mem) char *layer = path_join(found->state.layers, chain[i].id);

		r = layer ? check_layer(&s, layer, e)
			  : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "send '%s'", from);
	}
	return r;
}

/* What a run in the box has on this machine, the command must have there, or it is not sent. */
static int check_settings(struct lookup *found, const char *from, bool on_image, struct box_departure *d,
			  struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist secrets = { 0 }, variables = { 0 };
	const char *dir = found->state.dir, *id = found->box.id;
	int r = box_secret_specs_read(dir, id, &secrets, e);

	if (r == 0)
		r = box_variables_names(dir, id, &variables, e);
	if (r == 0 && secrets.n)
		return aisbx_refuse(
			e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_BOX, EOPNOTSUPP,
			"'%.100s' is not sent: its runs get secrets (--secret), which are not "
			"sent with it; use a box that was made without, and give them by --secret",
			from);
	if (r == 0 && variables.n)
		return aisbx_refuse(
			e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_BOX, EOPNOTSUPP,
			"'%.100s' is not sent: its commands get variables (such as %.60s), whose values are "
			"not sent with it; use a box that was made without, and give them by --env",
			from, variables.items[0]);
	if (r == 0 && found->box.image[0] && !on_image)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL,
			"'%.100s' stands on an image, which its node must know: give --image NAME, "
			"and --pull; 'aisbx show %.100s' tells which",
			from, from);
	if (r == 0)
		r = box_net_read(dir, id, &d->net, e);
	d->no_caches = box_no_caches(dir, id);
	d->profile = strdup(found->box.profile);
	return r == 0 && !d->profile ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "send '%s'", from) : r;
}

static int find_secrets(struct box_departure *d, struct aisbx_error *e)
{
	scoped(project_secret_files_finish) struct project_secret_files files = { 0 };
	scoped(box_secrets_finish) struct run_secrets values = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i <= d->layers.n; i++) {
		const char *dir = i ? d->layers.items[i - 1] : d->under;
		scoped(drop_mem) char *here = path_join(dir, d->at);

		r = here ? project_secrets_find(dir, *d->at ? here : NULL, &values, &files, e)
			 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "send a project");
	}
	for (size_t i = 0; r == 0 && i < files.n; i++)
		if (!strlist_has(&d->secrets, files.items[i].path))
			strlist_add(&d->secrets, files.items[i].path);
	return r == 0 && d->secrets.failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "send a project") : r;
}

static int take_layers(struct lookup *found, const char *from, struct box_departure *d, struct aisbx_error *e)
{
	scoped(box_point_finish) struct box_point point = { 0 };
	int r = box_check_integrity(&found->state, &found->box, e);

	if (r == 0)
		r = box_point_read(&found->state, &found->box, "", &point, e);
	if (r < 0)
		return r;
	if (point.ups.n > LAYERS_MOST)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_BOX, E2BIG,
				    "'%.100s' has %zu layers, and %u can be sent; fork it, and send the fork",
				    from, point.ups.n, LAYERS_MOST);
	d->under = point.host;
	point.host = NULL;
	d->layers = point.ups;
	point.ups = (struct strlist){ 0 };
	return 0;
}

/* The fork D->base, which nobody else uses. */
static int read_fork(const char *cwd, const char *from, bool on_image, const char *const *env,
		     struct box_departure *d, struct aisbx_error *e)
{
	scoped(lookup_finish) struct lookup found = LOOKUP_INIT;
	size_t len;
	int r = lookup_open_box(d->base, true, &found, e);

	if (r < 0)
		return r;
	if (!found.box.project)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL,
				    "'%.100s' is not sent: the box has no project, and only that travels",
				    from);
	r = box_moved_require(&found.box, cwd, e);
	if (r < 0)
		return r;
	d->project = strdup(found.box.project);
	len = strlen(found.box.project);
	d->at = strdup(path_is_within(cwd, found.box.project) && cwd[len] == '/' ? cwd + len + 1 : "");
	if (!d->project || !d->at)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "send '%s'", from);
	d->dev = found.box.place.dev;
	d->ino = found.box.place.ino;
	d->born = found.box.place.born;
	r = box_departure_check(d->project, env, e);
	if (r == 0)
		r = check_settings(&found, from, on_image, d, e);
	if (r == 0)
		r = check_layers(&found, from, d, e);
	if (r == 0)
		r = take_layers(&found, from, d, e);
	if (r == 0) {
		box_departure_take_time(&d->since);
		r = find_secrets(d, e);
	}
	return r;
}

int box_depart_from(const char *cwd, const char *from, bool on_image, const char *const *env,
		    struct box_departure *ret, struct aisbx_error *e)
{
	scoped(box_departure_finish) struct box_departure d = { 0 };
	struct box_scratch fork = { .name = "" };
	char name[STORE_ID_MAX];
	int r;

	box_new_id("base-", name);
	r = box_scratch_make(from, name, KEPT_MS, &fork, e);
	if (r < 0)
		return r;
	d.base = strdup(fork.name);
	r = d.base ? read_fork(cwd, from, on_image, env, &d, e)
		   : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "send '%s'", from);
	if (r < 0) {
		box_scratch_drop(&fork);
		return r;
	}
	*ret = d;
	d = (struct box_departure){ 0 };
	return 0;
}
