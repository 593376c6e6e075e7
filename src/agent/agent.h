/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds aisbx to the configuration of a coding agent: as a server of tools, or as the hook that judges its
 * commands.
 */
#ifndef AGENT_AGENT_H
#define AGENT_AGENT_H

#include <stdbool.h>

#include "aisbx/error.h"
#include "base/buf.h"

/* The variable from which agents take the token for HTTP: tokens are not written to files. */
#define AGENT_TOKEN "AISBX_TOKEN"

extern const char *const agent_names[]; /* ends with NULL */

enum agent_scope {
	AGENT_USUAL, /* the agent's default */
	AGENT_PROJECT,
	AGENT_USER,
};

/* All borrowed. */
struct agent_request {
	const char *name; /* one of agent_names */
	enum agent_scope scope;
	const char *cwd; /* the project */
	const char *const *env;
	bool guard;        /* the hook, not the server */
	bool force;        /* replace an entry that is not ours */
	bool print;        /* write nothing */
	const char *http;  /* NULL, or the address of a server */
	const char *tools; /* NULL, "few" or "all" */
};

struct agent_report {
	enum agent_scope scope;
	char *file;         /* owned; the configuration */
	const char *action; /* static: what was done to the file */
	struct buf text;    /* what a file with nothing else would contain; empty after agent_uninstall */
	const char *check;  /* static: how a person can check that it works */
	char *problem;      /* owned; NULL, or why the agent may not find aisbx */
};

int agent_install(const struct agent_request *req, struct agent_report *ret, struct aisbx_error *e);
/* Removes exactly what agent_install added. */
int agent_uninstall(const struct agent_request *req, struct agent_report *ret, struct aisbx_error *e);
/* Also for a report that is all zeros, or partly filled because of an error. */
void agent_report_finish(struct agent_report *r);

#endif
