/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request in progress, for its handler: answering it exactly once, reporting progress, asking the client,
 * running operations. The same for all protocol versions, and after the request has become a task.
 */
#ifndef SERVER_MCP_REQUEST_H
#define SERVER_MCP_REQUEST_H

#include "op/op.h"
#include "server/core/queued.h"
#include "server/mcp/mcp.h"
#include "server/mcp/tools.h"

struct mcp_job;
struct mcp_long_result;
struct mcp_listener;
struct mcp_request;
struct mcp_task;

/* As syslog has them. */
enum mcp_level {
	MCP_DEBUG,
	MCP_INFO,
	MCP_NOTICE,
	MCP_WARNING,
	MCP_ERROR,
	MCP_CRITICAL,
	MCP_ALERT,
	MCP_EMERGENCY,
	MCP_SILENT
};

struct mcp {
	struct loop *loop;
	struct mcp_how how;
	uint8_t key[32]; /* size of what clients store for us */
	/* owned; made when first needed, the second for clients with tasks of 2025-11-25 */
	json_t *tools[2];
	struct mcp_session *sessions;
	struct calls *calls; /* owned */
	struct mcp_job *jobs;
	size_t kept_bytes;          /* of all sessions */
	void (*stopped)(void *ctx); /* NULL: it goes on */
	void *stopped_ctx;
};

struct mcp_session {
	struct mcp *mcp;
	struct mcp_session *prev, *next;
	char *owner; /* owned; NULL: the person */
	int alive;   /* owned; while it is open, its boxes are in use; -1: none */
	bool stateless;
	char version[16]; /* of the legacy era; "": not opened */
	json_t *caps;     /* owned; of a legacy client */
	enum mcp_level level;
	struct mcp_channel *channel; /* borrowed; may be NULL */
	struct calls_client *calls;  /* owned */
	struct mcp_request *requests;
	unsigned int n_requests;
	unsigned int n_jobs;
	struct mcp_task *tasks;
	struct mcp_listener *listeners;
	uint64_t last_ask;
	struct mcp_long_result *kept; /* owned; the newest first */
	unsigned int n_kept, last_kept;
	size_t kept_bytes;
};

typedef void (*mcp_fn)(struct mcp_request *r);
typedef void (*mcp_answers_fn)(struct mcp_request *r, const json_t *answers);

struct mcp_request {
	struct mcp_session *session;
	struct mcp_request *prev, *next;
	struct mcp_channel *channel; /* borrowed; NULL once it is a task */
	json_t *id;                  /* owned */
	json_t *params;              /* owned; an object */
	const char *method;          /* borrowed from the table of methods */
	const char *version;         /* borrowed */
	bool modern;
	const json_t *caps; /* borrowed; what the client can do, an object or NULL */
	const json_t *progress_token;
	double progress; /* the last that was told */
	enum mcp_level level;
	json_t *answers; /* owned; the client's answers so far, by the key of the question */
	bool answered;   /* the answers come with a state of ours, so the questions were asked */
	json_t *asked;   /* owned; legacy: keys of open questions by the id of our request */
	mcp_answers_fn on_answers;
	struct timer *timer;
	mcp_fn on_timer;
	/* what is started for it now was confirmed by the person, whom the client asked */
	bool person;
	uint32_t retry_ms;     /* its call found no room, and may be tried again after so long; 0: it did */
	struct mcp_job *job;   /* that runs for it; NULL: none */
	struct mcp_task *task; /* NULL: none, it is answered on its channel */
	void *own;             /* of who handles it, with how to free it */
	void (*free_own)(void *own);
	unsigned int step; /* likewise */
};

/* Each takes the references it is given. After the first five R is freed. */
void mcp_reply(struct mcp_request *r, json_t *result);
void mcp_fail(struct mcp_request *r, int code, json_t *data, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* In words for a model; URI: what it is about, NULL: nothing that has an address. */
void mcp_fail_about(struct mcp_request *r, int code, const char *uri, const struct aisbx_error *e);
void mcp_fail_error(struct mcp_request *r, int code, const struct aisbx_error *e);
/* Without an answer. */
void mcp_cancel(struct mcp_request *r);
void mcp_notify(struct mcp_request *r, const char *method, json_t *params);
/* Only sent if the client asked for it; PROGRESS must increase. TOTAL 0: unknown; MESSAGE may be NULL. */
void mcp_progress(struct mcp_request *r, double progress, double total, const char *message);
void mcp_log(struct mcp_request *r, enum mcp_level level, json_t *data);
bool mcp_is_told(const struct mcp_request *r, enum mcp_level level);
int mcp_later(struct mcp_request *r, uint64_t ms, mcp_fn fn);
/* The client declared that capability: "elicitation", "sampling", "roots". */
bool mcp_can(const struct mcp_request *r, const char *capability);
bool mcp_can_tasks(const struct mcp_request *r);
/* -1: there is no such level. */
int mcp_level_of(const char *name);

/*
 * QUESTIONS: {KEY: {"method", "params"}}, taken. FN gets {KEY: the client's result}, now, later, or, if the
 * client repeats the request with its answers, when the handler has been called again and reaches the same
 * place. ASKED_ONLY: answers to questions that were not asked are ignored. R may be freed when it returns.
 */
void mcp_ask(struct mcp_request *r, json_t *questions, bool asked_only, mcp_answers_fn fn);
/* MESSAGE is the response to the question with that ID. False: R did not ask it. */
bool mcp_take_answer(struct mcp_request *r, const json_t *id, const json_t *message);

/* Opens what was sealed for a request of the same kind: NULL, and the reason in E. A new reference. */
json_t *mcp_unseal(const struct mcp_request *r, const char *purpose, const char *text, struct aisbx_error *e);
/* DATA, taken, as text that the client stores; it can read but not change it. A string, or NULL. */
json_t *mcp_seal(const struct mcp_request *r, const char *purpose, json_t *data);

struct mcp_job_events {
	void (*output)(struct mcp_job *j, int which, const char *data, size_t len);
	void (*item)(struct mcp_job *j, const json_t *item);
	void (*known)(struct mcp_job *j, const char *run); /* it has started, or waits for its turn */
	/* Only while somebody waits for it: with a request, or for a job of a session. */
	void (*done)(struct mcp_job *j, const json_t *result, const struct aisbx_error *e);
};

struct mcp_job {
	struct mcp *mcp;
	struct mcp_session *session; /* NULL: it has gone */
	struct mcp_request *request; /* NULL: it has been answered, or there never was one */
	bool of_session;             /* it belongs to no request */
	struct mcp_job *prev, *next;
	const struct op *op;
	json_t *args; /* owned */
	struct queued *call;
	const struct mcp_job_events *events;
	void *own; /* freed by free_own */
	void (*free_own)(void *own);
};

/* ARGS borrowed. OWN is taken, also with an error. R or, for a job of a session, S. */
int mcp_job_start(struct mcp_session *s, struct mcp_request *r, const struct op *op, const json_t *args,
		  const struct mcp_job_events *events, void *own, void (*free_own)(void *own),
		  struct mcp_job **ret_job, struct aisbx_error *e);
/* Its result is not needed any more. */
void mcp_job_drop(struct mcp_job *j);

void mcp_tools_list(struct mcp_request *r);
void mcp_tools_call(struct mcp_request *r);
/*
 * mcp_approve.c: runs a pipeline, and asks the person if it waits for one. False: OP is not a pipeline
 * operation.
 */
bool mcp_pipeline_call(struct mcp_request *r, const struct op *op, const json_t *args);
void mcp_resources_list(struct mcp_request *r);
void mcp_resources_templates(struct mcp_request *r);
void mcp_resources_read(struct mcp_request *r);
void mcp_prompts_list(struct mcp_request *r);
void mcp_prompts_get(struct mcp_request *r);
void mcp_complete(struct mcp_request *r);

/* Answers a tools/call as tool_result() makes it; what is cut is stored for the session. */
void mcp_reply_tool(struct mcp_request *r, const struct op *op, const json_t *result,
		    const struct tool_output *out, const struct aisbx_error *e);
/* False: it is another kind of address. */
bool mcp_long_result_read(struct mcp_request *r, const char *uri);
void mcp_long_result_end(struct mcp_session *s);

void mcp_listen(struct mcp_request *r);
void mcp_subscribe(struct mcp_request *r);
void mcp_unsubscribe(struct mcp_request *r);
void mcp_listeners_end(struct mcp_session *s);
enum mcp_list { MCP_TOOLS, MCP_PROMPTS, MCP_RESOURCES };
/* For all clients of the same owner. */
void mcp_list_changed(struct mcp_session *s, enum mcp_list list);
void mcp_resource_changed(struct mcp_session *s, const char *uri);
/* After a call that succeeded: what it may have changed. */
void mcp_touched(struct mcp_session *s, const struct op *op, const json_t *args);

/*
 * R is answered by a task and continues without a channel; false: there are too many, it continues unchanged.
 */
bool mcp_task_make(struct mcp_request *r);
/* Both take the references. The request ends. */
void mcp_task_settle(struct mcp_request *r, json_t *result, json_t *error);
void mcp_task_park(struct mcp_request *r, json_t *questions, mcp_answers_fn fn);
/* Answers requests that wait for the end of that task. */
void mcp_task_wake(struct mcp_session *s, const char *id);
void mcp_tasks_get(struct mcp_request *r);
void mcp_tasks_update(struct mcp_request *r);
void mcp_tasks_cancel(struct mcp_request *r);
void mcp_tasks_result(struct mcp_request *r);
void mcp_tasks_list(struct mcp_request *r);
void mcp_tasks_end(struct mcp_session *s);

#endif
