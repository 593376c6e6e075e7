/* SPDX-License-Identifier: Apache-2.0 */
/* Who asks, and with what: what a room may use of the world on behalf of its caller. Filled by the face that
 * takes the request. */
#ifndef BOX_CALLER_H
#define BOX_CALLER_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct caller {
	int stdin_fd;   /* -1: none */
	int out_fds[2]; /* -1: the output belongs into the result */
	const char *cwd;
	const char *const *env;
	/* NULL, or hears of a run when it begins. */
	void (*begun)(void *ctx, const char *run, const char *trace_id);
	void *begun_ctx;      /* borrowed */
	const char *trace_id; /* NULL, or 32 hexadecimal digits that runs take for theirs */
	const char *owner;    /* NULL: the person, who has everything; else boxes and runs of others are not
				 there */
	bool person;          /* with an owner: the protocol asked the person, who said so themselves */
	bool interpreter;     /* what is run is that of a context */
	bool keep_output;     /* what runs write is kept for `logs` as well, as if they were detached */
};

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
