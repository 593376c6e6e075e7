/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A merge or rebase by the git of a fork, with access to the host's objects, followed by the project's gates.
 */
#include "flow/promote_join.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/scope.h"
#include "box/execute.h"
#include "box/project.h"
#include "flow/gate.h"
#include "promote/git_run.h"

#define FORK_MS (3600u * 1000)

enum { CONFLICTS = 60, IN_THE_WAY };

/* $1: "merge" or "rebase", $2: the host's commit, $3 and $4: who, $5: the box. Files in conflict are told,
 * each in a line. */
static const char script[] =
	GIT_BEGIN "export GIT_ALTERNATE_OBJECT_DIRECTORIES=" GIT_SCRATCH_DIR "; "
		  "if [ \"$3$4\" ]; then export GIT_AUTHOR_NAME=\"$3\" GIT_AUTHOR_EMAIL=\"$4\" "
		  "GIT_COMMITTER_NAME=\"$3\" GIT_COMMITTER_EMAIL=\"$4\"; fi; "
		  "j() { g -c commit.gpgSign=false -c core.editor=true -c sequence.editor=true -c "
		  "rebase.autoStash=true -c merge.autoStash=true \"$@\"; }; "
		  "if [ $1 = merge ]; then j merge -q --no-edit -m \"Merge the project into box $5\" $2; "
		  "else j rebase -q $2; fi && exit 0; "
		  "g diff --name-only --diff-filter=U | paste -sd, | sed 's/,/, /g' | tr -d '\\n' >&3; "
		  "[ -n \"$(g ls-files -u | head -n 1)\" ] && exit 60; exit 61";

static int tell(const struct run_report *done, const struct join_request *req, const char *verb,
		struct aisbx_error *e)
{
	const char *files = done->output[0], *said = done->output[1];

	if (done->exit_code == CONFLICTS)
		return aisbx_refuse(
			e, AISBX_KIND_EXISTS, AISBX_AREA_BOX, ENOTEMPTY,
			"git cannot %s the two by itself: conflicts in %.300s; nothing was changed. In the "
			"box, 'aisbx run --box %s -- git %s %.12s' leaves them marked in the files",
			verb, files ? files : "", req->box, verb, req->commit);
	return aisbx_refuse(
		e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL,
		"git in the box could not %s the host's commit %.12s; nothing was changed: %.300s", verb,
		req->commit, said && *said ? said : "no error message");
}

static int join(const struct caller *by, const char *fork, const struct join_request *req,
		struct aisbx_error *e)
{
	const char *verb = req->rebase ? "rebase" : "merge", *name = req->name ? req->name : "",
		   *email = req->email ? req->email : "";
	const char *const words[] = { "sh",        "-c", script, "aisbx-join", verb,
				      req->commit, name, email,  req->box };
	scoped(run_options_finish) struct run_options options = { .box = fork,
								  .no_services = true,
								  .replayable = true };
	scoped(run_report_finish) struct run_report done = { 0 };
	int r;

	if (!buf_is_utf8(name) || !buf_is_utf8(email) ||
	    !buf_is_utf8(req->project)) /* the history keeps them */
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "the name of the author, or of the project, is not UTF-8");
	strlist_addf(&options.ro, "%s/.git/objects:%s", req->project, GIT_SCRATCH_DIR);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		strlist_add(&options.command, words[i]);
	r = options.ro.failed || options.command.failed
		    ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "merge the two branches")
		    : run_execute(by, &options, &done, e);
	return r == 0 && strcmp(done.status, "ok") != 0 ? tell(&done, req, verb, e) : r;
}

/* What holds for the box and for the host by itself need not hold for both together. */
static int judge(const struct caller *by, const char *fork, const char *project, struct aisbx_error *e)
{
	const struct gate_request req = { .box = fork };
	scoped(gate_answer_finish) struct gate_answer answer = { 0 };
	scoped(project_finish) struct project p = { 0 };
	int r = box_project_load(project, PROJECT_GATES | PROJECT_INTENTS | PROJECT_JUDGES, &p, e);

	if (r < 0)
		return aisbx_hint(e, "'aisbx project check' reports all problems");
	if (!p.n_gates)
		return 0;
	r = gate_check(by, &req, &answer, e);
	for (size_t i = 0; r == 0 && i < answer.verdict.n; i++)
		if (!answer.verdict.rulings[i].passed)
			r = aisbx_refuse(
				e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EPERM,
				"the combined changes do not pass the gate '%s': %.300s; nothing was changed",
				answer.verdict.rulings[i].check->text, answer.verdict.rulings[i].why);
	return r;
}

int promote_join(const struct caller *by, const struct join_request *req, struct box_scratch *ret,
		 struct aisbx_error *e)
{
	struct caller quiet = *by;
	char name[STORE_ID_MAX];
	int r;

	quiet.stdin_fd = quiet.out_fds[0] = quiet.out_fds[1] = -1;
	quiet.begun = NULL;
	box_new_id("join-", name);
	r = box_scratch_make(req->box, name, FORK_MS, ret, e);
	if (r == 0)
		r = join(&quiet, ret->name, req, e);
	if (r == 0)
		r = judge(&quiet, ret->name, req->project, e);
	return r;
}
