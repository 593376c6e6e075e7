/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of profiles that people bring from other tools, read as ours, with a note for each. */
#ifndef POLICY_PROFILE_FOREIGN_H
#define POLICY_PROFILE_FOREIGN_H

#include "policy/profile.h"
#include "policy/yaml_doc.h"

/* Reads one file. */
struct profile_reader {
	struct doc doc;
	struct profile_layer *layer;
	struct profile_setting *settings; /* of the layer */
	struct profile tried;             /* takes what values mean, to see whether they mean something */
	const char *lang;                 /* NULL, or what is being read is only for this language */
};

/* VALUE NULL: an empty list. NAME and VALUE are copied. */
int profile_reader_add(struct profile_reader *r, const struct profile_key *k, const yaml_node_t *at,
		       const char *name, const char *value);

/* The key NAME at AT with its VALUE: 0 if it had a foreign shape and was read, 1 if it is for the table of
 * keys. */
int profile_foreign(struct profile_reader *r, const yaml_node_t *at, const char *name,
		    const yaml_node_t *value);

#endif
