/* SPDX-License-Identifier: Apache-2.0 */
/* Asks modules about a program, and makes facts of their answers. */
#include "box/scan_module.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/value.h"
#include "box/module_run.h"

json_t *scan_facts_json(const struct facts *facts)
{
	json_t *list = json_array();

	for (size_t i = 0; i < facts->n; i++) {
		const struct fact *f = &facts->list[i];

		json_array_append_new(list,
				      json_pack("{s:s, s:s, s:o, s:o, s:b, s:b, s:I, s:I}", "kind",
						fact_kind_name(f->kind), "name", f->name, "args",
						value_list_json(&f->args), "from", value_list_json(&f->from),
						"indirect", (f->flags & FACT_INDIRECT) != 0, "nested",
						(f->flags & FACT_NESTED) != 0, "line", (json_int_t)f->line,
						"column", (json_int_t)f->column));
	}
	return list;
}

/* "LINE[:COLUMN][ WORDS]"; what is no number there, or beyond the program, is no answer. */
static bool read_answer(char *line, uint32_t n_lines, const char *id, struct facts *facts)
{
	struct fact f = { .kind = FACT_MODULE, .column = 1, .name = id };
	char *end = line;
	unsigned long number = strtoul(line, &end, 10);
	bool ok = *line >= '1' && *line <= '9' && number <= n_lines;

	f.line = f.end_line = (uint32_t)number;
	if (ok && *end == ':') {
		char *column = end + 1;

		number = strtoul(column, &end, 10);
		ok = *column >= '1' && *column <= '9' && number < UINT32_MAX;
		f.column = (uint32_t)number;
	}
	f.end_column = f.column;
	if (!ok || (*end && *end != ' '))
		return false;
	if (*end && end[1])
		strlist_add(&f.args, end + 1);
	if (f.args.failed)
		facts->failed = 1;
	else
		facts_add(facts, &f);
	strlist_finish(&f.args);
	return true;
}

static int read_answers(const struct run_report *done, uint32_t n_lines, const char *id, struct facts *facts,
			struct aisbx_error *e)
{
	scoped(drop_mem) char *text = strdup(done->output[0] ? done->output[0] : "");
	char *rest = NULL;

	if (!text)
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "read what it said");
	if (done->exit_code != 0)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
				    "it ended with status %d, and only 0 is an answer", done->exit_code);
	if (done->output_len[0] >= MODULE_RUN_OUTPUT)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_POLICY, EFBIG,
				    "it said more than %u bytes", MODULE_RUN_OUTPUT);
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (!read_answer(line, n_lines, id, facts))
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
					    "it said '%.80s'; each line must be LINE[:COLUMN][ WORDS] with a "
					    "line of the program",
					    line);
	return facts->failed ? aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "read what it said") : 0;
}

static json_t *question(const struct scan_text *text, const json_t *facts)
{
	scoped(buf_finish) struct buf clean = { 0 };

	buf_add_utf8(&clean, text->text, text->len);
	return clean.failed ? NULL
			    : json_pack("{s:s, s:s%, s:O}", "language", text->lang, "text",
					clean.data ? clean.data : "", clean.len, "facts", facts);
}

static int ask(const struct caller *by, const struct scan_rule *rule, const json_t *asked, uint32_t n_lines,
	       struct facts *facts, struct aisbx_error *e)
{
	scoped(drop_mem) char *dir = path_resolve(rule->wasm, "..");
	scoped(run_report_finish) struct run_report done = { 0 };
	int r = dir && asked ? module_run(by, dir, rule->wasm, asked, &done, e)
			     : aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "ask a module");

	if (r == 0)
		r = read_answers(&done, n_lines, rule->id, facts, e);
	return r < 0 ? aisbx_context(e, "rule '%s', module '%.200s'", rule->id, rule->wasm) : 0;
}

static uint32_t count_lines(const struct scan_text *text)
{
	uint32_t n = 1;

	for (size_t i = 0; i + 1 < text->len; i++)
		n += text->text[i] == '\n';
	return n;
}

int scan_modules(const struct caller *by, const struct scan_text *text, const struct scan_policy *policy,
		 struct facts *facts, struct aisbx_error *e)
{
	json_auto_t *known = NULL;
	json_auto_t *asked = NULL;
	int r = 0;

	for (size_t i = 0; r == 0 && i < policy->n_rules; i++) {
		const struct scan_rule *rule = &policy->rules[i];

		if (rule->kind != RULE_MODULE || !scan_rule_is_for(rule, text->lang))
			continue;
		if (!known) { /* each is told what the reader found, not what others did */
			known = scan_facts_json(facts);
			asked = question(text, known);
		}
		r = ask(by, rule, asked, count_lines(text), facts, e);
	}
	return r;
}
