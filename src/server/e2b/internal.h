/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of server/e2b share. */
#ifndef SERVER_E2B_INTERNAL_H
#define SERVER_E2B_INTERNAL_H

#include <jansson.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "base/buf.h"
#include "op/op.h"
#include "server/core/call.h"
#include "server/e2b/e2b.h"
#include "server/e2b/route.h"

#define TOKEN_MAX     64
#define ACCESS_MAX    72 /* a token for one sandbox, with its NUL */
#define MAX_SANDBOXES 1024
#define MAX_REQUESTS  512
#define MAX_PROCESSES 128 /* of a sandbox, with those that have ended */
#define MAX_CONTEXTS  32
#define MAX_WATCHERS  16
#define ENVD_VERSION  "0.6.1" /* whose interface this is */
#define E2B_HOME      "/home/user"

struct process;
struct context;
struct watcher;

struct sandbox {
	struct sandbox *prev, *next;
	struct e2b *e2b;
	char id[ROUTE_ID_MAX];  /* and the name of its box */
	char token[TOKEN_MAX];  /* whose */
	char *template;         /* owned */
	json_t *metadata, *env; /* owned; objects of texts */
	int64_t started_ms, end_ms;
	bool paused, pauses; /* now; when its time is over */
	bool offline;        /* no network, whatever the server allows */
	bool ending;         /* nobody finds it any more */
	bool removing;       /* its box is being removed */
	struct process *processes;
	unsigned int n_processes, last_pid;
	struct context *contexts;
	unsigned int n_contexts;
	struct watcher *watchers;
	unsigned int n_watchers, last_watcher;
	unsigned int n_jobs;       /* calls under way for it */
	struct call *keeper;       /* NULL: its box is not kept live */
	char keeper_run[64];       /* "": not yet begun */
	char origin[ROUTE_ID_MAX]; /* of a snapshot, which is a box that nobody works in: whose; "": it is
				      none */
};

struct job;

/* One request. It goes when its exchange has ended and no call is under way for it. */
struct request {
	struct request *prev, *next;
	struct e2b *e2b;
	struct exchange *x; /* NULL: the client has gone, or has its answer */
	enum route route;
	char token[TOKEN_MAX];
	char id[ROUTE_ID_MAX];  /* of the path */
	char box[ROUTE_ID_MAX]; /* the sandbox; found again after each call, for it may have gone */
	bool stream;            /* of envelopes */
	bool begun;             /* the answer has */
	json_t *params;         /* owned; the body, if that is JSON */
	struct job *job;        /* the call under way */
	void *own;              /* owned by free_own */
	void (*free_own)(void *own);
	void (*gone)(struct request *r); /* the client has gone; NULL: nobody cares */
};

struct e2b {
	struct loop *loop; /* borrowed */
	struct e2b_how how;
	struct sandbox *sandboxes; /* owned */
	unsigned int n_sandboxes;
	struct request *requests; /* owned */
	unsigned int n_requests;
	unsigned int n_jobs;
	struct timer *timer;
	unsigned int n_held; /* processes that wait for their readers */
	bool stopping;
	void (*stopped)(void *ctx);
	void *stopped_ctx;
};

/* ---- access.c: who may ---- */

enum access_kind { ACCESS_FILES, ACCESS_TRAFFIC };
/* The token by which a client of a sandbox shows that its maker gave it: hexadecimal digits. */
void access_token(const char *key, const char *id, enum access_kind kind, char ret[ACCESS_MAX]);
bool access_same(const char *expected, const char *given);
/* "v1_..." for a path, "read" or "write", a user, and a time of expiry, "": none. */
void access_signature(const char *path, const char *operation, const char *user, const char *token,
		      const char *expires, char ret[ACCESS_MAX]);

/* ---- e2b.c: requests ---- */

typedef void (*job_done)(struct request *r, const json_t *result, const struct aisbx_error *e);
/*
 * A call for R, ARGS taken: DONE is called once, also when the client has gone (R->x is NULL then). On
 * failure it is answered. CANCEL: the call ends with its client.
 */
void e2b_call(struct request *r, const struct op *op, json_t *args, bool cancel, job_done done);
/* The largest body of a file, also before it was compressed. */
#define MOST_FILE (56u << 20)
/* A call for nobody who waits; false: it could not be started. */
bool e2b_aside(struct sandbox *s, const struct op *op, json_t *args);
struct call_how e2b_how_call(const struct sandbox *s, const char *token, char owner[TOKEN_MAX + 8]);
/* A call that is not a job has ended, too: whoever waits for the last is told. */
void e2b_after_job(struct e2b *e);
/* The sandbox of R; NULL: it has gone, and R is answered. */
struct sandbox *e2b_box(struct request *r);

/* ---- answer.c ---- */

/* VALUE is taken. */
void answer_json(struct request *r, unsigned int status, json_t *value);
void answer_empty(struct request *r, unsigned int status);
/* In the form of the part of the interface that was asked. KIND: enum aisbx_kind. */
__attribute__((format(printf, 3, 4))) void answer_refusal(struct request *r, int kind, const char *fmt, ...);
void answer_error(struct request *r, const struct aisbx_error *e);
/* Of streams of envelopes: one more message, taken; the end, with an error or NULL. */
void answer_message(struct request *r, json_t *message);
void answer_end(struct request *r, const struct aisbx_error *e);
/* Of /execute: a line. */
void answer_line(struct request *r, json_t *line);

/* ---- sandbox.c: what there is ---- */

int sandboxes_load(struct e2b *e, struct aisbx_error *err);
void sandboxes_free(struct e2b *e);
struct sandbox *sandbox_new(struct e2b *e, const char *id, const char *token);
/* Anybody's; a caller checks whose it is. */
struct sandbox *sandbox_find(const struct e2b *e, const char *id);
void sandbox_save(const struct sandbox *s);
/* From now on nobody finds it; its processes end, then its box is removed. */
void sandbox_end(struct sandbox *s);
/* Something has ended in it: what waited for that goes on. It may free S. */
void sandbox_settle(struct sandbox *s);
/* Once a second. */
void sandboxes_tend(struct e2b *e);
/* The path of a box for one of the client's; "~" and what is relative begin at the home. Heap. */
char *sandbox_path(const struct e2b *e, const char *path);
/* The other way. Heap. */
char *sandbox_path_shown(const struct e2b *e, const char *path);
void sandbox_pause(struct sandbox *s);

/* ---- handlers: R has its sandbox, unless the route is one of control without an id ---- */

void control_create(struct request *r);
void control_list(struct request *r);
void control_show(struct request *r);
void control_kill(struct request *r);
void control_timeout(struct request *r);
void control_pause(struct request *r);
void control_resume(struct request *r);
void control_metrics(struct request *r);
void control_snapshot(struct request *r);
void control_snapshots(struct request *r);
void control_snapshot_remove(struct request *r);
void files_health(struct request *r);
void files_read(struct request *r);
void files_write(struct request *r);
void process_start(struct request *r);
void process_attach(struct request *r);
void process_list(struct request *r);
void process_input(struct request *r);
void process_stream_input(struct request *r);
void process_close_stdin(struct request *r);
void process_signal(struct request *r);
void process_update(struct request *r);
void fs_stat(struct request *r);
void fs_make_dir(struct request *r);
void fs_move(struct request *r);
void fs_list(struct request *r);
void fs_remove(struct request *r);
void watch_stream(struct request *r);
void watch_create(struct request *r);
void watch_events(struct request *r);
void watch_remove(struct request *r);
void code_execute(struct request *r);
void e2b_code_contexts(struct request *r);
void code_context_new(struct request *r);
void code_context_end(struct request *r);
void code_context_restart(struct request *r);

/* inflate.c: the content of gzip, if that has at most MOST bytes; false: it is none, or has more. */
bool e2b_gunzip(const char *data, size_t len, size_t most, struct buf *ret);

/* keeper.c: its box is live from now on, if it may be. */
void sandbox_keep(struct sandbox *s);

/* All of them end; what is left goes when their calls have. */
void processes_end(struct sandbox *s);
void processes_tend(struct sandbox *s, bool second);
void processes_free(struct sandbox *s);
void watchers_end(struct sandbox *s);
void watchers_free(struct sandbox *s);
void contexts_free(struct sandbox *s);
/* Their interpreters end, and they are forgotten. */
void contexts_end(struct sandbox *s);

#endif
