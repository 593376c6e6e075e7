/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the store what has run, for who we act for. */
#include "box/history.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/live_run.h"
#include "box/owner.h"

void box_history_finish(struct box_history *h)
{
	for (size_t i = 0; h->lines && i < h->n_runs; i++)
		kept_lines_finish(&h->lines[i]);
	free(h->lines);
	store_run_list_finish(h->runs, h->n_runs);
	store_event_list_finish(h->events, h->n_events);
}

static int one_run(struct box_state *state, const char *key, struct box_history *ret, struct aisbx_error *e)
{
	char id[STORE_ID_MAX];
	bool by_name = strncmp(key, "r-", 2) != 0;
	int r = box_acting_for() || by_name ? live_run_find(key, id, e)
					    : 0; /* an owner: only by the whole id, and only its own */

	ret->runs = calloc(1, sizeof(*ret->runs));
	if (!ret->runs)
		return aisbx_fail(e, AISBX_AREA_STORE, ENOMEM, "read the history");
	if (r == 0)
		r = store_run_find(state->store, by_name ? id : key, ret->runs, e);
	ret->n_runs = r == 0;
	return r;
}

int box_history(const struct box_history_request *req, struct box_history *ret, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	scoped(store_box_finish) struct store_box box = { 0 };
	int64_t since = req->has_since ? box_now_ms() - (int64_t)req->since_ms : 0;
	const char *key = req->box;
	int r = box_state_open(&state, e);

	if (r == 0 && key && strncmp(key, "b-", 2) != 0) { /* an id also names a box that is gone */
		r = box_find(&state, key, &box, e);
		key = box.id;
	}
	if (r < 0)
		return r;
	live_runs_end();
	if (req->run)
		return one_run(&state, req->run, ret, e);
	if (req->events) {
		const struct store_event_filter filter = {
			.box = key, .owner = box_acting_for(), .since_ms = since, .limit = req->limit
		};

		return store_event_list(state.store, &filter, &ret->events, &ret->n_events, e);
	}
	if (req->grep)
		return box_history_grep(&state, req, key, since, ret, e);
	return store_run_list(state.store,
			      &(struct store_run_filter){ .box = key,
							  .status = req->status,
							  .match = req->match,
							  .owner = box_acting_for(),
							  .since_ms = since,
							  .limit = req->limit,
							  .results = req->results },
			      &ret->runs, &ret->n_runs, e);
}
