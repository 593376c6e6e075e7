/* SPDX-License-Identifier: Apache-2.0 */
/* Services as JSON, in the shape of the files that name them. */
#include <string.h>

#include "base/scope.h"
#include "op/intents.h"
#include "op/project_json.h"

/* ["A=b"] to {"A": "b"}. */
json_t *op_variables_json(const struct strlist *l)
{
	json_t *map = json_object();

	for (size_t i = 0; i < l->n; i++) {
		size_t n = strcspn(l->items[i], "=");
		scoped(drop_mem) char *name = strndup(l->items[i], n);

		if (name)
			json_object_set_new(map, name, op_text_json(l->items[i] + n + 1));
	}
	return map;
}

json_t *op_time_json(uint64_t ms)
{
	static const struct {
		uint64_t ms;
		const char *name;
	} units[] = { { 3600000, "h" }, { 60000, "m" }, { 1000, "s" }, { 1, "ms" } };
	size_t i = 0;

	while (ms % units[i].ms)
		i++;
	return json_sprintf("%llu%s", (unsigned long long)(ms / units[i].ms), units[i].name);
}

static json_t *ready_json(const struct service_spec *s)
{
	switch (s->ready) {
	case READY_PORT:
		return json_pack("{s:i, s:o}", "port", s->port, "timeout", op_time_json(s->ready_ms));
	case READY_FILE: /* the last word of who looks for it */
		return json_pack("{s:o, s:o}", "file", op_text_json(s->ready_argv.items[s->ready_argv.n - 1]),
				 "timeout", op_time_json(s->ready_ms));
	case READY_COMMAND:
		return json_pack("{s:o, s:o}", "command", op_words_json(&s->ready_argv), "timeout",
				 op_time_json(s->ready_ms));
	case READY_STARTED:
		break;
	}
	return NULL;
}

json_t *op_services_json(const struct service_specs *p)
{
	static const char *const restarts[] = {
		[RESTART_NO] = "no", [RESTART_ON_FAILURE] = "on-failure", [RESTART_ALWAYS] = "always"
	};
	json_t *map = json_object();

	for (size_t i = 0; p && i < p->n; i++) {
		const struct service_spec *s = &p->items[i];
		json_t *one = json_pack("{s:o, s:s}", "command", op_words_json(&s->argv), "restart",
					restarts[s->restart]);
		json_t *after = json_array();

		for (size_t k = 0; k < s->n_after; k++)
			json_array_append_new(after, json_string(p->items[s->after[k]].name));
		json_object_set_new(one, "after", after);
		json_object_set_new(one, "env", op_variables_json(&s->env));
		if (s->ready != READY_STARTED)
			json_object_set_new(one, "ready", ready_json(s));
		json_object_set_new(map, s->name, one);
	}
	return map;
}
