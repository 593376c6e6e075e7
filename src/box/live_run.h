/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What operations on runs share: finding one, connecting to its supervisor, its description and its result.
 */
#ifndef BOX_LIVE_RUN_H
#define BOX_LIVE_RUN_H

#include <jansson.h>

#include "box/box.h"
#include "box/runs.h"
#include "secret/redact.h"
#include "run/run.h"

/* The run that KEY names, live or not: its id, or a unique prefix. */
int live_run_find(const char *key, char ret_id[STORE_ID_MAX], struct aisbx_error *e);
/*
 * Connects to its supervisor. -ENOENT, with E unchanged: it is not live. If the supervisor was killed, that
 * is recorded first.
 */
int live_run_connect(const char *id, int *ret_fd, struct aisbx_error *e);
/* The same if only a live run will do: -ESRCH with a message that it has ended. */
int live_run_reach(const char *key, char ret_id[STORE_ID_MAX], int *ret_fd, struct aisbx_error *e);
/* That message; also for callers that find out while asking (-ESTALE), whatever E says. -ESRCH. */
int live_run_ended(const char *id, struct aisbx_error *e);
/* Waits until it has ended; TIMEOUT_MS 0: no limit. -ETIMEDOUT. */
int live_run_await(const char *id, uint64_t timeout_ms, struct aisbx_error *e);
/* Records all runs whose supervisor was killed. */
void live_run_settle_all(void);
/*
 * The result of a run that could not be written to the history: NULL, or a new reference. Tries again to
 * write it there.
 */
json_t *live_run_end(const char *id);
/* The same for all. */
void live_runs_end(void);

/* What finds the secrets of a run; NULL when it has none. */
int box_spec_hide(const struct run_spec *spec, struct redactor **ret, struct aisbx_error *e);
/* Of such a redactor: a scrub_fn. */
bool scrub_secrets(const void *redactor, const char *data, size_t len, struct buf *out);
/* The command with its arguments, at most about MAX bytes, without secrets; false: no memory. */
bool box_spec_command(const struct run_spec *spec, size_t max, struct buf *ret);

/* The description of a run, as it answers requests; heap, or NULL. */
char *box_spec_about(const struct run_spec *spec, const char *trace_id, bool detached);

/* A live run: its state and its description. */
struct live_run {
	char id[STORE_ID_MAX];
	bool answers;
	struct run_status status;
	json_t *about;                     /* owned; NULL if it does not answer */
	char box_name[STORE_NAME_MAX + 1]; /* by live_runs_of: of its box, if that is there; "": none */
};

/* Those in IDS, or all if it is NULL, that are live; sorted by start. */
int live_runs_look(const struct strlist *ids, struct live_run **ret, size_t *ret_n, struct aisbx_error *e);
/* All of PROJECT (NULL: of all), with the names of their boxes. RET_OTHERS: runs of other projects. */
int live_runs_of(const char *project, struct live_run **ret, size_t *ret_n, size_t *ret_others,
		 struct aisbx_error *e);
void live_runs_finish(struct live_run *list, size_t n);
const char *live_run_state(const struct live_run *r);

#endif
