/* SPDX-License-Identifier: Apache-2.0 */
/* A review of a promotion as JSON, and what was accepted of it. */
#include "op/review.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"

static json_t *text_json(struct buf *text, bool raw)
{
	scoped(buf_finish) struct buf clean = { 0 };

	if (!buf_str(text))
		return json_string("");
	if (raw)
		return json_stringn_nocheck(text->data, text->len);
	buf_add_utf8(&clean, text->data, text->len);
	return json_stringn(buf_str(&clean) ? clean.data : "", clean.len);
}

static json_t *hunk_json(const struct hunk_list *l, size_t hunk, bool raw)
{
	scoped(buf_finish) struct buf whole = { 0 };
	json_t *parts = json_array();
	size_t first = l->n;

	hunk_print(l, hunk, &whole);
	for (size_t i = 0; i < l->n; i++) {
		scoped(buf_finish) struct buf one = { 0 };

		if (l->parts[i].hunk != hunk)
			continue;
		first = first < i ? first : i;
		hunk_print_part(l, i, &one);
		json_array_append_new(parts, text_json(&one, raw));
	}
	return json_pack("{s:o, s:I, s:o}", "text", text_json(&whole, raw), "first", (json_int_t)first + 1,
			 "parts", parts);
}

static json_t *mode_json(mode_t mode)
{
	return mode ? json_sprintf("%04o", mode & 07777) : json_null();
}

static void describe(const struct merge_step *s, struct review_item *item, bool raw, json_t *j)
{
	bool gone = s->op == MERGE_DELETE;

	json_object_set_new(j, "kind", json_string(change_kind_name(s->box)));
	json_object_set_new(j, "type",
			    json_string(change_type_name(s->now.st_mode ? s->now.st_mode : s->old.st_mode)));
	json_object_set_new(j, "outcome", json_string(merge_outcome_name(s->outcome)));
	json_object_set_new(j, "old_mode", mode_json(s->old.st_mode));
	json_object_set_new(j, "new_mode", mode_json(gone ? 0 : s->now.st_mode));
	json_object_set_new(j, "size", json_integer(gone ? 0 : (json_int_t)s->now.st_size));
	json_object_set_new(j, "binary", json_boolean(item->binary));
	json_object_set_new(j, "inside", json_integer((json_int_t)item->inside));
	json_object_set_new(j, "mode", json_boolean(item->mode));
	if (item->hunks.n) {
		json_t *hunks = json_array();

		for (size_t i = 0; i < item->hunks.n_hunks; i++)
			json_array_append_new(hunks, hunk_json(&item->hunks, i, raw));
		json_object_set_new(j, "hunks", hunks);
	} else {
		json_object_set_new(j, "patch", text_json(&item->patch, raw));
	}
}

void op_add_review(const struct box_promotion *p, bool raw, json_t *result)
{
	json_t *items = json_array();

	for (size_t i = 0; i < p->review.n; i++) {
		const struct merge_step *s = &p->plan.steps[p->review.items[i].step];
		json_t *j = json_object();

		op_set_name(j, "path", s->path);
		describe(s, &p->review.items[i], raw, j);
		json_array_append_new(items, j);
	}
	json_object_set_new(result, "review",
			    json_pack("{s:s, s:o}", "digest", p->review.digest, "items", items));
}

int op_selection(const json_t *args, struct promote_selection *ret, struct aisbx_error *e)
{
	const char *digest = op_text(args, "reviewed");
	const json_t *list = json_object_get(args, "accept"), *text;
	size_t i;
	int r = 0;

	if (!digest && !list)
		return 0;
	if (!digest || strlen(digest) != REVIEW_DIGEST - 1)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "--reviewed takes the digest that --review --json shows%s",
				    digest ? "" : "; --accept needs it");
	memcpy(ret->digest, digest, REVIEW_DIGEST);
	ret->all = !list;
	json_array_foreach(list, i, text) if (r == 0) r =
		promote_selection_add(ret, json_string_value(text), e);
	return r;
}
