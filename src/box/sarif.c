/* SPDX-License-Identifier: Apache-2.0 */
/* Writes SARIF 2.1.0. Its columns count characters, it has three levels, and its file names are URIs. */
#include "box/sarif.h"

#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "base/scope.h"

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

static const struct {
	const char *level, *score; /* the latter as code hosts sort by: 0 to 10 */
} levels[SEVERITY_COUNT] = {
	[SEVERITY_NONE] = { "none", "0.0" },      [SEVERITY_LOW] = { "note", "2.0" },
	[SEVERITY_MEDIUM] = { "warning", "5.0" }, [SEVERITY_HIGH] = { "error", "8.0" },
	[SEVERITY_CRITICAL] = { "error", "9.5" },
};

static json_t *uri_json(const char *path)
{
	scoped(buf_finish) struct buf b = { 0 };

	if (*path == '/')
		buf_addf(&b, "file://");
	for (const unsigned char *p = (const unsigned char *)path; *p; p++)
		if (isascii(*p) && (isalnum(*p) || strchr("-._~/", *p)))
			buf_add(&b, p, 1);
		else
			buf_addf(&b, "%%%02X", *p);
	return json_string(buf_str(&b) ? b.data : "");
}

static json_t *region_json(const struct scan_finding *f)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:{s:s}}", "startLine", (json_int_t)f->line, "startColumn",
			 (json_int_t)f->char_column, "endLine", (json_int_t)f->end_line, "endColumn",
			 (json_int_t)f->char_end_column, "snippet", "text", f->text);
}

static json_t *message_json(const struct scan_finding *f)
{
	return json_pack("{s:o}", "text",
			 f->rule->advice ? json_sprintf("%s: %s. %s.", f->name, f->rule->why, f->rule->advice)
					 : json_sprintf("%s: %s.", f->name, f->rule->why));
}

void sarif_add(json_t *results, const char *path, const struct scan_report *r)
{
	for (size_t i = 0; i < r->n_findings; i++) {
		const struct scan_finding *f = &r->findings[i];

		json_array_append_new(results,
				      json_pack("{s:s, s:s, s:o, s:[{s:{s:{s:o}, s:o}}]}", "ruleId",
						f->rule->id, "level", levels[f->rule->severity].level,
						"message", message_json(f), "locations", "physicalLocation",
						"artifactLocation", "uri", uri_json(path ? path : "stdin"),
						"region", region_json(f)));
	}
}

static json_t *rule_json(const struct scan_rule *r)
{
	json_t *j =
		json_pack("{s:s, s:{s:s}, s:{s:s}, s:{s:s, s:s, s:[s, s]}}", "id", r->id, "shortDescription",
			  "text", r->why, "defaultConfiguration", "level", levels[r->severity].level,
			  "properties", "severity", scan_severity_name(r->severity), "security-severity",
			  levels[r->severity].score, "tags", "security", scan_lang_name(r->lang));

	if (j && r->advice)
		json_object_set_new(j, "help", json_pack("{s:s}", "text", r->advice));
	return j;
}

json_t *sarif_log(json_t *results, const struct scan_policy *policy)
{
	json_t *rules = json_array();

	for (size_t i = 0; i < policy->n_rules; i++)
		json_array_append_new(rules, rule_json(&policy->rules[i]));
	return json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s, s:o}}, s:s, s:o}]}", "$schema", SCHEMA, "version",
			 "2.1.0", "runs", "tool", "driver", "name", "aisbx", "version", AISBX_VERSION,
			 "rules", rules, "columnKind", "unicodeCodePoints", "results", results);
}
