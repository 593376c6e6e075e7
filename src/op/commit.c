/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operation `commit`: a git commit made in a box, by the git of the box. Never outside: a repository that
 * a box has written can tell git to run programs. Those it runs by itself are switched off in the box as
 * well, so that a commit is a commit.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/scope.h"
#include "op/args.h"
#include "op/commit_identity.h"
#include "op/path.h"
#include "box/running.h"

#define MAX_MESSAGE 65536u
#define MAX_FILES   1000u
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

static void tap(void *ctx, int which, const char *data, size_t len)
{
	struct buf *out = ctx;

	if (which == 0 && out->len < MAX_OUTPUT)
		buf_add(out, data, len);
}

static const char *text_arg(const json_t *args, const char *name)
{
	return json_string_value(json_object_get(args, name));
}

static json_t *run_args(const json_t *args, const struct commit_identity *who)
{
	const json_t *paths = json_object_get(args, "paths");
	const char *what = json_is_true(json_object_get(args, "staged")) ? "staged"
			   : json_array_size(paths)                      ? "paths"
									 : "all";
	json_t *command = json_pack("[s, s, s, s, s, s, s, s]", "sh", "-c", script, "aisbx-commit", what,
				    text_arg(args, "message"), who->name ? who->name : "",
				    who->email ? who->email : "");

	if (!command) /* a name in the configuration that is no UTF-8 */
		return NULL;
	json_array_extend(command, (json_t *)paths);
	return json_pack("{s:s, s:b, s:o}", "box", text_arg(args, "box"), "no-services", true, "command",
			 command);
}

/* The last line that git wrote, for a person. */
static void last_line(const json_t *result, char *ret, size_t cap)
{
	const char *text = text_arg(result, "stderr"), *from;
	size_t n = text ? strlen(text) : 0;

	while (n && strchr("\n ", text[n - 1]))
		n--;
	for (from = text; text && memchr(from, '\n', n - (size_t)(from - text));)
		from = (const char *)memchr(from, '\n', n - (size_t)(from - text)) + 1;
	snprintf(ret, cap, "%.*s", text ? (int)(n - (size_t)(from - text)) : 0, text ? from : "");
}

static int tell(const json_t *args, const json_t *result, struct aisbx_error *e)
{
	const char *box = text_arg(args, "box"), *status = text_arg(result, "status"),
		   *error = text_arg(result, "error");
	char line[240];

	last_line(result, line, sizeof(line));
	switch (json_integer_value(json_object_get(result, "exit_code"))) {
	case NO_REPOSITORY:
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENOENT,
				    "the project of box '%s' is no git repository in the box; "
				    "'aisbx run --box %s -- git init' makes it one",
				    box, box);
	case NO_GIT:
		return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_BOX, EOPNOTSUPP,
				    "there is no git in box '%s'", box);
	case NOTHING:
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ENODATA,
				    "there is nothing to commit in box '%s'", box);
	case NOBODY:
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"nobody says who commits; give --author 'NAME <MAIL>', or set user.name and "
			"user.email in your git configuration");
	case ADD_FAILED:
	case COMMIT_FAILED:
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL,
				    "git in box '%s' does not commit that: %s", box, line);
	default:
		return aisbx_refuse(e, AISBX_KIND_CANCELLED, AISBX_AREA_BOX, ECANCELED,
				    "the commit in box '%s' did not come to its end (%s): %s", box, status,
				    error ? error : line);
	}
}

/* "M\0path\0A\0path\0" */
static void list_files(const char *at, const char *end, json_t *ret)
{
	static const struct {
		char letter;
		const char *word;
	} words[] = {
		{ 'A', "added" }, { 'M', "modified" }, { 'D', "deleted" }, { 'T', "type" }, { 0, "changed" }
	};
	json_t *list = json_array();
	json_int_t more = 0;

	while (at < end) {
		const char *path = at + strnlen(at, (size_t)(end - at)) + 1;
		size_t i = 0;
		json_t *file;

		if (path >= end)
			break;
		while (words[i].letter && words[i].letter != *at)
			i++;
		at = path + strnlen(path, (size_t)(end - path)) + 1;
		if (json_array_size(list) == MAX_FILES) {
			more++;
			continue;
		}
		file = json_pack("{s:s}", "change", words[i].word);
		op_set_name(file, "path", path);
		json_array_append_new(list, file);
	}
	json_object_set_new(ret, "files", list);
	json_object_set_new(ret, "files_not_listed", json_integer(more));
}

/* The id, the branch, then files. */
static int read_output(struct buf *out, const json_t *args, const json_t *run, json_t **ret_result,
		       struct aisbx_error *e)
{
	static const char digits[] = "0123456789abcdef";
	const char *id = buf_str(out), *end = id ? id + out->len : NULL,
		   *branch = id ? id + strlen(id) + 1 : NULL;
	size_t n = id ? strspn(id, digits) : 0;
	json_t *name;

	if ((n != 40 && n != 64) || id[n] || branch >= end)
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EPROTO,
				    "git in box '%s' does not tell what it committed", text_arg(args, "box"));
	name = *branch ? json_string(branch) : json_null();
	*ret_result = json_pack("{s:s, s:o, s:O}", "commit", id, "branch", name ? name : json_null(), "run",
				json_object_get(run, "run"));
	if (!*ret_result)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "write the result");
	list_files(branch + strlen(branch) + 1, end, *ret_result);
	return 0;
}

static int run_git(struct op_context *ctx, const json_t *args, const json_t *as_run, json_t **ret_result,
		   struct aisbx_error *e)
{
	scoped(buf_finish) struct buf out = { 0 };
	struct caller quiet = ctx->by;
	json_t *run = NULL;
	int r;

	quiet.stdin_fd = quiet.out_fds[0] = quiet.out_fds[1] = -1;
	quiet.keep_output = false; /* what git says is in the result, or in the error */
	r = op_run_by(&quiet, as_run, tap, &out, &run, e);
	if (r == 0 && (strcmp(text_arg(run, "status"), "ok") != 0))
		r = tell(args, run, e);
	else if (r == 0)
		r = read_output(&out, args, run, ret_result, e);
	json_decref(run);
	return r;
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(commit_identity_finish) struct commit_identity who = { 0 };
	const char *message = text_arg(args, "message");
	json_t *as_run;
	int r;

	if (strlen(message) > MAX_MESSAGE || !message[strspn(message, " \t\r\n")])
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "the message must have from 1 to %u bytes", MAX_MESSAGE);
	if (json_is_true(json_object_get(args, "staged")) && json_array_size(json_object_get(args, "paths")))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "--staged is what was added before; leave it out, or the paths");
	r = commit_identity_find(ctx, text_arg(args, "author"), &who, e);
	if (r < 0)
		return r;
	as_run = run_args(args, &who);
	if (!as_run)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EILSEQ,
			"user.name or user.email of your git configuration is no UTF-8; give --author");
	r = run_git(ctx, args, as_run, ret_result, e);
	json_decref(as_run);
	return r;
}

static const struct op_param params[] = {
	{ "box", 0, OP_STRING, OP_POSITIONAL | OP_REQUIRED, "BOX", "name or id" },
	{ "message", 'm', OP_STRING, OP_REQUIRED, "TEXT", "what the commit says" },
	{ "author", 0, OP_STRING, 0, "NAME <MAIL>",
	  "who commits; default: as your own git configuration says" },
	{ "staged", 0, OP_FLAG, 0, NULL, "only what was added in the box before (git add)" },
	{ "paths", 0, OP_LIST, OP_POSITIONAL, "PATH",
	  "only these, below the project; default: all that changed" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "commit", "string", "its id" },
	{ "branch", "string|null", "that it is on; null: none" },
	{ "run", "string", "id of the run that made it" },
	{ "files", "array", "what it changes, against the commit before" },
	{ "files[].change", "string", "added, modified, deleted, type or changed" },
	PATH_FIELDS("files[].", "in the repository"),
	{ "files_not_listed", "integer", "files past the thousandth" },
	{ NULL, NULL, NULL },
};

const struct op op_commit = {
	.name = "commit",
	.group = GROUP_BRING_BACK,
	.view = VIEW_COMMIT,
	.method = "repo.commit",
	.summary = "Make a git commit in a box",
	.about = "Commits what changed in the box's project, by the git of the box, in the box. Hooks, "
		 "fsmonitor, signing, editors and\n"
		 "external diffs of the repository do not run; filters (.gitattributes) do, in the box. "
		 "'aisbx promote' then\n"
		 "brings the commit out: your branch moves forward to it, or, if it moved meanwhile, the "
		 "commit "
		 "gets the branch\n"
		 "aisbx/BOX. Hooks and configuration that came with it stay in the box.",
	.example = "aisbx commit try1 -m 'Parse dates without a year'\n"
		   "aisbx commit try1 -m 'Only the parser' src/parser.c",
	.grant = GRANT_RUN,
	.params = params,
	.result = result,
	.run = run,
};
