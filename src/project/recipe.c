/* SPDX-License-Identifier: Apache-2.0 */
/* Reads recipes by their table of keys. */
#include "project/recipe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "policy/egress_presets.h"
#include "policy/yaml_doc.h"

#define MAX_TEXT  16384u
#define MAX_ITEMS 64u

const char *const recipe_lock_kinds[] = { "pip", "npm", "cargo", "go", "sha256", NULL };

void recipe_finish(struct recipe *r)
{
	free(r->name);
	free(r->about);
	free(r->from);
	free(r->profile);
	free(r->lock_file);
	free(r->lock_command);
	strlist_finish(&r->net);
	strlist_finish(&r->files);
	strlist_finish(&r->texts);
	strlist_finish(&r->steps);
	strlist_finish(&r->checks);
	*r = (struct recipe){ 0 };
}

/* What names a template, and files of the directory that steps run in: no paths. */
static int read_word(struct doc *r, const yaml_node_t *n, const char *what, char **ret)
{
	scoped(drop_mem) char *text = NULL;
	int err = doc_copy(r, n, what, DOC_MAX_NAME, &text);

	if (err == 0 && !doc_is_name(text))
		err = doc_refuse_name(r, n, text, what);
	if (err < 0)
		return err;
	free(*ret);
	*ret = take_mem(&text);
	return 0;
}

static int read_name(struct doc *r, const yaml_node_t *n, void *into)
{
	return read_word(r, n, "'name'", &((struct recipe *)into)->name);
}

static int read_about(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_copy(r, n, "'about'", 500, &((struct recipe *)into)->about);
}

static int read_from(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_copy(r, n, "'from'", 500, &((struct recipe *)into)->from);
}

static int read_profile(struct doc *r, const yaml_node_t *n, void *into)
{
	return read_word(r, n, "'profile'", &((struct recipe *)into)->profile);
}

static const char *const bools[] = { "false", "true", NULL };

static int read_caches(struct doc *r, const yaml_node_t *n, void *into)
{
	size_t which = 0;
	int err = doc_one_of(r, n, "'caches'", bools, &which);

	((struct recipe *)into)->caches = which == 1;
	return err;
}

/* Only what a rule may say that reaches the outside: nothing of this machine, no agent of the person's. */
static int add_net(struct doc *r, const yaml_node_t *n, size_t i, void *into)
{
	struct strlist *list = into;
	const char *text = doc_text(r, n, "a value of 'net'");

	(void)i;
	if (!text)
		return r->e->code;
	if (!strncmp(text, "net:", 4) && strncmp(text, "net:egress:", 11) != 0)
		return doc_complain(r, n,
				    "'%.100s' is not for a recipe: only presets and net:egress rules are",
				    text);
	if (egress_value_check(text, r->e) < 0)
		return doc_locate(r, &n->start_mark);
	strlist_add(list, text);
	return list->failed ? doc_no_memory(r) : 0;
}

static int add_command(struct doc *r, const yaml_node_t *n, size_t i, void *into)
{
	struct strlist *list = into;
	const char *text = doc_text(r, n, "a command");

	(void)i;
	if (!text)
		return r->e->code;
	if (!*text || strlen(text) > MAX_TEXT)
		return doc_complain(r, n, "a command must have 1 to %u bytes", MAX_TEXT);
	strlist_add(list, text);
	return list->failed ? doc_no_memory(r) : 0;
}

static int add_file(struct doc *r, const yaml_node_pair_t *pair, const char *name, size_t i, void *into)
{
	const yaml_node_t *key = doc_node(r, pair->key), *value = doc_node(r, pair->value);
	struct recipe *to = into;
	const char *text;

	(void)i;
	if (!doc_is_name(name))
		return doc_refuse_name(r, key, name, "a file");
	text = doc_text(r, value, "the content of a file");
	if (!text)
		return r->e->code;
	if (strlen(text) > MAX_TEXT)
		return doc_complain(r, value, "a file must have at most %u bytes", MAX_TEXT);
	strlist_add(&to->files, name);
	strlist_add(&to->texts, text);
	return to->files.failed || to->texts.failed ? doc_no_memory(r) : 0;
}

static const struct doc_shape text_shape = { .kind = DOC_TEXT };
static const struct doc_shape name_shape = { .kind = DOC_TEXT, .pattern = DOC_NAME };
static const struct doc_shape bool_shape = { .kind = DOC_CHOICE, .choices = bools };
static const struct doc_shape list_shape = {
	.kind = DOC_LIST, .of = &text_shape, .least = 1, .most = MAX_ITEMS
};
static const struct doc_shape files_shape = {
	.kind = DOC_NAMED, .pattern = DOC_NAME, .of = &text_shape, .most = MAX_ITEMS
};

static int read_net(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_list(r, n, "values of 'net'", &list_shape, add_net, &((struct recipe *)into)->net);
}

static int read_files(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_named(r, n, "files", &files_shape, add_file, into);
}

static int read_steps(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_list(r, n, "steps", &list_shape, add_command, &((struct recipe *)into)->steps);
}

static int read_checks(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_list(r, n, "checks", &list_shape, add_command, &((struct recipe *)into)->checks);
}

static int read_lock_file(struct doc *r, const yaml_node_t *n, void *into)
{
	return read_word(r, n, "'file'", &((struct recipe *)into)->lock_file);
}

static int read_lock_command(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_copy(r, n, "'command'", MAX_TEXT, &((struct recipe *)into)->lock_command);
}

static int read_lock_kind(struct doc *r, const yaml_node_t *n, void *into)
{
	size_t which = 0;
	int err = doc_one_of(r, n, "'kind'", recipe_lock_kinds, &which);

	if (err == 0)
		((struct recipe *)into)->kind = (enum recipe_lock_kind)(RECIPE_LOCK_PIP + which);
	return err;
}

static const struct doc_shape kind_shape = { .kind = DOC_CHOICE, .choices = recipe_lock_kinds };
static const struct doc_key lock_keys[] = {
	{ "kind", read_lock_kind, &kind_shape, "form of the lock", true },
	{ "file", read_lock_file, &name_shape, "name that the steps find it by", true },
	{ "command", read_lock_command, &text_shape, "shell command that makes it, with the network", true },
	{ .name = NULL },
};
static const struct doc_shape lock_shape = { .kind = DOC_KEYS, .keys = lock_keys };

static int read_lock(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_keys(r, n, "'lock'", &lock_shape, into);
}

static const struct doc_key recipe_keys[] = {
	{ "name", read_name, &name_shape, "name of the template", true },
	{ "about", read_about, &text_shape, "what it is good for" },
	{ "from", read_from, &text_shape,
	  "what it starts from, as for 'create --from'; default: this machine" },
	{ "profile", read_profile, &name_shape, "profile of its boxes; default: dev" },
	{ "caches", read_caches, &bool_shape,
	  "true: its boxes see the caches of your home, too; what is in those is not part of the template" },
	{ "net", read_net, &list_shape,
	  "what the steps may reach: presets and net:egress rules; default: nothing" },
	{ "files", read_files, &files_shape, "small files that the steps find in their directory" },
	{ "lock", read_lock, &lock_shape, "the hashes of what the steps fetch" },
	{ "steps", read_steps, &list_shape, "shell commands that prepare the box", true },
	{ "checks", read_checks, &list_shape,
	  "shell commands that have to succeed afterwards, without network" },
	{ .name = NULL },
};
const struct doc_shape recipe_shape = { .kind = DOC_KEYS, .keys = recipe_keys };

static int read_root(struct doc *r, const yaml_node_t *root, void *into)
{
	return doc_keys(r, root, "a recipe", &recipe_shape, into);
}

/* Who fetches has a lock, else the same recipe would not give the same template. */
static int check(const struct recipe *r, const char *file, struct aisbx_error *e)
{
	if (!r->name || !r->steps.n)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
				    "%s: a recipe needs 'name' and 'steps'", file);
	if (r->net.n && !r->lock_file)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
			"%s: a recipe with 'net' needs 'lock': what is fetched is checked by hashes", file);
	if (r->lock_file && strlist_has(&r->files, r->lock_file))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
				    "%s: '%s' is the lock, and cannot be among 'files'", file, r->lock_file);
	return 0;
}

int recipe_parse(const char *text, size_t len, const char *file, struct recipe *ret, struct aisbx_error *e)
{
	scoped(recipe_finish) struct recipe recipe = { 0 };
	struct doc r = { .file = file, .e = e };
	int err = doc_read_root(&r, text, len, read_root, &recipe);

	if (err == 0)
		err = check(&recipe, file, e);
	if (err < 0)
		return err;
	*ret = recipe;
	recipe = (struct recipe){ 0 };
	return 0;
}
