/* SPDX-License-Identifier: Apache-2.0 */
/* What operations on runs share: finding one, reaching its supervisor, what it is and how it ended. */
#ifndef BOX_LIVE_RUN_H
#define BOX_LIVE_RUN_H

#include <jansson.h>

#include "box/box.h"
#include "box/runs.h"
#include "secret/redact.h"
#include "run/run.h"

/* The run that KEY means, live or not: its id, or the beginning of one that is no other's. */
int live_run_find(const char *key, char ret_id[STORE_ID_MAX], struct aisbx_error *e);
/* Connects to its supervisor. -ENOENT, with E as it was: it does not live. If it was killed that is written
 * down first. */
int live_run_connect(const char *id, int *ret_fd, struct aisbx_error *e);
/* The same, where only a live one will do: -ESRCH tells a person that it has ended. */
int live_run_reach(const char *key, char ret_id[STORE_ID_MAX], int *ret_fd, struct aisbx_error *e);
/* What a person is told then; also for who finds out while asking (-ESTALE), whatever E says
 * of it. -ESRCH. */
int live_run_ended(const char *id, struct aisbx_error *e);
/* Waits until it has ended; TIMEOUT_MS 0: however long. -ETIMEDOUT. */
int live_run_await(const char *id, uint64_t timeout_ms, struct aisbx_error *e);
/* Writes down all runs that were killed. */
void live_run_settle_all(void);
/* How a run ended that the history had no room for: NULL, or a new reference. It is tried again to write it
 * there. */
json_t *live_run_end(const char *id);
/* The same for all. */
void live_runs_end(void);

/* What finds the secrets of a run; NULL when it has none. */
int box_spec_hide(const struct run_spec *spec, struct redactor **ret, struct aisbx_error *e);
/* Of such a redactor: a scrub_fn. */
bool scrub_secrets(const void *redactor, const char *data, size_t len, struct buf *out);
/* The command with its arguments, of about MAX bytes at most, without secrets; false: no memory. */
bool box_spec_command(const struct run_spec *spec, size_t max, struct buf *ret);

/* What a run is, as it tells those who ask; heap, or NULL. */
char *box_spec_about(const struct run_spec *spec, const char *trace_id, bool detached);

/* A live run: how it is, and what. */
struct live_run {
	char id[STORE_ID_MAX];
	bool answers;
	struct run_status status;
	json_t *about; /* owned; NULL if it does not answer */
};

/* Those in IDS, or all when it is NULL, that live; sorted by start. */
int live_runs_look(const struct strlist *ids, struct live_run **ret, size_t *ret_n, struct aisbx_error *e);
void live_runs_finish(struct live_run *list, size_t n);
const char *live_run_state(const struct live_run *r);

#endif
