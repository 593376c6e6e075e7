/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the manual page of an operation, as scdoc source, from its row in the operation table; or puts the
 * list of all into the page of aisbx. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "op/op.h"

/* scdoc gives '_' and '*' a meaning. */
static void put(const char *text)
{
	for (; *text; text++) {
		if (strchr("_*\\[]", *text))
			putchar('\\');
		putchar(*text);
	}
}

/* Lines that begin with a blank stay as they are. */
static void put_about(const char *text)
{
	bool is_literal = false;

	while (*text) {
		int len = (int)strcspn(text, "\n");

		if (is_literal != (*text == ' '))
			printf("%s```\n%s", is_literal ? "" : "\n", is_literal ? "\n" : "");
		is_literal = *text == ' ';
		if (is_literal) {
			printf("%.*s", len, text);
		} else {
			char line[len + 1];

			memcpy(line, text, (size_t)len);
			line[len] = '\0';
			put(line);
		}
		putchar('\n');
		text += len + (text[len] == '\n');
	}
	if (is_literal)
		printf("```\n");
}

static void put_upper(const char *text)
{
	for (; *text; text++)
		putchar(toupper((unsigned char)*text));
}

/* The name of its page. */
static void put_page(const struct op *op)
{
	printf("aisbx-");
	for (const char *c = op->name; *c; c++)
		putchar(*c == ' ' ? '-' : *c);
}

static void put_positional(const struct op *op)
{
	for (const struct op_param *p = op->params; p->name; p++)
		if ((p->flags & OP_POSITIONAL)) {
			const bool needed = (p->flags & OP_REQUIRED) && !(p->flags & OP_CURRENT);

			printf(needed ? " _" : " \\[_");
			put_upper(p->name);
			printf(needed ? "_%s" : "_\\]%s",
			       p->type == OP_COMMAND || p->type == OP_LIST ? "..." : "");
		}
}

static void put_synopsis(const struct op *op)
{
	printf("# SYNOPSIS\n\n*aisbx %s* \\[_OPTIONS_\\]", op->name);
	put_positional(op);
	printf("\n\n");
}

static void put_option(const struct op_param *p)
{
	if ((p->flags & OP_POSITIONAL)) {
		printf("_");
		put_upper(p->name);
		printf("_");
	} else {
		if (p->letter)
			printf("*-%c*, ", p->letter);
		printf("*--%s*", p->name);
		if (p->value) {
			printf(" _");
			put(p->value);
			printf("_");
		}
	}
	printf("\n\t");
	put(p->help);
	printf("%s\n\n", p->type == OP_LIST ? " (may be repeated)" : "");
}

static void put_result(const struct op *op)
{
	printf("# RESULT\n\nWith *--json*, one object:\n\n");
	for (const struct op_field *f = op->result; f->path; f++) {
		printf("*");
		put(f->path);
		printf("* (%s)\n\t", f->type);
		put(f->help);
		printf("\n\n");
	}
}

static void put_group(enum op_group group)
{
	printf("## %s\n\n", op_group_name(group));
	for (size_t i = 0; ops[i]; i++) {
		if (ops[i]->group != group)
			continue;
		printf("*aisbx %s*", ops[i]->name);
		put_positional(ops[i]);
		printf("\n\t");
		put(ops[i]->summary);
		printf(". See *");
		put_page(ops[i]);
		printf("*(1).\n\n");
	}
}

/* The page on standard input, with the operations for its line @OPERATIONS@. */
static int put_list(void)
{
	char line[1024];

	while (fgets(line, sizeof(line), stdin))
		if (strcmp(line, "@OPERATIONS@\n") != 0)
			fputs(line, stdout);
		else
			for (enum op_group g = GROUP_RUN; g < GROUP_COUNT; g++)
				put_group(g);
	return ferror(stdin) != 0;
}

int main(int argc, char **argv)
{
	const struct op *op = argc == 2 ? op_by_name(argv[1]) : NULL;
	if (argc == 1)
		return put_list();
	if (!op) {
		fprintf(stderr, "usage: manual OPERATION, or manual < PAGE\n");
		return 1;
	}
	put_page(op);
	printf("(1)\n\n# NAME\n\n");
	put_page(op);
	printf(" - ");
	put(op->summary);
	printf("\n\n");
	put_synopsis(op);
	printf("# DESCRIPTION\n\n");
	put_about(op->about);
	printf("\n# OPTIONS\n\n");
	for (const struct op_param *p = op->params; p->name; p++)
		put_option(p);
	printf("*--json*, *-q*, *-h*\n\tas for every operation, see *aisbx*(1)\n\n");
	put_result(op);
	if (op->example)
		printf("# EXAMPLES\n\n```\n%s\n```\n\n", op->example);
	printf("# SEE ALSO\n\n*aisbx*(1)\n");
	return 0;
}
