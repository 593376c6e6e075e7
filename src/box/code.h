/* SPDX-License-Identifier: Apache-2.0 */
/* A program given as text: scanned, then run in a box of its own, or in an interpreter that stays in a box.
 */
#ifndef BOX_CODE_H
#define BOX_CODE_H

#include "base/buf.h"
#include "box/context.h"
#include "box/outputs.h"
#include "box/report.h"
#include "box/run_options.h"
#include "policy/scan_policy.h"
#include "scan/core/scan.h"

extern const char *const code_languages[]; /* ends with NULL */
extern const char *const code_drivers[];   /* likewise: native, wasm, auto */

struct code_request {
	const char *lang;   /* borrowed, as all of these; one of the languages */
	const char *file;   /* NULL or "-": the caller's input, unless there is TEXT */
	const char *text;   /* NULL: what FILE has */
	const char *out;    /* directory for the files that it leaves; NULL: nowhere */
	const char *policy; /* of the scan; NULL: what the profile says */
	const char *driver; /* of code_drivers; NULL: as the profile says */
	bool yes;           /* run it where the policy says to ask; copy traps, too */
	/* owned; of the box; its command: the arguments of the program; with a context of the rest only `env`
	 */
	struct run_options options;
	/* With a context, in the box of the wish: */
	const char *context; /* NULL: none */
	bool end_context;    /* instead: end that */
	bool has_timeout;
	uint64_t timeout_ms;
	uint64_t idle_ms;
};

/* What runs a program, and why, in words. */
struct code_choice {
	const char *driver; /* static; NULL: nobody asked */
	char why[160];
};

struct code_result {
	const char *interpreter;   /* static */
	char *path;                /* owned; of the program, in the box */
	char *denied;              /* owned; why it does not run; NULL: it did */
	struct code_choice choice; /* of a driver */
	bool is_scanned;
	struct scan_policy policy; /* owned */
	struct scan_report scan;   /* owned; borrows from the policy */
	struct run_report report;  /* owned; unless it is denied, or in a context */
	json_t *results;           /* owned; values that it told, code_boot.h; NULL: none */
	struct outputs files;      /* what it left, in a context what it made */
	struct aisbx_error files_error;
	struct context_result told; /* owned; of a context */
	struct redactor *hide;      /* owned; finds the secrets of the box; NULL: it has none */
	int exit_status;
};

void code_request_finish(struct code_request *r);
void code_result_finish(struct code_result *r);
int code_run(const struct caller *by, struct code_request *req, struct code_result *ret,
	     struct aisbx_error *e);
/* The same in a context, which must have a good name. */
int code_run_in_context(const struct caller *by, const struct code_request *req, struct code_result *ret,
			struct aisbx_error *e);

#endif
