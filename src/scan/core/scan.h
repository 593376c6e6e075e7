/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scans programs: what they would do, as the helper aisbx-scan finds it in their syntax trees, judged by a
 * policy. A scan advises, the walls of a box protect: a program can hide from a scan.
 */
#ifndef SCAN_CORE_SCAN_H
#define SCAN_CORE_SCAN_H

#include "aisbx/error.h"
#include "scan/core/fact.h"
#include "scan/core/rules.h"

#define SCAN_MAX_FINDINGS 1000u /* stored of one program; the others are counted */
#define SCAN_MAX_TEXT     240u  /* bytes of a finding's source line; a part of longer ones */

struct scan_finding {
	const struct scan_rule *rule; /* borrowed from the policy */
	enum fact_kind kind;
	uint32_t flags;
	uint32_t line, column, end_line, end_column; /* from 1, in bytes */
	uint32_t char_column, char_end_column;       /* the same in characters */
	char *name;                                  /* owned; UTF-8, as all texts here */
	char *call;           /* owned; "NAME ARG ARG ...", truncated; an unknown argument is "?" */
	char *text;           /* owned; the source line without its end, or a part of it */
	uint32_t text_offset; /* bytes of the line before that part */
};

struct scan_report {
	const char *language; /* static: "python", "javascript", "typescript", "shell" */
	size_t bytes;
	enum scan_severity risk;       /* of all findings, also those that are not stored */
	enum scan_action action;       /* the policy's action for that risk */
	struct scan_finding *findings; /* owned; by line and column */
	size_t n_findings, more;       /* kept; and not kept */
};

/* LANG is one of the names above. POLICY must outlive the report. */
int scan_code(const char *lang, const char *text, size_t len, const struct scan_policy *policy,
	      struct scan_report *ret, struct aisbx_error *e);

struct scan_text {
	const char *lang, *text; /* borrowed */
	size_t len;
};
/* The same for many, with one start of the helper. REPORTS has N, and all must be freed unless it fails. */
int scan_codes(const struct scan_text *texts, size_t n, const struct scan_policy *policy,
	       struct scan_report *reports, struct aisbx_error *e);
void scan_report_finish(struct scan_report *r);

/*
 * By the extension of NAME (may be NULL), then by the "#!" line of the text. NULL if neither names a
 * supported language.
 */
const char *scan_language_guess(const char *name, const char *text, size_t len);
/* The static spelling of LANG; also of "py", "js", "ts", "bash", "sh". NULL: not known. */
const char *scan_language_name(const char *lang);

/* Whether a program in LANG is what R is about. */
bool scan_rule_is_for(const struct scan_rule *r, const char *lang);

/* The two halves. Facts: client.c, by the helper; a crash of it is a fact, too, FACT_UNREAD. */
int scan_facts(const struct scan_text *texts, size_t n, struct facts *ret, struct aisbx_error *e);
/* judge.c, pure. */
int scan_judge(const struct scan_text *text, const struct facts *facts, const struct scan_policy *policy,
	       struct scan_report *ret, struct aisbx_error *e);

#endif
