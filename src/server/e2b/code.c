/* SPDX-License-Identifier: Apache-2.0 */
/* Cells of code in interpreters that stay: /execute as lines of JSON, /contexts. */
#include "server/e2b/code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/scope.h"
#include "box/box.h"
#include "server/e2b/internal.h"

struct context {
	struct context *next;
	char id[49];
	const char *lang; /* of aisbx */
	char *language;   /* owned; as the client named it */
	char *cwd;        /* owned; in the box */
	bool ready;       /* it has its directory and variables */
	json_int_t count; /* cells that it was given */
};

void contexts_free(struct sandbox *s)
{
	while (s->contexts) {
		struct context *c = s->contexts;

		s->contexts = c->next;
		free(c->language);
		free(c->cwd);
		free(c);
	}
	s->n_contexts = 0;
}

void contexts_end(struct sandbox *s)
{
	for (const struct context *c = s->contexts; c; c = c->next)
		if (c->ready)
			e2b_aside(s, op_by_method("run.code"),
				  json_pack("{s:s, s:s, s:s, s:b}", "lang", c->lang, "box", s->id, "context",
					    c->id, "end-context", 1));
	contexts_free(s);
}

static struct context *find(const struct sandbox *s, const char *id)
{
	for (struct context *c = s->contexts; c; c = c->next)
		if (!strcmp(c->id, id))
			return c;
	return NULL;
}

static struct context *add(struct request *r, struct sandbox *s, const char *id, const char *language,
			   const char *cwd)
{
	const char *lang = code_language(language);
	struct context *c;

	if (!lang) {
		answer_refusal(r, AISBX_KIND_USAGE,
			       "aisbx runs no '%.40s' here; it has python, javascript and bash", language);
		return NULL;
	}
	if (s->n_contexts >= MAX_CONTEXTS) {
		answer_refusal(r, AISBX_KIND_LIMIT, "there are %u contexts; remove some first",
			       s->n_contexts);
		return NULL;
	}
	c = calloc(1, sizeof(*c));
	if (c) {
		*c = (struct context){ .lang = lang,
				       .language = strdup(language && *language ? language : "python"),
				       .cwd = sandbox_path(s->e2b, cwd ? cwd : ""),
				       .next = s->contexts };
		snprintf(c->id, sizeof(c->id), "%s", id);
		s->contexts = c;
		s->n_contexts++;
	}
	if (!c || !c->cwd || !c->language) {
		answer_refusal(r, AISBX_KIND_INTERNAL, "out of memory");
		return NULL;
	}
	return c;
}

static json_t *context_json(const struct sandbox *s, const struct context *c)
{
	scoped(drop_mem) char *shown = sandbox_path_shown(s->e2b, c->cwd);

	return json_pack("{s:s, s:s, s:s}", "id", c->id, "language", c->language, "cwd",
			 shown ? shown : c->cwd);
}

/* ---- cells ---- */

/* What is done one after another for a cell. */
enum step { STEP_PREPARE, STEP_SET, STEP_CODE, STEP_RESTORE, STEP_END };

struct cell {
	char context[49];
	enum step step;
	const json_t *env; /* borrowed of the request */
};

/* The context of R, which may have gone since; NULL: R is answered. */
static struct context *context_of(struct request *r, struct sandbox **ret_s)
{
	const struct cell *cell = r->own;
	struct sandbox *s = e2b_box(r);
	struct context *c = s ? find(s, cell->context) : NULL;

	if (s && !c)
		answer_refusal(r, AISBX_KIND_NOT_FOUND, "context %s not found", cell->context);
	*ret_s = s;
	return c;
}

static json_t *output_line(const char *type, const json_t *text)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return json_pack("{s:s, s:O, s:I}", "type", type, "text", (json_t *)text, "timestamp",
			 (json_int_t)now.tv_sec * 1000000000 + now.tv_nsec);
}

static void tell_results(struct request *r, const json_t *result)
{
	const json_t *text = json_object_get(result, "text"), *item;
	size_t i;

	json_array_foreach(json_object_get(result, "charts"), i, item) if (json_is_string(item))
		answer_line(r,
			    json_pack("{s:s, s:O, s:b}", "type", "result", "png", item, "is_main_result", 0));
	if (json_is_string(text))
		answer_line(r, json_pack("{s:s, s:O, s:b}", "type", "result", "text", text, "is_main_result",
					 1));
}

static void tell_error(struct request *r, const json_t *result)
{
	const json_t *x = json_object_get(result, "exception");
	const char *name = json_string_value(json_object_get(x, "name")),
		   *message = json_string_value(json_object_get(x, "message")),
		   *trace = json_string_value(json_object_get(x, "traceback")),
		   *status = json_string_value(json_object_get(result, "status"));

	if (json_is_object(x))
		answer_line(r,
			    json_pack("{s:s, s:s, s:s, s:s}", "type", "error", "name", name ? name : "Error",
				      "value", message ? message : "", "traceback", trace ? trace : ""));
	else if (status && strcmp(status, "ok") != 0)
		answer_line(r, json_pack("{s:s, s:s, s:s, s:s}", "type", "error", "name", "Error", "value",
					 status, "traceback", ""));
}

static void tell(struct request *r, struct context *c, const json_t *result)
{
	static const char *const streams[] = { "stdout", "stderr" };

	for (int i = 0; i < 2; i++) {
		const json_t *text = json_object_get(result, streams[i]);

		if (json_string_length(text))
			answer_line(r, output_line(streams[i], text));
	}
	tell_results(r, result);
	tell_error(r, result);
	answer_line(r,
		    json_pack("{s:s, s:I}", "type", "number_of_executions", "execution_count", ++c->count));
	if (json_is_true(json_object_get(result, "context_ended")))
		c->ready = false;
}

static void next_step(struct request *r);

static void on_step(struct request *r, const json_t *result, const struct aisbx_error *e)
{
	struct cell *cell = r->own;
	struct sandbox *s;
	struct context *c = context_of(r, &s);

	if (!c)
		return;
	if (e) { /* once lines have begun, this ends them */
		answer_error(r, e);
		return;
	}
	if (cell->step == STEP_PREPARE)
		c->ready = true;
	else if (cell->step == STEP_CODE)
		tell(r, c, result);
	cell->step++;
	next_step(r);
}

static char *text_of(const struct request *r, const struct sandbox *s, const struct context *c,
		     const struct cell *cell)
{
	const char *code = json_string_value(json_object_get(r->params, "code"));

	switch (cell->step) {
	case STEP_PREPARE:
		return c->ready ? NULL : code_prepare(c->lang, s->e2b->how.home, E2B_HOME, c->cwd, s->env);
	case STEP_SET:
		return cell->env ? code_set(c->lang, cell->env) : NULL;
	case STEP_RESTORE:
		return cell->env ? code_restore(c->lang, cell->env) : NULL;
	case STEP_CODE:
	case STEP_END:
		break;
	}
	return strdup(code);
}

static void next_step(struct request *r)
{
	struct cell *cell = r->own;
	struct sandbox *s;
	struct context *c = context_of(r, &s);

	while (c && cell->step < STEP_END) {
		scoped(drop_mem) char *text = text_of(r, s, c, cell);

		if (!text) {
			cell->step++;
			continue;
		}
		e2b_call(r, op_by_method("run.code"),
			 json_pack("{s:s, s:s, s:s, s:s, s:i, s:i}", "lang", c->lang, "box", r->box,
				   "context", c->id, "code", text, "timeout", 0, "idle", 0),
			 cell->step == STEP_CODE, on_step);
		return;
	}
	if (c && r->x)
		r->e2b->how.wire->end(r->x);
}

void code_execute(struct request *r)
{
	const char *id = json_string_value(json_object_get(r->params, "context_id")),
		   *language = json_string_value(json_object_get(r->params, "language"));
	const json_t *env = json_object_get(r->params, "env_vars");
	struct sandbox *s = e2b_box(r);
	struct cell *cell = calloc(1, sizeof(*cell));
	char own[49];

	r->own = cell;
	r->free_own = free;
	if (!s)
		return;
	if (!cell || !json_is_string(json_object_get(r->params, "code"))) {
		answer_refusal(r, AISBX_KIND_USAGE, "'code' must be a text");
		return;
	}
	if (!id) { /* each language has one that needs no name */
		const char *lang = code_language(language);

		snprintf(own, sizeof(own), "default-%s", lang ? lang : "");
		if (!find(s, own) && !add(r, s, own, language, NULL))
			return;
		id = own;
	}
	if (strlen(id) >= sizeof(cell->context) || !find(s, id)) {
		answer_refusal(r, AISBX_KIND_NOT_FOUND, "context %.60s not found", id);
		return;
	}
	strcpy(cell->context, id);
	cell->env = json_object_size(env) ? env : NULL;
	next_step(r);
}

/* ---- contexts ---- */

void e2b_code_contexts(struct request *r)
{
	struct sandbox *s = e2b_box(r);
	json_t *list;

	if (!s)
		return;
	list = json_array();
	for (const struct context *c = s->contexts; c; c = c->next)
		json_array_append_new(list, context_json(s, c));
	answer_json(r, 200, list);
}

void code_context_new(struct request *r)
{
	const char *language = json_string_value(json_object_get(r->params, "language")),
		   *cwd = json_string_value(json_object_get(r->params, "cwd"));
	struct sandbox *s = e2b_box(r);
	char id[STORE_ID_MAX];
	struct context *c;

	if (!s)
		return;
	box_new_id("c-", id);
	c = add(r, s, id, language, cwd);
	if (c)
		answer_json(r, 201, context_json(s, c));
}

static void forget(struct sandbox *s, const char *id)
{
	for (struct context **at = &s->contexts; *at; at = &(*at)->next)
		if (!strcmp((*at)->id, id)) {
			struct context *c = *at;

			*at = c->next;
			s->n_contexts--;
			free(c->language);
			free(c->cwd);
			free(c);
			return;
		}
}

/* One that was never used has no interpreter to end. */
static void on_ended(struct request *r, const json_t *result, const struct aisbx_error *e)
{
	struct sandbox *s = e2b_box(r);
	struct context *c = s ? find(s, r->id) : NULL;

	(void)result;
	if (!s)
		return;
	if (e && e->kind != AISBX_KIND_NOT_FOUND) {
		answer_error(r, e);
		return;
	}
	if (c)
		c->ready = false;
	if (r->route == ROUTE_CONTEXT_END)
		forget(s, r->id);
	answer_empty(r, 204);
}

static void end_interpreter(struct request *r)
{
	struct sandbox *s = e2b_box(r);
	struct context *c = s ? find(s, r->id) : NULL;

	if (!s)
		return;
	if (!c)
		answer_refusal(r, AISBX_KIND_NOT_FOUND, "context %s not found", r->id);
	else if (!c->ready)
		on_ended(r, NULL, NULL);
	else
		e2b_call(r, op_by_method("run.code"),
			 json_pack("{s:s, s:s, s:s, s:b}", "lang", c->lang, "box", r->box, "context", c->id,
				   "end-context", 1),
			 false, on_ended);
}

void code_context_end(struct request *r)
{
	end_interpreter(r);
}

void code_context_restart(struct request *r)
{
	end_interpreter(r);
}
