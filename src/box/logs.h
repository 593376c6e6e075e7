/* SPDX-License-Identifier: Apache-2.0 */
/* What a run, or a service of a detached one, has written. */
#ifndef BOX_LOGS_H
#define BOX_LOGS_H

#include <stdbool.h>
#include <stdint.h>

#include "box/caller.h"
#include "store/store.h"

/* Some of it, UTF-8; all of it is borrowed. */
struct run_logged {
	uint64_t time_us;
	const char *stream; /* stdout or stderr */
	const char *data;
	size_t len;
};

struct run_logs_request {
	const char *run;     /* borrowed, as all of these */
	const char *service; /* NULL: the command */
	bool follow;         /* until it has ended */
	bool timestamps;     /* before each line, where it goes to the caller's output */
	/* Takes it where the caller has no output. */
	void (*tell)(void *ctx, const struct run_logged *record);
	void *ctx;
};

struct run_logs {
	char id[STORE_ID_MAX];
	bool complete; /* the run had ended, and this is all that is kept */
	uint64_t cut;  /* bytes in the middle that are not kept; a line in the output says so, too */
};

int run_logs(const struct caller *by, const struct run_logs_request *req, struct run_logs *ret,
	     struct aisbx_error *e);

#endif
