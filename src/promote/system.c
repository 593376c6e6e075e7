/* SPDX-License-Identifier: Apache-2.0 */
/* Promotions into the system: the parts that those into projects do not have. */
#include "promote/system.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/system_point.h"
#include "driver/driver.h"
#include "layer/layer.h"
#include "layer/view.h"
#include "policy/system_trap.h"

int box_system_allowed(const struct store_box *b, struct aisbx_error *e)
{
	if (geteuid() != 0)
		return aisbx_refuse(
			e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EPERM,
			"only root can promote to the system; and only a box of root can have changed "
			"it: in box '%s' it is read-only",
			b->name);
	if (b->image[0])
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL,
			"box '%s' stands on an image: nothing of its system belongs to this machine's",
			b->name);
	if (!driver_id_shift())
		return aisbx_refuse(
			e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EPERM,
			"boxes here cannot change the system, because only one id is mapped into them");
	return 0;
}

/* Whether PATH, relative to "/", is DIR or in it. */
static bool is_in(const char *path, const char *dir)
{
	size_t n;

	if (!dir || !dir[0] || !dir[1])
		return false;
	n = strlen(++dir);
	return !strncmp(path, dir, n) && (!path[n] || path[n] == '/');
}

/* Whether S changes something in DIR, or takes away what DIR lies in. */
static bool touches(const struct merge_step *s, const char *dir)
{
	size_t n = strlen(s->path);

	return is_in(s->path, dir) || ((s->op == MERGE_DELETE || s->op == MERGE_REPLACE) && dir && *dir &&
				       !strncmp(dir + 1, s->path, n) && dir[1 + n] == '/');
}

/* "/etc/shadow stayed in the box: passwords of the box are its own" */
static void tell_stay(const char *path, const char *why, struct strlist *stays)
{
	scoped(buf_finish) struct buf line = { 0 };

	buf_addf(&line, "'/");
	buf_add_utf8(&line, path, strlen(path));
	buf_addf(&line, "' stayed in the box: %s", why);
	if (buf_str(&line))
		strlist_add(stays, line.data);
	else
		stays->failed = true;
}

static bool is_news(const struct merge_step *s)
{
	return s->op != MERGE_NOTHING && s->box != CHANGE_TOUCH;
}

static void judge(struct merge_step *s, const char *project, const char *state, struct strlist *stays,
		  size_t *left)
{
	const char *why = system_stays(s->path);

	if (!why && (touches(s, state) || touches(s, project)))
		why = "a promotion into the system changes neither the project nor what aisbx keeps";
	if (!why && s->outcome == MERGE_CONFLICT && !strcmp(s->path, "etc/ld.so.cache"))
		why = "both sides changed it; 'ldconfig' makes a new one";
	s->idle = why != NULL;
	if (why) { /* the box was given files of passwords: that they differ is no news */
		if (is_news(s) && !system_stays(s->path))
			tell_stay(s->path, why, stays);
	} else if (system_is_left_behind(s->path)) {
		s->idle = true;
		*left += is_news(s);
	} else if (s->outcome != MERGE_APPLY && system_is_package_db(s->path)) {
		merge_refuse(s, "packages changed on both sides, and their notes cannot be merged; use "
				"--packages, which prints the commands that install them");
	}
}

int box_system_leave(struct merge_plan *plan, const char *project, const char *state, struct strlist *stays,
		     struct aisbx_error *e)
{
	size_t left = 0;
	bool idle = false;

	for (size_t i = 0; i < plan->n; i++) {
		if (plan->steps[i].op ==
		    MERGE_INSIDE) { /* it goes with the directory that is made as a whole */
			plan->steps[i].idle = idle;
			continue;
		}
		judge(&plan->steps[i], project, state, stays, &left);
		if (plan->steps[i].op != MERGE_NOTHING)
			idle = plan->steps[i].idle;
	}
	merge_drop_idle(plan);
	for (size_t i = 0; i < plan->n; i++)
		if (!strcmp(plan->steps[i].path, "etc/passwd"))
			tell_stay("etc/shadow",
				  "passwords of the box are its own; 'pwconv' completes the file here",
				  stays);
	if (left)
		strlist_addf(stays, "%zu file%s of logs, caches and locks stayed in the box", left,
			     left == 1 ? "" : "s");
	for (size_t i = 0; i < plan->gits.n; i++)
		tell_stay(plan->gits.items[i], "it belongs to git", stays);
	return stays->failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "inspect changes of the system") : 0;
}

const char *box_system_torn_packages(const struct merge_plan *plan)
{
	for (size_t i = 0; i < plan->n; i++)
		if (plan->steps[i].outcome == MERGE_CONFLICT && system_is_package_db(plan->steps[i].path))
			return plan->steps[i].path;
	return NULL;
}

/* What of the journal is of one tree. */
struct part {
	const char **paths, **merged; /* owned; what is in them is borrowed */
	bool *whole;                  /* owned */
	size_t n, n_merged;
};

static void part_finish(struct part *p)
{
	free(p->paths);
	free(p->merged);
	free(p->whole);
}

static int find_part(const struct journal *j, const char *prefix, struct part *ret)
{
	size_t n = strlen(prefix);

	ret->paths = calloc(j->n + 1, sizeof(*ret->paths));
	ret->merged = calloc(j->n + 1, sizeof(*ret->merged));
	ret->whole = calloc(j->n + 1, sizeof(*ret->whole));
	if (!ret->paths || !ret->merged || !ret->whole)
		return -ENOMEM;
	for (size_t i = 0; i < j->n; i++) {
		const struct journal_item *item = &j->items[i];

		if (strncmp(j->paths[i], prefix, n) != 0 || j->paths[i][n] != '/')
			continue;
		if (item->note == JOURNAL_BASE_BOX)
			ret->merged[ret->n_merged++] = j->paths[i] + n + 1;
		if (item->note != JOURNAL_BASE_TARGET)
			continue;
		ret->whole[ret->n] = item->op != MERGE_ATTRS && S_ISDIR(item->now.mode);
		ret->paths[ret->n++] = j->paths[i] + n + 1;
	}
	return 0;
}

/* Into the layer that is the box's alone, which may have to be made: forks stand on the others. */
static int make_tree(struct box_state *s, const struct store_box *b, const char *host, char **ret_dir,
		     struct aisbx_error *e)
{
	scoped(drop_mem) struct store_layer *chain = NULL;
	scoped(drop_mem) const char **ids = NULL;
	scoped(buf_finish) struct buf paths = { 0 };
	char tree[32];
	size_t n = 0;
	int r = store_layer_chain(s->store, b->top, &chain, &n, e);

	if (r < 0)
		return r;
	ids = calloc(n ? n : 1, sizeof(*ids));
	if (!ids)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "layers of '%s'", b->name);
	for (size_t i = 0; i < n; i++)
		ids[i] = chain[i].id;
	layer_tree_name(host, NULL, tree, sizeof(tree));
	r = layer_paths(s->layers, ids, n, tree, host, driver_id_shift(), &paths, e);
	if (r == 0 && asprintf(ret_dir, "%s/%s/%s", s->layers, b->top, tree) < 0) {
		*ret_dir = NULL;
		r = aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "layers of '%s'", b->name);
	}
	return r;
}

static int note_tree(struct box_state *s, const struct store_box *b, const struct box_system_point *p,
		     size_t at, const struct journal *j, struct aisbx_error *e)
{
	const struct view view = box_system_tree_view(p, at, box_system_tree_end(p, at));
	scoped(tree_root_close) struct tree_root target = TREE_ROOT_INIT;
	scoped(view_close) struct open_view open_view = OPEN_VIEW_INIT;
	scoped(part_finish) struct part part = { 0 };
	scoped(drop_mem) char *dir = NULL;
	int r = find_part(j, p->prefixes.items[at], &part);

	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, -r, "record what was promoted");
	if (!part.n && !part.n_merged)
		return 0;
	r = make_tree(s, b, view.host, &dir, e);
	if (r == 0)
		r = tree_root_open(view.host, &target, e);
	if (r == 0)
		r = base_note_promotion(dir, j->id, &target, part.paths, part.whole, part.n, e);
	if (r < 0 || !part.n_merged)
		return r;
	r = view_open(&view, &open_view, e);
	return r < 0 ? r : base_note_merge(dir, j->id, &open_view, part.merged, part.n_merged, e);
}

int box_system_note(struct box_state *s, struct journal *j, struct aisbx_error *e)
{
	scoped(store_box_finish) struct store_box b = { 0 };
	scoped(box_system_point_finish) struct box_system_point p = { 0 };
	int r = store_box_find(s->store, j->head.box, &b, e);

	if (r == -ENOENT) {
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		return 0;
	}
	if (r == 0)
		r = box_system_point_read(s, &b, "", &p, e);
	for (size_t at = 0; r == 0 && at < p.hosts.n; at = box_system_tree_end(&p, at))
		r = note_tree(s, &b, &p, at, j, e);
	return r;
}
