/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aisbx from C: every operation of the command line by its method ("box.create", "run.exec"), JSON in and
 * JSON out; and the most common one, a command in a box, without any JSON. docs/rpc.md lists the methods;
 * 'aisbx schema' shows arguments and results.
 */
#ifndef AISBX_AISBX_H
#define AISBX_AISBX_H

#include <stddef.h>

#include <aisbx/error.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define AISBX_PUBLIC __attribute__((visibility("default")))
#else
#define AISBX_PUBLIC
#endif

/*
 * A running aisbx, in a process of its own: it does not touch signals, threads and descriptors of the caller,
 * and it ends with the caller. For one call at a time; open several for parallel calls.
 */
struct aisbx;

/* Set `size` to sizeof of the struct, so that fields added by a later version are known to be missing. */
struct aisbx_options {
	size_t size;
	const char *program; /* NULL: $AISBX, or aisbx on PATH */
	const char *socket;  /* NULL, or where 'aisbx rpc --socket' listens: then no process is started */
	const char
		/* NULL: the person, who has access to every box; else only the boxes of this owner are
		   visible */
		*owner;
};

/* OPTIONS may be NULL. Returns 0, or a negative errno with E filled; so do all of them. */
AISBX_PUBLIC int aisbx_open(const struct aisbx_options *options, struct aisbx **ret_aisbx,
			    struct aisbx_error *e);
/* Calls in progress are cancelled. NULL is allowed. */
AISBX_PUBLIC void aisbx_close(struct aisbx *a);

/*
 * Events during a call. Each may be NULL; the only function of this library that may be called from inside
 * one is aisbx_cancel.
 */
struct aisbx_events {
	size_t size;
	void *context;
	/* STREAM: 1 stdout, 2 stderr. With this the result contains no output. */
	void (*output)(void *context, int stream, const char *data, size_t len);
	/* A JSON text: what an operation reports before its result, as those with "follow" do. */
	void (*item)(void *context, const char *json);
	/* The run has started, and others can refer to it. */
	void (*begun)(void *context, const char *run, const char *trace_id);
	/* The command's standard input; NULL: empty. At most 4 MiB. */
	const char *input;
	size_t input_len;
};

/* PARAMS: a JSON object, or NULL for none. *RET_RESULT: a JSON text for aisbx_free. EVENTS may be NULL. */
AISBX_PUBLIC int aisbx_call(struct aisbx *a, const char *method, const char *params,
			    const struct aisbx_events *events, char **ret_result, struct aisbx_error *e);
/* Ends the call in progress, which still returns. From another thread, a signal handler or an event. */
AISBX_PUBLIC void aisbx_cancel(struct aisbx *a);
AISBX_PUBLIC void aisbx_free(void *memory);

struct aisbx_run_options {
	size_t size;
	const char *box;        /* NULL: one that is removed after the run */
	const char *profile;    /* NULL: as customary */
	const char *cwd;        /* in the box; NULL: the project */
	const char *const *env; /* "NAME=VALUE", ends with NULL; or NULL */
	double timeout_s;       /* 0: as the profile says */
	unsigned long long mem; /* bytes; 0: as the profile says */
};

/* The result of a command; it owns its texts. */
struct aisbx_result {
	const char *run;       /* its id */
	const char *status;    /* "ok", "failed", "limit", "denied", "interrupted", "error" */
	int exit_code;         /* -1: a signal or a limit ended it, or it was not started */
	int exit_signal;       /* 0: none */
	const char *out, *err; /* NUL-terminated; they may contain further NULs */
	size_t out_len, err_len;
	const char *limit; /* the limit that ended it: "memory", "wall_time"; NULL: none */
	const char *error; /* why it could not be started; NULL: it was */
	const char *json;  /* the complete result, see 'aisbx schema run' */
};

/* Runs ARGV in a box. It is no error if the command fails; it is one if it cannot be run behind its walls. */
AISBX_PUBLIC int aisbx_run(struct aisbx *a, const char *const *argv, const struct aisbx_run_options *options,
			   struct aisbx_result **ret_result, struct aisbx_error *e);
AISBX_PUBLIC void aisbx_result_free(struct aisbx_result *r);

#ifdef __cplusplus
}
#endif

#endif
