/* SPDX-License-Identifier: Apache-2.0 */
/* Finds runs by what they wrote: one output after the other, the newest first, so that memory holds one. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/history.h"
#include "box/owner.h"

/* A search over the kept output of all runs. */
struct search {
	struct store *store;
	const struct box_history_request *req;
	const char *box;
	int64_t since_ms;
	struct box_history *ret;
	size_t cap;
};

/* As the filters of the list have it; RET is to be freed if so. */
static bool is_wanted(const struct search *s, const char *id, struct store_run *ret)
{
	const struct box_history_request *q = s->req;
	struct aisbx_error ignored = AISBX_ERROR_INIT; /* the history does not know it: nothing to show */
	struct store_run run = { 0 };

	if (store_run_find(s->store, id, &run, &ignored) < 0)
		return false;
	if (strcmp(run.id, id) != 0 || (box_acting_for() && strcmp(run.owner, box_acting_for()) != 0) ||
	    (s->box && strcmp(run.box, s->box) != 0) || (q->status && strcmp(run.status, q->status) != 0) ||
	    (q->match && !strstr(run.command, q->match)) || (s->since_ms && run.started_ms < s->since_ms)) {
		store_run_finish(&run);
		return false;
	}
	*ret = run;
	return true;
}

/* What was found becomes the result's, or is freed. */
static int add(struct search *s, struct store_run *run, struct kept_lines *lines)
{
	struct box_history *h = s->ret;

	if (h->n_runs == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 32;
		struct store_run *runs = realloc(h->runs, cap * sizeof(*runs));
		struct kept_lines *all = realloc(h->lines, cap * sizeof(*all));

		h->runs = runs ? runs : h->runs;
		h->lines = all ? all : h->lines;
		if (!runs || !all) {
			store_run_finish(run);
			kept_lines_finish(lines);
			return -ENOMEM;
		}
		s->cap = cap;
	}
	h->runs[h->n_runs] = *run;
	h->lines[h->n_runs++] = *lines;
	return 0;
}

/* The cheaper question first; but an owner's search does not even read what is not its own. */
static int look_at(struct search *s, const struct kept_file *f, struct aisbx_error *e)
{
	scoped(kept_text_finish) struct kept_text text = { 0 };
	struct kept_lines lines = { 0 };
	struct store_run run;
	int r;

	if (box_acting_for()) {
		if (!is_wanted(s, f->run, &run))
			return 0;
		store_run_finish(&run);
	}
	r = kept_output_read(f, &text, e);
	if (r < 0)
		return e->code ? r : 0; /* gone meanwhile, or damaged */
	if (!kept_text_search(&text, s->req->grep, &lines))
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "search the output of runs");
	if (!lines.n || !is_wanted(s, f->run, &run)) {
		kept_lines_finish(&lines);
		return 0;
	}
	if (!s->req->results) {
		free(run.result);
		run.result = NULL;
	}
	return add(s, &run, &lines) < 0 ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "search the output of runs")
					: 0;
}

int box_history_grep(struct box_state *state, const struct box_history_request *req, const char *box,
		     int64_t since_ms, struct box_history *ret, struct aisbx_error *e)
{
	struct search s = { state->store, req, box, since_ms, ret, 0 };
	scoped(drop_mem) struct kept_file *files = NULL;
	size_t n = 0;
	int r;

	if (!*req->grep || strchr(req->grep, '\n'))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "--grep needs a text in one line");
	r = kept_output_list(&files, &n, e);
	for (size_t i = 0; r == 0 && i < n && (int64_t)ret->n_runs < req->limit; i++)
		if (!since_ms || files[i].time_ns / 1000000 >= since_ms)
			r = look_at(&s, &files[i], e);
	return r;
}
