/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The guard on behalf of a caller: rules of person and project, and acting on a verdict. A command is a list
 * of words; a single word is a shell command.
 */
#ifndef GUARD_ACT_H
#define GUARD_ACT_H

#include <jansson.h>
#include <stdint.h>

#include "box/caller.h"
#include "box/diff.h"
#include "box/report.h"
#include "flow/try.h"
#include "guard/guard.h"
#include "look/attempt.h"
#include "project/queued_task.h"

/* 0: no limit. */
struct guard_limits {
	uint64_t time_ms, cpu_ms;
};

/* A run in a box. */
struct guard_run {
	bool ran;                 /* there was one: */
	struct run_report report; /* owned */
	const char *refused;      /* the last attempt to reach the network; NULL or of the report */
};

/* Approaches in boxes, of which one may have won. */
struct guard_trial {
	bool ran;                 /* there were some: */
	struct try_result result; /* owned */
};

/* The outcome of a command. */
struct guard_outcome {
	enum project_guard_act act; /* what was finally done */
	int exit_status;            /* of the command; -1: it did not run */
	bool looked;                /* its effect was unknown, and it needed no box */
	char *wanted;               /* owned; NULL, or what the glass refused */
	bool kept;                  /* `look` contains its output */
	struct look_outcome look;
	char *box;     /* owned; NULL: no box */
	bool box_gone; /* it changed nothing */
	struct guard_run run;
	struct guard_trial trial;
	char *failed_for;                  /* owned; NULL, or what it tried to reach without success */
	bool compared;                     /* what it changed is known: */
	size_t changes[CHANGE_KIND_COUNT]; /* how many of each kind */
	json_t *gates;                     /* owned; NULL, or the checks that were judged, to be told */
	double gates_cpu_ms;
	json_t *promotion; /* owned; NULL, or it was tried, to be told */
	char *promoted;    /* owned; NULL, or the id to undo: the changes are in the project */
	bool next;         /* the box stays for a person to decide */
};

/* The person for whom it acts, and who tells them. */
struct guard_callbacks {
	/* The command continues in a box. */
	void (*tell)(void *ctx, const struct guard_outcome *so_far);
	/* Whether the person at the terminal agrees. */
	bool (*ask)(void *ctx);
	/* A promotion as results tell it, which records keep; a new reference. */
	json_t *(*promotion_json)(const struct promote_report *report);
};

/* Whose rules apply, and for whom. */
struct guard_session {
	struct caller *by; /* borrowed; its input is replaced if an attempt has read some of it */
	const char *cwd;   /* borrowed; absolute */
	/* the project of its boxes is CWD itself: somebody allowed that directory, and nothing above it */
	bool exact;
	struct project personal, project;
	char *self; /* owned; path of aisbx; NULL: not known */
	/* owned; NULL, or why the rules could not be read: then nothing runs on the machine */
	char *problem;
	const char *profile; /* borrowed; NULL: the default */
	/* borrowed; NULL, or what a box may reach, as for --net */
	const struct strlist *net;
	uint64_t timeout_ms; /* for commands on the machine whose output is kept; 0: none */
	const struct guard_callbacks *callbacks; /* borrowed; NULL: only judges */
	void *callbacks_ctx;                     /* borrowed */
};

/* rules.c: reads the rules. Problems with them are no error but a reason to use a box for everything. */
int guard_session_open(struct caller *by, const char *cwd, struct guard_session *ret, struct aisbx_error *e);
void guard_session_close(struct guard_session *g);
int guard_judge(const struct guard_session *g, const struct strlist *command, struct guard_verdict *ret,
		struct aisbx_error *e);
/* Records it in the history; a failure of that stops nobody. */
void guard_note(const struct guard_verdict *v, const struct strlist *command);

/* What may happen with a command in a box. */
struct guard_may {
	bool promote; /* its changes are promoted if all gates hold */
	const struct project_checks
		*gates; /* borrowed; in addition to those of the person and of the project; NULL: none */
	struct guard_limits limits;
};

/* The shell that runs a shell command. */
const char *guard_shell(void);
/* The glass is available. Otherwise only commands that the person allowed run on the real machine. */
bool guard_has_glass(void);
/* Acts on the verdict. RET is filled as far as it went, also with an error; the caller frees it. */
int guard_act(struct guard_session *g, const struct guard_verdict *v, const struct strlist *command,
	      struct guard_outcome *ret, struct aisbx_error *e);
/* In a new box. */
int guard_act_box(struct guard_session *g, const struct strlist *command, const struct guard_may *may,
		  struct guard_outcome *ret, struct aisbx_error *e);
/* What changed in RET's box, and whether it may be promoted. */
int guard_act_settle(struct guard_session *g, const struct guard_may *may, struct guard_outcome *ret,
		     struct aisbx_error *e);
/*
 * On the real machine, behind the glass unless AS_IT_IS. If its output goes to the caller, this process
 * becomes the command.
 */
int guard_act_run(struct guard_session *g, const struct strlist *command, bool as_it_is,
		  struct guard_outcome *ret, struct aisbx_error *e);
/*
 * Tries a command of unknown effect behind the glass. *RET_BOX: something was refused, none of its output was
 * shown, and it needs a box.
 */
int guard_act_try(struct guard_session *g, const struct strlist *command, struct guard_outcome *ret,
		  bool *ret_box, struct aisbx_error *e);
void guard_outcome_finish(struct guard_outcome *o);

/* record.c: verdict and outcome in the form of records and answers. */
json_t *guard_words_json(const struct strlist *words);
/* {"act", "reasons": [{"rule", "why", "part", "offset"}], "ignored"} */
json_t *guard_verdict_json(const struct guard_verdict *v, const struct strlist *command);
/* Adds the fields to RESULT; for a command, and for an experiment. */
void guard_outcome_json(const struct guard_outcome *o, json_t *result);
void guard_trial_json(const struct guard_outcome *o, json_t *result);

/*
 * hook.c: judges a request of an agent on the caller's standard input. RET is the answer, NULL for no
 * opinion; false: the command must be blocked because of E. Never fails open.
 */
bool guard_hook(struct caller *by, const char *agent, json_t **ret, struct aisbx_error *e);
/* The same for a text. NOTE: into the history. */
bool guard_hook_answer(struct caller *by, const char *agent, const char *text, size_t len, bool note,
		       json_t **ret, struct aisbx_error *e);

/* daemon.c: processes the queue of a directory, one item after the other. */
struct guard_daemon_request {
	struct caller *by; /* borrowed; without streams: nobody sees the output */
	const struct guard_callbacks *callbacks;
	void *callbacks_ctx;
	const char *dir; /* borrowed */
	bool once;       /* until the queue is empty */
};
struct guard_daemon_report {
	uint64_t done;
	size_t interrupted;  /* were in progress when the last worker was killed */
	const char *stopped; /* static: why it ended */
	char *path;          /* owned; where the report is */
};
int guard_daemon(const struct guard_daemon_request *shift, struct guard_daemon_report *ret,
		 struct aisbx_error *e);

#endif
