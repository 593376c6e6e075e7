/* SPDX-License-Identifier: Apache-2.0 */
/* A merge or rebase by the git of a fork, with the host's objects at hand, and the project's
 * gates behind it. */
#include "flow/promote_join.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "promote/git_run.h"
#include "op/commit_identity.h"
#include "op/project.h"
#include "project/project.h"

#define FORK_MS (3600u * 1000)

enum { CONFLICTS = 60, IN_THE_WAY };

/* $1: "merge" or "rebase", $2: the host's commit, $3 and $4: who, $5: the box. Files in conflict are told,
 * each in a line. */
static const char script[] =
	GIT_BEGIN "export GIT_ALTERNATE_OBJECT_DIRECTORIES=" GIT_DESK "; "
		  "if [ \"$3$4\" ]; then export GIT_AUTHOR_NAME=\"$3\" GIT_AUTHOR_EMAIL=\"$4\" "
		  "GIT_COMMITTER_NAME=\"$3\" GIT_COMMITTER_EMAIL=\"$4\"; fi; "
		  "j() { g -c commit.gpgSign=false -c core.editor=true -c sequence.editor=true -c "
		  "rebase.autoStash=true -c merge.autoStash=true \"$@\"; }; "
		  "if [ $1 = merge ]; then j merge -q --no-edit -m \"Merge the project into box $5\" $2; "
		  "else j rebase -q $2; fi && exit 0; "
		  "g diff --name-only --diff-filter=U | paste -sd, | sed 's/,/, /g' | tr -d '\\n' >&3; "
		  "[ -n \"$(g ls-files -u | head -n 1)\" ] && exit 60; exit 61";

static int tell(const json_t *result, const char *box, const char *verb, const char *id,
		struct aisbx_error *e)
{
	const char *files = json_string_value(json_object_get(result, "stdout")),
		   *said = json_string_value(json_object_get(result, "stderr"));
	json_int_t code = json_integer_value(json_object_get(result, "exit_code"));

	if (code == CONFLICTS)
		return aisbx_refuse(
			e, AISBX_KIND_EXISTS, AISBX_AREA_BOX, ENOTEMPTY,
			"git cannot %s the two by itself: conflicts in %.300s; nothing was changed. In the "
			"box, 'aisbx run --box %s -- git %s %.12s' leaves them marked in the files",
			verb, files ? files : "", box, verb, id);
	return aisbx_refuse(
		e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL,
		"git in the box could not %s the host's commit %.12s; nothing was changed: %.300s", verb, id,
		said && *said ? said : "it says nothing");
}

static int join(struct op_context *ctx, const char *fork, const char *box, const char *project,
		const char *id, bool rebase, struct aisbx_error *e)
{
	scoped(commit_identity_finish) struct commit_identity who = { 0 };
	const char *verb = rebase ? "rebase" : "merge";
	json_t *args, *result = NULL;
	int r = commit_identity_find(ctx, NULL, &who, e);

	if (r < 0)
		return r;
	args = json_pack("{s:s, s:b, s:[o], s:[s, s, s, s, s, s, s, s, s]}", "box", fork, "no-services", true,
			 "ro", json_sprintf("%s/.git/objects:%s", project, GIT_DESK), "command", "sh", "-c",
			 script, "aisbx-join", verb, id, who.name ? who.name : "", who.email ? who.email : "",
			 box);
	if (!args)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "the name of who commits, or the project's, is no UTF-8");
	r = op_call(&op_run, ctx, args, &result, e);
	json_decref(args);
	if (r == 0 && strcmp(json_string_value(json_object_get(result, "status")), "ok") != 0)
		r = tell(result, box, verb, id, e);
	json_decref(result);
	return r;
}

/* What holds for the box and for the host by itself need not hold for both together. */
static int judge(struct op_context *ctx, const char *fork, const char *project, struct aisbx_error *e)
{
	scoped(project_finish) struct project p = { 0 };
	json_t *args, *verdict = NULL;
	const json_t *check;
	size_t i;
	int r = op_project_load(project, &p, e);

	if (r < 0 || !p.n_gates)
		return r;
	args = json_pack("{s:s}", "box", fork);
	r = op_call(&op_gate_check, ctx, args, &verdict, e);
	json_decref(args);
	json_array_foreach(json_object_get(verdict, "checks"), i,
			   check) if (r == 0 && !json_is_true(json_object_get(check, "passed"))) r =
		aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EPERM,
			     "both together do not pass the gate '%s': %.300s; nothing was changed",
			     json_string_value(json_object_get(check, "check")),
			     json_string_value(json_object_get(check, "why")));
	if (r == 0 && !json_is_true(json_object_get(verdict, "passed")))
		r = aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EPERM,
				 "both together do not pass the gates; nothing was changed");
	json_decref(verdict);
	return r;
}

int promote_join(struct op_context *given, const char *box, const char *project, const char *id, bool rebase,
		 struct box_scratch *ret, struct aisbx_error *e)
{
	struct op_context ctx = *given;
	char name[STORE_ID_MAX];
	int r;

	ctx.by.stdin_fd = -1;
	ctx.by.out_fds[0] = ctx.by.out_fds[1] = -1;
	ctx.emit = NULL;
	ctx.by.begun = NULL;
	box_new_id("join-", name);
	r = box_scratch_make(box, name, FORK_MS, ret, e);
	if (r == 0)
		r = join(&ctx, ret->name, box, project, id, rebase, e);
	if (r == 0)
		r = judge(&ctx, ret->name, project, e);
	return r;
}
