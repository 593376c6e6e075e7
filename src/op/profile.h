/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles as JSON, in the shape of their files. */
#ifndef OP_PROFILE_H
#define OP_PROFILE_H

#include "box/profiles.h"
#include "op/op.h"

/* The value of one key: a string, an array or an object; NULL: not set. A new reference. */
json_t *op_profile_value(const struct box_profile *p, const struct profile_key *k);
/* All of them, as a self-contained file would set them: without a name, so that it can be given any. */
json_t *op_profile_json(const struct box_profile *p);

/* The files it is made of, itself first. */
json_t *op_profile_files_json(const struct box_profile *p);

/* What they say in the words of another tool, and how it was read: "FILE:LINE: ...". */
json_t *op_profile_notes_json(const struct box_profile *p);

#define PROFILE_HELP \
	"a name that 'aisbx profile ls' lists, or a file (with a '/'); default: $AISBX_PROFILE, or dev"

#define FILES_FIELD                                                                                         \
	{                                                                                                   \
		"files", "array",                                                                           \
			"the files that were read: its own, then those it extends; shipped:NAME for those " \
			"that "                                                                             \
			"come with aisbx"                                                                   \
	}

#define NOTES_FIELD                                                                                  \
	{                                                                                            \
		"notes", "array", "what is written in the words of another tool, and how it is read" \
	}

#endif
