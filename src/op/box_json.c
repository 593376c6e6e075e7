/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes and snapshots as JSON. */
#include "op/box_json.h"

json_t *box_json(const struct store_box *b)
{
	return json_pack("{s:s, s:s, s:s?, s:s?, s:s, s:I, s:o, s:I, s:b, s:o, s:b}", "id", b->id, "name",
			 b->name, "project", b->project, "image", b->image[0] ? b->image : NULL, "profile",
			 b->profile, "created_ms", (json_int_t)b->created_ms, "expires_ms",
			 b->expires_ms ? json_integer(b->expires_ms) : json_null(), "snapshots",
			 (json_int_t)b->snapshots, "autosnap", b->autosnap, "owner",
			 b->owner[0] ? json_string(b->owner) : json_null(), "shared", b->shared);
}

void box_json_note(json_t *box, const json_t *metadata)
{
	json_object_set_new(box, "metadata", metadata ? json_deep_copy(metadata) : json_object());
}

json_t *snapshot_json(const struct store_snapshot *s)
{
	return json_pack("{s:s, s:s, s:s, s:I, s:b}", "id", s->id, "name", s->name, "box", s->box,
			 "created_ms", (json_int_t)s->created_ms, "automatic", s->automatic);
}
