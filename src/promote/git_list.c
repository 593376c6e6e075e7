/* SPDX-License-Identifier: Apache-2.0 */
/* Parses a list of repositories: it comes from a box, so all of it is checked. */
#include "promote/git_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/scope.h"
#include "base/str.h"

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

static bool is_ref_part(const char *part, size_t n)
{
	return n && *part != '.' && part[n - 1] != '.' && (n < 5 || strncmp(part + n - 5, ".lock", 5) != 0);
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
	if (!strcmp(part, "HEAD") || *part == '-' || strlen(name) > 200 || strstr(name, "..") ||
	    strstr(name, "@{") || strpbrk(name, " ~^:?*[\\\x7f"))
		return false;
	for (const char *c = name; *c; c++)
		if ((unsigned char)*c < 0x20)
			return false;
	for (; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL) {
		size_t n = strcspn(part, "/");

		if (!is_ref_part(part, n))
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
	if (str_is_one_of(key, "dir|common"))
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

		if ((kept && !strcmp(l->repos[kept - 1].tree, r->tree)) || !r->dir || !r->common ||
		    !path_is_within(r->dir, project) || !path_is_within(r->common, project)) {
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

const struct git_repo *git_list_find(const struct git_list *l, const char *tree)
{
	const struct git_repo key = { .tree = (char *)tree };

	return l->n ? bsearch(&key, l->repos, l->n, sizeof(*l->repos), by_tree) : NULL;
}

const char *git_ref_find(const struct git_repo *r, const char *name)
{
	const struct git_ref key = { .name = (char *)name };
	const struct git_ref *found =
		r->n_refs ? bsearch(&key, r->refs, r->n_refs, sizeof(*r->refs), by_name) : NULL;

	return found ? found->id : NULL;
}
