/* SPDX-License-Identifier: Apache-2.0 */
/* Statements, in order. Both sides of a branch are read, a loop is read once. */
#include <string.h>

#include "scan/javascript/javascript.h"

#define MAX_ROUNDS 16u /* of a loop over a list that is known */

static bool is_function_declaration(const struct js_reader *r, uint32_t n)
{
	return js_is(r, n, JS_FUNCTION_DECLARATION) || js_is(r, n, JS_GENERATOR_DECLARATION);
}

static void declare_function(struct js_reader *r, uint32_t n)
{
	uint32_t name = js_child(r, n, JS_AT_name);
	size_t len;
	const char *s = js_source(r, name, &len);

	if (name)
		js_declare(r, r->scope, s, len, js_make_function(r, n, NULL));
}

/* Functions are there before the statement that declares them. */
static void hoist(struct js_reader *r, uint32_t n)
{
	for (uint32_t c = r->nodes[n].child; c; c = r->nodes[c].next) {
		if (is_function_declaration(r, c))
			declare_function(r, c);
		else if (js_is(r, c, JS_EXPORT_STATEMENT))
			for (uint32_t d = r->nodes[c].child; d; d = r->nodes[d].next)
				if (is_function_declaration(r, d))
					declare_function(r, d);
	}
}

void js_walk_block(struct js_reader *r, uint32_t n)
{
	hoist(r, n);
	js_eval_children(r, n);
}

static void walk_inner_block(struct js_reader *r, uint32_t n)
{
	struct js_scope *before = r->scope;

	r->scope = js_scope_enter(r, before, false);
	js_walk_block(r, n);
	r->scope = before;
}

static void walk_declarator(struct js_reader *r, uint32_t n, enum js_how how)
{
	uint32_t value = js_child(r, n, JS_AT_value);

	if (value)
		js_settle(r, js_child(r, n, JS_AT_name), value, how);
	else
		js_bind(r, js_child(r, n, JS_AT_name), js_undefined(r), how);
}

static void walk_if(struct js_reader *r, uint32_t n)
{
	js_eval(r, js_child(r, n, JS_AT_condition));
	r->branches++;
	js_eval(r, js_child(r, n, JS_AT_consequence));
	js_eval(r, js_child(r, n, JS_AT_alternative));
	r->branches--;
}

static void walk_loop(struct js_reader *r, uint32_t n)
{
	struct js_scope *before = r->scope;
	uint32_t condition = js_child(r, n, JS_AT_condition);
	bool is_endless;

	r->scope = js_scope_enter(r, before, false);
	js_eval(r, js_child(r, n, JS_AT_initializer));
	r->branches++;
	r->loops++;
	is_endless = condition ? js_truth(js_eval(r, condition)) == 1 &&
					 !js_is(r, js_bare(r, condition), JS_BINARY)
			       : true;
	is_endless = is_endless ||
		     (js_is(r, n, JS_FOR) && r->nodes[condition].end - r->nodes[condition].start <= 1);
	r->forever += is_endless;
	for (uint32_t c = r->nodes[n].child; c; c = r->nodes[c].next)
		if (r->nodes[c].field != JS_AT_initializer && r->nodes[c].field != JS_AT_condition)
			js_eval(r, c);
	r->forever -= is_endless;
	r->loops--;
	r->branches--;
	r->scope = before;
}

static void walk_round(struct js_reader *r, uint32_t n, struct js_value *item)
{
	struct js_scope *before = r->scope;

	r->scope = js_scope_enter(r, before, false);
	js_bind(r, js_child(r, n, JS_AT_left), item, JS_LET);
	js_eval(r, js_child(r, n, JS_AT_body));
	r->scope = before;
}

static void walk_for_in(struct js_reader *r, uint32_t n)
{
	struct js_value *right = js_eval(r, js_child(r, n, JS_AT_right));
	const struct js_from *from = js_from_all(r, right);
	bool is_of = r->nodes[n].op[0] == 'o',
	     is_known = is_of && right->type == JS_V_LIST && !right->list->has_more;
	uint32_t rounds = is_known ? right->list->n : 0; /* the body may add to the list */

	r->branches++;
	if (rounds && rounds <= MAX_ROUNDS && r->call_steps <= r->max_call_steps) {
		uint64_t began = r->steps;

		for (uint32_t i = 0; i < rounds && i < right->list->n; i++)
			walk_round(r, n, js_with_from(r, right->list->items[i], right->from));
		if (rounds > 1)
			r->call_steps += r->steps - began;
	} else {
		r->loops++;
		walk_round(r, n, js_unknown(r, from));
		r->loops--;
	}
	r->branches--;
}

static void walk_catch(struct js_reader *r, uint32_t n)
{
	struct js_scope *before = r->scope;

	r->scope = js_scope_enter(r, before, false);
	js_bind(r, js_child(r, n, JS_AT_parameter), js_unknown(r, NULL), JS_LET);
	r->branches++;
	js_eval(r, js_child(r, n, JS_AT_body));
	r->branches--;
	r->scope = before;
}

static void walk_return(struct js_reader *r, uint32_t n)
{
	struct js_value *v = js_eval(r, r->nodes[n].child);

	r->returned = r->returned ? js_choice(r, v, r->returned) : v;
}

static void walk_member(struct js_reader *r, uint32_t c, struct js_value *self, struct js_function *of)
{
	struct js_value *key = js_key(r, c), *v;
	uint32_t value = js_child(r, c, JS_AT_value);

	if (js_is(r, c, JS_METHOD)) {
		v = js_make_function(r, c, self);
		if (js_is_text(key, "constructor"))
			of->node = c;
	} else {
		v = value ? js_eval(r, value) : js_undefined(r);
	}
	if (key->type == JS_V_TEXT)
		js_object_set(r, self, key->data, key->len, v);
}

/* One object is all instances, and the class itself. */
struct js_value *js_eval_class(struct js_reader *r, uint32_t n)
{
	uint32_t name = js_child(r, n, JS_AT_name), body = js_child(r, n, JS_AT_body);
	struct js_value *self = js_object(r), *v, *before = r->self;
	size_t len;
	const char *s = js_source(r, name, &len);

	v = js_make_function(r, 0, self);
	if (v->type != JS_V_FUNCTION || self->type != JS_V_OBJECT) {
		js_eval_children(r, body);
		return v;
	}
	v->flags = JS_CLASS_OF;
	if (name && js_is(r, n, JS_CLASS_DECLARATION))
		js_declare(r, r->scope, s, len, v);
	for (uint32_t c = r->nodes[n].child; c; c = r->nodes[c].next)
		if (c != name && c != body)
			js_eval(r, c);
	r->self = self;
	for (uint32_t c = body ? r->nodes[body].child : 0; c; c = r->nodes[c].next)
		if (js_is(r, c, JS_METHOD) || js_is(r, c, JS_FIELD) || js_is(r, c, JS_FIELD_PUBLIC))
			walk_member(r, c, self, v->function);
		else
			js_eval(r, c);
	r->self = before;
	return v;
}

static void bind_imported(struct js_reader *r, uint32_t n, struct js_value *module)
{
	for (uint32_t c = r->nodes[n].child; c; c = r->nodes[c].next) {
		uint32_t name = js_child(r, c, JS_AT_name), alias = js_child(r, c, JS_AT_alias);
		size_t len;
		const char *s;

		switch (r->nodes[c].kind) {
		case JS_IDENTIFIER:
			js_bind(r, c, module, JS_LET);
			break;
		case JS_IMPORT_NAMESPACE:
			js_bind(r, r->nodes[c].child, module, JS_LET);
			break;
		case JS_IMPORT_SPECIFIER:
			s = js_source(r, name, &len);
			if (name) {
				struct js_value *v = js_member(r, module, js_text(r, s, len, 0));

				js_tell_use(r, c, v);
				js_bind(r, alias ? alias : name, v, JS_LET);
			}
			break;
		case JS_STRING:
			break;
		default:
			bind_imported(r, c, module);
		}
	}
}

/* import ... from "x", export ... from "x", import x = require("x") */
static void walk_import(struct js_reader *r, uint32_t n)
{
	uint32_t source = js_child(r, n, JS_AT_source), inner;

	for (inner = r->nodes[n].child; inner && !js_is(r, inner, JS_IMPORT_REQUIRE);
	     inner = r->nodes[inner].next)
		;
	if (inner) {
		n = inner;
		source = js_child(r, n, JS_AT_source);
	}
	if (source)
		bind_imported(r, n, js_load(r, n, js_eval(r, source), "import", 0));
	else
		js_eval_children(r, n);
}

struct js_value *js_walk(struct js_reader *r, uint32_t n, bool *ret_is_statement)
{
	*ret_is_statement = true;
	switch (r->nodes[n].kind) {
	case JS_BLOCK:
		walk_inner_block(r, n);
		break;
	case JS_VARIABLES:
		for (uint32_t c = r->nodes[n].child; c; c = r->nodes[c].next)
			if (js_is(r, c, JS_DECLARATOR))
				walk_declarator(r, c, JS_VAR);
		break;
	case JS_DECLARATOR:
		walk_declarator(r, n, JS_LET);
		break;
	case JS_IF:
		walk_if(r, n);
		break;
	case JS_FOR:
	case JS_WHILE:
	case JS_DO:
		walk_loop(r, n);
		break;
	case JS_FOR_IN:
		walk_for_in(r, n);
		break;
	case JS_CATCH:
		walk_catch(r, n);
		break;
	case JS_SWITCH:
		r->branches++;
		js_eval_children(r, n);
		r->branches--;
		break;
	case JS_RETURN:
		walk_return(r, n);
		break;
	case JS_CLASS:
	case JS_CLASS_DECLARATION:
		return js_eval_class(r, n);
	case JS_IMPORT_STATEMENT:
	case JS_EXPORT_STATEMENT:
		walk_import(r, n);
		break;
	case JS_FUNCTION_DECLARATION:
	case JS_GENERATOR_DECLARATION:
		/* Those inside of a branch or a label were not seen before. */
		if (!js_find(r, r->scope, r->tree->text + r->nodes[js_child(r, n, JS_AT_name)].start,
			     r->nodes[js_child(r, n, JS_AT_name)].end -
				     r->nodes[js_child(r, n, JS_AT_name)].start))
			declare_function(r, n);
		break;
	default:
		*ret_is_statement = false;
	}
	return js_unknown(r, NULL);
}
