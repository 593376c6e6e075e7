/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stage whose target is a branch: a commit of the project as the box has it, made by git in a fork of the
 * box, and promoted as every promotion does with commits (box/git.h), but without the files.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/execute.h"
#include "box/lifecycle.h"
#include "box/lookup.h"
#include "flow/pipeline.h"

#define FORK_MS (3600u * 1000)

#define GIT                                                                                                  \
	"command -v git >/dev/null || exit 41; "                                                             \
	"unset $(git rev-parse --local-env-vars) GIT_EXTERNAL_DIFF GIT_EDITOR GIT_PAGER; "                   \
	"export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0 "                    \
	"GIT_LITERAL_PATHSPECS=1; "                                                                          \
	"g() { git -c safe.directory='*' -c core.hooksPath=/dev/null -c core.fsmonitor=false -c "            \
	"commit.gpgSign=false "                                                                              \
	"-c core.logAllRefUpdates=false -c core.quotePath=false -c submodule.recurse=false -c gc.auto=0 -c " \
	"maintenance.auto=false \"$@\" "                                                                     \
	"3>&-; }; "                                                                                          \
	"[ -d .git ] && [ ! -d .git/reftable ] || exit 40; "

/* In a box of the project as it is: where the branch stands. "OLD PARENT": the branch, or "-", and what the
 * commit comes after. */
static const char ask_host[] =
	"exec 3>&1 1>&2; " GIT "g check-ref-format \"refs/heads/$1\" || exit 46; "
	"old=$(g rev-parse -q --verify \"refs/heads/$1^{commit}\") || old=-; parent=$old; "
	"[ $old != - ] || parent=$(g rev-parse -q --verify 'HEAD^{commit}') || parent=-; "
	"printf '%s %s' \"$old\" \"$parent\" >&3";

/* In a fork of the box: $1 branch, $2 old, $3 parent, $4 message, $5 and $6 who. "COMMIT BRANCH", or "- -"
 * when the branch has it all. */
static const char make_commit[] =
	"exec 3>&1 1>&2; " GIT "if [ \"$5$6\" ]; then export GIT_AUTHOR_NAME=\"$5\" GIT_AUTHOR_EMAIL=\"$6\" "
	"GIT_COMMITTER_NAME=\"$5\" GIT_COMMITTER_EMAIL=\"$6\"; fi; "
	"g var GIT_COMMITTER_IDENT >/dev/null 2>&1 || exit 45; "
	"export GIT_INDEX_FILE=/tmp/aisbx-index.$$; "
	"[ $3 = - ] || g read-tree $3 || exit 44; "
	"g add -A -- . || exit 43; tree=$(g write-tree) || exit 43; "
	"if [ $3 != - ] && [ \"$(g rev-parse $3^{tree})\" = $tree ]; then "
	"  [ $2 = - ] || { printf '%s -' - >&3; exit 0; }; commit=$3; "
	"else "
	"  commit=$(printf '%s\\n' \"$4\" | if [ $3 = - ]; then g commit-tree $tree; else g commit-tree "
	"$tree -p $3; fi) || exit 44; "
	"fi; "
	"rm -f .git/refs/heads/\"$1\".lock; g update-ref \"refs/heads/$1\" $commit || exit 44; "
	"printf '%s -' $commit >&3";

static const char *branch_of(const struct pipeline *p, size_t i)
{
	return p->project.stages[i].where;
}

/* 40 or 64 hexadecimal digits, or "-". */
static bool is_id(const char *s, size_t n)
{
	return (n == 1 && *s == '-') || ((n == 40 || n == 64) && strspn(s, "0123456789abcdef") >= n);
}

/* What a box said: two ids. Nothing of it is believed but that. */
static int read_ids(const char *said, char ret[2][65])
{
	size_t a = said ? strcspn(said, " ") : 0;
	size_t b = said && said[a] ? strlen(said + a + 1) : 0;

	if (!a || !b || !is_id(said, a) || !is_id(said + a + 1, b))
		return -EPROTO;
	snprintf(ret[0], 65, "%.*s", (int)a, said);
	snprintf(ret[1], 65, "%s", said + a + 1);
	return 0;
}

static int explain(const struct run_report *run, const char *branch, struct stage_note *note)
{
	static const char *const whys[] = {
		"the project has no repository of its own (a directory .git with refs in files)",
		"git is not installed in the box",
		"",
		"git does not accept the files of the box",
		"git could not make the commit",
		"the author of the commit is unknown: set user.name and user.email of git",
		"that is not a valid branch name"
	};
	const char *said = run->output[1] ? run->output[1] : "";
	bool known = run->exit_code >= 40 && run->exit_code <= 46;

	snprintf(note->why, sizeof(note->why), "cannot commit to '%.80s': %s%s%.200s", branch,
		 known ? whys[run->exit_code - 40] : "git failed", *said ? ": " : "", said);
	return EVENT_REFUSE;
}

/* Runs SCRIPT with WORDS, which end with NULL. BOX NULL: on the project as it is. 0, or EVENT_REFUSE with a
 * note. */
static int run_git(struct pipeline *p, const char *box, const char *script, const char *const *words,
		   char ret[2][65], struct stage_note *note, struct aisbx_error *e)
{
	const struct caller quiet = pipeline_quiet(p);
	scoped(run_report_finish) struct run_report report = { 0 };
	scoped(run_options_finish) struct run_options options = { .box = box,
								  .project = box ? NULL : p->row.project,
								  .cwd = p->row.project,
								  .no_services = true,
								  .replayable = true };
	int r;

	strlist_add(&options.command, "sh");
	strlist_add(&options.command, "-c");
	strlist_add(&options.command, script);
	strlist_add(&options.command, "aisbx-stage");
	for (size_t i = 0; words[i]; i++) {
		if (!buf_is_utf8(words[i])) /* the history keeps them */
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					    "the commit message is not UTF-8");
		strlist_add(&options.command, words[i]);
	}
	r = options.command.failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "make a commit")
				   : run_execute(&quiet, &options, &report, e);
	if (r < 0)
		return r;
	if (strcmp(report.status, "ok") != 0)
		return explain(&report, words[0], note);
	return read_ids(report.output[0], ret) < 0
		       ? aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EPROTO,
				      "git in the box did not report what it did")
		       : 0;
}

/* Its files would look changed: what is checked out does not follow the ref. */
int pipeline_branch_check(struct pipeline *p, size_t i, struct stage_note *note, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = NULL;
	scoped(drop_fd) int fd = -1;
	char head[512] = "", want[512];
	ssize_t n;

	if (asprintf(&path, "%s/.git/HEAD", p->row.project) < 0) {
		path = NULL;
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read the repository");
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	n = fd < 0 ? -1 : read(fd, head, sizeof(head) - 1);
	if (n < 0) {
		snprintf(note->why, sizeof(note->why), "the project has no repository of its own: '%s': %s",
			 path, strerror(errno));
		return -ENOENT;
	}
	snprintf(want, sizeof(want), "ref: refs/heads/%.400s\n", branch_of(p, i));
	if (strcmp(head, want) != 0)
		return 0;
	snprintf(note->why, sizeof(note->why),
		 "branch '%.80s' is checked out in the project; use a stage with 'directory: .' to change it",
		 branch_of(p, i));
	return -EBUSY;
}

static int bring_in(struct pipeline *p, size_t i, struct lookup *fork, char ids[2][65],
		    struct stage_note *note, struct aisbx_error *e)
{
	const struct strlist no_files = { 0 };
	struct box_promote_request req = { .snapshot = "", .only = &no_files, .branch = branch_of(p, i) };

	note->detail = note->detail ? note->detail : json_object();
	json_object_set_new(note->detail, "commit", json_string(ids[0]));
	return pipeline_promote(p, i, &fork->state, &fork->box, &req, note, e);
}

static int commit_in(struct pipeline *p, size_t i, const char *fork, char ids[2][65], struct stage_note *note,
		     struct aisbx_error *e)
{
	scoped(lookup_finish) struct lookup at = LOOKUP_INIT;
	const char *name = p->callbacks.name, *email = p->callbacks.email;
	char host[2][65], message[160];
	int r;

	ids[0][0] = ids[1][0] = 0;
	snprintf(message, sizeof(message), "%s: box %s, pipeline %s", p->row.stages[i].name, p->row.box_name,
		 p->row.id);
	r = run_git(p, NULL, ask_host, (const char *const[]){ branch_of(p, i), NULL }, host, note, e);
	if (r == 0)
		r = run_git(p, fork, make_commit,
			    (const char *const[]){ branch_of(p, i), host[0], host[1], message,
						   name ? name : "", email ? email : "", NULL },
			    ids, note, e);
	if (r != 0 || ids[0][0] == '-') /* it is there already */
		return r != 0 ? r : EVENT_DONE;
	r = lookup_open(fork, true, &at, e);
	return r < 0 ? r : bring_in(p, i, &at, ids, note, e);
}

int pipeline_branch_apply(struct pipeline *p, size_t i, struct stage_note *note, struct aisbx_error *e)
{
	scoped(box_scratch_drop) struct box_scratch fork = { 0 };
	char name[STORE_NAME_MAX], point[2 * STORE_ID_MAX], ids[2][65];
	int r;

	snprintf(name, sizeof(name), "%s-%zu", p->row.id, i);
	snprintf(point, sizeof(point), "%s@%s", p->row.box, p->row.snapshot);
	snprintf(fork.name, sizeof(fork.name), "%s", name);
	box_scratch_drop(&fork); /* of a try that was cut off */
	r = box_scratch_make(point, name, FORK_MS, &fork, e);
	return r == 0 ? commit_in(p, i, fork.name, ids, note, e) : r;
}
