/* SPDX-License-Identifier: Apache-2.0 */
/* `aisbx fleet dead` and `aisbx fleet forget`: jobs that were given up. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/str.h"
#include "cli/cli.h"
#include "fleet/agent/loop.h"
#include "fleet/client/client.h"
#include "fleet/client/letters.h"

static void drop_json(json_t **json)
{
	json_decref(*json);
}

static void drop_bus(struct bus **bus)
{
	bus_close(*bus);
}

static void print_json(const json_t *value)
{
	json_dumpf(value, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER);
	fputc('\n', stdout);
}

static const char *text_of(const json_t *row, const char *name)
{
	const char *text = json_string_value(json_object_get(row, name));

	return text ? text : "";
}

/* What a node said may hold anything. */
static void print_safe(const char *text)
{
	cli_print_safe(stdout, text);
}

static void print_rows(const json_t *rows)
{
	const uint64_t now = loop_now().wall_ms;
	size_t i;
	const json_t *row;

	printf("%-24s %-12s %-12s %8s %-8s %s\n", "JOB", "TENANT", "CLASS", "ATTEMPTS", "AGO", "REASON");
	json_array_foreach(rows, i, row)
	{
		const json_int_t at = json_integer_value(json_object_get(row, "at_ms"));
		const json_t *failed = json_object_get(row, "failed");
		const char *last = json_string_value(json_array_get(failed, json_array_size(failed) - 1));
		char ago[32];

		printf("%-24s %-12s %-12s %8lld %-8s ", text_of(row, "job"), text_of(row, "tenant"),
		       text_of(row, "class"), (long long)json_integer_value(json_object_get(row, "attempts")),
		       at > 0 && (uint64_t)at < now ? str_ms(now - (uint64_t)at, ago, sizeof(ago)) : "");
		print_safe(text_of(row, "reason"));
		if (last) {
			fputs("; ", stdout);
			print_safe(last);
		}
		fputc('\n', stdout);
	}
}

static json_t *body_of(const struct fleet_job *job)
{
	json_t *body = json_loadb(fleet_text_data(job->body), fleet_text_len(job->body), 0, NULL);

	return body ? body : json_null();
}

static void print_letter(const json_t *row, const json_t *body)
{
	static const char *const names[] = { "job", "tenant", "class", "effect", "reason" };
	scoped(drop_mem) char *text =
		json_dumps(body, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_ENCODE_ANY);
	size_t i;
	const json_t *line;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		printf("%-9s", names[i]);
		print_safe(text_of(row, names[i]));
		fputc('\n', stdout);
	}
	json_array_foreach(json_object_get(row, "failed"), i, line)
	{
		fputs("         ", stdout);
		print_safe(json_string_value(line));
		fputc('\n', stdout);
	}
	print_safe(text ? text : "");
	fputc('\n', stdout);
}

static int show_one(struct bus *bus, const struct fleet_options *o, const char *job, struct aisbx_error *e)
{
	scoped(wire_letter_finish) struct wire_letter letter = { 0 };
	scoped(drop_json) json_t *rows = NULL;
	scoped(drop_json) json_t *body = NULL;
	const json_t *row = NULL;
	int r = letters_find(bus, o, job, &rows, &row, e);

	if (r == 0)
		r = letters_read(bus, row, &letter, e);
	if (r < 0)
		return r;
	body = body_of(&letter.job);
	if (o->json) {
		json_object_set((json_t *)row, "body", body);
		print_json(row);
	} else
		print_letter(row, body);
	return 0;
}

int client_dead(const struct fleet_options *o, char **rest, struct aisbx_error *e)
{
	scoped(drop_bus) struct bus *bus = NULL;
	scoped(drop_json) json_t *rows = NULL;
	int r;

	if (rest[0] && rest[1])
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "write 'aisbx fleet dead', or 'aisbx fleet dead JOB' for one");
	r = letters_connect(o, &bus, e);
	if (r == 0 && rest[0])
		return show_one(bus, o, rest[0], e);
	if (r == 0)
		r = letters_list(bus, o, NULL, &rows, e);
	if (r == 0 && o->json)
		print_json(rows);
	else if (r == 0)
		print_rows(rows);
	return r;
}

static int forget_row(struct bus *bus, const struct fleet_options *o, const json_t *row,
		      struct aisbx_error *e)
{
	int r = letters_forget(bus, row, e);

	if (r == 0 && !o->json && !o->quiet)
		printf("%s forgotten\n", text_of(row, "job"));
	return r;
}

static int forget_all(struct bus *bus, const struct fleet_options *o, struct aisbx_error *e)
{
	scoped(drop_json) json_t *rows = NULL;
	size_t i;
	const json_t *row;
	int r = letters_list(bus, o, NULL, &rows, e);

	json_array_foreach(rows, i, row)
	{
		if (r == 0 &&
		    json_object_get(row, "job")) /* one that cannot be read becomes too old by itself */
			r = forget_row(bus, o, row, e);
	}
	return r;
}

int client_forget(const struct fleet_options *o, char **rest, struct aisbx_error *e)
{
	scoped(drop_bus) struct bus *bus = NULL;
	int r;

	if (!rest[0] == !o->all)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"write 'aisbx fleet forget JOB...', or 'aisbx fleet forget --all'; 'aisbx fleet "
			"dead' lists them");
	r = letters_connect(o, &bus, e);
	if (r == 0 && o->all)
		return forget_all(bus, o, e);
	for (; r == 0 && *rest; rest++) {
		scoped(drop_json) json_t *rows = NULL;
		const json_t *row = NULL;

		r = letters_find(bus, o, *rest, &rows, &row, e);
		if (r == 0)
			r = forget_row(bus, o, row, e);
	}
	return r;
}
