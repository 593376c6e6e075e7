/* SPDX-License-Identifier: Apache-2.0 */
/* Ends, stops and awaits live runs by asking their supervisors. */
#include "box/control.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/time.h"
#include "box/log_tail.h"

/* How long `kill` waits for the end it asked for: a supervisor that is not done by then has its
 * own reasons. */
#define GONE_MS 10000
/* How long to try again what a snapshot, or a start, is in the way of. */
#define AGAIN_MS 10000

int run_reach_all(const struct strlist *keys, struct strlist *ret_ids, struct aisbx_error *e)
{
	for (size_t i = 0; i < keys->n; i++) {
		scoped(drop_fd) int fd = -1;
		char id[STORE_ID_MAX];
		int r = live_run_reach(keys->items[i], id, &fd, e);

		if (r < 0)
			return r;
		strlist_add(ret_ids, id);
	}
	return keys->failed || ret_ids->failed ? aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "list the runs") : 0;
}

/* "TERM", "SIGTERM", "15"; 0: there is none of that name. */
static int signal_number(const char *text)
{
	const char *name = !strncasecmp(text, "SIG", 3) ? text + 3 : text;
	uint64_t number;

	if (str_to_u64(text, &number))
		return number < NSIG ? (int)number : 0;
	for (int sig = 1; sig < NSIG; sig++)
		if (sigabbrev_np(sig) && !strcasecmp(sigabbrev_np(sig), name))
			return sig;
	return 0;
}

/* SIG 0: its end. One that ended meanwhile is what was wanted. */
static int kill_one(const char *id, int sig, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = -1;
	int r = live_run_connect(id, &fd, e);

	if (r == 0)
		r = sig ? run_ask_signal(fd, sig, e) : run_ask_end(fd, e);
	if (r == -ESTALE || (r == -ENOENT && !e->code)) {
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		r = 0;
	}
	return r;
}

int run_kill(const struct strlist *keys, const char *signal, struct strlist *ret_ids, struct aisbx_error *e)
{
	int sig = signal ? signal_number(signal) : 0, r;

	if (signal && !sig)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "there is no signal '%s'; give a name such as TERM, or a number", signal);
	r = run_reach_all(keys, ret_ids, e);
	for (size_t i = 0; r == 0 && i < ret_ids->n; i++)
		r = kill_one(ret_ids->items[i], sig, e);
	for (size_t i = 0; r == 0 && !sig && i < ret_ids->n; i++) {
		struct aisbx_error late = AISBX_ERROR_INIT;

		live_run_await(ret_ids->items[i], GONE_MS, &late);
	}
	return r;
}

static int hold(const char *id, bool on, struct aisbx_error *e)
{
	const struct timespec pause = { .tv_nsec = 5000000 };
	uint64_t until = time_ms() + AGAIN_MS;

	for (;;) {
		scoped(drop_fd) int fd = -1;
		int r = live_run_connect(id, &fd, e);

		if (r == 0)
			r = run_ask_pause(fd, on, e);
		if (r == -ESTALE || (r == -ENOENT && !e->code))
			return live_run_ended(id, e);
		if (r != -EAGAIN || time_ms() >= until)
			return r;
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		nanosleep(&pause, NULL);
	}
}

int run_pause(const struct strlist *keys, bool on, struct strlist *ret_ids, struct aisbx_error *e)
{
	int r = run_reach_all(keys, ret_ids, e);

	for (size_t i = 0; r == 0 && i < ret_ids->n; i++)
		r = hold(ret_ids->items[i], on, e);
	return r;
}

void run_waited_finish(struct run_waited *w)
{
	json_decref(w->said);
}

/* How it ended, by the history; of one that left nothing there it is known only that it was killed. */
static int end_of(const char *id, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	struct store_run found = { 0 };
	json_t *kept = live_run_end(id);
	int r = kept ? 0 : box_state_open(&state, e);

	if (kept) {
		*ret_result = kept;
		return 0;
	}
	if (r == 0)
		r = store_run_find(state.store, id, &found, e);
	if (r < 0)
		return r;
	*ret_result = found.result ? json_loads(found.result, 0, NULL) : NULL;
	store_run_finish(&found);
	return *ret_result ? 0
			   : aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_RUN, ENODATA,
					  "the history does not contain the result of run '%s'", id);
}

int run_wait(const struct run_wait_request *req, struct run_waited *ret, struct aisbx_error *e)
{
	uint64_t ms = req->has_timeout && !req->timeout_ms ? 1 : req->timeout_ms;
	int r = live_run_find(req->run, ret->id, e);

	if (r == 0)
		r = live_run_await(ret->id, ms, e);
	if (r == 0) {
		r = end_of(ret->id, &ret->said, e);
	} else if (r == -ETIMEDOUT && req->has_output) { /* what there is so far is an answer */
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		ret->said = json_pack("{s:s, s:s, s:n, s:i}", "run", ret->id, "status", "running",
				      "exit_code", "exit_status", 125);
		r = 0;
	}
	if (r == 0 && req->has_output)
		r = run_add_log_tail(ret->id, req->output, ret->said, e);
	return r;
}
