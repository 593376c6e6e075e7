/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables. An assignment in a branch, a loop or an inner function adds an alternative value; an assignment
 * in straight order replaces the value.
 */
#include <string.h>

#include "scan/javascript/javascript.h"

struct js_scope *js_scope_enter(struct js_reader *r, struct js_scope *up, bool is_function)
{
	struct js_scope *s = js_alloc(r, sizeof(*s));

	if (!s)
		return up;
	*s = (struct js_scope){ .up = up, .id = ++r->n_scopes, .is_function = is_function };
	return s;
}

static uint64_t key_of(const struct js_scope *s, uint32_t name)
{
	return (uint64_t)s->id << 32 | name;
}

void js_declare(struct js_reader *r, struct js_scope *scope, const char *name, size_t len,
		struct js_value *value)
{
	struct js_var *v;
	uint32_t id;
	bool is_new;

	js_intern(r, name, len < JS_MAX_NAME ? len : JS_MAX_NAME, &id, &is_new);
	if (!id || !scope)
		return;
	v = js_table_get(&r->vars, key_of(scope, id));
	if (!v) {
		v = js_alloc(r, sizeof(*v));
		if (!v || !js_table_put(&r->vars, key_of(scope, id), v))
			return;
	}
	*v = (struct js_var){ .value = value, .branches = r->branches, .loops = r->loops };
}

static struct js_var *find_by_id(struct js_reader *r, const struct js_scope *scope, uint32_t id)
{
	for (; scope; scope = scope->up) {
		struct js_var *v = js_table_get(&r->vars, key_of(scope, id));

		r->steps++;
		if (v)
			return v;
	}
	return NULL;
}

struct js_var *js_find(struct js_reader *r, struct js_scope *scope, const char *name, size_t len)
{
	uint32_t id;
	bool is_new;

	js_intern(r, name, len < JS_MAX_NAME ? len : JS_MAX_NAME, &id, &is_new);
	return is_new ? NULL : find_by_id(r, scope, id);
}

bool js_set(struct js_reader *r, const char *name, size_t len, struct js_value *value)
{
	struct js_var *v = js_find(r, r->scope, name, len);

	if (!v) {
		js_declare(r, r->global, name, len, value);
		return false;
	}
	v->value = r->branches > v->branches ? js_choice(r, value, v->value) : value;
	return true;
}

struct js_value *js_get(struct js_reader *r, const char *name, size_t len)
{
	uint32_t id;
	bool is_new;
	const char *word = js_intern(r, name, len < JS_MAX_NAME ? len : JS_MAX_NAME, &id, &is_new);
	struct js_var *v = is_new ? NULL : find_by_id(r, r->scope, id);

	if (v && v->value->type != JS_V_UNKNOWN)
		return v->value;
	if (v)
		return js_with_from(r, js_name_interned(r, word, JS_LOCAL), v->value->from);
	return js_name_interned(r, word, 0);
}

/* To a.b = VALUE. */
static void set_member(struct js_reader *r, uint32_t place, struct js_value *value)
{
	struct js_value *on = js_eval(r, js_child(r, place, JS_AT_object)), *key = js_key(r, place), *old;

	if (key->type == JS_V_TEXT && on->type == JS_V_OBJECT) {
		old = r->branches ? js_object_get(r, on, key->data, key->len) : NULL;
		js_object_set(r, on, key->data, key->len, old ? js_choice(r, value, old) : value);
	} else if (on->type == JS_V_LIST && key->type == JS_V_NUMBER && key->number >= 0 &&
		   key->number < on->list->n) {
		on->list->items[(uint32_t)key->number] = value;
	} else if (on->type == JS_V_NAME) {
		struct js_value *name = js_member(r, on, key);
		struct js_var *var = NULL;

		if (name->type == JS_V_NAME) {
			js_tell_assigned(r, place, name, value);
			var = js_find(r, r->global, name->data, name->len);
			if (!(name->flags & JS_LOCAL) || !strncmp(name->data, "this.", 5))
				js_declare(r, r->global, name->data, name->len,
					   var ? js_choice(r, value, var->value) : value);
		}
	}
}

static void bind_name(struct js_reader *r, uint32_t n, struct js_value *value, enum js_how how)
{
	size_t len;
	const char *name = js_source(r, n, &len);
	struct js_scope *scope = r->scope;

	if (how == JS_ASSIGNED) {
		if (!js_set(r, name, len, value)) {
			struct js_args args = { .list = { value }, .n = 1 };
			uint32_t id;
			bool is_new;

			name = js_intern(r, name, len < JS_MAX_NAME ? len : JS_MAX_NAME, &id, &is_new);
			js_tell(r, n, FACT_USE, name, 0, &args, js_from_all(r, value));
		}
		return;
	}
	while (how == JS_VAR && scope->up && !scope->is_function)
		scope = scope->up;
	js_declare(r, scope, name, len, value);
}

/* Of VALUE what stands at KEY. */
static struct js_value *part(struct js_reader *r, uint32_t at, struct js_value *value, struct js_value *key)
{
	struct js_value *v = js_member(r, value, key);

	js_tell_use(r, at, v);
	return v;
}

static void bind_object(struct js_reader *r, uint32_t pattern, struct js_value *value, enum js_how how)
{
	for (uint32_t c = r->nodes[pattern].child; c; c = r->nodes[c].next) {
		uint32_t name = c, after = 0;
		size_t len;
		const char *s;

		switch (r->nodes[c].kind) {
		case JS_PAIR_PATTERN:
			js_bind(r, js_child(r, c, JS_AT_value), part(r, c, value, js_key(r, c)), how);
			continue;
		case JS_REST:
			js_bind(r, r->nodes[c].child, value, how);
			continue;
		case JS_OBJECT_ASSIGN_PATTERN:
			name = js_child(r, c, JS_AT_left);
			after = js_child(r, c, JS_AT_right);
			break;
		default:
			break;
		}
		s = js_source(r, name, &len);
		if (js_is(r, name, JS_SHORTHAND_PATTERN)) {
			struct js_value *v = part(r, name, value, js_text(r, s, len, 0));

			bind_name(r, name, after ? js_choice(r, v, js_eval(r, after)) : v, how);
		}
	}
}

static void bind_array(struct js_reader *r, uint32_t pattern, struct js_value *value, enum js_how how)
{
	uint32_t behind = r->nodes[pattern].start, index = 0;

	for (uint32_t c = r->nodes[pattern].child; c; c = r->nodes[c].next) {
		/* Places that are left out have no node, only a comma. */
		for (uint32_t i = behind; i < r->nodes[c].start; i++)
			index += r->tree->text[i] == ',';
		behind = r->nodes[c].end;
		if (js_is(r, c, JS_REST))
			js_bind(r, r->nodes[c].child, js_unknown(r, js_from_all(r, value)), how);
		else
			js_bind(r, c, js_member(r, value, js_number(r, index)), how);
	}
}

/* "a = 1" as a pattern or a parameter: the value, or what it is without one. */
static void bind_default(struct js_reader *r, uint32_t pattern, struct js_value *value, enum js_how how)
{
	bool is_assign = js_is(r, pattern, JS_ASSIGN_PATTERN);
	uint32_t after = js_child(r, pattern, is_assign ? JS_AT_right : JS_AT_value);

	if (after)
		value = js_choice(r, value, js_eval(r, after));
	js_bind(r, js_child(r, pattern, is_assign ? JS_AT_left : JS_AT_pattern), value, how);
}

void js_bind(struct js_reader *r, uint32_t pattern, struct js_value *value, enum js_how how)
{
	pattern = js_bare(r, pattern);
	if (!pattern || !js_may_go_on(r, pattern))
		return;
	r->depth++;
	switch (r->nodes[pattern].kind) {
	case JS_IDENTIFIER:
	case JS_SHORTHAND_PATTERN:
		bind_name(r, pattern, value, how);
		break;
	case JS_OBJECT_PATTERN:
		bind_object(r, pattern, value, how);
		break;
	case JS_ARRAY_PATTERN:
		bind_array(r, pattern, value, how);
		break;
	case JS_ASSIGN_PATTERN:
	case JS_PARAMETER:
	case JS_PARAMETER_OPTIONAL:
		bind_default(r, pattern, value, how);
		break;
	case JS_REST:
		js_bind(r, r->nodes[pattern].child, value, how);
		break;
	case JS_MEMBER:
	case JS_SUBSCRIPT:
		set_member(r, pattern, value);
		break;
	default:
		js_eval(r, pattern);
	}
	r->depth--;
}
