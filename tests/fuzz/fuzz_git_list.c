/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes git_list_parse, which reads what git in a box says of its repositories. Whatever is accepted is well
 * formed: trees below the project, directories in it, ids and names that git takes, sorted, each once.
 */
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "promote/git_list.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

static void check(const struct git_repo *r)
{
	must(r->tree && r->tree[0] != '/' && path_is_within(r->dir, "/p") && path_is_within(r->common, "/p"));
	must(!r->at[0] || git_is_id(r->at));
	must(!r->head || git_is_ref(r->head));
	for (size_t i = 0; i < r->n_refs; i++) {
		must(git_is_id(r->refs[i].id) && git_is_ref(r->refs[i].name));
		must(git_ref_find(r, r->refs[i].name) != NULL);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *text = malloc(len + 1);
	struct git_list l = { 0 };

	if (!text)
		return 0;
	memcpy(text, data, len);
	text[len] = '\0';
	if (git_list_parse(text, "/p", &l) < 0)
		must(!l.n);
	for (size_t i = 0; i < l.n; i++) {
		check(&l.repos[i]);
		must(i == 0 || strcmp(l.repos[i - 1].tree, l.repos[i].tree) < 0);
		must(git_list_find(&l, l.repos[i].tree) == &l.repos[i]);
	}
	git_list_finish(&l);
	free(text);
	return 0;
}
