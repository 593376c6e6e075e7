/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `scan`: judges by a policy what programs would do, before they run. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/scope.h"
#include "base/value.h"
#include "box/scan.h"
#include "box/scan_module.h"
#include "op/path_json.h"
#include "box/sarif.h"
#include "op/scan_json.h"

#define MAX_ANSWER ((size_t)12 << 20)
#define FINDING    2000 /* more than one takes in an answer, but for its text */

struct scanning {
	struct scan_policy policy;
	struct box_scan scan;
	bool wants_facts, wants_sarif;
	bool is_one;     /* program: its report is the result */
	json_t *reports; /* owned */
	json_t *sarif;   /* owned */
	size_t room;     /* what reports may take still */
	size_t more;     /* findings that have none */
};

static void finish_scanning(struct scanning *s)
{
	box_scan_finish(&s->scan);
	scan_policy_finish(&s->policy);
	json_decref(s->reports);
	json_decref(s->sarif);
}

/* A box can have any number of programs. Each counts for the risk; what is found in the first is listed. */
static bool has_room(struct scanning *s, const char *path, const struct scan_report *report,
		     const struct facts *facts)
{
	size_t cost = (1 + report->n_findings) * FINDING + 2 * (path ? strlen(path) : 0) +
		      (s->wants_facts ? facts->n * FINDING : 0);

	if (!s->is_one && json_array_size(s->reports) &&
	    (s->more || cost > s->room || memory_is_over(MEMORY_NAMES))) {
		s->more += report->n_findings + report->more;
		return false;
	}
	s->room -= cost < s->room ? cost : s->room;
	return true;
}

static void keep_report(void *ctx, const char *path, const struct scan_report *report,
			const struct facts *facts)
{
	struct scanning *s = ctx;
	json_t *j;

	if (!(s->is_one || report->n_findings || s->wants_facts) || !has_room(s, path, report, facts))
		return;
	if (s->wants_sarif)
		sarif_add(s->sarif, path, report);
	j = op_scan_json(report);
	if (path)
		op_set_name(j, "path", path);
	else
		json_object_set_new(j, "path", json_null());
	if (s->wants_facts)
		json_object_set_new(j, "facts", scan_facts_json(facts));
	json_array_append_new(s->reports, j);
}

static json_t *conclude(struct scanning *s)
{
	json_t *result =
		json_pack("{s:s, s:s, s:s, s:I, s:I}", "risk", scan_severity_name(s->scan.risk), "action",
			  scan_action_name(s->policy.levels[s->scan.risk]), "policy", s->policy.name,
			  "scanned", (json_int_t)s->scan.scanned, "bytes", (json_int_t)s->scan.bytes);

	if (s->is_one)
		json_object_update(result, json_array_get(s->reports, 0));
	else {
		json_object_set_new(result, "skipped", json_integer((json_int_t)s->scan.skipped));
		json_object_set_new(result, "more", json_integer((json_int_t)s->more));
		json_object_set(result, "files", s->reports);
	}
	json_object_set_new(result, "notes", value_list_json(&s->policy.notes));
	if (s->wants_sarif)
		json_object_set_new(result, "sarif", sarif_log(json_incref(s->sarif), &s->policy));
	return result;
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const char *lang = op_text(args, "lang");
	scoped(strlist_finish) struct strlist files = { 0 };
	const struct box_scan_request req = { .box = op_text(args, "box"),
					      .files = &files,
					      .policy = op_text(args, "policy") };
	scoped(finish_scanning) struct scanning s = { .room = MAX_ANSWER };
	int r;

	value_list(json_object_get(args, "files"), &files);
	s.is_one = !req.box && files.n == 1;
	s.scan = (struct box_scan){ .found = keep_report, .ctx = &s };
	s.scan.lang = lang ? scan_language_name(lang) : NULL;
	s.wants_facts = op_flag(args, "facts");
	s.wants_sarif = op_flag(args, "sarif");
	s.reports = json_array();
	s.sarif = json_array();
	r = box_scan_all(&ctx->by, &req, &s.policy, &s.scan, e);
	if (r < 0)
		return r;
	*ret_result = conclude(&s);
	ctx->exit_status = s.policy.levels[s.scan.risk] > ACTION_WARN;
	return *ret_result ? 0 : aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "write the result");
}

static const char *const languages[] = { "python", "javascript", "typescript", "shell", NULL };

static const struct op_param params[] = {
	{ "files", 0, OP_LIST, OP_POSITIONAL, "FILE", "files to scan; '-' is standard input" },
	{ "box", 'b', OP_STRING, OP_MODEL, "BOX[@SNAPSHOT]",
	  "scan every file that a box changed, in the supported languages, instead" },
	{ "lang", 'l', OP_CHOICE, 0, "LANG",
	  "language; default: by the file name, then by its first line (#!)", languages },
	{ "policy", 0, OP_STRING, 0, "FILE|NAME",
	  "policy: a file, or a name in ~/.config/aisbx/scan or /etc/aisbx/scan; default: the built-in "
	  "policy" },
	{ "sarif", 0, OP_FLAG, 0, NULL, "print a SARIF 2.1.0 log, for editors and code hosts" },
	{ "facts", 0, OP_FLAG, 0, NULL, "include all scan facts that rules can match: for writing rules" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "policy", "string", "policy that was used" },
	{ "notes", "array", "what the policy says in the words of another tool, and how it was read" },
	{ "scanned", "integer", "programs" },
	{ "skipped", "integer", "with several files or a box: changed files in unsupported languages" },
	PATH_FIELDS("", "of the program; also null for standard input"),
	SCAN_FIELDS(""),
	{ "facts", "array", "with facts: kind, name, args, from, indirect, nested, line and column of each" },
	{ "files", "array",
	  "with several files or a box: path, language, bytes, risk, action, more and findings of each file "
	  "with findings" },
	PATH_FIELDS("files[].", "as given, or relative to the project of the box"),
	SCAN_FIELDS("files[]."),
	{ "sarif", "object", "with sarif: the log" },
	{ NULL, NULL, NULL },
};

const struct op op_scan = {
	.name = "scan",
	.group = GROUP_LOOK,
	.view = VIEW_SCAN,
	.method = "code.scan",
	.summary = "Show what programs would do, before they run",
	.about = "Parses Python, JavaScript, TypeScript and shell programs, follows aliases and\n"
		 "concatenated strings, and judges what it finds by a policy: the rules rate each finding,\n"
		 "and the policy's levels decide what follows from the worst: allow, warn, sandbox (run it\n"
		 "only in a box), ask or refuse.\n\n"
		 "Exits with 0 if the policy says allow or warn, with 1 if it says sandbox, ask or refuse,\n"
		 "and with 125 if the scan failed.\n\n"
		 "A scan advises; the walls of a box protect. A program can hide from a scan, so a program\n"
		 "without findings is not necessarily safe.",
	.example = "aisbx scan setup.py\ncurl -s https://example.org/install.sh | aisbx scan --lang shell "
		   "-\naisbx scan --box try1\n"
		   "aisbx scan --sarif src/*.js > scan.sarif",
	.grant = GRANT_READ,
	.params = params,
	.result = result,
	.run = run,
};
