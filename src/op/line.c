/* SPDX-License-Identifier: Apache-2.0 */
/* Completes what a person typed by where they are. */
#include "op/line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/current.h"
#include "box/here.h"
#include "box/lookup.h"

_Static_assert(sizeof(((struct op_line *)0)->box) > BOX_KEY_MAX, "any box can be told");

void op_line_finish(struct op_line *l)
{
	free(l->project);
	l->project = NULL;
}

/* The option NAME of the command line only; removed from ARGS. A new reference or NULL. */
static json_t *take(const struct op *op, json_t *args, const char *name)
{
	const struct op_param *p = op_param_by_name(op, name);
	json_t *value = p && (p->flags & OP_LINE) ? json_incref(json_object_get(args, name)) : NULL;

	if (value)
		json_object_del(args, name);
	return value;
}

static bool take_flag(const struct op *op, json_t *args, const char *name)
{
	json_t *value = take(op, args, name);

	json_decref(value);
	return value;
}

/* Heap or NULL. */
static char *find_project(const struct op *op, const struct caller *by, json_t *args)
{
	json_t *given = take(op, args, "project");
	bool here = take_flag(op, args, "here");
	char *project = given  ? path_resolve(by->cwd, json_string_value(given))
			: here ? strdup(by->cwd)
			       : box_here(by->cwd, by->env);

	json_decref(given);
	/* Where a project is there only if somebody asks for it, this is how. */
	if (here && (json_object_get(args, "image") || json_object_get(args, "from")) &&
	    !json_object_get(args, "project"))
		json_object_set_new(args, "project", json_string(by->cwd));
	return project;
}

static const struct op_param *find_param(const struct op *op, int flag)
{
	for (const struct op_param *p = op->params; p->name; p++)
		if ((p->flags & flag))
			return p;
	return NULL;
}

/* The next argument after P that is no option; NULL: none. */
static const struct op_param *next_positional(const struct op_param *p)
{
	for (p++; p->name; p++)
		if ((p->flags & OP_POSITIONAL))
			return p;
	return NULL;
}

static bool is_box(const char *key)
{
	scoped(lookup_finish) struct lookup p = LOOKUP_INIT;
	struct aisbx_error ignored = AISBX_ERROR_INIT;

	return lookup_open(key, false, &p, &ignored) == 0;
}

/* An argument that must be there is not: then the box is what was omitted. */
static bool lacks_one(const struct op_param *p, const json_t *args)
{
	for (p = next_positional(p); p; p = next_positional(p))
		if ((p->flags & OP_REQUIRED) && !json_object_get(args, p->name))
			return true;
	return false;
}

/* One argument more has its place. */
static bool has_room(const struct op_param *p, const json_t *args)
{
	for (p = next_positional(p); p; p = next_positional(p))
		if (p->type == OP_LIST || p->type == OP_COMMAND || !json_object_get(args, p->name))
			return true;
	return false;
}

/* Whether the first argument, in the place of box P, is meant as what comes after a box. */
static bool is_omitted(const struct op_param *p, const json_t *args, const struct op_line *l)
{
	const char *given = json_string_value(json_object_get(args, p->name));
	const struct op_param *next = next_positional(p);

	if (!(p->flags & OP_POSITIONAL) || !next || !has_room(p, args))
		return false;
	if (next->type == OP_COMMAND && l->before_dashes >= 0)
		return l->before_dashes == 0;
	/* "BOX|RUN": a run has no row among the boxes */
	return lacks_one(p, args) || (!is_box(given) && !(strchr(p->value, '|') && !strncmp(given, "r-", 2)));
}

/* Puts VALUE into the argument P, and what was there into the next one. */
static void shift(const struct op_param *p, json_t *args, json_t *value)
{
	json_t *was = json_incref(json_object_get(args, p->name));
	const struct op_param *next = next_positional(p);

	if (p->type == OP_LIST || p->type == OP_COMMAND) { /* the last: it takes any number */
		if (!was)
			was = json_array();
		json_array_insert_new(was, 0, value);
		json_object_set_new(args, p->name, was);
		return;
	}
	json_object_set_new(args, p->name, value);
	if (was && next)
		shift(next, args, was);
	else
		json_decref(was);
}

static int tell_gone(const struct op_line *l, const struct box_current *c, struct aisbx_error *e)
{
	int r = box_current_forget(l->project, e);

	return r < 0 ? r
		     : aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENOENT,
				    "box '%s', the current one of '%s', was removed, so nothing was done; "
				    "there is "
				    "no current box from now on, 'aisbx use BOX' chooses one",
				    c->name, l->project);
}

/* Fills in the current box where a box is missing: P takes it. */
static int complete(const struct op *op, const struct op_param *p, json_t *args, struct op_line *l,
		    struct aisbx_error *e)
{
	const char *given = json_string_value(json_object_get(args, p->name));
	struct box_current c;
	int r;

	if (given && *given != '@' && (!(p->flags & OP_POSITIONAL) || !next_positional(p)))
		return 0;
	r = box_current_find(l->project, &c, e);
	if (r < 0)
		return r;
	if (!c.id[0] && !given && (p->flags & OP_REQUIRED))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'%s' needs %s, and '%s' has no current box; 'aisbx use BOX' chooses one",
				    op->name, p->value, l->project);
	if (!c.id[0] || (given && *given != '@' && !is_omitted(p, args, l)))
		return 0;
	if (c.gone)
		return tell_gone(l, &c, e);
	snprintf(l->box, sizeof(l->box), "%s", c.name);
	if (given && *given == '@')
		json_object_set_new(args, p->name, json_sprintf("%s%s", c.name, given));
	else
		shift(p, args, json_string(c.name));
	return 0;
}

int op_line_begin(const struct op *op, struct op_context *ctx, json_t *args, struct op_line *l,
		  struct aisbx_error *e)
{
	const struct op_param *p = find_param(op, OP_CURRENT);
	bool fresh = take_flag(op, args, "fresh");

	if (op->server)
		return 0;
	l->all = take_flag(op, args, "all");
	l->use = take_flag(op, args, "use");
	l->yes = take_flag(op, args, "yes");
	l->project = find_project(op, &ctx->by, args);
	if (!l->project)
		return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "find the project");
	ctx->by.project = l->all ? NULL : l->project;
	l->above = op_param_by_name(op, "here") && strcmp(l->project, ctx->by.cwd) != 0 && !l->all;
	if (fresh && p && json_object_get(args, p->name))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "--fresh and --%s contradict each other; give one", p->name);
	/* Another project, or a box that is to be new: the current box is not meant. */
	return !p || fresh || json_object_get(args, "project") || json_object_get(args, "image")
		       ? 0
		       : complete(op, p, args, l, e);
}

int op_line_end(const struct op_line *l, json_t *result, struct aisbx_error *e)
{
	const char *id = op_text(result, "id"), *project = op_text(result, "project");
	struct box_current now;

	if (l->box[0] && json_is_object(result))
		json_object_set_new(result, "current_box", json_string(l->box));
	if (l->above && json_is_object(result) && !json_object_get(result, "project"))
		json_object_set_new(result, "project", json_string(l->project));
	return l->use && id ? box_current_set(project ? project : l->project, id, &now, e) : 0;
}
