/* SPDX-License-Identifier: Apache-2.0 */
/* A signed address for a file of a box: for whom we act for, and a box that is there. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/file_url_make.h"
#include "box/owner.h"
#include "secret/fingerprints.h"

int file_url_key(uint8_t ret[SHA256_BYTES], struct aisbx_error *e)
{
	scoped(drop_mem) char *dir = box_state_dir(e);

	return dir ? fingerprints_derive(dir, "signed addresses of files", ret, SHA256_BYTES, e) : e->code;
}

void file_url_made_finish(struct file_url_made *m)
{
	free(m->query);
	free(m->path);
}

static int find(const char *key, char ret_id[STORE_ID_MAX], struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	scoped(store_box_finish) struct store_box box = { 0 };
	int r = box_state_open(&state, e);

	if (r == 0)
		r = box_find(&state, key, &box, e);
	if (r == 0)
		memcpy(ret_id, box.id, STORE_ID_MAX);
	return r;
}

int file_url_make(const struct caller *by, const char *box, const struct box_path *path, bool writes,
		  uint64_t lasts_ms, struct file_url_made *ret, struct aisbx_error *e)
{
	scoped(box_act_finish) struct box_act act = { 0 };
	struct file_url u = { .writes = writes, .owner = box_acting_for() ? box_acting_for() : "" };
	struct buf query = { 0 };
	uint8_t key[SHA256_BYTES];
	int r;

	if (!lasts_ms || lasts_ms > FILE_URL_MOST_MS)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "an address can be good for at most 7 days, and not for no time at all");
	r = box_act_begin(by, box, path, FILE_STAT, &act, e);
	if (r == 0)
		r = find(act.req.box.id, ret->box, e);
	if (r == 0)
		r = file_url_key(key, e);
	if (r < 0)
		return r;
	ret->until = (uint64_t)time(NULL) + (lasts_ms + 999) / 1000;
	ret->path = take_mem(&act.path);
	u.box = ret->box;
	u.path = ret->path;
	u.until = ret->until;
	if (!file_url_write(&u, key, &query) || !buf_str(&query)) {
		buf_finish(&query);
		r = aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "sign an address");
	}
	explicit_bzero(key, sizeof(key));
	ret->query = query.data;
	return r;
}
