/* SPDX-License-Identifier: Apache-2.0 */
/* Files as bodies: GET and POST /files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/scope.h"
#include "server/e2b/frame.h"
#include "server/e2b/internal.h"

/* Of one call, before base64. */
#define PIECE     (12u << 20)
#define MAX_PARTS 256

void files_health(struct request *r)
{
	answer_empty(r, 204);
}

/* The parameter `path`, as the box has it. Heap; NULL: R is answered. */
static char *path_of(struct request *r, const char *given)
{
	scoped(buf_finish) struct buf b = { 0 };
	const char *query = r->e2b->how.wire->query(r->x, "path");
	char *path;

	if (!given && (!query || !route_unescape(query, &b) || !buf_str(&b))) {
		answer_refusal(r, AISBX_KIND_USAGE, "the parameter 'path' is missing or invalid");
		return NULL;
	}
	path = sandbox_path(r->e2b, given ? given : b.data);
	if (!path)
		answer_refusal(r, AISBX_KIND_INTERNAL, "out of memory");
	return path;
}

/* ---- reading ---- */

struct reading {
	char *path; /* owned */
};

static void free_reading(void *own)
{
	struct reading *g = own;

	free(g->path);
	free(g);
}

static void on_piece(struct request *r, const json_t *result, const struct aisbx_error *e);

static void read_piece(struct request *r, json_int_t offset)
{
	const struct reading *g = r->own;

	e2b_call(r, op_by_method("file.read"),
		 json_pack("{s:s, s:s, s:s, s:I, s:I}", "box", r->box, "path", g->path, "encoding", "base64",
			   "offset", offset, "limit", (json_int_t)PIECE),
		 true, on_piece);
}

static void on_piece(struct request *r, const json_t *result, const struct aisbx_error *e)
{
	const json_t *next = json_object_get(result, "next_offset"),
		     *content = json_object_get(result, "content");
	const struct e2b_wire *w = r->e2b->how.wire;
	scoped(buf_finish) struct buf data = { 0 };

	if (e || !base64_read(&data, json_string_value(content), json_string_length(content))) {
		/* A stream that has begun can only break off. */
		if (e && !r->begun)
			answer_error(r, e);
		else if (r->x)
			w->end(r->x);
		return;
	}
	if (!r->x)
		return;
	if (!r->begun && !json_is_integer(next)) {
		w->reply(r->x, 200, "application/octet-stream", data.len ? data.data : "", data.len);
		return;
	}
	if (!r->begun)
		w->begin(r->x, "application/octet-stream");
	r->begun = true;
	w->send(r->x, data.data, data.len);
	if (json_is_integer(next))
		read_piece(r, json_integer_value(next));
	else
		w->end(r->x);
}

void files_read(struct request *r)
{
	struct reading *g = calloc(1, sizeof(*g));

	r->own = g;
	r->free_own = free_reading;
	if (!g)
		answer_refusal(r, AISBX_KIND_INTERNAL, "out of memory");
	else if ((g->path = path_of(r, NULL)))
		read_piece(r, 0);
}

/* ---- writing ---- */

/* What is left of an upload. Its contents lie in the body, which stays until the answer. */
struct writing {
	struct buf inflated; /* owned; the body, if it came compressed */
	char boundary[72];   /* "": the body is the content */
	size_t at;           /* in the body: of the next part */
	size_t parts;
	char *path;       /* owned; of the part that is being written */
	const char *data; /* borrowed; what is left of it */
	size_t len;
	bool first;
	json_t *done; /* owned; what was written */
};

static void free_writing(void *own)
{
	struct writing *w = own;

	free(w->path);
	buf_finish(&w->inflated);
	json_decref(w->done);
	free(w);
}

static void next_part(struct request *r);
static void on_written(struct request *r, const json_t *result, const struct aisbx_error *e);

static void write_piece(struct request *r)
{
	struct writing *w = r->own;
	const size_t n = w->len < PIECE ? w->len : PIECE;
	struct buf coded = { 0 };
	json_t *args;

	base64_add(&coded, w->data, n);
	args = json_pack("{s:s, s:s, s:s, s:o}", "box", r->box, "path", w->path, "encoding", "base64",
			 "content", json_stringn_nocheck(coded.len ? coded.data : "", coded.len));
	buf_finish(&coded);
	if (!w->first)
		json_object_set_new(args, "append", json_true());
	w->first = false;
	w->data += n;
	w->len -= n;
	e2b_call(r, op_by_method("file.write"), args, true, on_written);
}

static void on_written(struct request *r, const json_t *result, const struct aisbx_error *e)
{
	struct writing *w = r->own;
	scoped(drop_mem) char *shown = NULL;
	const char *name;

	(void)result;
	if (e) {
		answer_error(r, e);
		return;
	}
	if (!r->x)
		return;
	if (w->len) {
		write_piece(r);
		return;
	}
	shown = sandbox_path_shown(r->e2b, w->path);
	name = shown ? strrchr(shown, '/') : NULL;
	json_array_append_new(w->done, json_pack("{s:s, s:s, s:s}", "name",
						 name    ? name + 1
						 : shown ? shown
							 : "",
						 "type", "file", "path", shown ? shown : ""));
	next_part(r);
}

static void write_part(struct request *r, const char *path, const char *data, size_t len)
{
	struct writing *w = r->own;

	free(w->path);
	w->path = path_of(r, path);
	w->data = data;
	w->len = len;
	w->first = true;
	if (w->path)
		write_piece(r);
}

/* The next file of a form; the address names the only one. */
static void next_part(struct request *r)
{
	struct writing *w = r->own;
	const bool named = r->e2b->how.wire->query(r->x, "path");
	size_t len;
	const char *body = r->e2b->how.wire->body(r->x, &len);
	struct part part;
	int more = 0;

	while (w->boundary[0] && w->parts < MAX_PARTS &&
	       (more = part_next(body, len, w->boundary, &w->at, &part)) > 0) {
		w->parts++;
		if (strcmp(part.name, "file") != 0)
			continue;
		if (!named && !part.filename[0]) {
			answer_refusal(r, AISBX_KIND_USAGE, "a part 'file' has no filename");
			return;
		}
		write_part(r, named ? NULL : part.filename, part.data, part.len);
		return;
	}
	if (w->boundary[0] && (w->parts >= MAX_PARTS || more < 0 || !json_array_size(w->done)))
		answer_refusal(r, AISBX_KIND_USAGE,
			       "the form is damaged, or has no file, or more than %d parts", MAX_PARTS);
	else
		answer_json(r, 200, json_incref(w->done));
}

void files_write(struct request *r)
{
	const struct e2b_wire *wire = r->e2b->how.wire;
	const char *type = wire->header(r->x, "Content-Type"),
		   *coding = wire->header(r->x, "Content-Encoding");
	struct writing *w = calloc(1, sizeof(*w));
	const char *body;
	size_t len;

	r->own = w;
	r->free_own = free_writing;
	if (!w || !(w->done = json_array())) {
		answer_refusal(r, AISBX_KIND_INTERNAL, "out of memory");
		return;
	}
	body = wire->body(r->x, &len);
	if (coding && !strcmp(coding, "gzip")) {
		if (!e2b_gunzip(body, len, MOST_FILE, &w->inflated)) {
			answer_refusal(r, AISBX_KIND_USAGE, "the upload is no gzip of at most %u bytes",
				       MOST_FILE);
			return;
		}
		write_part(r, NULL, w->inflated.data, w->inflated.len);
		return;
	}
	if (coding && strcmp(coding, "identity") != 0) {
		answer_refusal(r, AISBX_KIND_UNSUPPORTED,
			       "uploads can be compressed with gzip, not with '%.20s'", coding);
		return;
	}
	if (!type || !part_boundary(type, w->boundary))
		write_part(r, NULL, body, len);
	else
		next_part(r);
}
