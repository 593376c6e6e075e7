/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of names in answers. A box can make any number of names, an answer is made in memory: what is too
 * much is counted, not listed. */
#ifndef OP_LISTED_H
#define OP_LISTED_H

#include <jansson.h>
#include <stddef.h>

struct op_list {
	json_t *items;   /* owned until it is put */
	size_t left;     /* memory it may take still */
	json_int_t more; /* what it has no room for */
};

/* For the longest list of an answer, and for each other one. */
#define OP_LIST_LONG  ((size_t)12 << 20)
#define OP_LIST_SHORT ((size_t)2 << 20)

#define OP_LIST_INIT(most)                            \
	{                                             \
		.items = json_array(), .left = (most) \
	}

/*
 * The next item, borrowed, which has the path already; NULL when there is no room for it any more, and it is
 * counted. For the first ones there always is: a list without items means that there is nothing.
 */
json_t *op_list_add(struct op_list *l, const char *path);
/* Into RESULT as KEY; if something is not in it, RESULT's "more" says how much. */
void op_list_put(struct op_list *l, const char *key, json_t *result);
/* How many are not in the list KEY of RESULT. */
json_int_t op_list_more(const json_t *result, const char *key);

#define MORE_FIELDS                                                                                       \
	{                                                                                                 \
		"more", "object",                                                                         \
			"only when there are more than can be listed: of each list that lacks some, how " \
			"many"                                                                            \
	}

#endif
