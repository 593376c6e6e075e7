/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aisbx from C: every operation of the command line by its method ("box.create", "run.exec"), JSON in and
 * JSON out; and the common one, a command in a box, without any JSON. docs/rpc.md lists the methods; 'aisbx
 * schema' tells arguments and results.
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
 * A warm aisbx, a process of its own: signals, threads and descriptors of the caller are nothing to it, and
 * it ends with the caller. For one call at a time; who wants several at once opens several.
 */
struct aisbx;

/* Set `size` to sizeof of the struct: what a later version adds is then known not to be there. */
struct aisbx_options {
	size_t size;
	const char *program; /* NULL: $AISBX, or aisbx on PATH */
	const char *socket;  /* NULL, or where 'aisbx rpc --socket' listens: then nothing is started */
	const char
		*owner; /* NULL: the person, who has every box; else only the boxes of this owner are there */
};

/* OPTIONS may be NULL. Returns 0, or a negative errno with E filled; as all of them. */
AISBX_PUBLIC int aisbx_open(const struct aisbx_options *options, struct aisbx **ret_aisbx,
			    struct aisbx_error *e);
/* What is still under way is cancelled. NULL is fine. */
AISBX_PUBLIC void aisbx_close(struct aisbx *a);

/* What comes while a call is under way. Each may be NULL; a call to this library from inside one:
 * aisbx_cancel only. */
struct aisbx_events {
	size_t size;
	void *context;
	/* STREAM: 1 stdout, 2 stderr. With this the result holds no output. */
	void (*output)(void *context, int stream, const char *data, size_t len);
	/* A JSON text: what an operation tells before its result, as those with "follow" do. */
	void (*item)(void *context, const char *json);
	/* The run has begun, and can be named to others. */
	void (*begun)(void *context, const char *run, const char *trace_id);
	/* The command's standard input; NULL: it is empty. At most 4 MiB. */
	const char *input;
	size_t input_len;
};

/* PARAMS: a JSON object, or NULL for none. *RET_RESULT: a JSON text for aisbx_free. EVENTS may be NULL. */
AISBX_PUBLIC int aisbx_call(struct aisbx *a, const char *method, const char *params,
			    const struct aisbx_events *events, char **ret_result, struct aisbx_error *e);
/* Ends the call under way, which still returns. From another thread, a signal handler or an event. */
AISBX_PUBLIC void aisbx_cancel(struct aisbx *a);
AISBX_PUBLIC void aisbx_free(void *memory);

struct aisbx_run_options {
	size_t size;
	const char *box;        /* NULL: one that goes with the run */
	const char *profile;    /* NULL: as customary */
	const char *cwd;        /* in the box; NULL: the project */
	const char *const *env; /* "NAME=VALUE", ends with NULL; or NULL */
	double timeout_s;       /* 0: as the profile says */
	unsigned long long mem; /* bytes; 0: as the profile says */
};

/* How a command went; texts belong to it. */
struct aisbx_result {
	const char *run;       /* its id */
	const char *status;    /* "ok", "failed", "limit", "denied", "interrupted", "error" */
	int exit_code;         /* -1: a signal or a limit ended it, or it was not started */
	int exit_signal;       /* 0: none */
	const char *out, *err; /* NUL-terminated; they may hold more of these */
	size_t out_len, err_len;
	const char *limit; /* the limit that ended it: "memory", "wall_time"; NULL: none */
	const char *error; /* why it could not be started; NULL: it was */
	const char *json;  /* all there is to know, see 'aisbx schema run' */
};

/* Runs ARGV in a box. That a command fails is no error, that it cannot be run behind its walls is one. */
AISBX_PUBLIC int aisbx_run(struct aisbx *a, const char *const *argv, const struct aisbx_run_options *options,
			   struct aisbx_result **ret_result, struct aisbx_error *e);
AISBX_PUBLIC void aisbx_result_free(struct aisbx_result *r);

#ifdef __cplusplus
}
#endif

#endif
