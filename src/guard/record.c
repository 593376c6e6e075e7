/* SPDX-License-Identifier: Apache-2.0 */
/* A verdict and its outcome, in the form of queue records and answers of operations. */
#include <stdlib.h>

#include "base/buf.h"
#include "base/scope.h"
#include "guard/act.h"

json_t *guard_words_json(const struct strlist *words)
{
	json_t *j = json_array();

	for (size_t i = 0; i < words->n; i++)
		json_array_append_new(j, json_string(words->items[i]));
	return j;
}

/* The command as one text: what offsets count in. */
static json_t *whole(const struct strlist *command)
{
	scoped(buf_finish) struct buf b = { 0 };

	for (size_t i = 0; i < command->n; i++)
		buf_addf(&b, "%s%s", i ? " " : "", command->items[i]);
	return json_string(buf_str(&b) ? b.data : "");
}

json_t *guard_verdict_json(const struct guard_verdict *v, const struct strlist *command)
{
	json_t *reasons = json_array(), *text = whole(command);

	for (size_t i = 0; i < v->n_reasons; i++) {
		const struct guard_reason *r = &v->reasons[i];
		size_t all = json_string_length(text), at = r->offset < all ? r->offset : all;
		json_t *part =
			json_stringn(json_string_value(text) + at, r->len < all - at ? r->len : all - at);
		json_t *why = json_string(r->why);

		json_array_append_new(reasons, json_pack("{s:s, s:o, s:o, s:I, s:s}", "rule", r->rule, "why",
							 why ? why : json_string("?"), "part",
							 part ? part : json_string("?"), "offset",
							 (json_int_t)at, "act", guard_act_name(r->act)));
	}
	json_decref(text);
	return json_pack("{s:s, s:o, s:o}", "act", guard_act_name(v->act), "reasons", reasons, "ignored",
			 guard_words_json(&v->ignored));
}

/* What a person can do now. */
static json_t *next_json(const char *box)
{
	return json_pack("[o, o, o]", json_sprintf("aisbx diff --patch %s", box),
			 json_sprintf("aisbx promote %s", box), json_sprintf("aisbx rm %s", box));
}

static json_t *changes_json(const struct guard_outcome *o)
{
	json_t *j = json_object();

	for (enum change_kind k = CHANGE_NONE + 1; k < CHANGE_TOUCH; k++)
		json_object_set_new(j, change_kind_name(k), json_integer((json_int_t)o->changes[k]));
	return j;
}

static void box_json(const struct guard_outcome *o, json_t *result)
{
	if (!o->box)
		return;
	json_object_set_new(result, "box", o->box_gone ? json_null() : json_string(o->box));
	json_object_set_new(result, "promoted", json_boolean(o->promoted));
	if (o->run.ran)
		json_object_set(result, "run", o->run.report.said);
	if (o->failed_for)
		json_object_set_new(result, "failed_for", json_string(o->failed_for));
	if (o->compared)
		json_object_set_new(result, "changes", changes_json(o));
	if (o->gates) {
		json_object_set(result, "gates", o->gates);
		json_object_set_new(result, "gates_cpu_ms", json_real(o->gates_cpu_ms));
	}
	if (o->promoted)
		json_object_set_new(result, "undo", json_sprintf("aisbx undo %s", o->promoted));
	if (o->promotion)
		json_object_set(result, "promotion", o->promotion);
	if (o->next)
		json_object_set_new(result, "next", next_json(o->box));
}

void guard_outcome_json(const struct guard_outcome *o, json_t *result)
{
	json_object_set_new(result, "act", json_string(guard_act_name(o->act)));
	if (o->wanted)
		json_object_set_new(result, "wanted", json_string(o->wanted));
	if (o->kept)
		look_outcome_json(&o->look, result);
	if (o->looked)
		json_object_set_new(result, "looked", json_true());
	box_json(o, result);
}

void guard_trial_json(const struct guard_outcome *o, json_t *result)
{
	json_object_set_new(result, "experiment", try_result_json(&o->trial.result));
	json_object_set_new(result, "promoted", json_false());
	box_json(o, result);
}

void guard_outcome_finish(struct guard_outcome *o)
{
	char *const texts[] = { o->wanted, o->box, o->failed_for, o->promoted };

	run_report_finish(&o->run.report);
	try_result_finish(&o->trial.result);
	json_decref(o->gates);
	json_decref(o->promotion);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		free(texts[i]);
	if (o->kept)
		look_outcome_finish(&o->look);
}
