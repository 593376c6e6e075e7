/* SPDX-License-Identifier: Apache-2.0 */
/* Control of sandboxes: made, listed, given more time, paused, ended. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/str.h"
#include "box/box.h"
#include "server/e2b/internal.h"

#define DEFAULT_SECONDS 300
#define MOST_SECONDS    (30 * 24 * 3600)
/* The box of a sandbox outlives it by this, so that the server ends it in order if there is one. */
#define GRACE_SECONDS 60
#define PAGE          100
#define MIB           (1024ull * 1024)

/* Names of E2B's own templates, which stand for this machine as it is. */
static bool is_plain(const char *template)
{
	return str_is_one_of(template, "base|code-interpreter-v1|code-interpreter|code-interpreter-beta");
}

/* Letters and digits, as E2B's ids are; who knows one may still do nothing without a token. */
static bool make_id(char ret[ROUTE_ID_MAX])
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	unsigned char bytes[24];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return false;
	ret[0] = 'i';
	for (size_t i = 0; i < sizeof(bytes); i++)
		ret[i + 1] = letters[bytes[i] % (sizeof(letters) - 1)];
	ret[sizeof(bytes) + 1] = '\0';
	return true;
}

static bool take_seconds(struct request *r, int64_t *ret)
{
	const json_t *given = json_object_get(r->params, r->route == ROUTE_REFRESH ? "duration" : "timeout");
	const json_int_t n = json_integer_value(given);

	*ret = DEFAULT_SECONDS;
	if (!given || json_is_null(given))
		return true;
	if (!json_is_integer(given) || n < 0 || n > MOST_SECONDS) {
		answer_refusal(r, AISBX_KIND_USAGE, "the timeout must be 0 to %d seconds", MOST_SECONDS);
		return false;
	}
	*ret = n;
	return true;
}

static bool are_texts(const json_t *object)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)object, key, value) if (!json_is_string(value)) return false;
	return true;
}

static json_t *time_json(int64_t ms)
{
	const time_t seconds = (time_t)(ms / 1000);
	char text[40];
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	return json_sprintf("%s.%03dZ", text, (int)(ms % 1000));
}

/* The tokens by which clients reach the sandbox; they are made of the key with which it was asked for. */
static json_t *access_json(const struct request *r, const struct sandbox *s)
{
	const struct e2b_wire *w = r->e2b->how.wire;
	char files[ACCESS_MAX] = "", traffic[ACCESS_MAX] = "";
	const char *name, *key;
	json_t *j;

	for (size_t i = 0; r->x && (key = w->known_token(r->x, i, &name)); i++)
		if (!strcmp(name, s->token)) {
			access_token(key, s->id, ACCESS_FILES, files);
			access_token(key, s->id, ACCESS_TRAFFIC, traffic);
			break;
		}
	j = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:n}", "sandboxID", s->id, "templateID",
		      s->template ? s->template : "base", "clientID", "aisbx", "envdVersion", ENVD_VERSION,
		      "envdAccessToken", files, "trafficAccessToken", traffic, "domain");
	explicit_bzero(files, sizeof(files));
	return j;
}

static json_t *sandbox_json(const struct sandbox *s)
{
	struct sysinfo info = { .mem_unit = 1 };

	sysinfo(&info);
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:i, s:I, s:I, s:s, s:O}", "sandboxID", s->id,
			 "templateID", s->template ? s->template : "base", "alias",
			 s->template ? s->template : "base", "clientID", "aisbx", "envdVersion", ENVD_VERSION,
			 "startedAt", time_json(s->started_ms), "endAt", time_json(s->end_ms), "cpuCount",
			 (int)sysconf(_SC_NPROCESSORS_ONLN), "memoryMB",
			 (json_int_t)(info.totalram * info.mem_unit / MIB), "diskSizeMB", (json_int_t)0,
			 "state", s->paused ? "paused" : "running", "metadata", s->metadata);
}

/* ---- making one ---- */

/* What the maker of a sandbox said, until its box is there. */
struct making {
	char id[ROUTE_ID_MAX];
	int64_t seconds;
};

static void on_created(struct request *r, const json_t *result, const struct aisbx_error *e)
{
	const struct making *m = r->own;
	const json_t *p = r->params;
	const char *template = json_string_value(json_object_get(p, "templateID"));
	json_t *metadata = json_object_get(p, "metadata"), *env = json_object_get(p, "envVars");
	struct sandbox *s = e ? NULL : sandbox_new(r->e2b, m->id, r->token);

	(void)result;
	if (e) {
		answer_error(r, e);
		return;
	}
	if (!s) {
		answer_refusal(r, AISBX_KIND_LIMIT, "there are %u sandboxes; end some first", MAX_SANDBOXES);
		return;
	}
	s->template = strdup(template ? template : "base");
	s->metadata = metadata ? json_incref(metadata) : json_object();
	s->env = env ? json_incref(env) : json_object();
	s->started_ms = box_now_ms();
	s->end_ms = s->started_ms + m->seconds * 1000;
	s->pauses = json_is_true(json_object_get(p, "autoPause"));
	s->offline = json_is_false(json_object_get(p, "allow_internet_access"));
	sandbox_save(s);
	sandbox_keep(s);
	answer_json(r, 201, access_json(r, s));
	if (!r->x) /* nobody knows of it */
		sandbox_end(s);
}

/* What E2B's cloud has and a machine has not is refused by name, not ignored. */
static bool check_wishes(struct request *r)
{
	static const struct {
		const char *name, *why;
	} never[] = {
		{ "volumeMounts", "volumes" },
		{ "mcp", "MCP gateways in a sandbox" },
		{ "iam", "workload tokens" },
	};
	const json_t *p = r->params;

	for (size_t i = 0; i < sizeof(never) / sizeof(*never); i++) {
		const json_t *v = json_object_get(p, never[i].name);

		if (v && !json_is_null(v) && (json_object_size(v) || json_array_size(v))) {
			answer_refusal(r, AISBX_KIND_UNSUPPORTED, "aisbx has no %s ('%s')", never[i].why,
				       never[i].name);
			return false;
		}
	}
	if (!are_texts(json_object_get(p, "metadata")) || !are_texts(json_object_get(p, "envVars"))) {
		answer_refusal(r, AISBX_KIND_USAGE, "'metadata' and 'envVars' must be objects of texts");
		return false;
	}
	return true;
}

/* NULL: this owner has none of that name. */
static struct sandbox *snapshot_named(const struct request *r, const char *id)
{
	struct sandbox *s = id ? sandbox_find(r->e2b, id) : NULL;

	return s && s->origin[0] && !s->ending && (r->e2b->how.share || !strcmp(s->token, r->token)) ? s
												     : NULL;
}

static json_t *create_args(const struct request *r, const struct making *m)
{
	const char *template = json_string_value(json_object_get(r->params, "templateID"));
	const struct e2b_how *how = &r->e2b->how;
	const bool fork = snapshot_named(r, template); /* which has all but a name and a time */
	json_t *args = json_pack("{s:s}", "name", m->id);

	if (!json_is_true(json_object_get(r->params, "autoPause")))
		json_object_set_new(args, "ttl", json_integer(m->seconds + GRACE_SECONDS));
	if (!fork)
		json_object_set_new(args, "project", json_string(how->home));
	if (how->profile && !fork)
		json_object_set_new(args, "profile", json_string(how->profile));
	if (how->net && !fork && !json_is_false(json_object_get(r->params, "allow_internet_access")))
		json_object_set(args, "net", (json_t *)how->net);
	if (template && !is_plain(template)) /* a snapshot, or a template of this machine */
		json_object_set_new(args, "from", json_sprintf("%s:%s", fork ? "box" : "template", template));
	return args;
}

void control_create(struct request *r)
{
	struct making *m = calloc(1, sizeof(*m));

	r->own = m;
	r->free_own = free;
	if (!m || !make_id(m->id)) {
		answer_refusal(r, AISBX_KIND_INTERNAL, "out of memory");
		return;
	}
	if (!take_seconds(r, &m->seconds) || !check_wishes(r))
		return;
	if (r->e2b->n_sandboxes >= MAX_SANDBOXES) {
		answer_refusal(r, AISBX_KIND_LIMIT, "there are %u sandboxes; end some first", MAX_SANDBOXES);
		return;
	}
	e2b_call(r, op_by_method("box.create"), create_args(r, m), false, on_created);
}

/* ---- looking ---- */

void control_show(struct request *r)
{
	struct sandbox *s = e2b_box(r);
	json_t *j;

	if (!s)
		return;
	j = sandbox_json(s);
	json_object_update_new(j, access_json(r, s));
	json_object_set_new(j, "allowInternetAccess", json_boolean(r->e2b->how.net && !s->offline));
	json_object_set_new(j, "lifecycle",
			    json_pack("{s:s, s:b}", "onTimeout", s->pauses ? "pause" : "kill", "autoResume",
				      0));
	answer_json(r, 200, j);
}

static bool unescape(const char *text, struct buf *b, int times)
{
	scoped(drop_mem) char *now = strdup(text);

	for (int i = 0; now && i < times; i++) {
		b->len = 0;
		if (!route_unescape(now, b) || !buf_str(b))
			return false;
		free(now);
		now = strdup(b->data);
	}
	return now;
}

/* The filter of a list, "NAME=VALUE&NAME=VALUE", each escaped twice in a parameter that is escaped itself. */
static bool has_metadata(const struct sandbox *s, const char *query)
{
	scoped(buf_finish) struct buf all = { 0 };
	char *rest, *pair;

	if (!query)
		return true;
	if (!unescape(query, &all, 1))
		return false;
	for (rest = all.data; rest && (pair = strsep(&rest, "&"));) {
		scoped(buf_finish) struct buf name = { 0 };
		scoped(buf_finish) struct buf value = { 0 };
		char *mark = strchr(pair, '=');
		const char *have;

		if (!*pair)
			continue;
		if (mark)
			*mark++ = '\0';
		if (!unescape(pair, &name, 2) || !unescape(mark ? mark : "", &value, 2))
			return false;
		have = json_string_value(json_object_get(s->metadata, buf_str(&name)));
		if (!have || strcmp(have, buf_str(&value)) != 0)
			return false;
	}
	return true;
}

static bool is_listed(const struct request *r, const struct sandbox *s)
{
	const struct e2b_wire *w = r->e2b->how.wire;
	const char *state = w->query(r->x, "state");

	if (s->ending || s->origin[0] || (!r->e2b->how.share && strcmp(s->token, r->token) != 0))
		return false;
	if (state && !strstr(state, s->paused ? "paused" : "running"))
		return false;
	if (!state && r->route == ROUTE_LIST && s->paused)
		return false;
	return has_metadata(s, w->query(r->x, "metadata"));
}

void control_list(struct request *r)
{
	const struct e2b_wire *w = r->e2b->how.wire;
	const char *limit = w->query(r->x, "limit"), *after = w->query(r->x, "nextToken"), *last = NULL;
	uint64_t most = PAGE;
	json_t *list = json_array();

	if (limit && (!str_to_u64(limit, &most) || !most || most > PAGE))
		most = PAGE;
	for (const struct sandbox *s = r->e2b->sandboxes; s; s = s->next) {
		if (after && *after) {
			after = strcmp(s->id, after) ? after : NULL;
			continue;
		}
		if (!is_listed(r, s))
			continue;
		if (json_array_size(list) == most && r->route == ROUTE_LIST_V2) {
			w->add_header(r->x, "X-Next-Token", last);
			break;
		}
		json_array_append_new(list, sandbox_json(s));
		last = s->id;
	}
	answer_json(r, 200, list);
}

static json_int_t bytes(uint64_t blocks, uint64_t size)
{
	const uint64_t product = blocks * size;

	return (json_int_t)product;
}

void control_metrics(struct request *r)
{
	const int64_t now = box_now_ms();
	struct sysinfo info = { .mem_unit = 1 };
	struct statvfs disk = { 0 };

	sysinfo(&info);
	statvfs(r->e2b->how.state, &disk);
	answer_json(r, 200,
		    json_pack("[{s:o, s:I, s:i, s:f, s:I, s:I, s:I, s:I, s:I}]", "timestamp", time_json(now),
			      "timestampUnix", (json_int_t)(now / 1000), "cpuCount",
			      (int)sysconf(_SC_NPROCESSORS_ONLN), "cpuUsedPct", 0.0, "memUsed",
			      bytes(info.totalram - info.freeram, info.mem_unit), "memTotal",
			      bytes(info.totalram, info.mem_unit), "memCache",
			      bytes(info.bufferram, info.mem_unit), "diskUsed",
			      bytes(disk.f_blocks - disk.f_bfree, disk.f_frsize), "diskTotal",
			      bytes(disk.f_blocks, disk.f_frsize)));
}

/* ---- ending, pausing, time ---- */

void control_kill(struct request *r)
{
	sandbox_end(sandbox_find(r->e2b, r->box));
	answer_empty(r, 204);
}

static void on_renewed(struct request *r, const json_t *result, const struct aisbx_error *e)
{
	struct sandbox *s = e2b_box(r);

	(void)result;
	if (!s)
		return;
	if (e)
		answer_error(r, e);
	else if (r->route == ROUTE_TIMEOUT || r->route == ROUTE_REFRESH)
		answer_empty(r, 204);
	else
		answer_json(r, r->route == ROUTE_RESUME ? 201 : 200, access_json(r, s));
}

static void renew(struct request *r, struct sandbox *s, int64_t seconds)
{
	s->end_ms = box_now_ms() + seconds * 1000;
	sandbox_save(s);
	e2b_call(r, op_by_method("box.renew"),
		 json_pack("{s:s, s:I}", "box", s->id, "ttl",
			   (json_int_t)(s->pauses ? 0 : seconds + GRACE_SECONDS)),
		 false, on_renewed);
}

void control_timeout(struct request *r)
{
	struct sandbox *s = e2b_box(r);
	int64_t seconds;

	if (s && take_seconds(r, &seconds))
		renew(r, s, seconds);
}

static void on_paused(struct request *r, const json_t *result, const struct aisbx_error *e)
{
	(void)result;
	if (e)
		answer_error(r, e);
	else
		answer_empty(r, 204);
}

/* What runs ends, what it wrote stays; and the box has no end while it is paused. */
void control_pause(struct request *r)
{
	struct sandbox *s = e2b_box(r);

	if (!s)
		return;
	if (s->paused) {
		answer_refusal(r, AISBX_KIND_EXISTS, "sandbox '%s' is paused already", s->id);
		return;
	}
	sandbox_pause(s);
	e2b_call(r, op_by_method("box.renew"), json_pack("{s:s, s:i}", "box", s->id, "ttl", 0), false,
		 on_paused);
}

void control_resume(struct request *r)
{
	struct sandbox *s = e2b_box(r);
	int64_t seconds;

	if (!s || !take_seconds(r, &seconds))
		return;
	/* Whoever connects to one that runs does not shorten its time. */
	if (!s->paused && box_now_ms() + seconds * 1000 <= s->end_ms) {
		answer_json(r, r->route == ROUTE_RESUME ? 201 : 200, access_json(r, s));
		return;
	}
	if (s->paused && s->keeper_run[0])
		e2b_aside(s, op_by_method("run.resume"), json_pack("{s:[s]}", "runs", s->keeper_run));
	s->paused = false;
	renew(r, s, seconds);
}

/* ---- snapshots ---- */

static json_t *snapshot_json(const struct sandbox *s)
{
	return json_pack("{s:s, s:[s]}", "snapshotID", s->id, "names", s->template ? s->template : s->id);
}

static void on_forked(struct request *r, const json_t *result, const struct aisbx_error *e)
{
	const struct making *m = r->own;
	const char *name = json_string_value(json_object_get(r->params, "name"));
	struct sandbox *s = e ? NULL : sandbox_new(r->e2b, m->id, r->token);

	(void)result;
	if (e) {
		answer_error(r, e);
		return;
	}
	if (!s) {
		answer_refusal(r, AISBX_KIND_LIMIT, "there are %u sandboxes; end some first", MAX_SANDBOXES);
		return;
	}
	snprintf(s->origin, sizeof(s->origin), "%s", r->box);
	s->template = strdup(name ? name : m->id);
	s->metadata = json_object();
	s->env = json_object();
	s->started_ms = s->end_ms = box_now_ms();
	sandbox_save(s);
	answer_json(r, 201, snapshot_json(s));
}

static void on_snapped(struct request *r, const json_t *result, const struct aisbx_error *e)
{
	const struct making *m = r->own;
	const char *name = json_string_value(json_object_get(result, "id"));

	if (e)
		answer_error(r, e);
	else
		e2b_call(r, op_by_method("box.fork"),
			 json_pack("{s:o, s:s}", "from", json_sprintf("%s@%s", r->box, name ? name : ""),
				   "name", m->id),
			 false, on_forked);
}

/* A box of its own, so that it outlives the sandbox. */
void control_snapshot(struct request *r)
{
	struct making *m = calloc(1, sizeof(*m));

	r->own = m;
	r->free_own = free;
	if (!m || !make_id(m->id))
		answer_refusal(r, AISBX_KIND_INTERNAL, "out of memory");
	else
		e2b_call(r, op_by_method("box.snap"), json_pack("{s:s}", "box", r->box), false, on_snapped);
}

void control_snapshots(struct request *r)
{
	const char *of = r->e2b->how.wire->query(r->x, "sandboxID");
	json_t *list = json_array();

	for (const struct sandbox *s = r->e2b->sandboxes; s; s = s->next)
		if (snapshot_named(r, s->id) && (!of || !strcmp(of, s->origin)))
			json_array_append_new(list, snapshot_json(s));
	answer_json(r, 200, list);
}

void control_snapshot_remove(struct request *r)
{
	struct sandbox *s = snapshot_named(r, r->id);

	if (!s) {
		answer_refusal(r, AISBX_KIND_NOT_FOUND, "template '%s' not found", r->id);
		return;
	}
	sandbox_end(s);
	answer_empty(r, 204);
}
