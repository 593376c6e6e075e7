/* SPDX-License-Identifier: Apache-2.0 */
/* What gates said, as JSON. */
#include <errno.h>

#include "base/error.h"
#include "base/scope.h"
#include "op/drift.h"
#include "flow/gate.h"
#include "op/intents.h"

static json_t *score_json(const struct expr_value *score)
{
	return score->known ? json_real(score->number) : json_null();
}

json_t *op_ruling_json(const struct gate_ruling *r)
{
	static const char *const kinds[] = { [CHECK_INTENT] = "intent",
					     [CHECK_EXPR] = "expression",
					     [CHECK_COMMAND] = "command",
					     [CHECK_REGO] = "rego" };
	json_t *why = json_string(r->why);

	return json_pack("{s:s, s:s, s:s?, s:b, s:o, s:s?, s:o, s:o}", "check", r->check->text, "kind",
			 kinds[r->check->kind], "gate", r->check->gate, "passed", r->passed, "why",
			 why ? why : json_string("?"), "run", r->run[0] ? r->run : NULL, "score",
			 score_json(&r->score), "judges", op_words_json(&r->judges));
}

json_t *op_verdict_json(const struct gate_verdict *v, const struct gate_subject *subject)
{
	json_t *list = json_array(), *j;

	for (size_t i = 0; i < v->n; i++)
		json_array_append_new(list, op_ruling_json(&v->rulings[i]));
	if (json_array_size(list) != v->n) {
		json_decref(list);
		return NULL;
	}
	j = json_pack("{s:b, s:s?, s:s?, s:o, s:o, s:f}", "passed", v->passed, "box", v->box, "snapshot",
		      v->snapshot, "checks", list, "facts", gate_facts_json(&v->facts), "cpu_ms", v->cpu_ms);
	if (j && subject->drift && v->drift.told)
		json_object_set_new(j, "drift", op_drift_report_json(&v->drift));
	if (j && subject->score)
		json_object_set_new(j, "score", score_json(&v->score));
	return j;
}

int op_gate_judge(struct op_context *ctx, const struct project *p, const struct project_checks *checks,
		  const struct gate_subject *subject, json_t **ret, struct aisbx_error *e)
{
	scoped(gate_verdict_finish) struct gate_verdict v = { 0 };
	int r = gate_judge(ctx, p, checks, subject, &v, e);

	if (r < 0)
		return r;
	*ret = op_verdict_json(&v, subject);
	return *ret ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "judge by gates");
}
