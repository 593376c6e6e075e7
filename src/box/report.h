/* SPDX-License-Identifier: Apache-2.0 */
/* The outcome of a run. */
#ifndef BOX_REPORT_H
#define BOX_REPORT_H

#include <jansson.h>

#include "box/box.h"
#include "secret/redact.h"

struct run_report {
	char run[STORE_ID_MAX], trace_id[33];
	char box[STORE_ID_MAX]; /* "": it went with the run */
	bool detached;          /* it is still running, and nothing below is known but `said` */
	const char *status;     /* ok, failed, limit, denied, interrupted or error */
	int exit_status;        /* exit status for a command line */
	int exit_code;          /* of the command; -1: a signal or limit ended it */
	int signal;             /* that ended the command; 0: none */
	enum limit limit;       /* that ended it; LIMIT_COUNT: none */
	double wall_ms, cpu_ms;
	uint64_t mem_peak;
	json_t *said;          /* owned; the complete result, as operations report it, without secrets */
	const char *output[2]; /* of said: what the command wrote, UTF-8 */
	size_t output_len[2];
	const char *error; /* of said: why the command could not be executed; NULL: it was executed */
};

void run_report_finish(struct run_report *v);

/*
 * For the code that executes runs. In this order: made; further details; closed, without what HIDE (or NULL)
 * finds.
 */
int run_report_make(struct run_report *v, const struct run_spec *req, const char *trace_id,
		    const struct driver_result *r, struct aisbx_error *e);
void run_report_add(struct run_report *v, const char *name, const char *words);
/* So long for its turn, before it began. */
void run_report_waited(struct run_report *v, uint64_t ms);
void run_report_close(struct run_report *v, const struct redactor *hide);
void run_report_detached(struct run_report *v, const struct run_spec *req, const char *trace_id);
/*
 * As the history stores it, with RECORD (or NULL) and without output, which may be secret and is long; heap,
 * or NULL.
 */
char *run_report_kept(const struct run_report *v, json_t *record);
/* Only status and exit code; heap, or NULL. */
char *run_report_least(const struct run_report *v);

#endif
