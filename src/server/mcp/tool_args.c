/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts what a model wrote to the arguments of an operation. Lenient in form, strict in what is allowed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/scope.h"
#include "base/str.h"
#include "base/value.h"
#include "server/mcp/tool_internal.h"

void tool_param_name(const struct op_param *p, char *name, size_t cap)
{
	snprintf(name, cap, "%s", p->name);
	for (char *c = name; *c; c++)
		if (*c == '-')
			*c = '_';
}

/* A tool that a model can use says so in its own words. */
static const char *known_as(const struct op *op)
{
	return op->tool ? op->tool : op->method;
}

static const struct op_param *find_param(const struct op *op, const char *written)
{
	char name[64];

	for (const struct op_param *p = op->params; p->name; p++) {
		tool_param_name(p, name, sizeof(name));
		if (tool_shows(op, p) && (!strcmp(name, written) || !strcmp(p->name, written)))
			return p;
	}
	return NULL;
}

static int unknown_param(const struct op *op, const char *written, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist names = { 0 };
	scoped(buf_finish) struct buf all = { 0 };
	const char *near;

	for (const struct op_param *p = op->params; p->name; p++) {
		char name[64];

		if (!tool_shows(op, p))
			continue;
		tool_param_name(p, name, sizeof(name));
		strlist_add(&names, name);
		buf_addf(&all, "%s%s", all.len ? ", " : "", name);
	}
	aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
		     "%s has no argument '%.60s'; arguments: %s", known_as(op), written,
		     all.len && buf_str(&all) ? all.data : "none");
	near = str_nearest(written, (const char *const *)names.items, names.n);
	return near ? aisbx_hint(e, "did you mean '%s'?", near) : e->code;
}

/*
 * NAME=VALUE each, from an object or a list. A name alone would pass a variable of the server's on, which may
 * be a key that a person has there.
 */
static int read_env(const struct op *op, const json_t *v, json_t **ret, struct aisbx_error *e)
{
	json_t *list = json_array(), *item;
	const char *name;
	size_t i;
	bool good = json_is_object(v) || json_is_array(v);

	json_object_foreach((json_t *)v, name, item)
	{
		good = good && json_is_string(item) && *name && !strchr(name, '=');
		json_array_append_new(list, json_sprintf("%s=%s", name, good ? json_string_value(item) : ""));
	}
	json_array_foreach(v, i, item)
	{
		good = good && json_is_string(item) && strchr(json_string_value(item), '=');
		json_array_append(list, item);
	}
	if (!good) {
		json_decref(list);
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'env' of %s must be an object: {\"NAME\": \"value\"}", known_as(op));
	}
	*ret = list;
	return 0;
}

/* What was meant by a value of the wrong type, where that is plain; a new reference. What is not stays, and
 * is refused. */
static json_t *meant(const struct op_param *p, json_t *v)
{
	const char *s = json_string_value(v);
	double number = json_is_real(v) ? json_real_value(v) : -1;

	if (p->type == OP_FLAG && s && str_is_one_of(s, "true|false"))
		return json_boolean(*s == 't');
	if (p->type == OP_NUMBER && number >= 0 && number < 9e15 && (double)(json_int_t)number == number)
		return json_integer((json_int_t)number);
	if (p->type == OP_COMMAND && s && !strcmp(p->name, "command"))
		return json_pack("[s, s, O]", "sh", "-c", v);
	if ((p->type == OP_COMMAND || p->type == OP_LIST) && s)
		return json_pack("[O]", v);
	return json_incref(v);
}

static int take(const struct op *op, const char *written, json_t *value, json_t *args, struct aisbx_error *e)
{
	const struct op_param *p = find_param(op, written);
	json_t *v = NULL;
	int r = 0;

	if (!p)
		return unknown_param(op, written, e);
	if (json_is_null(value))
		return 0;
	if (p->type == OP_LIST && !strcmp(p->name, "env"))
		r = read_env(op, value, &v, e);
	else
		v = meant(p, value);
	/* Names only: a path would be read on the host, and told of in an error. */
	if (r == 0 && p->value && !strcmp(p->value, "PROFILE") && json_is_string(v) &&
	    strchr(json_string_value(v), '/'))
		r = aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_USAGE, EACCES,
				 "'%s' of %s must be the name of a profile, not a file", written,
				 known_as(op));
	if (r == 0)
		json_object_set(args, p->name, v);
	json_decref(v);
	return r;
}

static int check_needed(const struct op *op, const json_t *args, struct aisbx_error *e)
{
	for (const struct op_param *p = op->params; p->name; p++) {
		const struct tool_habit *h = tool_habit(op, p);
		const json_t *v = json_object_get(args, p->name);
		bool empty = !v || (json_is_array(v) && !json_array_size(v));
		char name[64];

		tool_param_name(p, name, sizeof(name));
		if (empty && ((p->flags & OP_REQUIRED) || (h && h->needed)))
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					    "%s needs '%s': %s", known_as(op), name, p->help);
	}
	return 0;
}

static void add_presets(const struct op *op, json_t *args)
{
	for (const struct tool_habit *h = tool_habits; h->op; h++) {
		const json_t *given = h->op == op ? json_object_get(args, h->param) : NULL;
		uint64_t ms;

		if (h->op == op && h->preset && !given)
			json_object_set_new(args, h->param, json_loads(h->preset, JSON_DECODE_ANY, NULL));
		if (h->most && value_ms(given, &ms) && ms > h->most * 1000)
			json_object_set_new(args, h->param, json_integer(h->most));
	}
}

int tool_args(const struct op *op, const json_t *arguments, json_t **ret_args, struct aisbx_error *e)
{
	json_t *args, *value;
	const char *name;
	int r = 0;

	if (arguments && !json_is_object(arguments) && !json_is_null(arguments))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "the arguments of %s must be an object", known_as(op));
	args = json_object();
	json_object_foreach((json_t *)arguments, name, value)
	{
		r = take(op, name, value, args, e);
		if (r < 0)
			break;
	}
	if (r == 0)
		r = check_needed(op, args, e);
	if (r == 0)
		r = op_check_args(op, args, e);
	if (r == 0)
		add_presets(op, args);
	if (r < 0)
		json_decref(args);
	else
		*ret_args = args;
	return r;
}
