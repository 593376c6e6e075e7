/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A commit is made in the box, never outside: a repository that a box has written can tell git to run
 * programs. Those it runs by itself are switched off in the box as well, so that a commit is a commit.
 */
#include "promote/commit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/execute.h"
#include "promote/commit_identity.h"

#define MAX_MESSAGE 65536u
#define MAX_OUTPUT  (4u << 20)

/* What the script exits with. */
enum { NO_REPOSITORY = 40, NO_GIT, NOTHING, ADD_FAILED, COMMIT_FAILED, NOBODY };

/*
 * $1: what to commit, $2: the message, $3 and $4: who, the rest: paths. What is for us goes to descriptor 3,
 * which nothing that git starts (a filter of the repository) has.
 */
static const char script[] =
	"exec 3>&1 1>&2; "
	"command -v git >/dev/null || exit 41; "
	"unset $(git rev-parse --local-env-vars) GIT_EXTERNAL_DIFF GIT_EDITOR GIT_PAGER; "
	"export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0 "
	"GIT_LITERAL_PATHSPECS=1; "
	"what=$1 message=$2; "
	"if [ \"$3$4\" ]; then export GIT_AUTHOR_NAME=\"$3\" GIT_AUTHOR_EMAIL=\"$4\" "
	"GIT_COMMITTER_NAME=\"$3\" GIT_COMMITTER_EMAIL=\"$4\"; fi; "
	"shift 4; "
	"g() { git -c safe.directory='*' -c core.hooksPath=/dev/null -c core.fsmonitor=false -c "
	"core.editor=true -c core.pager=cat "
	"-c core.sshCommand=false -c core.quotePath=false -c commit.gpgSign=false -c log.showSignature=false "
	"-c submodule.recurse=false "
	"-c gc.auto=0 -c maintenance.auto=false \"$@\" 3>&-; }; "
	"[ \"$(g rev-parse --is-inside-work-tree 2>/dev/null)\" = true ] || exit 40; "
	"g var GIT_COMMITTER_IDENT >/dev/null 2>&1 || exit 45; "
	"[ $what = staged ] || g add -A -- \"${@:-.}\" || exit 43; "
	"g diff --no-ext-diff --no-textconv --cached --quiet -- \"$@\" && exit 42; "
	"g commit -q --no-verify --no-gpg-sign --cleanup=whitespace -m \"$message\" -- \"$@\" || exit 44; "
	"printf '%s\\0' \"$(g rev-parse HEAD)\" \"$(g symbolic-ref -q --short HEAD)\" >&3; "
	"base=$(g rev-parse -q --verify HEAD^) || base=$(g hash-object -t tree /dev/null); "
	"g diff --no-ext-diff --no-textconv --no-renames --name-status -z \"$base\" HEAD >&3";

static void output_listener(void *ctx, int which, const char *data, size_t len)
{
	struct buf *out = ctx;

	if (which == 0 && out->len < MAX_OUTPUT)
		buf_add(out, data, len);
}

/* The last line that git wrote, for a person. */
static void last_line(const char *text, char *ret, size_t cap)
{
	const char *from;
	size_t n = text ? strlen(text) : 0;

	while (n && strchr("\n ", text[n - 1]))
		n--;
	for (from = text; text && memchr(from, '\n', n - (size_t)(from - text));)
		from = (const char *)memchr(from, '\n', n - (size_t)(from - text)) + 1;
	snprintf(ret, cap, "%.*s", text ? (int)(n - (size_t)(from - text)) : 0, text ? from : "");
}

static int tell(const char *box, const struct run_report *ran, struct aisbx_error *e)
{
	char line[240];

	last_line(ran->output[1], line, sizeof(line));
	switch (ran->exit_code) {
	case NO_REPOSITORY:
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENOENT,
				    "the project of box '%s' is not a git repository in the box; 'aisbx run "
				    "--box %s -- git init' makes it one",
				    box, box);
	case NO_GIT:
		return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_BOX, EOPNOTSUPP,
				    "git is not installed in box '%s'", box);
	case NOTHING:
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENODATA,
				    "nothing to commit in box '%s'", box);
	case NOBODY:
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "the author of the commit is unknown; give --author 'NAME <MAIL>', or "
				    "set user.name and user.email in your git configuration");
	case ADD_FAILED:
	case COMMIT_FAILED:
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL,
				    "git in box '%s' refused to commit: %s", box, line);
	default:
		return aisbx_refuse(e, AISBX_KIND_CANCELLED, AISBX_AREA_BOX, ECANCELED,
				    "the commit in box '%s' did not complete (%s): %s", box, ran->status,
				    ran->error ? ran->error : line);
	}
}

/* The id, the branch, then files: "M\0path\0A\0path\0". */
static int read_output(const char *box, struct commit_made *c, struct aisbx_error *e)
{
	static const char digits[] = "0123456789abcdef";
	const char *id = buf_str(&c->told), *end = id ? id + c->told.len : NULL,
		   *branch = id ? id + strlen(id) + 1 : NULL;
	size_t n = id ? strspn(id, digits) : 0;

	if ((n != 40 && n != 64) || id[n] || branch >= end)
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EPROTO,
				    "git in box '%s' did not report what it committed", box);
	c->id = id;
	c->branch = branch;
	c->files = branch + strlen(branch) + 1;
	return 0;
}

bool commit_next_file(const struct commit_made *c, const char **at, const char **ret_change,
		      const char **ret_path)
{
	static const struct {
		char letter;
		const char *word;
	} words[] = {
		{ 'A', "added" }, { 'M', "modified" }, { 'D', "deleted" }, { 'T', "type" }, { 0, "changed" }
	};
	const char *end = c->told.data + c->told.len, *from = *at ? *at : c->files, *path;
	size_t i = 0;

	if (from >= end)
		return false;
	path = from + strnlen(from, (size_t)(end - from)) + 1;
	if (path >= end)
		return false;
	while (words[i].letter && words[i].letter != *from)
		i++;
	*ret_change = words[i].word;
	*ret_path = path;
	*at = path + strnlen(path, (size_t)(end - path)) + 1;
	return true;
}

void commit_made_finish(struct commit_made *c)
{
	buf_finish(&c->told);
}

/* The script with its arguments, in the box. */
static int wish_for(const struct commit_request *req, const struct git_identity *who, struct run_options *ret,
		    struct aisbx_error *e)
{
	const char *const command[] = { "sh",
					"-c",
					script,
					"aisbx-commit",
					req->staged     ? "staged"
					: req->paths->n ? "paths"
							: "all",
					req->message,
					who->name ? who->name : "",
					who->email ? who->email : "" };

	if ((who->name && !buf_is_utf8(who->name)) || (who->email && !buf_is_utf8(who->email)))
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EILSEQ,
			"user.name or user.email of your git configuration is not UTF-8; give --author");
	ret->box = req->box;
	ret->no_services = true;
	ret->here = req->paths->n; /* which are relative to where the person is */
	for (size_t i = 0; i < sizeof(command) / sizeof(*command); i++)
		strlist_add(&ret->command, command[i]);
	for (size_t i = 0; i < req->paths->n; i++)
		strlist_add(&ret->command, req->paths->items[i]);
	return ret->command.failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "make the command") : 0;
}

static int run_git(const struct caller *by, struct run_options *options, struct commit_made *ret,
		   struct aisbx_error *e)
{
	scoped(run_report_finish) struct run_report ran = { 0 };
	struct caller quiet = *by;
	int r;

	quiet.stdin_fd = quiet.out_fds[0] = quiet.out_fds[1] = -1;
	quiet.keep_output = false; /* what git says is in the result, or in the error */
	options->output_listener = output_listener;
	options->output_listener_ctx = &ret->told;
	r = run_execute(&quiet, options, &ran, e);
	if (r < 0)
		return r;
	memcpy(ret->run, ran.run, sizeof(ret->run));
	return strcmp(ran.status, "ok") != 0 ? tell(options->box, &ran, e)
					     : read_output(options->box, ret, e);
}

int commit_make(const struct caller *by, const struct commit_request *req, struct commit_made *ret,
		struct aisbx_error *e)
{
	scoped(git_identity_finish) struct git_identity who = { 0 };
	scoped(run_options_finish) struct run_options options = { 0 };
	int r;

	if (strlen(req->message) > MAX_MESSAGE || !req->message[strspn(req->message, " \t\r\n")])
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "the message must have 1 to %u bytes", MAX_MESSAGE);
	if (req->staged && req->paths->n)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "--staged commits what was staged before; omit it, or omit the paths");
	r = commit_identity_find(by, req->author, &who, e);
	if (r == 0)
		r = wish_for(req, &who, &options, e);
	return r < 0 ? r : run_git(by, &options, ret, e);
}
