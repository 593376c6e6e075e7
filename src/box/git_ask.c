/* SPDX-License-Identifier: Apache-2.0 */
/* The script that lists repositories. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/git_list.h"

/* $1: the project; the rest: trees below it, "." for itself. A tree whose name has a line's end in it is none to us. */
static const char script[] = GIT_BEGIN
	"top=$1; shift; nl='\n'; seen=$nl; "
	"inside() { case $1 in \"$top\") echo .;; \"$top\"/*) printf '%s\\n' \"${1#\"$top\"/}\";; esac; }; "
	"more() { " /* work trees of the repository we stand in: linked ones, and submodules by their own configuration */
	"  g worktree list --porcelain | sed -n 's/^worktree //p' | while IFS= read -r w; do inside \"$w\"; done; "
	"  [ ! -d \"$dir/modules\" ] || find \"$dir/modules\" -type d -name objects -prune | while IFS= read -r o; do "
	"    [ ! -f \"${o%/objects}/HEAD\" ] || inside \"$(g --git-dir=\"${o%/objects}\" rev-parse --show-toplevel 2>/dev/null)\"; done; }; "
	"tell() { "
	"  case $1 in *\"$nl\"*) return;; esac; "
	"  case $seen in *\"$nl$1$nl\"*) return;; esac; seen=$seen$1$nl; "
	"  cd \"$top/$1\" 2>/dev/null || return; "
	"  [ \"$(g rev-parse --is-inside-work-tree 2>/dev/null)\" = true ] && [ -z \"$(g rev-parse --show-cdup)\" ] || return; "
	"  dir=$(g rev-parse --absolute-git-dir) || return; "
	"  common=$(g rev-parse --path-format=absolute --git-common-dir) || return; "
	"  { printf 'tree %s\\ndir %s\\ncommon %s\\n' \"$1\" \"$dir\" \"$common\"; "
	"    head=$(g symbolic-ref -q HEAD) && printf 'head %s\\n' \"$head\"; "
	"    at=$(g rev-parse -q --verify 'HEAD^{commit}') && printf 'at %s\\n' \"$at\"; "
	"    g for-each-ref --format='ref %(objectname) %(refname)' refs/heads refs/tags; "
	/* The first is the repository's own, which of a submodule has no path of its work tree. */
	"    n=0; g worktree list --porcelain | while IFS=' ' read -r key value; do case $key in "
	"      worktree) n=$((n + 1)); w=$value; [ \"$dir\" != \"$common\" ] || [ $n -gt 1 ] || w=$top/$1;; "
	"      branch) [ \"$w\" = \"$top/$1\" ] || [ \"$w/.\" = \"$top/$1\" ] || printf 'busy %s\\n' \"$value\";; esac; done; "
	"  } >&3; "
	"  list=$(more); [ -z \"$list\" ] || while IFS= read -r t; do tell \"$t\"; done <<EOF\n$list\nEOF\n"
	"}; "
	"for t in \"$@\"; do tell \"$t\"; done";

int git_list_read(struct git_run *g, const struct strlist *trees, struct git_list *ret, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist args = { 0 };
	char line[200];
	int r;

	strlist_add(&args, g->project);
	for (size_t i = 0; i < trees->n; i++)
		strlist_add(&args, *trees->items[i] ? trees->items[i] : ".");
	if (args.failed)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "look for repositories");
	g->script = script;
	g->args = &args;
	r = git_run(g, e);
	g->args = NULL;
	if (r < 0)
		return aisbx_context(e, "look at the repositories in '%s'", g->project);
	if (g->status == GIT_NONE)
		return aisbx_refuse(e, AISBX_AREA_BOX, EOPNOTSUPP, "there is no git in %s, so nobody can tell what became of the "
				    "repository there; install git", g->box ? "the box" : "a box of this machine");
	r = g->said.len == strlen(g->said.data) ? git_list_parse(g->said.data, g->project, ret) : -EBADMSG;
	if (r == -EBADMSG)
		return aisbx_refuse(e, AISBX_AREA_BOX, EBADMSG, "git in %s tells nothing of its repositories that makes sense%s%s",
				    g->box ? "the box" : "a box of its own", g->grumble.len ? ": " : "",
				    git_last_line(g, line, sizeof(line)));
	return r < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -r, "look for repositories") : 0;
}
