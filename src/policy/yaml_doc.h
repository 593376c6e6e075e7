/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that people and models write, in YAML, read strictly and without trust: an unknown key is an error
 * with its line, its column and the most similar valid name. Pure; no system calls. The only user of yaml.h.
 */
#ifndef POLICY_YAML_DOC_H
#define POLICY_YAML_DOC_H

#include <stdbool.h>
#include <stddef.h>

#include <yaml.h>

#include "aisbx/error.h"
#include "base/error.h"
#include "base/str.h"
#include "policy/yaml_shape.h"

/* Limits: far above what a person writes, low enough to bound the work. */
#define DOC_MAX_BYTES    65536u
#define DOC_MAX_DEPTH    16u
#define DOC_MAX_NODES    4096u
#define DOC_MAX_ALIASES  256u
#define DOC_MAX_EXPANDED (1u << 20) /* bytes of all texts, each as often as an alias repeats it */
#define DOC_MAX_ERRORS   64u
#define DOC_MAX_NAME     32u
/* Regular expression for a schema: what doc_is_name accepts. */
#define DOC_NAME "^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$"

/* Set FILE and E, and the limits if those above are too low; the rest belongs to the reader. */
struct doc {
	yaml_document_t doc;
	const char *file;            /* its name in errors */
	size_t max_bytes, max_nodes; /* 0: as above */
	size_t expanded;             /* bytes of texts read so far */
	/* NULL: stop at the first error; else all of them, up to DOC_MAX_ERRORS, are added to it */
	struct strlist *all;
	void *of; /* of the reader: the whole that is being read */
	struct aisbx_error *e;
};

/* KEYS ends with a NULL name. An empty file has none of its keys. */
int doc_read(struct doc *r, const char *text, size_t len, const struct doc_key *keys, void *into);
/* The same for a table of another kind; READ is not called for an empty file. */
typedef int doc_root_fn(struct doc *r, const yaml_node_t *root, void *into);
int doc_read_root(struct doc *r, const char *text, size_t len, doc_root_fn *read, void *into);

/* Puts "FILE:LINE:COLUMN: ..." before the error; returns its code. */
int doc_locate(const struct doc *r, const yaml_mark_t *at);
#define doc_complain(r, node, ...)                                                       \
	(aisbx_refuse((r)->e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL, __VA_ARGS__), \
	 doc_locate(r, &(node)->start_mark))
int doc_no_memory(const struct doc *r);
/* What is allowed, and what is most similar to what was written. */
void doc_suggest(const struct doc *r, const char *got, const char *const *names, size_t n);
void doc_add_words(struct aisbx_error *e, const char *text);

yaml_node_t *doc_node(struct doc *r, int id);
/* The text of a scalar, borrowed; NULL and an error if it is not a text, or contains NUL. */
const char *doc_text(struct doc *r, const yaml_node_t *n, const char *what);
int doc_need_mapping(struct doc *r, const yaml_node_t *n, const char *what);
/* The key of PAIR; NULL and an error if it is repeated. */
const char *doc_name(struct doc *r, const yaml_node_t *map, const yaml_node_pair_t *pair);
/* One pair of MAP, by its row of KEYS. */
int doc_pair(struct doc *r, const yaml_node_t *map, const yaml_node_pair_t *pair, const struct doc_key *keys,
	     void *into);
int doc_mapping(struct doc *r, const yaml_node_t *map, const char *what, const struct doc_key *keys,
		void *into);
/* The same, and checks what SHAPE, of DOC_KEYS, says about combinations of keys. */
int doc_keys(struct doc *r, const yaml_node_t *map, const char *what, const struct doc_shape *shape,
	     void *into);
/*
 * Each item of a list, or each pair of a mapping with arbitrary names, as many as SHAPE allows; PLURAL is for
 * errors: "stages".
 */
typedef int doc_item_fn(struct doc *r, const yaml_node_t *item, size_t index, void *into);
int doc_list(struct doc *r, const yaml_node_t *n, const char *plural, const struct doc_shape *shape,
	     doc_item_fn *read, void *into);
typedef int doc_named_fn(struct doc *r, const yaml_node_pair_t *pair, const char *name, size_t index,
			 void *into);
int doc_named(struct doc *r, const yaml_node_t *map, const char *plural, const struct doc_shape *shape,
	      doc_named_fn *read, void *into);
size_t doc_count(const yaml_node_t *n);
/* Whether reading continues after this error, to find others. */
bool doc_goes_on(const struct doc *r, int err);
/* The value of a key; NULL: MAP has none of that name, or is not a mapping. */
const yaml_node_t *doc_find(struct doc *r, const yaml_node_t *map, const char *name);
bool doc_has(struct doc *r, const yaml_node_t *map, const char *name);
/* CHOICES ends with NULL. */
int doc_one_of(struct doc *r, const yaml_node_t *n, const char *what, const char *const *choices,
	       size_t *ret);
int doc_number(struct doc *r, const yaml_node_t *n, const char *what, const struct doc_shape *shape,
	       uint64_t *ret);
/* From a millisecond to MOST. */
int doc_time(struct doc *r, const yaml_node_t *n, const char *what, uint64_t most_ms, uint64_t *ret_ms);
/* A copy of a text that is not empty and has at most MOST bytes. */
int doc_copy(struct doc *r, const yaml_node_t *n, const char *what, size_t most, char **ret);
int doc_choice(struct doc *r, const yaml_node_t *n, const char *what, const char *const *names,
	       size_t n_names, size_t *ret);
/* [word, word], or one shell command. */
int doc_command(struct doc *r, const yaml_node_t *n, const char *what, struct strlist *ret);
/* NAME: VALUE, one per line, as "NAME=VALUE". */
int doc_variables(struct doc *r, const yaml_node_t *n, struct strlist *env);

/* Names of services, gates, stages and the like. */
bool doc_is_name(const char *name);
int doc_refuse_name(struct doc *r, const yaml_node_t *at, const char *name, const char *what);

#endif
