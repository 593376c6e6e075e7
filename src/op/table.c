/* SPDX-License-Identifier: Apache-2.0 */
/* The list of operations, and calling one with checked arguments. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/str.h"
#include "box/box.h"
#include "box/owner.h"
#include "op/op.h"
#include "secret/scrub.h"

#define LIST(name) &op_##name,
const struct op *const ops[] = { OPERATIONS(LIST) NULL };

const char *op_group_name(enum op_group group)
{
	static const char *const names[GROUP_COUNT] = {
		[GROUP_RUN] = "Run",
		[GROUP_BOXES] = "Boxes",
		[GROUP_IMAGES] = "Images",
		[GROUP_BRING_BACK] = "Bring back",
		[GROUP_TRY] = "Try several",
		[GROUP_AGENTS] = "Agents",
		[GROUP_LOOK] = "Look and learn",
		[GROUP_SYSTEM] = "System",
	};

	return names[group];
}

const struct op *op_by_name(const char *name)
{
	for (size_t i = 0; ops[i]; i++)
		if (!strcmp(ops[i]->name, name))
			return ops[i];
	return NULL;
}

const struct op *op_by_method(const char *method)
{
	for (size_t i = 0; ops[i]; i++)
		if (ops[i]->method && !strcmp(ops[i]->method, method))
			return ops[i];
	return NULL;
}

const struct op_param *op_param_by_name(const struct op *op, const char *name)
{
	for (const struct op_param *p = op->params; p->name; p++)
		if (!strcmp(p->name, name))
			return p;
	return NULL;
}

static int bad_type(const struct op_param *p, const char *want, struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "argument '%s' must be %s",
			    p->name, want);
}

static bool all_strings(const json_t *list)
{
	const json_t *item;
	size_t i;

	if (!json_is_array(list))
		return false;
	json_array_foreach((json_t *)list, i, item) if (!json_is_string(item)) return false;
	return true;
}

static int check_choice(const struct op_param *p, const char *value, struct aisbx_error *e)
{
	size_t n = 0;
	const char *near;

	for (; p->choices[n]; n++)
		if (!strcmp(p->choices[n], value))
			return 0;
	aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
		     "'%s' is not a value of '%s'; allowed:", value, p->name);
	for (size_t i = 0; i < n; i++) {
		strncat(e->text, i ? ", " : " ", sizeof(e->text) - strlen(e->text) - 1);
		strncat(e->text, p->choices[i], sizeof(e->text) - strlen(e->text) - 1);
	}
	near = str_nearest(value, p->choices, n);
	return near ? aisbx_hint(e, "did you mean '%s'?", near) : e->code;
}

/* What is a number, or a text that means one. */
static const struct {
	enum op_type type;
	bool whole; /* as a JSON number: an integer */
	bool (*read)(const char *text, uint64_t *ret);
	const char *want;
} numbers[] = {
	{ OP_SIZE, true, str_to_size, "a size such as 512m or 2g" },
	{ OP_DURATION, false, str_to_ms, "a time such as 500ms, 30s or 5m" },
	{ OP_NUMBER, true, str_to_u64, "a whole number" },
	{ OP_CORES, false, str_to_milli, "a number of processors such as 2 or 0.5" },
};

static int check_number(const struct op_param *p, const json_t *v, struct aisbx_error *e)
{
	const char *s = json_string_value(v);
	uint64_t number;
	size_t i = 0;

	while (numbers[i].type != p->type)
		i++;
	if (s ? numbers[i].read(s, &number)
	      : (numbers[i].whole ? json_is_integer(v) : json_is_number(v)) && json_number_value(v) >= 0)
		return 0;
	bad_type(p, numbers[i].want, e);
	if (s)
		snprintf(e->text + strlen(e->text), sizeof(e->text) - strlen(e->text), ", not '%.40s'", s);
	return e->code;
}

static int check_value(const struct op_param *p, const json_t *v, struct aisbx_error *e)
{
	const char *s = json_string_value(v);

	switch (p->type) {
	case OP_FLAG:
		return json_is_boolean(v) ? 0 : bad_type(p, "true or false", e);
	case OP_STRING:
		return s ? 0 : bad_type(p, "text", e);
	case OP_CHOICE:
		return s ? check_choice(p, s, e) : bad_type(p, "text", e);
	case OP_SIZE:
	case OP_DURATION:
	case OP_NUMBER:
	case OP_CORES:
		return check_number(p, v, e);
	case OP_LIST:
	case OP_COMMAND:
		return all_strings(v) ? 0 : bad_type(p, "a list of texts", e);
	}
	return bad_type(p, "of a known type", e);
}

bool op_is_owner(const char *text)
{
	return box_is_owner(text);
}

int op_check_args(const struct op *op, const json_t *args, struct aisbx_error *e)
{
	const char *name;
	json_t *value;
	int r;

	if (!json_is_object(args))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "arguments of '%s' must be an object", op->name);
	json_object_foreach((json_t *)args, name, value)
	{
		const struct op_param *p = op_param_by_name(op, name);

		if (!p || (p->flags & OP_LINE))
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					    "'%s' takes no argument '%s'", op->name, name);
		r = check_value(p, value, e);
		if (r < 0)
			return r;
	}
	for (const struct op_param *p = op->params; p->name; p++) {
		value = json_object_get(args, p->name);
		if ((p->flags & OP_REQUIRED) &&
		    (!value || (json_is_array(value) && json_array_size(value) == 0)))
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "'%s' needs %s",
					    op->name, p->value ? p->value : p->name);
	}
	return 0;
}

int op_call(const struct op *op, struct op_context *ctx, const json_t *args, json_t **ret_result,
	    struct aisbx_error *e)
{
	struct aisbx_error nowhere = AISBX_ERROR_INIT;
	scoped(drop_mem) char *dir = NULL;
	int r = op_check_args(op, args, e);

	if (r < 0)
		return r;
	box_act_for(ctx->by.owner);
	r = op->run(ctx, args, ret_result, e);
	dir = box_state_dir(&nowhere);
	return dir ? scrub_answer(dir, r, ret_result, e) : r; /* where nothing can be kept nothing is known */
}
