/* SPDX-License-Identifier: Apache-2.0 */
/* The script that lists repositories, and the reader of what it says: a box's word, so all of it is checked. */
#include "box/git_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"

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

static void repo_finish(struct git_repo *r)
{
	for (size_t i = 0; i < r->n_refs; i++)
		free(r->refs[i].name);
	free(r->refs);
	free(r->tree);
	free(r->dir);
	free(r->common);
	free(r->head);
	strlist_finish(&r->busy);
}

void git_list_finish(struct git_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		repo_finish(&l->repos[i]);
	free(l->repos);
	*l = (struct git_list){ 0 };
}

bool git_is_id(const char *s)
{
	size_t n = strspn(s, "0123456789abcdef");

	return (n == 40 || n == 64) && !s[n];
}

/* The rules of git check-ref-format, and none that reads as an option. */
bool git_is_ref(const char *name)
{
	const char *part;

	if (!strncmp(name, "refs/heads/", 11))
		part = name + 11;
	else if (!strncmp(name, "refs/tags/", 10))
		part = name + 10;
	else
		return false;
	if (!strcmp(part, "HEAD") || *part == '-' || strlen(name) > 200 || strstr(name, "..") || strstr(name, "@{") ||
	    strpbrk(name, " ~^:?*[\\\x7f"))
		return false;
	for (const char *c = name; *c; c++)
		if ((unsigned char)*c < 0x20)
			return false;
	for (; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL) {
		size_t n = strcspn(part, "/");

		if (!n || *part == '.' || part[n - 1] == '.' || (n >= 5 && !strncmp(part + n - 5, ".lock", 5)))
			return false;
	}
	return true;
}

/* "." is the project; anything else a path below it. */
static char *read_tree(const char *word)
{
	scoped(drop_mem) char *whole = NULL;

	if (!strcmp(word, "."))
		return strdup("");
	if (asprintf(&whole, "/%s", word) < 0) {
		whole = NULL;
		return NULL;
	}
	return path_is_clean(whole) ? strdup(word) : NULL;
}

static int add_ref(struct git_repo *r, char *words)
{
	char *name = strchr(words, ' ');
	struct git_ref *grown;

	if (!name)
		return -EBADMSG;
	*name++ = '\0';
	if (!git_is_id(words))
		return -EBADMSG;
	if (!git_is_ref(name)) /* git may have it; it stays where it is */
		return 0;
	if (!(r->n_refs & (r->n_refs - 1))) {
		grown = realloc(r->refs, (r->n_refs ? r->n_refs * 2 : 1) * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		r->refs = grown;
	}
	r->refs[r->n_refs] = (struct git_ref){ .name = strdup(name) };
	memcpy(r->refs[r->n_refs].id, words, strlen(words) + 1);
	return r->refs[r->n_refs++].name ? 0 : -ENOMEM;
}

static int add_repo(struct git_list *l, const char *word)
{
	struct git_repo *grown = realloc(l->repos, (l->n + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	l->repos = grown;
	grown[l->n] = (struct git_repo){ .tree = read_tree(word) };
	return grown[l->n++].tree ? 0 : -EBADMSG;
}

static int keep(char **place, const char *word)
{
	free(*place);
	*place = strdup(word);
	return *place ? 0 : -ENOMEM;
}

static int read_line(struct git_list *l, char *key, char *word)
{
	struct git_repo *r = l->n ? &l->repos[l->n - 1] : NULL;

	if (!strcmp(key, "tree"))
		return add_repo(l, word);
	if (!r)
		return -EBADMSG;
	if (!strcmp(key, "ref"))
		return add_ref(r, word);
	if (!strcmp(key, "dir") || !strcmp(key, "common"))
		return path_is_clean(word) ? keep(*key == 'd' ? &r->dir : &r->common, word) : -EBADMSG;
	if (!strcmp(key, "head"))
		return git_is_ref(word) ? keep(&r->head, word) : 0;
	if (!strcmp(key, "busy")) {
		strlist_add(&r->busy, word);
		return r->busy.failed ? -ENOMEM : 0;
	}
	if (strcmp(key, "at") != 0 || !git_is_id(word))
		return -EBADMSG;
	memcpy(r->at, word, strlen(word) + 1);
	return 0;
}

static int by_tree(const void *a, const void *b)
{
	return strcmp(((const struct git_repo *)a)->tree, ((const struct git_repo *)b)->tree);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct git_ref *)a)->name, ((const struct git_ref *)b)->name);
}

/* Sorted, each tree once, and only those that are whole and whose repository is in the project. */
static void put_in_order(struct git_list *l, const char *project)
{
	size_t kept = 0;

	if (!l->n)
		return;
	qsort(l->repos, l->n, sizeof(*l->repos), by_tree);
	for (size_t i = 0; i < l->n; i++) {
		struct git_repo *r = &l->repos[i];

		if ((kept && !strcmp(l->repos[kept - 1].tree, r->tree)) || !r->dir || !r->common || !path_is_within(r->dir, project) ||
		    !path_is_within(r->common, project)) {
			repo_finish(r);
			continue;
		}
		if (r->n_refs)
			qsort(r->refs, r->n_refs, sizeof(*r->refs), by_name);
		l->repos[kept++] = *r;
	}
	l->n = kept;
}

int git_list_parse(const char *said, const char *project, struct git_list *ret)
{
	scoped(drop_mem) char *text = strdup(said);
	struct git_list l = { 0 };
	char *line = text, *end;
	int r = text ? 0 : -ENOMEM;

	for (; r == 0 && *line; line = end + 1) {
		char *word;

		end = strchr(line, '\n');
		if (!end) {
			r = -EBADMSG;
			break;
		}
		*end = '\0';
		word = strchr(line, ' ');
		if (!word) {
			r = -EBADMSG;
			break;
		}
		*word++ = '\0';
		r = read_line(&l, line, word);
	}
	if (r < 0) {
		git_list_finish(&l);
		return r;
	}
	put_in_order(&l, project);
	*ret = l;
	return 0;
}

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

const struct git_repo *git_list_find(const struct git_list *l, const char *tree)
{
	const struct git_repo key = { .tree = (char *)tree };

	return l->n ? bsearch(&key, l->repos, l->n, sizeof(*l->repos), by_tree) : NULL;
}

const char *git_ref_find(const struct git_repo *r, const char *name)
{
	const struct git_ref key = { .name = (char *)name };
	const struct git_ref *found = r->n_refs ? bsearch(&key, r->refs, r->n_refs, sizeof(*r->refs), by_name) : NULL;

	return found ? found->id : NULL;
}
