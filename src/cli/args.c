/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses a command line by the operation's table of parameters. Only the options that every operation has are
 * known here by name.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/foreign.h"

struct parse {
	const struct op *op;
	struct cli_common common;
	json_t *args; /* borrowed */
	char **next;
	int n_positional;
};

static int unknown(const struct op *op, const char *word, struct aisbx_error *e)
{
	const char *names[64] = { "json", "quiet", "help" };
	const char *near, *ours;
	size_t n = 3, dashes = strspn(word, "-");
	char bare[64];

	for (const struct op_param *p = op->params; p->name && n < 64; p++)
		if (!(p->flags & OP_POSITIONAL))
			names[n++] = p->name;
	snprintf(bare, sizeof(bare), "%.*s", (int)strcspn(word + dashes, "="), word + dashes);
	near = dashes > 1 || strlen(bare) > 2 ? str_nearest(bare, names, n) : NULL;
	ours = foreign_option(op->name, word);
	aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "'%s' has no option '%.200s'", op->name,
		     word);
	if (ours)
		return aisbx_hint(e, "%s", ours);
	if (near)
		return aisbx_hint(e, "did you mean --%s?", near);
	return aisbx_hint(e, "see 'aisbx %s --help'", op->name);
}

static int set(struct parse *p, const struct op_param *param, const char *value, struct aisbx_error *e)
{
	json_t *text, *list;

	if (param->type == OP_FLAG) {
		json_object_set_new(p->args, param->name, json_true());
		return 0;
	}
	text = json_string(value);
	if (!text)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EILSEQ,
				    "the value of --%s is not UTF-8", param->name);
	if (param->type != OP_LIST) {
		json_object_set_new(p->args, param->name, text);
		return 0;
	}
	list = json_object_get(p->args, param->name);
	if (!list) {
		list = json_array();
		json_object_set_new(p->args, param->name, list);
	}
	json_array_append_new(list, text);
	return 0;
}

static int take_value(struct parse *p, const struct op_param *param, const char *attached,
		      struct aisbx_error *e)
{
	if (param->type == OP_FLAG)
		return attached ? aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					       "--%s takes no value", param->name)
				: set(p, param, NULL, e);
	if (!attached && !*p->next)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "--%s needs a value: --%s %s", param->name, param->name, param->value);
	return set(p, param, attached ? attached : *p->next++, e);
}

static int long_option(struct parse *p, const char *word, struct aisbx_error *e)
{
	const char *equals = strchr(word, '=');
	char name[64];
	const struct op_param *param;

	if (!strcmp(word, "--json"))
		return (p->common.json = true), 0;
	if (!strcmp(word, "--quiet"))
		return (p->common.quiet = true), 0;
	if (!strcmp(word, "--help"))
		return (p->common.help = true), 0;
	snprintf(name, sizeof(name), "%.*s", equals ? (int)(equals - word) - 2 : 60, word + 2);
	param = op_param_by_name(p->op, name);
	if (!param || (param->flags & OP_POSITIONAL))
		return unknown(p->op, word, e);
	return take_value(p, param, equals ? equals + 1 : NULL, e);
}

static int short_options(struct parse *p, const char *word, struct aisbx_error *e)
{
	for (const char *c = word + 1; *c; c++) {
		const struct op_param *param = p->op->params;
		int r;

		if (*c == 'h' || *c == 'q') {
			*(*c == 'h' ? &p->common.help : &p->common.quiet) = true;
			continue;
		}
		while (param->name && param->letter != *c)
			param++;
		if (!param->name)
			return unknown(p->op, word, e);
		if (param->type != OP_FLAG) /* the rest of the word is its value: -Cdir */
			return take_value(p, param, c[1] ? c + 1 : NULL, e);
		r = set(p, param, NULL, e);
		if (r < 0)
			return r;
	}
	return 0;
}

static int take_command(struct parse *p, const struct op_param *param, struct aisbx_error *e)
{
	json_t *list = json_array();

	json_object_set_new(p->args, param->name, list);
	for (; *p->next; p->next++) {
		json_t *text = json_string(*p->next);

		if (!text)
			return aisbx_refuse(
				e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EILSEQ,
				"an argument of the command is not UTF-8; let a shell in the box find such a "
				"name: aisbx run -- sh -c 'COMMAND *'");
		json_array_append_new(list, text);
	}
	return 0;
}

static __attribute__((format(printf, 2, 3))) void add_words(struct aisbx_error *e, const char *fmt, ...)
{
	size_t at = strlen(e->text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(e->text + at, sizeof(e->text) - at, fmt, ap);
	va_end(ap);
}

/* What stands behind the operation, as its help writes it, and options it cannot do without. */
static void add_usage(const struct op *op, struct aisbx_error *e)
{
	aisbx_hint(e, "write 'aisbx %s", op->name);
	for (const struct op_param *p = op->params; p->name; p++)
		if ((p->flags & OP_REQUIRED) && !(p->flags & OP_POSITIONAL))
			add_words(e, " --%s %s", p->name, p->value);
	for (const struct op_param *p = op->params; p->name; p++)
		if (p->flags & OP_POSITIONAL)
			add_words(e,
				  p->type == OP_COMMAND           ? " -- %s"
				  : (p->flags & OP_REQUIRED) != 0 ? " %s"
								  : " [%s]",
				  p->value);
	add_words(e, "'");
}

static int too_many(const struct op *op, const char *word, struct aisbx_error *e)
{
	aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "'%s' takes no argument '%.200s'",
		     op->name, word);
	add_usage(op, e);
	return e->code;
}

/* Where the names come from that a person has to give. */
static const struct {
	const char *value, *from;
} sources[] = {
	{ "BOX", "'aisbx ls' lists boxes, 'aisbx create NAME' makes one" },
	{ "OTHER", "'aisbx ls' lists boxes" },
	{ "BOX|RUN", "'aisbx ps' lists live runs and their boxes" },
	{ "RUN", "'aisbx ps' lists live runs, 'aisbx history' those that ended" },
	{ "SNAPSHOT", "'aisbx tree' shows snapshots, 'aisbx snap BOX' takes one" },
	{ "PROFILE", "'aisbx profile ls' lists profiles" },
	{ "PIPELINE", "'aisbx pipeline ls' lists pipelines" },
	{ "PLAN", "'aisbx plan ls' lists plans" },
	{ "ARTIFACT", "'aisbx artifact ls' lists artifacts" },
	{ "IMAGE", "'aisbx image ls' lists images, 'aisbx image pull' brings one" },
	{ "EXPERIMENT", "'aisbx experiment ls' lists experiments" },
};

void cli_hint_missing(const struct op *op, const json_t *args, struct aisbx_error *e)
{
	const char *name = json_string_value(json_object_get(args, "name"));
	const struct op_param *p = op->params;

	if (op == &op_create && e->code == -EINVAL && name &&
	    strpbrk(name, ":/")) /* docker create debian:12 */
		aisbx_hint(e, "an image is given with --from: 'aisbx create --from %.100s NAME'", name);
	while (p->name && (!(p->flags & OP_REQUIRED) || json_object_get(args, p->name)))
		p++;
	if (!p->name || e->kind != AISBX_KIND_USAGE || e->code != -EINVAL)
		return;
	add_usage(op, e);
	for (size_t i = 0; p->value && i < sizeof(sources) / sizeof(*sources); i++) {
		size_t n = strcspn(p->value, "@[.");

		if (strlen(sources[i].value) == n && !strncmp(sources[i].value, p->value, n))
			aisbx_hint(e, "%s", sources[i].from);
	}
}

/* The next word is no option. Everything from a command's first word on belongs to the command. */
static int positional(struct parse *p, struct aisbx_error *e)
{
	const struct op_param *param = p->op->params;

	while (param->name && (!(param->flags & OP_POSITIONAL) ||
			       (param->type != OP_LIST && json_object_get(p->args, param->name))))
		param++;
	if (!param->name)
		return too_many(p->op, *p->next, e);
	return param->type == OP_COMMAND ? take_command(p, param, e) : set(p, param, *p->next++, e);
}

int cli_parse(const struct op *op, char **argv, struct cli_common *ret_common, json_t **ret_args,
	      struct aisbx_error *e)
{
	struct parse p = { .op = op, .args = json_object(), .next = argv, .common.before_dashes = -1 };
	bool options = true;
	int r = 0;

	while (r == 0 && *p.next) {
		const char *word = *p.next;

		if (!options || word[0] != '-' || !word[1]) {
			r = positional(&p, e);
			p.n_positional++;
			continue;
		}
		p.next++;
		if (!strcmp(word, "--")) {
			options = false;
			p.common.before_dashes = p.n_positional;
		} else
			r = word[1] == '-' ? long_option(&p, word, e) : short_options(&p, word, e);
	}
	*ret_common = p.common; /* also after an error: it decides how the error is told */
	if (r < 0) {
		json_decref(p.args);
		return r;
	}
	*ret_args = p.args;
	return 0;
}
