/* SPDX-License-Identifier: Apache-2.0 */
/* The hands of the guard: boxes, runs, experiments, gates and promotions as operations know them. Each goes
 * when its room can be called by the guard itself. */
#include "op/guard_hands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/typed.h"
#include "flow/gate.h"

static const char *text_of(const json_t *j, const char *key)
{
	return json_string_value(json_object_get(j, key));
}

/* Another operation. Takes ARGS over. */
static int call(void *hands, const struct op *op, json_t *args, json_t **ret, struct aisbx_error *e)
{
	struct op_guard_ctx *h = hands;
	int r = args ? op_call(op, h->ctx, args, ret, e)
		     : aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "call %s", op->name);

	json_decref(args);
	return r;
}

static int create(void *hands, const char *project, const char *profile, char **ret_box,
		  struct aisbx_error *e)
{
	json_t *args = json_pack("{s:s, s:s*}", "project", project, "profile", profile), *box = NULL;
	int r = call(hands, &op_create, args, &box, e);

	if (r == 0 && !(*ret_box = strdup(text_of(box, "name"))))
		r = aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "make a box");
	json_decref(box);
	return r;
}

static int drop(void *hands, const char *box, struct aisbx_error *e)
{
	json_t *gone = NULL;
	int r = call(hands, &op_rm, json_pack("{s:[s]}", "boxes", box), &gone, e);

	json_decref(gone);
	return r;
}

static void add_limit(json_t *args, const char *name, uint64_t ms)
{
	if (ms)
		json_object_set_new(args, name, json_real((double)ms / 1000));
}

/* The last one by which it tried to reach something. */
static const char *refused_of(const json_t *run)
{
	const char *last = NULL;
	const json_t *v;
	size_t i;

	json_array_foreach(json_object_get(run, "violations"), i, v)
	{
		const char *kind = text_of(v, "kind"), *what = text_of(v, "what");

		if (kind && what && (!strcmp(kind, "net") || strstr(what, "socket")))
			last = what;
	}
	return last;
}

static bool is_interrupted(const json_t *j, const char *key)
{
	return text_of(j, key) && !strcmp(text_of(j, key), "interrupted");
}

static int run(void *hands, const char *box, const struct strlist *words, const struct guard_limits *limits,
	       struct guard_run *ret, struct aisbx_error *e)
{
	json_t *args = json_object(), *told = NULL;
	int r;

	add_limit(args, "timeout", limits->time_ms);
	add_limit(args, "cpu-time", limits->cpu_ms);
	json_object_set_new(args, "box", json_string(box));
	json_object_set_new(args, "command", guard_words_json(words));
	r = call(hands, &op_run, args, &told, e);
	if (r < 0)
		return r;
	*ret = (struct guard_run){
		.told = told,
		.exit_status = (int)json_integer_value(json_object_get(told, "exit_status")),
		.interrupted = is_interrupted(told, "status"),
		.cpu_ms = json_number_value(json_object_get(json_object_get(told, "usage"), "cpu_ms")),
		.said = text_of(told, "stderr"),
		.refused = refused_of(told)
	};
	return 0;
}

static int try(void *hands, const struct errand *a, const struct guard_limits *limits,
	       struct guard_trial *ret, struct aisbx_error *e)
{
	struct op_guard_ctx *h = hands;
	json_t *args = json_object(), *told = NULL, *branch;
	size_t i;
	int r;

	add_limit(args, "budget-time", limits->time_ms);
	add_limit(args, "budget-cpu", limits->cpu_ms);
	json_object_set_new(args, "branches", guard_words_json(&a->branches));
	json_object_set_new(args, "project", json_string(a->where));
	if (a->test)
		json_object_set_new(args, "test", json_string(a->test));
	h->ctx->exit_status = 0;
	r = call(hands, &op_try, args, &told, e);
	if (r < 0)
		return r;
	*ret = (struct guard_trial){ .told = told,
				     .exit_status = h->ctx->exit_status,
				     .interrupted = is_interrupted(told, "state") };
	json_array_foreach(json_object_get(told, "branches"), i, branch) ret->cpu_ms +=
		json_number_value(json_object_get(branch, "cpu_ms"));
	if (text_of(told, "box") && !(ret->box = strdup(text_of(told, "box"))))
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "try");
	return 0;
}

static int diff(void *hands, const char *box, json_t **ret_summary, bool *ret_any, struct aisbx_error *e)
{
	json_t *told = NULL;
	int r = call(hands, &op_diff, json_pack("{s:s, s:s}", "box", box, "drift", "off"), &told, e);

	*ret_any = json_array_size(json_object_get(told, "changes")) +
				   json_array_size(json_object_get(told, "repositories")) >
			   0 ||
		   json_integer_value(json_object_get(json_object_get(told, "ignored"), "files")) > 0;
	*ret_summary = json_incref(json_object_get(told, "summary"));
	json_decref(told);
	return r;
}

static int judge(void *hands, const struct project *p, const struct project_checks *gates, const char *box,
		 const struct guard_run *ran, json_t *checks, double *ret_cpu_ms, bool *ret_passed,
		 struct aisbx_error *e)
{
	struct op_guard_ctx *h = hands;
	json_t *runs = ran ? json_pack("[O]", ran->told) : NULL;
	const struct gate_subject subject = { .box = box, .runs = runs };
	scoped(gate_verdict_finish) struct gate_verdict v = { 0 };
	int r = gate_judge(h->ctx, p, gates, &subject, &v, e);

	json_decref(runs);
	for (size_t i = 0; r == 0 && i < v.n; i++)
		json_array_append_new(checks, op_ruling_json(&v.rulings[i]));
	*ret_passed = v.passed;
	*ret_cpu_ms += v.cpu_ms;
	return r;
}

/* Without "yes": what stops it is shown. */
static int promote(void *hands, const char *box, json_t **ret_told, char **ret_id, struct aisbx_error *e)
{
	json_t *done = NULL;
	int r = call(hands, &op_promote, json_pack("{s:s, s:s}", "box", box, "drift", "off"), &done, e);

	if (r < 0)
		return r;
	*ret_told = done;
	if (json_is_true(json_object_get(done, "applied")) && !(*ret_id = strdup(text_of(done, "promotion"))))
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "promote");
	return 0;
}

static void tell(void *hands, const struct guard_outcome *so_far)
{
	struct op_guard_ctx *h = hands;

	if (!h->result || h->ctx->by.out_fds[0] < 0 || !h->ctx->emit)
		return;
	guard_outcome_json(so_far, h->result);
	h->ctx->emit(h->ctx, h->result);
}

/* At the terminal, of which a model has none. */
static bool ask(void *hands)
{
	char line[16];

	(void)hands;
	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
		return false;
	typed_forget();
	fprintf(stderr, "aisbx: run it as it is? [y/N] ");
	fflush(stderr);
	return fgets(line, sizeof(line), stdin) && (!strcmp(line, "y\n") || !strcmp(line, "yes\n"));
}

const struct guard_hands op_guard_hands = { .create = create,
					    .remove = drop,
					    .run = run,
					    .try = try,
					    .diff = diff,
					    .judge = judge,
					    .promote = promote,
					    .tell = tell,
					    .ask = ask };
