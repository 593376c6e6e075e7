/* SPDX-License-Identifier: Apache-2.0 */
/* The script that lists repositories. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "promote/git_list.h"

/* $1: the project; the rest: trees below it, "." for itself. A tree whose name has a line's end in it is none
 * to us. */
static const char script[] = GIT_BEGIN
	"top=$1; shift; nl='\n'; seen=$nl; "
	"inside() { case $1 in \"$top\") list=$list.$nl;; \"$top\"/*) list=$list${1#\"$top\"/}$nl;; esac; }; "
	"more() { " /* work trees of the repository we stand in: linked ones, and submodules by their own
		       configuration */
	"  list=; while IFS= read -r w; do case $w in \"worktree \"*) inside \"${w#worktree }\";; esac; done "
	"</tmp/worktrees; "
	"  [ -d \"$dir/modules\" ] || return 0; find \"$dir/modules\" -type d -name objects -prune "
	">/tmp/modules || exit 54; "
	"  while IFS= read -r o; do "
	"    [ -f \"${o%/objects}/HEAD\" ] && ask --git-dir=\"${o%/objects}\" rev-parse --show-toplevel || "
	"continue; "
	"    IFS= read -r w </tmp/said; inside \"$w\"; done </tmp/modules; "
	"}; "
	"none() { IFS= read -r why </tmp/why; case $why in *\"not a git repository\"*) ;; *) cat /tmp/why; "
	"exit 54;; esac; }; "
	"tell() { "
	"  case $1 in *\"$nl\"*) return;; esac; "
	"  case $seen in *\"$nl$1$nl\"*) return;; esac; seen=$seen$1$nl; "
	"  cd \"$top/$1\" 2>/dev/null || return; "
	"  ask rev-parse --is-inside-work-tree || { none; return; }; read -r is </tmp/said; [ \"$is\" = true "
	"] || return; "
	"  ask rev-parse --show-cdup || exit 54; read -r up </tmp/said; [ -z \"$up\" ] || return; "
	"  ask rev-parse --absolute-git-dir && IFS= read -r dir </tmp/said || exit 54; "
	"  ask rev-parse --path-format=absolute --git-common-dir && IFS= read -r common </tmp/said || exit "
	"54; "
	"  printf 'tree %s\\ndir %s\\ncommon %s\\n' \"$1\" \"$dir\" \"$common\" >&3; "
	"  if ask symbolic-ref -q HEAD; then read -r head </tmp/said; printf 'head %s\\n' \"$head\" >&3; fi; "
	"  if ask rev-parse -q --verify 'HEAD^{commit}'; then read -r at </tmp/said; printf 'at %s\\n' "
	"\"$at\" >&3; fi; "
	"  g for-each-ref --format='ref %(objectname) %(refname)' refs/heads refs/tags >/tmp/refs && cat "
	"/tmp/refs >&3 || exit 54; "
	/* The first is the repository's own, which of a submodule has no path of its work tree. */
	"  g worktree list --porcelain >/tmp/worktrees || exit 54; "
	"  n=0; while IFS=' ' read -r key value; do case $key in "
	"    worktree) n=$((n + 1)); w=$value; [ \"$dir\" != \"$common\" ] || [ $n -gt 1 ] || w=$top/$1;; "
	"    branch) [ \"$w\" = \"$top/$1\" ] || [ \"$w/.\" = \"$top/$1\" ] || printf 'busy %s\\n' "
	"\"$value\" >&3;; esac; done </tmp/worktrees; "
	"  more; [ -z \"$list\" ] || while IFS= read -r t; do [ -z \"$t\" ] || tell \"$t\"; done "
	"<<EOF\n$list\nEOF\n"
	"}; "
	"for t in \"$@\"; do tell \"$t\"; done; exit 0";

int git_list_read(struct git_run *g, const struct strlist *trees, struct git_list *ret, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist args = { 0 };
	const char *colon;
	char line[200];
	int r;

	strlist_add(&args, g->project);
	for (size_t i = 0; i < trees->n; i++)
		strlist_add(&args, *trees->items[i] ? trees->items[i] : ".");
	if (args.failed)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "search for repositories");
	g->script = script;
	g->args = &args;
	r = git_run(g, e);
	g->args = NULL;
	if (r < 0)
		return aisbx_context(e, "inspect the repositories in '%s'", g->project);
	colon = g->grumble.len ? ": " : "";
	if (g->status == GIT_NONE)
		return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_BOX, EOPNOTSUPP,
				    "git is not installed in %s, so changes of the repository there cannot "
				    "be determined; install git",
				    g->box ? "the box" : "a box of this machine");
	if (g->status)
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EBADMSG,
				    "git cannot read the repositories %s '%s'%s%s; 'aisbx promote BOX PATH' "
				    "promotes files only",
				    g->box ? "of box" : "in", g->box ? g->box->name : g->project, colon,
				    git_last_line(g, line, sizeof(line)));
	r = g->said.len == strlen(g->said.data) ? git_list_parse(g->said.data, g->project, ret) : -EBADMSG;
	if (r == -EBADMSG)
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EBADMSG,
				    "git in %s gave an invalid description of its repositories%s%s",
				    g->box ? "the box" : "a box of its own", colon,
				    git_last_line(g, line, sizeof(line)));
	return r < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -r, "search for repositories") : 0;
}
