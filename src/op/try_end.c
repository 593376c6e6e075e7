/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The boxes of an experiment, how its branches compare, and what is left when it ends, or when its process
 * was killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/diff.h"
#include "box/owner.h"
#include "op/point.h"
#include "op/try.h"

#define PATHS_TOLD 50u

/* ---- boxes ---- */

/* What is not said is from the project as it is; that is made once, and all branches begin with the same. */
static int make_base(struct op_context *ctx, const json_t *args, const char *name, struct aisbx_error *e)
{
	json_t *with = json_pack("{s:s}", "name", name), *made = NULL;
	int r;

	if (json_object_get(args, "project"))
		json_object_set(with, "project", json_object_get(args, "project"));
	if (json_object_get(args, "profile"))
		json_object_set(with, "profile", json_object_get(args, "profile"));
	r = op_create.run(ctx, with, &made, e);
	json_decref(with);
	json_decref(made);
	return r;
}

int try_boxes_make(struct op_context *ctx, const json_t *args, const char *id, size_t n, json_t **ret_boxes,
		   struct aisbx_error *e)
{
	const char *from = json_string_value(json_object_get(args, "box"));
	char base[STORE_NAME_MAX + 1];
	json_t *with, *made = NULL;
	int r = 0;

	snprintf(base, sizeof(base), "%s-base", id);
	if (!from)
		r = make_base(ctx, args, base, e);
	if (r < 0)
		return r;
	with = json_pack("{s:s, s:I, s:o, s:s}", "from", from ? from : base, "count", (json_int_t)n, "name",
			 n == 1 ? json_sprintf("%s-1", id) : json_string(id), "drift", "off");
	r = op_fork.run(ctx, with, &made, e);
	json_decref(with);
	if (r == 0)
		*ret_boxes = json_incref(json_object_get(made, "boxes"));
	json_decref(made);
	return r;
}

static bool has_name(const json_t *list, const char *name)
{
	const json_t *item;
	size_t i;

	json_array_foreach(list, i, item) if (json_is_string(item) &&
					      !strcmp(json_string_value(item), name)) return true;
	return false;
}

static void drop_box(struct box_shelf *shelf, const struct store_box *b)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(drop_fd) int lock = -1;

	if (box_lock(shelf, b, &lock, &ignored) == 0)
		box_remove(shelf, b, &ignored);
}

/* Asks the store itself: what is cleared up is whoever's the experiment was. */
void try_boxes_drop(const char *id, const json_t *keep)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	struct store_box *boxes = NULL;
	const size_t len = strlen(id);
	size_t n = 0;

	if (box_shelf_open(&shelf, &ignored) < 0 || store_box_list(shelf.store, &boxes, &n, &ignored) < 0)
		return;
	for (size_t i = 0; i < n; i++) {
		if (!strncmp(boxes[i].name, id, len) && boxes[i].name[len] == '-' &&
		    !has_name(keep, boxes[i].name))
			drop_box(&shelf, &boxes[i]);
		store_box_finish(&boxes[i]);
	}
	free(boxes);
	box_collect(&shelf, NULL, &ignored);
}

/* ---- comparison ---- */

static bool is(const json_t *record, const char *what)
{
	const char *state = json_string_value(json_object_get(record, "state"));

	return state && !strcmp(state, what);
}

static bool passed(const json_t *record)
{
	return is(record, "passed") || is(record, "winner");
}

/*
 * Whether A comes before B: the winner, which need not have the best score, who passed, then the score, then
 * the place.
 */
static bool is_better(const json_t *a, const json_t *b, bool most)
{
	const json_t *x = json_object_get(a, "score"), *y = json_object_get(b, "score");
	double d = json_number_value(x) - json_number_value(y);

	if (is(a, "winner") != is(b, "winner"))
		return is(a, "winner");
	if (passed(a) != passed(b))
		return passed(a);
	if (passed(a) && json_is_number(x) != json_is_number(y))
		return json_is_number(x);
	if (passed(a) && (d < 0 || d > 0))
		return most ? d > 0 : d < 0;
	return json_integer_value(json_object_get(a, "n")) < json_integer_value(json_object_get(b, "n"));
}

void try_rank(const struct try_judge *j, json_t *records)
{
	const bool most = json_is_true(json_object_get(j->how, "most"));
	json_t *record;
	size_t i;

	for (i = 1; i < json_array_size(records); i++) { /* few: by insertion */
		json_t *moved = json_incref(json_array_get(records, i));
		size_t to = i;

		while (to && is_better(moved, json_array_get(records, to - 1), most))
			to--;
		json_array_remove(records, i);
		json_array_insert_new(records, to, moved);
	}
	json_array_foreach(records, i, record)
		json_object_set_new(record, "rank",
				    passed(record) ? json_integer((json_int_t)i + 1) : json_null());
}

static json_t *clean_text(const char *s)
{
	scoped(buf_finish) struct buf clean = { 0 };

	buf_add_utf8(&clean, s, strlen(s));
	return json_string(buf_str(&clean) ? clean.data : "");
}

char *try_point(const json_t *record)
{
	const char *box = json_string_value(json_object_get(record, "box")),
		   *snapshot = json_string_value(json_object_get(record, "snapshot"));
	char *point = NULL;

	if (!box || asprintf(&point, "%s%s%s", box, snapshot ? "@" : "", snapshot ? snapshot : "") < 0)
		return NULL;
	return point;
}

static json_t *differing(const json_t *best, const json_t *other)
{
	scoped(drop_mem) char *a = try_point(best), *b = try_point(other);
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(point_finish) struct point p = POINT_INIT;
	scoped(point_finish) struct point q = POINT_INIT;
	scoped(change_list_finish) struct change_list changes = { 0 };
	struct box_ignored left;
	json_int_t more = 0;
	json_t *files;

	if (!a || !b || point_open(a, false, &p, &ignored) < 0 || point_open(b, false, &q, &ignored) < 0 ||
	    box_diff(&p.shelf, &p.box, p.snapshot, &q.box, q.snapshot, &changes, &left, &ignored) < 0)
		return NULL;
	files = json_array();
	for (size_t i = 0; i < changes.n; i++) {
		if (changes.items[i].kind == CHANGE_TOUCH)
			continue;
		if (json_array_size(files) < PATHS_TOLD)
			json_array_append_new(files, clean_text(changes.items[i].path));
		else
			more++;
	}
	return json_pack("{s:o, s:I}", "files", files, "more", more);
}

json_t *try_differences(struct op_context *ctx, const json_t *records)
{
	const json_t *best = json_array_get(records, 0), *record;
	json_t *list = json_array();
	size_t i;

	(void)ctx;
	json_array_foreach(records, i, record)
	{
		json_t *d;

		if (!i || !passed(best) || !passed(record))
			continue;
		d = differing(best, record);
		if (!d)
			continue;
		json_object_set(d, "branch", json_object_get(best, "name"));
		json_object_set(d, "against", json_object_get(record, "name"));
		json_array_append_new(list, d);
	}
	return list;
}

int try_promote(struct op_context *ctx, const struct try_judge *j, const char *point, json_t *result,
		struct aisbx_error *e)
{
	const bool stages = j->project.n_stages > 0;
	json_t *args = json_pack("{s:s}", "box", point), *said = NULL;
	int r = (stages ? op_pipeline_run : op_promote).run(ctx, args, &said, e);

	json_decref(args);
	if (said)
		json_object_set_new(result, stages ? "pipeline" : "promotion", said);
	return r;
}

/* ---- who attends to it ---- */

static char *lock_path(const char *state_dir, const char *id, bool make)
{
	scoped(drop_mem) char *dir = path_join(state_dir, "experiments");

	if (dir && make)
		mkdir(dir, 0700);
	return dir ? path_join(dir, id) : NULL;
}

int try_lock(const char *state_dir, const char *id, int *ret_fd, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = lock_path(state_dir, id, true);
	scoped(drop_fd) int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;

	if (!path || fd < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, path ? errno : ENOMEM, "lock experiment '%s'", id);
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return errno == EWOULDBLOCK
			       ? -EBUSY
			       : aisbx_fail(e, AISBX_AREA_BOX, errno, "lock experiment '%s'", id);
	*ret_fd = take_fd(&fd);
	return 0;
}

void try_unlock(const char *state_dir, const char *id, int *fd)
{
	scoped(drop_mem) char *path = lock_path(state_dir, id, false);

	if (path && *fd >= 0)
		unlink(path);
	close_fd(fd);
}

/* The winner of a killed process stays: somebody may count on it. */
static bool collect_one(struct box_shelf *shelf, const struct store_experiment *x)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	json_t *keep = json_array();
	bool ended = false;
	int fd = -1;

	if (try_lock(shelf->dir, x->id, &fd, &ignored) == 0 &&
	    store_experiment_end(shelf->store, x->id, "interrupted", "", box_now_ms(), &ended, &ignored) ==
		    0 &&
	    ended) {
		if (x->winner)
			json_array_append_new(keep, json_sprintf("%s-%lld", x->id, (long long)x->winner));
		try_boxes_drop(x->id, keep);
	}
	try_unlock(shelf->dir, x->id, &fd);
	json_decref(keep);
	return ended;
}

size_t try_collect(void)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	struct store_experiment *list = NULL;
	size_t n = 0, ended = 0;

	if (box_shelf_open(&shelf, &ignored) < 0 ||
	    store_experiment_list(shelf.store, NULL, "running", INT64_MAX, &list, &n, &ignored) < 0)
		return 0;
	for (size_t i = 0; i < n; i++)
		ended += collect_one(&shelf, &list[i]);
	store_experiment_list_finish(list, n);
	return ended;
}
