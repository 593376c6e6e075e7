/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a job, for people and for programs. */
#include "fleet/client/show_result.h"

#include <stdio.h>
#include <string.h>

#include "fleet/core/types.h"

#define FAILED    125
#define CANCELLED 130

static json_t *read_result(const struct fleet_record *record)
{
	return record->result ? json_loadb(fleet_text_data(record->result), fleet_text_len(record->result),
					   JSON_ALLOW_NUL, NULL)
			      : NULL;
}

uint64_t show_result_pieces(const struct fleet_record *record)
{
	json_t *whole = read_result(record);
	const json_int_t n = json_integer_value(json_object_get(whole, "pieces"));

	json_decref(whole);
	return n > 0 ? (uint64_t)n : 0;
}

static void print_json(const json_t *value)
{
	json_dumpf(value, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER);
	fputc('\n', stdout);
}

static json_t *fleet_json(const struct fleet_job *job, const struct fleet_record *record, const char *box)
{
	return json_pack("{s:s, s:s, s:s, s:i, s:s*}", "job", job->id, "phase",
			 fleet_phase_name(record->phase), "node", record->node, "attempt",
			 (int)record->attempt, "box", *box ? box : NULL);
}

/* It ended without a result of its own. */
static int show_end(const struct fleet_job *job, const struct fleet_record *record, const char *begun,
		    const struct cli_common *common)
{
	const int status = record->phase == FLEET_CANCELLED ? CANCELLED : FAILED;
	char text[4400];

	if (record->phase == FLEET_CANCELLED)
		snprintf(text, sizeof(text), "job %s was cancelled", job->id);
	else if (record->phase == FLEET_DEAD)
		snprintf(text, sizeof(text), "job %s was given up after %u attempts: %.*s", job->id,
			 record->attempt, 4000,
			 fleet_text_len(record->result)
				 ? fleet_text_data(record->result)
				 : "its nodes were lost or could not start it, or its deadline is over");
	else if (record->phase == FLEET_UNKNOWN)
		snprintf(text, sizeof(text),
			 "job %s may have run once%s%s, or not at all: its node was lost. Look what it did "
			 "before you submit it "
			 "again",
			 job->id, begun[0] ? " on node " : "", begun);
	else
		snprintf(text, sizeof(text), "job %s ended, and its result cannot be read", job->id);
	if (common->json) {
		json_t *j = json_pack("{s:s, s:{s:s, s:s}, s:o}", "status", "error", "error", "kind",
				      record->phase == FLEET_CANCELLED ? "cancelled" : "internal", "text",
				      text, "fleet", fleet_json(job, record, ""));

		print_json(j);
		json_decref(j);
	} else {
		fputs("aisbx: ", stderr);
		cli_print_safe(stderr, text);
		fputc('\n', stderr);
	}
	return status;
}

/* What was not seen live: the beginning of the output, as the result has it. */
static void print_head(const json_t *result)
{
	const json_t *out = json_object_get(result, "stdout"), *err = json_object_get(result, "stderr"),
		     *lacking = json_object_get(result, "truncated");
	const json_int_t n = json_integer_value(json_object_get(lacking, "stdout")),
			 m = json_integer_value(json_object_get(lacking, "stderr"));

	if (json_is_string(out))
		fwrite(json_string_value(out), 1, json_string_length(out), stdout);
	fflush(stdout);
	if (json_is_string(err))
		fwrite(json_string_value(err), 1, json_string_length(err), stderr);
	if (n + m > 0)
		fprintf(stderr, "aisbx: %lld more bytes of output were not kept\n", (long long)(n + m));
}

static void show_error(const json_t *error)
{
	const char *text = json_string_value(json_object_get(error, "text"));

	fputs("aisbx: ", stderr);
	cli_print_safe(stderr, text ? text : "the job failed, and its node does not say why");
	fputc('\n', stderr);
}

/* As the operation's own command line would. */
static void show_parts(const struct op *op, const struct cli_common *common, json_t *result, bool shown)
{
	if (json_object_get(result, "stdout")) {
		if (!shown)
			print_head(result);
		json_object_set_new(result, "stdout", json_string(""));
		json_object_set_new(result, "stderr", json_string(""));
		json_object_set_new(result, "truncated", json_pack("{s:i, s:i}", "stdout", 0, "stderr", 0));
	}
	if (op)
		cli_render(op, common, result);
}

static void show_json(const struct fleet_job *job, const struct fleet_record *record, const char *box,
		      json_t *result, json_t *error)
{
	json_t *said =
		result ? json_incref(result) : json_pack("{s:s, s:O}", "status", "error", "error", error);

	json_object_set_new(said, "fleet", fleet_json(job, record, box));
	print_json(said);
	json_decref(said);
}

int show_result(const struct fleet_job *job, const struct fleet_record *record, const char *begun,
		const struct op *op, const struct cli_common *common, bool shown, const char *box)
{
	json_t *whole = record->phase == FLEET_ENDED ? read_result(record) : NULL;
	json_t *result = json_object_get(whole, "result"), *error = json_object_get(whole, "error");
	const json_t *said = json_object_get(whole, "exit_status");
	const char *operation = json_string_value(json_object_get(whole, "operation"));
	int status;

	if (!json_is_integer(said) || (!result && !error)) {
		json_decref(whole);
		return show_end(job, record, begun, common);
	}
	if (common->json)
		show_json(job, record, box, result, error);
	else if (error)
		show_error(error);
	else
		show_parts(op || !operation ? op : op_by_name(operation), common, result, shown);
	fflush(stdout);
	status = (int)json_integer_value(said) & 255;
	json_decref(whole);
	return status;
}
