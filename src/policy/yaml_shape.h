/* SPDX-License-Identifier: Apache-2.0 */
/* The shape of a YAML file, as tables: it is read by them, and its JSON schema is made from them. */
#ifndef POLICY_YAML_SHAPE_H
#define POLICY_YAML_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

struct doc;
struct doc_shape;
struct yaml_node_s;

/* One key of a mapping. READ stores VALUE into what the mapping is about. */
struct doc_key {
	const char *name;
	int (*read)(struct doc *r, const struct yaml_node_s *value, void *into);
	/* The following is needed only for a schema. */
	const struct doc_shape *shape;
	const char *help;
	bool need;        /* required */
	const char *with; /* NULL, or another key that is required with it */
};

enum doc_kind {
	DOC_TEXT,
	DOC_CHOICE,    /* one of `choices` */
	DOC_NUMBER,    /* whole; from `least` to `most` */
	DOC_TIME,      /* 30s */
	DOC_COMMAND,   /* as doc_command */
	DOC_VARIABLES, /* as doc_variables */
	DOC_LIST,      /* from `least` to `most`, each as `of` */
	DOC_NAMED,     /* a mapping with arbitrary names, each as `of` */
	DOC_KEYS,      /* a mapping with `keys` */
	DOC_ANY,       /* as one of `any` */
};

/* The shape of a value: for the JSON schema and, where `doc_keys` and others use it, for the reader, too. */
struct doc_shape {
	enum doc_kind kind;
	const char *pattern; /* of a text, or of a name: a regular expression as JSON schema has them */
	const char *const *choices; /* ends with NULL */
	const struct doc_key *keys;
	const char *const *one_of;  /* NULL, or keys of which exactly one is required; ends with NULL */
	const char *const *some_of; /* NULL, or keys of which at least one is required; ends with NULL */
	const struct doc_shape *of;
	const struct doc_shape *const *any; /* ends with NULL */
	uint64_t least, most;               /* MOST 0: no limit */
};

#endif
