/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The caller of an operation: what a room may use on its behalf. Filled by the interface that accepts the
 * request.
 */
#ifndef BOX_CALLER_H
#define BOX_CALLER_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct ready_box;

struct caller {
	int stdin_fd;   /* -1: none */
	int out_fds[2]; /* -1: the output is part of the result */
	const char *cwd;
	/* the directory that a request without a project is about, which CWD is in; NULL: CWD itself */
	const char *project;
	const char *const *env;
	const struct given_secret *given; /* NULL, or values of secrets; secret/secrets.h */
	/* NULL, or called when a run starts. */
	void (*begun)(void *ctx, const char *run, const char *trace_id);
	/* NULL, or called when a run has to wait for its turn before it starts. */
	void (*waits)(void *ctx, const char *run);
	void *begun_ctx;      /* borrowed; of both */
	const char *trace_id; /* NULL, or 32 hexadecimal digits that runs use as their trace id */
	/* NULL: the person, who has access to everything; else boxes and runs of others are not visible */
	const char *owner;
	bool person;      /* with an owner: the protocol asked the person, who confirmed */
	bool interpreter; /* what is run is that of a context */
	bool keep_output; /* output of runs is also stored for `logs`, as if they were detached */
	/* NULL, or a box that was made ahead, or is to be made, for a program given as text */
	struct ready_box *ready;
};

/* What a request without a project is about. */
static inline const char *caller_project(const struct caller *by)
{
	return by->project ? by->project : by->cwd;
}

/* The caller's variable NAME; NULL: it is not set, or empty. */
static inline const char *caller_variable(const struct caller *by, const char *name)
{
	size_t n = strlen(name);

	for (const char *const *v = by->env; v && *v; v++)
		if (!strncmp(*v, name, n) && (*v)[n] == '=' && (*v)[n + 1])
			return *v + n + 1;
	return NULL;
}

#endif
