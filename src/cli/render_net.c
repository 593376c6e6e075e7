/* SPDX-License-Identifier: Apache-2.0 */
/* The network of boxes as text: rules, published ports, and what a run did there. */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "cli/cli.h"
#include "cli/render_common.h"

#define NAMES_SHOWN 3u

void cli_render_net_rules(const json_t *result)
{
	const json_t *rule;
	size_t i;

	if (json_array_size(json_object_get(result, "changed"))) /* what was wanted is done */
		return;
	json_array_foreach(json_object_get(result, "rules"), i, rule)
	{
		cli_print_name(stdout, json_string_value(rule));
		putchar('\n');
	}
	if (!i)
		fprintf(stderr, "aisbx: the box has no rules: it reaches nothing\n");
}

void cli_render_ports(const json_t *result)
{
	const json_t *p;
	size_t i;

	json_array_foreach(json_object_get(result, "ports"), i, p)
		printf("%s -> %lld\n", text_of(p, "address"), (long long)number_of(p, "port"));
	if (!i)
		fprintf(stderr, "aisbx: the box has no published ports; --publish PORT publishes one\n");
}

/* "pypi.org:443 (151.101.0.223)", "1.2.3.4:25", "evil.example" */
static void print_target(const json_t *row)
{
	const char *name = text_of(row, "name"), *address = text_of(row, "address");
	bool six = !*name && strchr(address, ':');

	printf("%s", six ? "[" : "");
	cli_print_name(stdout, *name ? name : address);
	printf("%s", six ? "]" : "");
	if (json_is_integer(json_object_get(row, "port")))
		printf(":%lld", (long long)number_of(row, "port"));
	if (*name && *address)
		printf(" (%s)", address);
}

/* What a run did, a line per kind, below the run in the history. */
void cli_render_net(const json_t *net)
{
	const json_t *row;
	char sent[32], received[32];
	size_t i;

	json_array_foreach(json_object_get(net, "connections"), i, row)
	{
		const char *verdict = text_of(row, "verdict");
		bool bad = strcmp(verdict, "allowed") != 0;
		json_int_t out = number_of(row, "sent"), in = number_of(row, "received");

		printf("  %snet%s %s%-8s%s %-6s ", paint(DIM), paint(PLAIN), paint(bad ? RED : GREEN),
		       verdict, paint(PLAIN), text_of(row, "act"));
		print_target(row);
		if (number_of(row, "count") > 1)
			printf(", %lld times", (long long)number_of(row, "count"));
		if (out || in)
			printf(", %s sent, %s received", str_size((uint64_t)out, sent, sizeof(sent)),
			       str_size((uint64_t)in, received, sizeof(received)));
		if (*text_of(row, "reason"))
			printf(", %s", text_of(row, "reason"));
		putchar('\n');
	}
	if (number_of(net, "not_kept"))
		printf("  %snet%s and %lld more kinds\n", paint(DIM), paint(PLAIN),
		       (long long)number_of(net, "not_kept"));
}

bool cli_is_lookup(const json_t *violation)
{
	const char *what = text_of(violation, "what");

	return !strcmp(text_of(violation, "kind"), "net") &&
	       (!strncmp(what, "look up ", 8) || strstr(what, "(to look up a name)"));
}

/* Clients look up names that they can do without, for example to ask whether there is a newer version. */
void cli_render_lookups(const json_t *violations)
{
	json_int_t all = 0;
	size_t i, named = 0, kinds = 0;
	const json_t *v;

	json_array_foreach(violations, i, v)
	{
		if (!cli_is_lookup(v))
			continue;
		all += number_of(v, "count");
		kinds += !strncmp(text_of(v, "what"), "look up ", 8);
	}
	if (!all)
		return;
	fprintf(stderr, "aisbx: refused %lld look-up%s of names that the command did without", (long long)all,
		all == 1 ? "" : "s");
	json_array_foreach(violations, i, v)
	{
		if (!cli_is_lookup(v) || strncmp(text_of(v, "what"), "look up ", 8) != 0 ||
		    named == NAMES_SHOWN)
			continue;
		fprintf(stderr, "%s", named++ ? ", " : ": ");
		cli_print_name(stderr, text_of(v, "what") + 8);
	}
	fprintf(stderr, "%s\n", kinds > named ? ", ..." : "");
}
