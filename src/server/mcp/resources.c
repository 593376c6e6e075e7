/* SPDX-License-Identifier: Apache-2.0 */
/* The addresses and their operations; one row for each kind. */
#include "server/mcp/resources.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/scope.h"
#include "base/str.h"
#include "base/value.h"
#include "server/mcp/offer.h"

#define SCHEME "aisbx://"
/* Of what one read gives: text that an operation emits piece by piece may have no end. */
#define TEXT_MAX (8u << 20)
/* A file operation gives at most so much at once; more than that of a file is not for a message. */
#define FILE_LIMIT (4 << 20)
#define URI_MAX    8192
/* Behind the address of an output: read on from that byte. */
#define FROM "?from="

/* What of an address is for whom: each part that is named in the pattern is one argument. */
struct resource_kind {
	const char *pattern; /* as in a template; {+x} takes slashes, too */
	const char *method;
	const char *name, *description, *mime;
	const char *first, *second; /* arguments that the parts in braces become */
	const char *more;           /* further arguments, JSON; NULL: none */
	bool bytes;                 /* of any kind, in `content` of the result */
	const char *stream;         /* of what is emitted only this; NULL: the result */
	const char *member;         /* of the result; NULL: all of it */
	const char *watch;          /* method that emits when it changes; NULL: none */
	const char *watch_more;
};

static const struct resource_kind kinds[] = {
	{ .pattern = "boxes",
	  .method = "box.ls",
	  .name = "boxes",
	  .description = "all boxes",
	  .mime = "application/json" },
	{ .pattern = "boxes/{box}/diff",
	  .method = "box.diff",
	  .name = "box-diff",
	  .first = "box",
	  .description = "what the box changed, as a patch",
	  .mime = "text/x-diff",
	  .more = "{\"patch\": true}",
	  .member = "patch" },
	{ .pattern = "boxes/{box}/files/{+path}",
	  .method = "file.read",
	  .name = "box-file",
	  .first = "box",
	  .second = "path",
	  .bytes = true,
	  .description =
		  "a file of the box; the path is relative to its project, or absolute if it begins with '/'",
	  .watch = "file.watch" },
	{ .pattern = "runs/{run}/stdout",
	  .method = "run.logs",
	  .name = "run-stdout",
	  .first = "run",
	  .mime = "text/plain",
	  .description = "standard output of a run, as far as it is stored",
	  .stream = "stdout",
	  .watch = "run.logs",
	  .watch_more = "{\"follow\": true}" },
	{ .pattern = "runs/{run}/stderr",
	  .method = "run.logs",
	  .name = "run-stderr",
	  .first = "run",
	  .mime = "text/plain",
	  .description = "standard error of a run, as far as it is stored",
	  .stream = "stderr",
	  .watch = "run.logs",
	  .watch_more = "{\"follow\": true}" },
	{ .pattern = "runs/{run}/result",
	  .method = "run.history",
	  .name = "run-result",
	  .first = "run",
	  .mime = "application/json",
	  .description = "result of a run: status, usage, violations",
	  .more = "{\"full\": true}" },
	{ .pattern = "artifacts/{artifact}",
	  .method = "artifact.read",
	  .name = "artifact",
	  .first = "artifact",
	  .bytes = true,
	  .description = "an artifact: a file saved from a box" },
};

#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Once: what is in it then is a name, whatever it looks like. False: it is no encoding, or has a NUL or no
 * UTF-8 in it. */
static bool decode(const char *text, size_t len, struct buf *out)
{
	json_t *checked;
	bool good;

	for (size_t i = 0; i < len; i++) {
		char c = text[i];

		if (c == '%') {
			if (len - i < 3 || hex(text[i + 1]) < 0 || hex(text[i + 2]) < 0)
				return false;
			c = (char)(hex(text[i + 1]) * 16 + hex(text[i + 2]));
			i += 2;
		}
		if (!c)
			return false;
		buf_add(out, &c, 1);
	}
	checked = buf_str(out) && out->len ? json_stringn(out->data, out->len) : NULL;
	good = checked != NULL;
	json_decref(checked);
	return good;
}

static void encode(struct buf *out, const char *text, bool slashes)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";

	for (; *text; text++)
		if (strchr(plain, *text) || (slashes && *text == '/'))
			buf_addf(out, "%c", *text);
		else
			buf_addf(out, "%%%02X", (unsigned char)*text);
}

/* URI, behind the scheme, against a pattern; the parts go into FOUND. */
static bool matches(const char *pattern, const char *uri, struct buf found[2])
{
	size_t n = 0;

	while (*pattern) {
		const char *end;
		size_t len;

		if (*pattern != '{') {
			if (*pattern++ != *uri++)
				return false;
			continue;
		}
		len = pattern[1] == '+' ? strlen(uri) : strcspn(uri, "/");
		end = strchr(pattern, '}');
		if (!end || n == 2 || !decode(uri, len, &found[n++]))
			return false;
		pattern = end + 1;
		uri += len;
	}
	return !*uri;
}

/* NULL: there is none here. */
static const struct op *offered(const char *method)
{
	const struct op *op = op_by_method(method);

	return op && offer_op(op) ? op : NULL;
}

/* An operation that this build has: the rows of files and artifacts are looked up by name. */
static const struct op *op_of(const struct resource_kind *k)
{
	return offered(k->method);
}

static json_t *arguments(const struct resource_kind *k, const struct buf found[2], const char *more)
{
	json_t *args = more ? json_loads(more, 0, NULL) : json_object();

	if (k->first)
		json_object_set_new(args, k->first, json_stringn(found[0].data, found[0].len));
	if (k->second)
		json_object_set_new(args, k->second, json_stringn(found[1].data, found[1].len));
	return args;
}

/* The kind of an address, and its parts. */
static const struct resource_kind *kind_of(const char *uri, struct buf found[2])
{
	if (strlen(uri) > URI_MAX || strncmp(uri, SCHEME, strlen(SCHEME)) != 0)
		return NULL;
	for (size_t i = 0; i < N_KINDS; i++) {
		for (int part = 0; part < 2; part++)
			buf_finish(&found[part]);
		if (op_of(&kinds[i]) && matches(kinds[i].pattern, uri + strlen(SCHEME), found))
			return &kinds[i];
	}
	return NULL;
}

struct parts {
	struct buf found[2];
};

static void parts_finish(struct parts *p)
{
	buf_finish(&p->found[0]);
	buf_finish(&p->found[1]);
}

static int no_such(const char *uri, struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_USAGE, ENOENT,
			    "there is no resource '%.200s'", uri);
}

/* The address without what says where to read on; heap, or NULL. */
static char *split_from(const char *uri, uint64_t *ret_from)
{
	const char *at = strstr(uri, FROM);

	if (!at || !str_to_u64(at + strlen(FROM), ret_from))
		return strdup(uri);
	return strndup(uri, (size_t)(at - uri));
}

int resource_open(const char *uri, struct resource *ret, struct aisbx_error *e)
{
	scoped(parts_finish) struct parts p = { 0 };
	uint64_t from = 0;
	scoped(drop_mem) char *plain = split_from(uri, &from);
	const struct resource_kind *k = plain ? kind_of(plain, p.found) : NULL;

	if (k && !k->stream) /* there it may be a part of a name */
		k = kind_of(uri, p.found);
	*ret = (struct resource){ .kind = k, .from = from };
	if (!k)
		return no_such(uri, e);
	ret->op = op_of(k);
	ret->args = arguments(k, p.found, k->more);
	ret->uri = strdup(uri);
	if (!ret->uri || !ret->args)
		return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "read '%.200s'", uri);
	if (k->bytes) {
		json_object_set_new(ret->args, "encoding", json_string("base64"));
		json_object_set_new(ret->args, "limit", json_integer(FILE_LIMIT));
	}
	return op_check_args(ret->op, ret->args, e);
}

void resource_finish(struct resource *r)
{
	json_decref(r->args);
	free(r->uri);
	buf_finish(&r->text);
	*r = (struct resource){ 0 };
}

bool resource_item(struct resource *r, const json_t *item)
{
	const char *stream = json_string_value(json_object_get(item, "stream"));
	const json_t *data = json_object_get(item, "data");
	const char *text = json_string_value(data);
	size_t len = json_string_length(data), at;

	if (!r->kind->stream || !stream || strcmp(stream, r->kind->stream) != 0)
		return true;
	if (r->passed + len <= r->from) {
		r->passed += len;
		return true;
	}
	at = r->passed < r->from ? (size_t)(r->from - r->passed) : 0;
	while (at < len && ((unsigned char)text[at] & 0xC0) == 0x80) /* no letter is cut */
		at++;
	r->passed += at;
	r->full = r->text.len + len - at > TEXT_MAX;
	if (r->full)
		return false;
	buf_add(&r->text, text + at, len - at);
	r->passed += len - at;
	return !r->text.failed;
}

static json_t *one(const struct resource *r, const char *mime, const char *how, json_t *value)
{
	json_t *j = json_pack("{s:s, s:o}", "uri", r->uri, how, value);

	if (j && mime)
		json_object_set_new(j, "mimeType", json_string(mime));
	return j ? json_pack("[o]", j) : NULL;
}

/* As text if it is some, since that is what a model can read. */
static json_t *file_contents(const struct resource *r, const json_t *result)
{
	const json_t *content = json_object_get(result, "content");
	const char *media = json_string_value(json_object_get(result, "media"));
	scoped(buf_finish) struct buf bytes = { 0 };
	json_t *text = NULL;

	if (!json_is_string(content) ||
	    !base64_read(&bytes, json_string_value(content), json_string_length(content)))
		return NULL;
	if (buf_str(&bytes) && !memchr(bytes.data, 0, bytes.len))
		text = json_stringn(bytes.data, bytes.len);
	if (text)
		return one(r, media && !strncmp(media, "text/", 5) ? media : "text/plain", "text", text);
	return one(r, media ? media : "application/octet-stream", "blob", json_incref((json_t *)content));
}

int resource_contents(struct resource *r, const json_t *result, json_t **ret_contents, struct aisbx_error *e)
{
	const json_t *part = r->kind->member ? json_object_get(result, r->kind->member) : result;
	json_t *contents = NULL;

	if (r->kind->stream) {
		if (r->full)
			buf_addf(&r->text, "\n[... more: %.*s" FROM "%llu ...]\n", (int)strcspn(r->uri, "?"),
				 r->uri, (unsigned long long)r->passed);
		contents = one(r, r->kind->mime, "text",
			       json_stringn(buf_str(&r->text) ? r->text.data : "", r->text.len));
	} else if (r->kind->bytes) {
		if (json_is_integer(json_object_get(result, "next_offset")))
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EFBIG,
					    "'%.200s' is larger than %d MiB; read it in parts with %s",
					    r->uri, FILE_LIMIT >> 20, r->op->method);
		contents = file_contents(r, result);
	} else if (json_is_string(part)) {
		contents = one(r, r->kind->mime, "text", json_incref((json_t *)part));
	} else if (part) {
		scoped(drop_mem) char *text = json_dumps(part, JSON_INDENT(1) | VALUE_REALS);

		contents = text ? one(r, r->kind->mime, "text", json_string(text)) : NULL;
	}
	if (!contents)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EPROTO,
				    "'%.200s' cannot be represented", r->uri);
	*ret_contents = contents;
	return 0;
}

static const char *const sources[] = { "box.ls", "artifact.ls" };

const struct op *resources_source(size_t i)
{
	return i < sizeof(sources) / sizeof(sources[0]) ? offered(sources[i]) : NULL;
}

static json_t *entry(const char *before, const char *id, const char *behind, const char *name,
		     const char *title, const char *mime)
{
	scoped(buf_finish) struct buf uri = { 0 };
	json_t *j;

	buf_addf(&uri, SCHEME "%s", before);
	encode(&uri, id, false);
	buf_addf(&uri, "%s", behind);
	j = json_pack("{s:s, s:s, s:s}", "uri", buf_str(&uri) ? uri.data : "", "name", name, "title", title);
	if (mime)
		json_object_set_new(j, "mimeType", json_string(mime));
	return j;
}

static void list_boxes(const json_t *result, json_t *list)
{
	const json_t *box;
	size_t i;

	json_array_foreach(json_object_get(result, "boxes"), i, box)
	{
		const char *name = json_string_value(json_object_get(box, "name"));
		scoped(drop_mem) char *title = NULL;

		if (name && asprintf(&title, "Changes of box %s", name) >= 0)
			json_array_append_new(list,
					      entry("boxes/", name, "/diff", name, title, "text/x-diff"));
	}
}

static void list_artifacts(const json_t *result, json_t *list)
{
	const json_t *artifact;
	size_t i;

	json_array_foreach(json_object_get(result, "artifacts"), i, artifact)
	{
		const char *id = json_string_value(json_object_get(artifact, "id"));
		const char *name = json_string_value(json_object_get(artifact, "name"));

		if (id)
			json_array_append_new(list, entry("artifacts/", id, "", name ? name : id, "Artifact",
							  NULL));
	}
}

json_t *resources_list(const json_t *const *results, size_t n)
{
	json_t *list = json_array();

	json_array_append_new(list, entry("boxes", "", "", "boxes", "All boxes", "application/json"));
	if (n > 0)
		list_boxes(results[0], list);
	if (n > 1)
		list_artifacts(results[1], list);
	return list;
}

json_t *resource_templates(void)
{
	json_t *list = json_array();

	for (size_t i = 0; i < N_KINDS; i++) {
		const struct resource_kind *k = &kinds[i];
		json_t *j;

		if (!strchr(k->pattern, '{') || !op_of(k))
			continue;
		j = json_pack("{s:o, s:s, s:s}", "uriTemplate", json_sprintf(SCHEME "%s", k->pattern), "name",
			      k->name, "description", k->description);
		if (k->mime)
			json_object_set_new(j, "mimeType", json_string(k->mime));
		json_array_append_new(list, j);
	}
	return list;
}

int resource_watch(const char *uri, const struct op **ret_op, json_t **ret_args, struct aisbx_error *e)
{
	scoped(parts_finish) struct parts p = { 0 };
	const struct resource_kind *k = kind_of(uri, p.found);
	const struct op *op = k && k->watch ? offered(k->watch) : NULL;

	if (!k)
		return no_such(uri, e);
	if (!op)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EOPNOTSUPP,
				    "changes of '%.200s' cannot be watched", uri);
	*ret_args = arguments(k, p.found, k->watch_more);
	*ret_op = op;
	return 0;
}

static bool is_id(const char *box)
{
	return !strncmp(box, "b-", 2);
}

/* What a call may change: everything but one that only looks. A box has a name and an id, so either may mean
 * the other. */
bool resource_touched(const char *uri, const struct op *op, const json_t *args)
{
	scoped(parts_finish) struct parts p = { 0 };
	const struct resource_kind *k = kind_of(uri, p.found);
	const char *box = json_string_value(json_object_get(args, "box"));

	if (!k || op->grant == GRANT_READ)
		return false;
	if (!k->first)
		return resources_touched(op);
	if (strcmp(k->first, "box") != 0)
		return false;
	return !box || strcmp(box, p.found[0].data) == 0 || is_id(box) != is_id(p.found[0].data);
}

bool resources_touched(const struct op *op)
{
	return op->grant != GRANT_READ && op->method &&
	       (!strncmp(op->method, "box.", 4) || !strncmp(op->method, "artifact.", 9));
}
