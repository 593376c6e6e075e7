/* SPDX-License-Identifier: Apache-2.0 */
/* What a file of YAML looks like, as tables: by them it is read, and from them its JSON schema is made. */
#ifndef POLICY_SHAPE_H
#define POLICY_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

struct doc;
struct doc_shape;
struct yaml_node_s;

/* One key of a mapping. READ puts VALUE into what the mapping is about. */
struct doc_key {
	const char *name;
	int (*read)(struct doc *r, const struct yaml_node_s *value, void *into);
	/* What follows may be left out by who has no schema. */
	const struct doc_shape *shape;
	const char *help;
	bool need;        /* it must be there */
	const char *with; /* NULL, or another key that must be there, too */
};

enum doc_kind {
	DOC_TEXT,
	DOC_CHOICE,    /* one of `choices` */
	DOC_NUMBER,    /* whole; from `least` to `most` */
	DOC_TIME,      /* 30s */
	DOC_COMMAND,   /* as doc_command */
	DOC_VARIABLES, /* as doc_variables */
	DOC_LIST,      /* from `least` to `most`, each as `of` */
	DOC_NAMED,     /* a mapping with names of their own, each as `of` */
	DOC_KEYS,      /* a mapping with `keys` */
	DOC_ANY,       /* as one of `any` */
};

/* What a value looks like: for the JSON schema, and where `doc_keys` and others say so for the
 * reader, too. */
struct doc_shape {
	enum doc_kind kind;
	const char *pattern; /* of a text, or of a name: a regular expression as JSON schema has them */
	const char *const *choices; /* ends with NULL */
	const struct doc_key *keys;
	const char *const *one_of;  /* NULL, or keys of which there must be just one; ends with NULL */
	const char *const *some_of; /* NULL, or keys of which there must be at least one; ends with NULL */
	const struct doc_shape *of;
	const struct doc_shape *const *any; /* ends with NULL */
	uint64_t least, most;               /* MOST 0: as many as one likes */
};

#endif
