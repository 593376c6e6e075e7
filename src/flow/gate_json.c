/* SPDX-License-Identifier: Apache-2.0 */
/* What gates said, as JSON: results tell it, and records of stages and of the guard keep it. */
#include "base/buf.h"
#include "base/scope.h"
#include "flow/gate.h"

#include <string.h>

static json_t *text_json(const char *text)
{
	scoped(buf_finish) struct buf clean = { 0 };

	buf_add_utf8(&clean, text, strlen(text));
	return json_string(buf_str(&clean) ? clean.data : "");
}

static json_t *words_json(const struct strlist *words)
{
	json_t *list = json_array();

	for (size_t i = 0; i < words->n; i++)
		json_array_append_new(list, text_json(words->items[i]));
	return list;
}

json_t *gate_ruling_json(const struct gate_ruling *r)
{
	static const char *const kinds[] = { [CHECK_INTENT] = "intent",
					     [CHECK_EXPR] = "expression",
					     [CHECK_COMMAND] = "command",
					     [CHECK_REGO] = "rego",
					     [CHECK_WASM] = "wasm" };
	json_t *why = json_string(r->why);

	return json_pack("{s:s, s:s, s:s?, s:b, s:o, s:s?, s:o, s:o}", "check", r->check->text, "kind",
			 kinds[r->check->kind], "gate", r->check->gate, "passed", r->passed, "why",
			 why ? why : json_string("?"), "run", r->run[0] ? r->run : NULL, "score",
			 r->score.known ? json_real(r->score.number) : json_null(), "judges",
			 words_json(&r->judges));
}

json_t *gate_verdict_json(const struct gate_verdict *v)
{
	json_t *list = json_array();

	for (size_t i = 0; i < v->n; i++)
		json_array_append_new(list, gate_ruling_json(&v->rulings[i]));
	if (json_array_size(list) != v->n) {
		json_decref(list);
		return NULL;
	}
	return json_pack("{s:b, s:s?, s:s?, s:o, s:o, s:f}", "passed", v->passed, "box", v->box, "snapshot",
			 v->snapshot, "checks", list, "facts", gate_facts_json(&v->facts), "cpu_ms",
			 v->cpu_ms);
}
