/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report of unattended work: what was done, what was promoted and how to undo it, what was refused and
 * why.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/scope.h"
#include "guard/queue.h"

#define MAX_WORDS 160u

static const char *text_of(const json_t *j, const char *key)
{
	const char *text = json_string_value(json_object_get(j, key));

	return text ? text : "";
}

/* What others wrote stays one line, and means nothing to who reads Markdown. */
static void add_safe(struct buf *b, const char *text)
{
	size_t n = strlen(text) < MAX_WORDS ? strlen(text) : MAX_WORDS;

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c < 0x20 || c == 0x7f || c == '`')
			buf_add(b, c == '`' ? "'" : " ", 1);
		else
			buf_add(b, text + i, 1);
	}
	if (text[n])
		buf_addf(b, "...");
}

static void add_command(struct buf *b, const json_t *record)
{
	const json_t *word;
	size_t i;

	buf_addf(b, "- `");
	add_safe(b, text_of(record, "name"));
	buf_addf(b, "`: `");
	json_array_foreach(json_object_get(record, "command"), i, word)
	{
		buf_addf(b, "%s", i ? " " : "");
		add_safe(b, json_string_value(word));
	}
	buf_addf(b, "`");
}

static bool is_status(const json_t *record, const char *status)
{
	return !strcmp(text_of(record, "status"), status);
}

static void add_done(struct buf *b, const json_t *record)
{
	add_command(b, record);
	buf_addf(b, ": %s", text_of(record, "status"));
	if (is_status(record, "failed"))
		buf_addf(b, " with status %" JSON_INTEGER_FORMAT,
			 json_integer_value(json_object_get(record, "exit_status")));
	if (*text_of(record, "why")) {
		buf_addf(b, ", ");
		add_safe(b, text_of(record, "why"));
	}
	if (*text_of(record, "act"))
		buf_addf(b, "; class %s, %" JSON_INTEGER_FORMAT " ms", text_of(record, "act"),
			 json_integer_value(json_object_get(record, "wall_ms")));
	if (*text_of(record, "box") && !json_is_true(json_object_get(record, "promoted")))
		buf_addf(b, "; kept in box `%s`: `aisbx diff %s`, `aisbx promote %s`", text_of(record, "box"),
			 text_of(record, "box"), text_of(record, "box"));
	buf_addf(b, "\n");
}

static void add_section(struct buf *b, const char *title, const json_t *records, bool (*fits)(const json_t *),
			void (*add)(struct buf *, const json_t *))
{
	const json_t *record;
	size_t i, n = 0;

	buf_addf(b, "\n## %s\n\n", title);
	json_array_foreach(records, i, record) if (fits(record))
	{
		add(b, record);
		n++;
	}
	if (!n)
		buf_addf(b, "Nothing.\n");
}

static bool was_done(const json_t *record)
{
	return !is_status(record, "refused");
}

static bool was_refused(const json_t *record)
{
	return is_status(record, "refused");
}

static bool was_promoted(const json_t *record)
{
	return json_is_true(json_object_get(record, "promoted"));
}

static void add_promoted(struct buf *b, const json_t *record)
{
	add_command(b, record);
	buf_addf(b, " into `");
	add_safe(b, text_of(record, "where"));
	buf_addf(b, "`; `%s` undoes it\n", text_of(record, "undo"));
}

static void add_refused(struct buf *b, const json_t *record)
{
	const json_t *reason = json_array_get(json_object_get(record, "reasons"), 0);

	add_command(b, record);
	buf_addf(b, ": ");
	add_safe(b, text_of(record, "why"));
	if (reason) {
		buf_addf(b, " (");
		add_safe(b, text_of(reason, "why"));
		buf_addf(b, ")");
	}
	buf_addf(b, "\n");
}

static void add_budget(struct buf *b, const json_t *records, const struct authority *a)
{
	uint64_t actions = 0, wall = 0, cpu = 0;
	const json_t *record;
	size_t i;

	json_array_foreach(records, i, record)
	{
		actions += was_done(record);
		wall += (uint64_t)json_integer_value(json_object_get(record, "wall_ms"));
		cpu += (uint64_t)json_integer_value(json_object_get(record, "cpu_ms"));
	}
	buf_addf(b, "\n## Budget\n\n- actions: %" PRIu64 " of %" PRIu64 "\n", actions, a->actions);
	buf_addf(b, "- time: %" PRIu64 " s of %s", wall / 1000, a->time_ms ? "" : "any\n");
	if (a->time_ms)
		buf_addf(b, "%" PRIu64 " s\n", a->time_ms / 1000);
	buf_addf(b, "- processor time: %" PRIu64 " s of %s", cpu / 1000, a->cpu_ms ? "" : "any\n");
	if (a->cpu_ms)
		buf_addf(b, "%" PRIu64 " s\n", a->cpu_ms / 1000);
}

int guard_report(const struct guard_queue *q, const struct authority *a, const char *state,
		 struct aisbx_error *e)
{
	scoped(buf_finish) struct buf b = { 0 };
	json_t *records = guard_queue_records(q, NULL);
	time_t now = time(NULL);
	char when[32] = "";
	struct tm t;

	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &t));
	buf_addf(&b, "# What was done while you were away\n\nAs of %s: %s.\n", when, state);
	add_section(&b, "Done", records, was_done, add_done);
	add_section(&b, "Promoted", records, was_promoted, add_promoted);
	add_section(&b, "Refused", records, was_refused, add_refused);
	add_budget(&b, records, a);
	json_decref(records);
	return guard_queue_write(q->dir, "report.md", true, buf_str(&b) ? b.data : "", b.len, e);
}
