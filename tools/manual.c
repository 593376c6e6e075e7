/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the manual page of an operation, as scdoc source, from its row in the operation table. */
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

static void put_synopsis(const struct op *op)
{
	printf("# SYNOPSIS\n\n*aisbx %s* \\[_OPTIONS_\\]", op->name);
	for (const struct op_param *p = op->params; p->name; p++)
		if (p->positional) {
			printf(p->required ? " _" : " \\[_");
			put_upper(p->name);
			printf(p->required ? "_%s" : "_\\]%s",
			       p->type == OP_COMMAND || p->type == OP_LIST ? "..." : "");
		}
	printf("\n\n");
}

static void put_option(const struct op_param *p)
{
	if (p->positional) {
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

int main(int argc, char **argv)
{
	const struct op *op = argc == 2 ? op_by_name(argv[1]) : NULL;
	char page[64];

	if (!op) {
		fprintf(stderr, "usage: manual OPERATION\n");
		return 1;
	}
	snprintf(page, sizeof(page), "aisbx-%s", op->name);
	for (char *c = page; *c; c++)
		*c = *c == ' ' ? '-' : *c;
	printf("%s(1)\n\n# NAME\n\n%s - ", page, page);
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
