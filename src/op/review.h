/* SPDX-License-Identifier: Apache-2.0 */
/* A review of a promotion as JSON, and what was accepted of it as arguments. */
#ifndef OP_REVIEW_H
#define OP_REVIEW_H

#include "op/op.h"
#include "op/path_json.h"
#include "promote/apply.h"

/* Adds "review" to RESULT. RAW: texts as they are, for who makes them safe; else they become UTF-8. */
void op_add_review(const struct box_promotion *p, bool raw, json_t *result);

/* The options --reviewed and --accept; RET->digest is "" without them. */
int op_selection(const json_t *args, struct promote_selection *ret, struct aisbx_error *e);

#define REVIEW_PARAMS                                                                                        \
	{ "review", 0,    OP_FLAG,                                                                           \
	  0,        NULL, "ask about each file and each part of a text; what is refused stays in the box" }, \
		{ "reviewed",                                                                                \
		  0,                                                                                         \
		  OP_STRING,                                                                                 \
		  0,                                                                                         \
		  "DIGEST",                                                                                  \
		  "for programs: promote only if the changes are those of the review with this digest" },    \
	{                                                                                                    \
		"accept", 0, OP_LIST, 0, "ITEM[:PARTS]",                                                     \
			"for programs: of that review only this item, by number, or only these parts: "      \
			"5:1,3,m (m: its permissions)"                                                       \
	}

#define REVIEW_FIELDS                                                                                        \
	{ "review", "object", "only with --review, which changes nothing then: what can be accepted" },      \
		{ "review.digest", "string", "for --reviewed" },                                             \
		{ "review.items", "array", "in the order of their numbers, from 1" },                        \
		{ "review.items[].path", "string|null", "relative to the target; null if it is not UTF-8" }, \
		{ "review.items[].path_hex", "string", "the bytes in hexadecimal, if it is not UTF-8" },     \
		{ "review.items[].kind", "string", "as in changes" },                                        \
		{ "review.items[].type", "string", "as in changes" },                                        \
		{ "review.items[].outcome", "string", "as in changes" },                                     \
		{ "review.items[].old_mode", "string|null", "permissions now; null: there is nothing" },     \
		{ "review.items[].new_mode", "string|null", "permissions afterwards; null: it is deleted" }, \
		{ "review.items[].size", "integer", "bytes afterwards" },                                    \
		{ "review.items[].binary", "boolean", "no text: only as a whole" },                          \
		{ "review.items[].inside", "integer",                                                        \
		  "of a directory that is replaced as a whole: number of things in it" },                    \
		{ "review.items[].mode", "boolean", "permissions can be accepted by themselves, as 'm'" },   \
		{ "review.items[].patch", "string",                                                          \
		  "the difference, of an item that is accepted as a whole" },                                \
		{ "review.items[].hunks", "array", "or the difference in hunks" },                           \
		{ "review.items[].hunks[].text", "string", "as in a patch" },                                \
		{ "review.items[].hunks[].first", "integer", "number of its first part, from 1" },           \
	{                                                                                                    \
		"review.items[].hunks[].parts", "array", "its parts, each as a hunk of its own"              \
	}

#endif
