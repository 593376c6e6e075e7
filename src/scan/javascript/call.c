/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls. A function of the program is read again with its arguments, within a limit; a callback is read with
 * parameters from its caller; a function that is never called is read at the end.
 */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "scan/javascript/javascript.h"

#define MAX_WALKS       24u   /* of one function */
#define MAX_WALKS_SMALL 4096u /* of one that is short: they decode things letter by letter */
#define SMALL           400u  /* bytes */
#define MAX_AGAIN       8u

struct js_again {
	struct js_function *functions[MAX_AGAIN];
	const struct js_from *from[MAX_AGAIN];
	size_t n;
};

struct js_value *js_make_function(struct js_reader *r, uint32_t n, struct js_value *self)
{
	struct js_value *v = js_copy(r, js_bool(r, true));
	struct js_function *f = js_alloc(r, sizeof(*f));

	if (!f || v == &r->unknown)
		return js_unknown(r, NULL);
	*f = (struct js_function){ .node = n, .scope = r->scope, .self = self };
	*v = (struct js_value){ .type = JS_V_FUNCTION, .function = f };
	if (n) {
		f->pending = r->pending;
		r->pending = f;
	}
	return v;
}

static void bind_parameters(struct js_reader *r, uint32_t fn, const struct js_args *args)
{
	uint32_t list = js_child(r, fn, JS_AT_parameters), one = js_child(r, fn, JS_AT_parameter);
	const struct js_from *from = NULL;
	size_t i = 0;

	/* What more was given may be in `arguments`, which is not followed. */
	for (size_t k = 0; k < args->n; k++)
		from = js_from_join(r, from, args->list[k]->from);
	if (one)
		js_bind(r, one, args->n ? args->list[0] : js_unknown(r, NULL), JS_LET);
	for (uint32_t c = list ? r->nodes[list].child : 0; c; c = r->nodes[c].next, i++) {
		uint32_t pattern = js_is(r, c, JS_PARAMETER) ? js_child(r, c, JS_AT_pattern) : c;
		struct js_value *rest;

		if (!js_is(r, pattern, JS_REST)) {
			js_bind(r, c, i < args->n ? args->list[i] : js_unknown(r, NULL), JS_LET);
			continue;
		}
		rest = js_list(r);
		for (size_t k = i; k < args->n; k++)
			js_list_add(r, rest, args->list[k]);
		if (rest->type == JS_V_LIST)
			rest->list->has_more = i >= args->n;
		js_bind(r, r->nodes[pattern].child, js_with_from(r, rest, from), JS_LET);
	}
}

/* Whether reading a function again with these could tell anything new. */
static bool is_telling(const struct js_args *args)
{
	for (size_t i = 0; i < args->n; i++) {
		const struct js_value *v = args->list[i];

		if (v->from || (v->type != JS_V_UNKNOWN && v->type != JS_V_UNDEFINED &&
				!(v->type == JS_V_NAME && (v->flags & JS_LOCAL))))
			return true;
	}
	return false;
}

static struct js_value *read_body(struct js_reader *r, struct js_function *f, const struct js_args *args)
{
	uint32_t body = js_child(r, f->node, JS_AT_body);
	struct js_value *v;

	r->scope = js_scope_enter(r, f->scope, true);
	bind_parameters(r, f->node, args);
	if (!js_is(r, body, JS_BLOCK))
		return js_eval(r, body);
	js_walk_block(r, body);
	v = r->returned;
	return v ? v : js_undefined(r);
}

/* What a call gives; of a generator, all that it yields. */
static struct js_value *read_result(struct js_reader *r, struct js_function *f, const struct js_args *args)
{
	bool yields = js_is(r, f->node, JS_GENERATOR) || js_is(r, f->node, JS_GENERATOR_DECLARATION);
	struct js_value *v;

	r->yielded = yields ? js_list(r) : NULL;
	v = read_body(r, f, args);
	return r->yielded ? r->yielded : v;
}

/* It is read once more only as long as that tells something. */
static bool may_run(const struct js_reader *r, const struct js_function *f, const struct js_args *args)
{
	return !r->nodes[f->node].is_walked ||
	       (r->call_steps <= r->max_call_steps && (!f->walks || is_telling(args)));
}

struct js_value *js_run(struct js_reader *r, struct js_function *f, struct js_value *self,
			const struct js_args *args)
{
	struct js_node *n = &r->nodes[f->node];
	struct js_scope *scope = r->scope;
	struct js_value *before = r->self, *returned = r->returned, *yielded = r->yielded, *v;
	unsigned int loops = r->loops, most = n->end - n->start < SMALL ? MAX_WALKS_SMALL : MAX_WALKS;
	bool is_again = n->is_walked;
	uint64_t began = r->steps;

	if (!f->node)
		return f->result ? f->result : js_undefined(r);
	if (n->is_walking || r->calls >= JS_MAX_CALLS || f->walks >= most || r->has_stopped)
		return f->result ? f->result : js_unknown(r, args->n ? js_from_all(r, args->list[0]) : NULL);
	if (!may_run(r, f, args))
		return f->result ? f->result : js_unknown(r, NULL);
	n->is_walking = n->is_walked = true;
	f->walks++;
	r->calls++;
	r->branches++;
	r->returned = NULL;
	r->self = f->self ? f->self : self;
	v = read_result(r, f, args);
	f->result = v;
	r->nodes[f->node].is_walking = false;
	r->self = before;
	r->scope = scope;
	r->returned = returned;
	r->yielded = yielded;
	r->loops = loops;
	r->branches--;
	r->calls--;
	if (is_again)
		r->call_steps += r->steps - began;
	return v;
}

static bool can_call(const struct js_value *v)
{
	return v->type == JS_V_FUNCTION && !(v->flags & JS_CLASS_OF);
}

/* Functions given to NAME are called by it some time, with what came from there. */
void js_call_back(struct js_reader *r, const char *name, const struct js_from *from,
		  const struct js_args *args)
{
	char origin[JS_MAX_NAME + 64];
	struct js_args given = { .n = 4 };
	bool is_event = args->n && args->list[0]->type == JS_V_TEXT && args->list[0]->len < 40;

	if (name && is_event) {
		snprintf(origin, sizeof(origin), "%.*s(%.*s)", (int)JS_MAX_NAME, name,
			 (int)args->list[0]->len, args->list[0]->data);
		from = js_from_add(r, js_from_add(r, from, origin), name);
	} else if (name) {
		snprintf(origin, sizeof(origin), "%.*s", (int)JS_MAX_NAME, name);
		from = js_from_add(r, from, origin);
	}
	for (size_t i = 0; i < given.n; i++)
		given.list[i] = js_unknown(r, from);
	for (size_t i = 0; i < args->n; i++) {
		struct js_value *v = args->list[i];

		if (can_call(v)) {
			js_run(r, v->function, NULL, &given);
			if (r->again && r->again->n < MAX_AGAIN) {
				r->again->functions[r->again->n] = v->function;
				r->again->from[r->again->n++] = from;
			}
		}
		if (v->type == JS_V_OBJECT)
			for (struct js_prop *p = v->object->first; p; p = p->next)
				if (can_call(p->value))
					js_run(r, p->value->function, v, &given);
	}
}

struct js_value *js_settle(struct js_reader *r, uint32_t place, uint32_t value, enum js_how how)
{
	struct js_again again = { 0 }, *before = r->again;
	struct js_value *v;

	r->again = &again;
	v = js_eval(r, value);
	r->again = NULL;
	js_bind(r, place, v, how);
	for (size_t i = 0; i < again.n; i++) {
		struct js_value *from = js_unknown(r, again.from[i]);
		struct js_args given = { .list = { from, from, from, from }, .n = 4 };

		r->branches++;
		js_run(r, again.functions[i], NULL, &given);
		r->branches--;
	}
	r->again = before;
	return v;
}

static bool is_of_name(char c)
{
	return (c == '_' || c == '.' || (c | 0x20) >= 'a') && c <= 'z';
}

static const char *skip(const char *s, const char *end, const char *set)
{
	while (s < end && *s && strchr(set, *s))
		s++;
	return s;
}

/* eval("require"), Function("return process"): a name and nothing else. */
static struct js_value *named_in(struct js_reader *r, const struct js_value *code, bool is_body)
{
	const char *s = code->type == JS_V_TEXT ? code->data : "",
		   *end = s + (code->type == JS_V_TEXT ? code->len : 0);
	char name[64];
	size_t n = 0;

	s = skip(s, end, " (\n");
	if (is_body && ((size_t)(end - s) <= 7 || memcmp(s, "return ", 7) != 0))
		return NULL;
	s += is_body ? 7 : 0;
	for (; s < end && n < sizeof(name) - 1 && is_of_name(*s); s++)
		name[n++] = *s;
	name[n] = '\0';
	if (!n || skip(s, end, " ;)\n") < end)
		return NULL;
	if (!strcmp(name, "this"))
		return js_name(r, "globalThis", JS_DEVIOUS);
	return js_name(r, !strncmp(name, "this.", 5) ? name + 5 : name, JS_DEVIOUS);
}

static struct js_value *outcome(struct js_reader *r, const struct js_value *f, const struct js_args *args,
				const struct js_from *from)
{
	const char *name = f->data;
	struct js_value *v, *named;

	if (args->n && str_is_one_of(name, "eval|vm.runInThisContext|vm.runInNewContext")) {
		named = named_in(r, args->list[0], false);
		if (named)
			return named;
	}
	if (args->n && !strcmp(name, "Function") &&
	    (named = named_in(r, args->list[args->n - 1], true)) != NULL) {
		v = js_make_function(r, 0, NULL);
		if (v->type == JS_V_FUNCTION)
			v->function->result = named;
		return v;
	}
	if (args->n && !strcmp(name, "document.createElement") && js_is_text(args->list[0], "script"))
		return js_name(r, "document.createElement(script)", 0);
	v = js_namef(r, f->flags & JS_LOCAL, name, "()");
	return js_with_from(r, v, f->flags & JS_LOCAL ? from : js_from_add(r, from, name));
}

static struct js_value *apply_name(struct js_reader *r, uint32_t at, struct js_value *f, struct js_args *args)
{
	const struct js_from *from = f->from;
	struct js_value *v = f->flags & JS_LOCAL ? NULL : js_builtin(r, at, f->data, args);

	if (v) {
		js_tell_text(r, at, v);
		return v;
	}
	for (size_t i = 0; i < args->n; i++)
		from = js_from_join(r, from, js_from_all(r, args->list[i]));
	js_tell_call(r, at, f, args);
	if (str_is_one_of(f->data, "require|import")) {
		v = js_load(r, at, args->n ? args->list[0] : js_undefined(r), f->data, f->flags);
		for (const struct js_value *m = args->n ? args->list[0]->alt : NULL; m; m = m->alt)
			v = js_choice(r, v, js_load(r, at, m, f->data, f->flags));
		return v;
	}
	r->branches++;
	js_call_back(r, f->data, f->from, args);
	r->branches--;
	return outcome(r, f, args, from);
}

struct js_value *js_apply(struct js_reader *r, uint32_t at, struct js_value *f, struct js_value *self,
			  struct js_args *args)
{
	struct js_value *v;

	switch (f->type) {
	case JS_V_FUNCTION:
		v = js_run(r, f->function, self, args);
		return f->flags & JS_CLASS_OF && f->function->self ? f->function->self : v;
	case JS_V_NAME:
		return apply_name(r, at, f, args);
	default:
		js_call_back(r, NULL, f->from, args);
		v = js_unknown(r, f->from);
		for (size_t i = 0; i < args->n; i++)
			v = js_with_from(r, v, args->list[i]->from);
		return v;
	}
}

static void eval_arguments(struct js_reader *r, uint32_t n, struct js_args *ret)
{
	uint32_t list = js_child(r, n, JS_AT_arguments);

	ret->n = 0;
	if (list && js_is(r, list, JS_TEMPLATE)) {
		ret->list[ret->n++] = js_eval(r, list);
		return;
	}
	for (uint32_t c = list ? r->nodes[list].child : 0; c; c = r->nodes[c].next) {
		struct js_value *v = js_eval(r, js_is(r, c, JS_SPREAD) ? r->nodes[c].child : c);

		if (js_is(r, c, JS_SPREAD) && v->type == JS_V_LIST)
			for (uint32_t i = 0; i < v->list->n && ret->n < JS_MAX_ARGS; i++)
				ret->list[ret->n++] = v->list->items[i];
		else if (ret->n < JS_MAX_ARGS)
			ret->list[ret->n++] = js_is(r, c, JS_SPREAD) ? js_unknown(r, js_from_all(r, v)) : v;
	}
}

/* What is called, on what, by which name; without telling that it is used, for it is called. */
static struct js_value *eval_callee(struct js_reader *r, uint32_t n, struct js_value **ret_self,
				    struct js_value **ret_key)
{
	uint32_t c = js_child(r, n, js_is(r, n, JS_NEW) ? JS_AT_constructor : JS_AT_function);
	size_t len;
	const char *s;

	c = js_bare(r, c);
	s = js_source(r, c, &len);
	*ret_self = *ret_key = NULL;
	if (js_is(r, c, JS_IMPORT))
		return js_name(r, "import", 0);
	if (js_is(r, c, JS_IDENTIFIER))
		return js_get(r, s, len);
	if (!js_is(r, c, JS_MEMBER) && !js_is(r, c, JS_SUBSCRIPT))
		return js_eval(r, c);
	*ret_self = js_eval(r, js_child(r, c, JS_AT_object));
	*ret_key = js_key(r, c);
	return js_member(r, *ret_self, *ret_key);
}

/* Whether a method calls what it is given with what it has: .then(eval) */
static bool calls_back(const struct js_value *key)
{
	static const char *const names[] = { "then",  "map",  "forEach", "filter", "some",
					     "every", "find", "flatMap", "on",     "once" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (js_is_text(key, names[i]))
			return true;
	return false;
}

static struct js_value *try_method(struct js_reader *r, uint32_t n, struct js_value *self,
				   const struct js_value *key, struct js_args *args)
{
	char method[32];

	if (!self || !key || key->type != JS_V_TEXT || key->len >= sizeof(method))
		return NULL;
	snprintf(method, sizeof(method), "%.*s", (int)key->len, key->data);
	return js_method(r, n, self, method, args);
}

/* What a method of a variable is given may be in the variable from then on: form.append(x),
 * url.searchParams.set(x) */
static void take_in(struct js_reader *r, uint32_t n, const struct js_args *args)
{
	const struct js_from *from = NULL;
	uint32_t c = js_child(r, n, js_is(r, n, JS_NEW) ? JS_AT_constructor : JS_AT_function);
	struct js_var *var;
	size_t len;
	const char *s;

	for (size_t i = 0; i < args->n; i++)
		from = js_from_join(r, from, js_from_all(r, args->list[i]));
	for (unsigned int i = 0;
	     i < 8 && (js_is(r, js_bare(r, c), JS_MEMBER) || js_is(r, js_bare(r, c), JS_SUBSCRIPT)); i++)
		c = js_child(r, js_bare(r, c), JS_AT_object);
	c = js_bare(r, c);
	if (!from || !js_is(r, c, JS_IDENTIFIER))
		return;
	s = js_source(r, c, &len);
	var = js_find(r, r->scope, s, len);
	/* Modules and functions take nothing in. */
	if (var && (var->value->type == JS_V_UNKNOWN ||
		    (var->value->type == JS_V_NAME && strstr(var->value->data, "()"))))
		var->value = js_with_from(r, var->value, from);
}

struct js_value *js_eval_call(struct js_reader *r, uint32_t n)
{
	struct js_value *self, *key, *f = eval_callee(r, n, &self, &key), *v;
	struct js_args args;

	eval_arguments(r, n, &args);
	v = try_method(r, n, self, key, &args);
	if (v) {
		js_tell_text(r, n, v);
		return v;
	}
	v = js_apply(r, n, f, self, &args);
	if (self)
		take_in(r, n, &args);
	for (unsigned int k = 0; f->alt && k < JS_MAX_ALTS; k++) {
		f = f->alt;
		v = js_choice(r, v, js_apply(r, n, f, self, &args));
	}
	for (size_t i = 0; i < args.n && self && self->type != JS_V_LIST && calls_back(key); i++)
		if (args.list[i]->type == JS_V_NAME && js_runs_code(args.list[i]->data)) {
			struct js_args given = { .list = { js_unknown(r, js_from_all(r, self)) }, .n = 1 };

			js_apply(r, n, args.list[i], NULL, &given);
		}
	return v;
}
