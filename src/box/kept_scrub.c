/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes secrets out of what is about to be kept that this run was not given, but some box was: a box may have
 * stored one, or a person typed it. What goes to the caller is not changed by that; what lies here for long
 * is.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/kept_output.h"
#include "secret/fingerprints.h"

/* What is found in one stream of some records. */
struct found {
	const struct fingerprint_found *list; /* borrowed */
	size_t n;
	uint8_t *covered; /* owned; for each byte of the stream */
	uint64_t at;      /* bytes of the stream before this record */
	bool inside;      /* the last byte was part of one */
};

static const char *name_at(const struct found *f, uint64_t at)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->list[i].from <= at && at < f->list[i].to)
			return f->list[i].name;
	return "";
}

/* The bytes of one record, with marks in place of secrets. */
static void copy_clean(struct found *f, const char *data, size_t len, struct buf *ret)
{
	for (size_t i = 0; i < len;) {
		size_t from = i;
		bool covered = f->covered[f->at + i];

		while (i < len && f->covered[f->at + i] == covered)
			i++;
		if (!covered)
			buf_add(ret, data + from, i - from);
		else if (!f->inside)
			buf_addf(ret, "[secret %s]", name_at(f, f->at + from));
		f->inside = covered;
	}
	f->at += len;
}

static int rewrite(struct kept_records *r, enum runlog_stream stream, struct found *f)
{
	scoped(buf_finish) struct buf clean = { 0 };
	size_t last = 0;

	for (size_t at = r->from; at < r->bytes.len;) {
		struct runlog_head h;
		const char *data = r->bytes.data + at + sizeof(h);

		memcpy(&h, r->bytes.data + at, sizeof(h));
		at += sizeof(h) + h.len;
		last = clean.len;
		buf_add(&clean, &h, sizeof(h));
		if (h.stream == stream)
			copy_clean(f, data, h.len, &clean);
		else
			buf_add(&clean, data, h.len);
		h.len = (uint32_t)(clean.len - last - sizeof(h));
		if (!clean.failed)
			memcpy(clean.data + last, &h, sizeof(h));
	}
	if (clean.failed)
		return -ENOMEM;
	buf_finish(&r->bytes);
	*r = (struct kept_records){ .bytes = clean, .last = last };
	clean = (struct buf){ 0 };
	return 0;
}

static int scrub_stream(struct fingerprint_scan *scan, struct kept_records *r, enum runlog_stream stream)
{
	struct found f = { 0 };
	uint64_t len = 0;
	int err;

	fingerprint_scan_begin(scan);
	for (size_t at = r->from; at < r->bytes.len;) {
		struct runlog_head h;

		memcpy(&h, r->bytes.data + at, sizeof(h));
		if (h.stream == stream) {
			fingerprint_scan_add(scan, r->bytes.data + at + sizeof(h), h.len);
			len += h.len;
		}
		at += sizeof(h) + h.len;
	}
	if (!fingerprint_scan_found(scan, &f.list, &f.n))
		return -ENOMEM;
	if (!f.n)
		return 0;
	f.covered = calloc(1, (size_t)len + 1);
	for (size_t i = 0; f.covered && i < f.n; i++)
		for (uint64_t k = f.list[i].from; k < f.list[i].to && k < len; k++)
			f.covered[k] = 1;
	err = f.covered ? rewrite(r, stream, &f) : -ENOMEM;
	free(f.covered);
	return err;
}

int kept_output_scrub(struct kept_output *k, const char *state_dir, struct aisbx_error *e)
{
	scoped(drop_fingerprints) struct fingerprints *all = NULL;
	scoped(drop_fingerprint_scan) struct fingerprint_scan *scan = NULL;
	int r = fingerprints_load(state_dir, &all, e), err = 0;

	if (r < 0 || !all)
		return r;
	scan = fingerprint_scan_create(all);
	if (!scan)
		err = -ENOMEM;
	for (enum runlog_stream s = RUNLOG_STDOUT; err == 0 && s <= RUNLOG_STDERR; s++) {
		err = scrub_stream(scan, &k->head, s);
		if (err == 0)
			err = scrub_stream(scan, &k->tail, s);
	}
	return err < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -err, "search the output for secrets") : 0;
}
