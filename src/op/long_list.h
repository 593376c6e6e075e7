/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of names in answers. A box can make any number of names, and an answer is made in memory: what
 * exceeds the limit is counted, not listed.
 */
#ifndef OP_LONG_LIST_H
#define OP_LONG_LIST_H

#include <jansson.h>
#include <stddef.h>

struct op_list {
	json_t *items;   /* owned until it is put */
	size_t left;     /* memory that it may still use */
	json_int_t more; /* number of entries that did not fit */
};

/* For the longest list of an answer, and for each other one. */
#define OP_LIST_LONG  ((size_t)12 << 20)
#define OP_LIST_SHORT ((size_t)2 << 20)

#define OP_LIST_INIT(most)                            \
	{                                             \
		.items = json_array(), .left = (most) \
	}

/*
 * The next item, borrowed, which has the path already; NULL if it does not fit, and then it is counted. The
 * first ones always fit: a list without items means that there is nothing.
 */
json_t *op_list_add(struct op_list *l, const char *path);
/* Into RESULT as KEY; if entries are missing, RESULT's "more" says how many. */
void op_list_put(struct op_list *l, const char *key, json_t *result);
/* How many are not in the list KEY of RESULT. */
json_int_t op_list_more(const json_t *result, const char *key);

#define MORE_FIELDS                                                                                \
	{                                                                                          \
		"more", "object",                                                                  \
			"only if there are more than can be listed: for each shortened list, how " \
			"many"                                                                     \
	}

#endif
