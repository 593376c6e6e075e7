/* SPDX-License-Identifier: Apache-2.0 */
/* Reads images.yaml. Pure: files that it names are opened by others. */
#include "policy/image_policy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "policy/yaml_doc.h"

#define MAX_TEXTS  64
#define MAX_LENGTH 1024

void image_policy_finish(struct image_policy *p)
{
	strlist_finish(&p->keys);
	strlist_finish(&p->plain_http);
	strlist_finish(&p->token_hosts);
	for (size_t i = 0; i < p->n_mirrors; i++) {
		free(p->mirrors[i].host);
		strlist_finish(&p->mirrors[i].urls);
	}
	free(p->mirrors);
	*p = (struct image_policy){ 0 };
}

static int read_signature(struct doc *r, const yaml_node_t *n, void *into)
{
	static const char *const words[] = { "false", "true", NULL };
	struct image_policy *p = into;
	size_t which = 0;
	int err = doc_one_of(r, n, "require_signature", words, &which);

	if (err == 0 && which)
		p->require_signature = true;
	return err;
}

static int add_text(struct doc *r, const yaml_node_t *n, size_t index, void *into)
{
	struct strlist *list = into;
	char *text = NULL;
	int err = doc_copy(r, n, "an entry", MAX_LENGTH, &text);

	(void)index;
	if (err == 0)
		strlist_add(list, text);
	free(text);
	return err == 0 && list->failed ? doc_no_memory(r) : err;
}

static const struct doc_shape text_shape = { .kind = DOC_TEXT };
static const struct doc_shape texts_shape = { .kind = DOC_LIST, .of = &text_shape, .most = MAX_TEXTS };

static int read_keys(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_list(r, n, "keys", &texts_shape, add_text, &((struct image_policy *)into)->keys);
}

static int read_plain(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_list(r, n, "registries", &texts_shape, add_text,
			&((struct image_policy *)into)->plain_http);
}

static int read_token_hosts(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_list(r, n, "token servers", &texts_shape, add_text,
			&((struct image_policy *)into)->token_hosts);
}

static int add_mirror(struct doc *r, const yaml_node_pair_t *pair, const char *name, size_t index, void *into)
{
	struct image_policy *p = into;
	struct image_mirror *grown = reallocarray(p->mirrors, p->n_mirrors + 1, sizeof(*grown));
	struct image_mirror *m;

	(void)index;
	if (!grown)
		return doc_no_memory(r);
	p->mirrors = grown;
	m = &grown[p->n_mirrors];
	*m = (struct image_mirror){ .host = strdup(name) };
	if (!m->host)
		return doc_no_memory(r);
	p->n_mirrors++;
	return doc_list(r, doc_node(r, pair->value), "mirrors", &texts_shape, add_text, &m->urls);
}

static const struct doc_shape mirrors_shape = { .kind = DOC_NAMED, .of = &texts_shape, .most = MAX_TEXTS };

static int read_mirrors(struct doc *r, const yaml_node_t *n, void *into)
{
	return doc_named(r, n, "mirrors", &mirrors_shape, add_mirror, into);
}

static const struct doc_key keys[] = {
	{ "require_signature", read_signature },
	{ "keys", read_keys },
	{ "mirrors", read_mirrors },
	{ "plain_http", read_plain },
	{ "token_hosts", read_token_hosts },
	{ NULL, NULL },
};

int image_policy_parse(const char *text, size_t len, const char *file, struct image_policy *p,
		       struct aisbx_error *e)
{
	struct doc r = { .file = file, .e = e };

	return doc_read(&r, text, len, keys, p);
}
