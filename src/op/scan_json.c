/* SPDX-License-Identifier: Apache-2.0 */
/* Says reports of the scan as JSON. */
#include "op/scan_json.h"

static json_t *finding_json(const struct scan_finding *f)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:b, s:b, s:I, s:I, s:I, s:I, s:s, s:I, s:s, s:s?}",
			 "rule", f->rule->id, "severity", scan_severity_name(f->rule->severity), "kind",
			 fact_kind_name(f->kind), "name", f->name, "call", f->call, "indirect",
			 (f->flags & FACT_INDIRECT) != 0, "nested", (f->flags & FACT_NESTED) != 0, "line",
			 (json_int_t)f->line, "column", (json_int_t)f->column, "end_line",
			 (json_int_t)f->end_line, "end_column", (json_int_t)f->end_column, "text", f->text,
			 "text_offset", (json_int_t)f->text_offset, "why", f->rule->why, "advice",
			 f->rule->advice);
}

json_t *op_scan_json(const struct scan_report *r)
{
	json_t *findings = json_array();

	for (size_t i = 0; i < r->n_findings; i++)
		json_array_append_new(findings, finding_json(&r->findings[i]));
	return json_pack("{s:s, s:I, s:s, s:s, s:I, s:o}", "language", r->language, "bytes",
			 (json_int_t)r->bytes, "risk", scan_severity_name(r->risk), "action",
			 scan_action_name(r->action), "more", (json_int_t)r->more, "findings", findings);
}
