/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds everything that belongs in the store: layers, promotions and artifacts, also what gc had moved to
 * `lost`.
 */
#include "box/rebuild.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/meter.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/orphans.h"
#include "layer/journal.h"
#include "layer/layer.h"

struct work {
	struct store_rebuild *b;
	char *state, *layers, *promotions, *artifacts; /* owned */
	struct strlist journals;                       /* owned; ids */
};

static void work_finish(struct work *w)
{
	free(w->state);
	free(w->layers);
	free(w->promotions);
	free(w->artifacts);
	strlist_finish(&w->journals);
}

static bool is_id(const char *name, const char *kind)
{
	size_t n = strlen(kind);

	return !strncmp(name, kind, n) && strlen(name) == n + 16 &&
	       strspn(name + n, "0123456789abcdef") == 16;
}

/* Calls ACT with each name in PLACE; one that is not there is empty. */
static int each(struct work *w, const char *place,
		int (*act)(struct work *w, const char *name, struct aisbx_error *e), struct aisbx_error *e)
{
	scoped(drop_dir) DIR *d = opendir(place);
	struct dirent *entry;
	int r = 0;

	if (!d)
		return errno == ENOENT ? 0 : aisbx_fail(e, AISBX_AREA_BOX, errno, "list '%s'", place);
	while (r == 0 && (entry = dir_next(d, &r))) {
		meter_step(0);
		r = act(w, entry->d_name, e);
	}
	return r < 0 && !e->code ? aisbx_fail(e, AISBX_AREA_BOX, -r, "list '%s'", place) : r;
}

static int take_layer(struct work *w, const char *name, struct aisbx_error *e)
{
	scoped(drop_mem) char *manifest = NULL;

	if (!is_id(name, "l-") && !is_id(name, "pin-"))
		return 0;
	if (asprintf(&manifest, "%s/%s/manifest", w->layers, name) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "inspect layer '%s'", name);
	return store_rebuild_layer(w->b, name, manifest, e);
}

static int note_journal(struct work *w, const char *name, struct aisbx_error *e)
{
	if (is_id(name, "p-") || is_id(name, "t-"))
		strlist_add(&w->journals, name);
	return w->journals.failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "list the promotions") : 0;
}

/* From the journal alone: it says when, of which box, and to where. */
static int add_promotion(struct work *w, const struct journal *j, const char *state, struct aisbx_error *e)
{
	struct store_promotion p = { .target = j->target,
				     .created_ms = j->head.created_ms,
				     .changes = (int64_t)journal_steps(j) };

	snprintf(p.id, sizeof(p.id), "%s", j->id);
	snprintf(p.box, sizeof(p.box), "%.*s", STORE_ID_MAX - 1, j->head.box);
	snprintf(p.box_name, sizeof(p.box_name), "%.*s", STORE_NAME_MAX, j->head.box_name);
	snprintf(p.state, sizeof(p.state), "%s", state);
	return store_promotion_put(w->b->store, &p, e);
}

/* One that was cut off is finished by who opens the store next, and gets its row then. */
static int take_promotion(struct work *w, const char *id, struct aisbx_error *e)
{
	static const char *const tables[] = { "promotions", "artifacts", NULL };
	scoped(drop_journal) struct journal *j = NULL;
	scoped(drop_mem) char *manifest = NULL;
	struct aisbx_error why = AISBX_ERROR_INIT;
	bool found = false;
	int r;

	if (asprintf(&manifest, "%s/%s/manifest", w->promotions, id) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "inspect promotion '%s'", id);
	r = store_rebuild_rows(w->b, manifest, tables, &found, e);
	if (r < 0)
		return r;
	if (journal_load(w->promotions, id, &j, &why) < 0) {
		if (!found && why.code != -ENOENT)
			strlist_addf(&w->b->told, "promotion '%s' could not be restored: %s", id, why.text);
		return 0;
	}
	if (j->state == JOURNAL_DONE)
		return add_promotion(w, j, "done", e);
	return j->state == JOURNAL_UNDONE && (found || journal_is_kept(j)) ? add_promotion(w, j, "undone", e)
									   : 0;
}

struct dated {
	char id[STORE_ID_MAX];
	struct timespec when;
};

static int by_time(const void *a, const void *b)
{
	const struct dated *x = a, *y = b;

	if (x->when.tv_sec != y->when.tv_sec)
		return x->when.tv_sec < y->when.tv_sec ? -1 : 1;
	return (x->when.tv_nsec > y->when.tv_nsec) - (x->when.tv_nsec < y->when.tv_nsec);
}

/* The oldest first: undo takes the newest row. A plan is written once, when the promotion is made. */
static int take_promotions(struct work *w, struct aisbx_error *e)
{
	size_t n = w->journals.n;
	scoped(drop_mem) struct dated *list = calloc(n ? n : 1, sizeof(*list));
	int r = 0;

	if (!list)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "list the promotions");
	for (size_t i = 0; i < n; i++) {
		scoped(drop_mem) char *plan = NULL;
		struct stat st = { 0 };

		if (asprintf(&plan, "%s/%s/plan", w->promotions, w->journals.items[i]) < 0)
			return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "list the promotions");
		snprintf(list[i].id, sizeof(list[i].id), "%s", w->journals.items[i]);
		if (lstat(plan, &st) == 0)
			list[i].when = st.st_mtim;
	}
	qsort(list, n, sizeof(*list), by_time);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = take_promotion(w, list[i].id, e);
	return r;
}

static int take_artifact(struct work *w, const char *name, struct aisbx_error *e)
{
	static const char *const tables[] = { "saved", NULL };
	scoped(drop_mem) char *path = path_join(w->artifacts, name);
	bool found;

	if (strncmp(name, "a-", 2) != 0)
		return 0;
	return path ? store_rebuild_rows(w->b, path, tables, &found, e)
		    : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "list the artifacts");
}

static int make_layer(void *ctx, char ret_id[STORE_ID_MAX], struct aisbx_error *e)
{
	const struct work *w = ctx;

	box_new_id("l-", ret_id);
	return layer_make(w->layers, ret_id, e);
}

static int gather(struct work *w, struct aisbx_error *e)
{
	int r = each(w, w->layers, take_layer, e);

	if (r == 0)
		r = each(w, w->promotions, note_journal, e);
	if (r == 0)
		r = take_promotions(w, e);
	return r < 0 ? r : each(w, w->artifacts, take_artifact, e);
}

int box_rebuild(struct store_rebuild *b, struct aisbx_error *e)
{
	scoped(work_finish) struct work w = { .b = b, .state = box_state_dir(e) };
	scoped(box_state_close) struct box_state state = { 0 };
	scoped_meter bool meter = meter_begin("rebuilding the store", 0);
	int r;

	*b = (struct store_rebuild){ .dir = -1 };
	if (!w.state)
		return e->code;
	w.layers = path_join(w.state, "layers");
	w.promotions = path_join(w.state, "promotions");
	w.artifacts = path_join(w.state, "artifacts");
	if (!w.layers || !w.promotions || !w.artifacts)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "rebuild the store");
	r = store_make_dirs(w.state, e);
	if (r == 0)
		r = store_rebuild_begin(w.state, b, e);
	if (r == 0 && !b->was_ready)
		r = box_orphans_return(w.state, e);
	b->make_layer = make_layer;
	b->make_ctx = &w;
	if (r == 0 && !b->was_ready)
		r = gather(&w, e);
	if (r == 0)
		r = store_rebuild_end(b, e);
	if (r < 0)
		return r;
	/* As anybody would open it: what was cut off is finished, and manifests say what the rows say. */
	r = box_state_open(&state, e);
	return r < 0 ? r : store_manifests_renew(state.store, e);
}
