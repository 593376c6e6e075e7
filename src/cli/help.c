/* SPDX-License-Identifier: Apache-2.0 */
/* Help made from the operation table. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

/* With ALL under a heading of their own; else the name of the group stands beside its first operation. */
static void print_group(enum op_group group, bool all, FILE *out)
{
	const char *beside = all ? "" : op_group_name(group);

	if (all)
		fprintf(out, "%s\n", op_group_name(group));
	for (size_t i = 0; ops[i]; i++) {
		if (ops[i]->group != group || (!all && !ops[i]->first))
			continue;
		fprintf(out, all ? "  %s%-16s %s\n" : "%-15s %-8s %s\n", beside, ops[i]->name,
			ops[i]->summary);
		beside = "";
	}
	if (all)
		fprintf(out, "\n");
}

void cli_help(bool all, FILE *out)
{
	fprintf(out,
		"aisbx %s: clone this machine, try things behind walls, keep what works\n"
		"usage: aisbx OPERATION [OPTIONS] [ARGUMENTS]\n\n",
		AISBX_VERSION);
	for (enum op_group g = GROUP_RUN; g < GROUP_COUNT; g++)
		print_group(g, all, out);
	fprintf(out,
		"%s  aisbx run -- COMMAND     is all you need to start\n"
		"  aisbx OPERATION --help   shows more; every operation accepts --json\n"
		"%s",
		all ? "" : "\n", all ? "" : "  aisbx help all           lists every operation\n");
}

static bool is_second(const struct op *op, const char *first)
{
	size_t n = strlen(first);

	return !strncmp(op->name, first, n) && op->name[n] == ' ';
}

bool cli_has_words(const char *first)
{
	for (size_t i = 0; ops[i]; i++)
		if (is_second(ops[i], first))
			return true;
	return false;
}

void cli_help_words(const char *first, FILE *out)
{
	fprintf(out, "usage: aisbx %s OPERATION [OPTIONS] [ARGUMENTS]\n\n", first);
	for (size_t i = 0; ops[i]; i++)
		if (is_second(ops[i], first))
			fprintf(out, "  %-16s %s\n", ops[i]->name, ops[i]->summary);
	fprintf(out, "\n  aisbx %s OPERATION --help   shows more\n", first);
}

static void print_option(const struct op_param *p, FILE *out)
{
	char left[64];

	if (p->letter)
		snprintf(left, sizeof(left), "-%c, --%s%s%s", p->letter, p->name, p->value ? " " : "",
			 p->value ? p->value : "");
	else
		snprintf(left, sizeof(left), "    --%s%s%s", p->name, p->value ? " " : "",
			 p->value ? p->value : "");
	fprintf(out, strlen(left) > 26 ? "  %s\n%30s%s%s\n" : "  %-26s%s  %s%s\n", left, "", p->help,
		p->type == OP_LIST ? " (may be repeated)" : "");
}

/* WHOLE: lines of a paragraph as one, for who folds them to another width. */
static void print_about(const char *about, bool whole, FILE *out)
{
	for (const char *c = about; *c; c++) {
		bool inside = *c == '\n' && c > about && c[-1] != '\n' && c[1] && !strchr("\n -*", c[1]);

		fputc(whole && inside ? ' ' : *c, out);
	}
}

void cli_help_op(const struct op *op, bool whole, FILE *out)
{
	fprintf(out, "%s\n\nusage: aisbx %s [OPTIONS]", op->summary, op->name);
	for (const struct op_param *p = op->params; p->name; p++)
		if ((p->flags & OP_POSITIONAL))
			fprintf(out,
				p->type == OP_COMMAND ? " [--] %s [ARGUMENT...]"
				: p->type == OP_LIST  ? ((p->flags & OP_REQUIRED) ? " %s..." : " [%s...]")
				: (p->flags & OP_REQUIRED) && !(p->flags & OP_CURRENT) ? " %s"
										       : " [%s]",
				p->value);
	fprintf(out, "\n\n");
	print_about(op->about, whole, out);
	fprintf(out, "\n\n");
	for (const struct op_param *p = op->params; p->name; p++)
		if ((p->flags & OP_CURRENT))
			fprintf(out,
				"Without %s%s: the current box of the project, if there is one; see 'aisbx "
				"use'.\n\n",
				(p->flags & OP_POSITIONAL) ? "" : "--",
				(p->flags & OP_POSITIONAL) ? p->value : p->name);
	fprintf(out, "options:\n");
	for (const struct op_param *p = op->params; p->name; p++)
		if (!(p->flags & OP_POSITIONAL) && !(p->flags & OP_HIDDEN))
			print_option(p, out);
	fprintf(out, "      --json                  print the result as one JSON text\n"
		     "  -q, --quiet                 suppress aisbx's own messages\n"
		     "  -h, --help                  show this help\n");
	if (op->example) {
		const char *line = op->example;

		fprintf(out, "\nexamples:\n");
		while (*line) {
			size_t n = strcspn(line, "\n");

			fprintf(out, "  %.*s\n", (int)n, line);
			line += n + (line[n] == '\n');
		}
	}
}
