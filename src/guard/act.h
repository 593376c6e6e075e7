/* SPDX-License-Identifier: Apache-2.0 */
/* The guard on behalf of somebody: rules of person and project, and what is done about a verdict. A command
 * is a list of words, of which a single one is a text for a shell. */
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
#include "project/errand.h"

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

/* What came of a command. */
struct guard_outcome {
	enum project_guard_act act; /* what was done at last */
	int exit_status;            /* of the command; -1: it did not run */
	bool looked;                /* it could not be told, and needed no box */
	char *wanted;               /* owned; NULL, or what the glass refused it */
	bool kept;                  /* `look` holds its output */
	struct look_outcome look;
	char *box;     /* owned; NULL: in none */
	bool box_gone; /* it changed nothing */
	struct guard_run run;
	struct guard_trial trial;
	char *failed_for;                  /* owned; NULL, or what it tried to reach in vain */
	bool compared;                     /* what it changed is known: */
	size_t changes[CHANGE_KIND_COUNT]; /* how many of each kind */
	json_t *gates;                     /* owned; NULL, or the checks that were judged, to be told */
	double gates_cpu_ms;
	json_t *promotion; /* owned; NULL, or it was tried, to be told */
	char *promoted;    /* owned; NULL, or by which name it is undone: the changes are in the project */
	bool next;         /* the box is there for a person to decide about */
};

/* The person for whom it acts, and who tells them. */
struct guard_hands {
	/* The command goes on in a box. */
	void (*tell)(void *ctx, const struct guard_outcome *so_far);
	/* Whether the person at the terminal says so. */
	bool (*ask)(void *ctx);
	/* A promotion as results tell it, which records keep; a new reference. */
	json_t *(*promotion_json)(const struct promote_report *report);
};

/* By whose rules, for whom. */
struct guard_session {
	struct caller *by; /* borrowed; its input is replaced when an attempt has read of it */
	const char *cwd;   /* borrowed; absolute */
	struct project personal, project;
	char *self;          /* owned; where aisbx lies; NULL: not known */
	char *problem;       /* owned; NULL, or why the rules could not be read: then nothing runs as it is */
	const char *profile; /* borrowed; NULL: the usual */
	uint64_t timeout_ms; /* of what runs as it is with its output kept; 0: none */
	const struct guard_hands *hands; /* borrowed; NULL: it only judges */
	void *hands_ctx;                 /* borrowed */
};

/* rules.c: reads the rules. Problems with them are no error but a reason to put everything into a box. */
int guard_session_open(struct caller *by, const char *cwd, struct guard_session *ret, struct aisbx_error *e);
void guard_session_close(struct guard_session *g);
int guard_judge(const struct guard_session *g, const struct strlist *command, struct guard_verdict *ret,
		struct aisbx_error *e);
/* Into the history; that this fails stops nobody. */
void guard_note(const struct guard_verdict *v, const struct strlist *command);

/* What may become of a command in a box. */
struct guard_may {
	bool promote; /* what it did goes into the project if all gates hold */
	const struct project_checks
		*gates; /* borrowed; beside those of the person and of the project; NULL: none */
	struct guard_limits limits;
};

/* The shell that a text is for. */
const char *guard_shell(void);
/* There can be a glass here. Else nothing but what the person vouched for runs on the real machine. */
bool guard_has_glass(void);
/* As the verdict says. RET is filled as far as it went, also with an error; the caller finishes it. */
int guard_act(struct guard_session *g, const struct guard_verdict *v, const struct strlist *command,
	      struct guard_outcome *ret, struct aisbx_error *e);
/* In a new box. */
int guard_act_box(struct guard_session *g, const struct strlist *command, const struct guard_may *may,
		  struct guard_outcome *ret, struct aisbx_error *e);
/* What has become of the project in RET's box, and whether it may come out. */
int guard_act_settle(struct guard_session *g, const struct guard_may *may, struct guard_outcome *ret,
		     struct aisbx_error *e);
/* On the real machine, behind the glass unless AS_IT_IS. Where its output goes to the caller this process
 * becomes it. */
int guard_act_run(struct guard_session *g, const struct strlist *command, bool as_it_is,
		  struct guard_outcome *ret, struct aisbx_error *e);
/* Tries what cannot be told behind the glass. *RET_BOX: it was refused something, nothing of it was shown,
 * and it needs a box. */
int guard_act_try(struct guard_session *g, const struct strlist *command, struct guard_outcome *ret,
		  bool *ret_box, struct aisbx_error *e);
void guard_outcome_finish(struct guard_outcome *o);

/* record.c: verdict and outcome as records and answers have them. */
json_t *guard_words_json(const struct strlist *words);
/* {"act", "reasons": [{"rule", "why", "part", "offset"}], "ignored"} */
json_t *guard_verdict_json(const struct guard_verdict *v, const struct strlist *command);
/* Adds what there is to RESULT; of a command, and of an experiment. */
void guard_outcome_json(const struct guard_outcome *o, json_t *result);
void guard_trial_json(const struct guard_outcome *o, json_t *result);

/*
 * hook.c: judges what an agent asks on the caller's standard input. RET is what the agent is told, NULL for
 * no opinion; false: it is to be blocked for what is in E. Never fails open.
 */
bool guard_hook(struct caller *by, const char *agent, json_t **ret, struct aisbx_error *e);
/* The same for a text. NOTE: into the history. */
bool guard_hook_answer(struct caller *by, const char *agent, const char *text, size_t len, bool note,
		       json_t **ret, struct aisbx_error *e);

/* daemon.c: what is queued in a directory, one after the other. */
struct guard_shift {
	struct caller *by; /* borrowed; without streams: nobody sees what it prints */
	const struct guard_hands *hands;
	void *hands_ctx;
	const char *dir; /* borrowed */
	bool once;       /* until the queue is empty */
};
struct guard_shift_report {
	uint64_t done;
	size_t interrupted;  /* were under way when the last worker was killed */
	const char *stopped; /* static: why it ended */
	char *path;          /* owned; where the report is */
};
int guard_daemon(const struct guard_shift *shift, struct guard_shift_report *ret, struct aisbx_error *e);

#endif
