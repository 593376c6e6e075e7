/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the interfaces of E2B: requests as HTTP hands them over, and between them calls that tell something
 * or end, clients that go, time that passes. Whatever comes, nobody without a token is let in, each request
 * has one answer, which is what it says it is, and nothing is left.
 */
#include <stdint.h>
#include <stdio.h>

#include "server/core/json.h"
#include "server/e2b/frame.h"
#include "server/e2b/internal.h"
#include "support/stub_call.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

#define KEY          "key-of-the-fuzzer-0123456789"
#define BOX          "box1"
#define MAX_SEGMENTS 64
#define MAX_LINES    16

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

/* ---- the other side of the wire ---- */

struct exchange {
	struct exchange *next;
	char *text; /* owned; the whole request, cut into texts */
	const char *method, *path, *query;
	struct {
		const char *name, *value;
	} headers[MAX_LINES];
	size_t n_headers;
	const char *body;
	size_t len;
	char token[64], found[4096];
	bool replied, begun, ended;
	struct buf sent;
	void (*on_end)(void *ctx);
	void *ctx;
};

static struct exchange *exchanges;

static const char *method(const struct exchange *x)
{
	return x->method;
}

static const char *path(const struct exchange *x)
{
	return x->path;
}

static const char *header(const struct exchange *x, const char *name)
{
	for (size_t i = 0; i < x->n_headers; i++)
		if (!strcasecmp(x->headers[i].name, name))
			return x->headers[i].value;
	return NULL;
}

static const char *query(const struct exchange *x, const char *name)
{
	const size_t n = strlen(name);

	for (const char *at = x->query; at && *at; at += strcspn(at, "&"), at += *at == '&')
		if (!strncmp(at, name, n) && at[n] == '=') {
			snprintf((char *)x->found, sizeof(x->found), "%.*s", (int)strcspn(at + n + 1, "&"),
				 at + n + 1);
			return x->found;
		}
	return NULL;
}

static const char *body(const struct exchange *x, size_t *ret_len)
{
	*ret_len = x->len;
	return x->body;
}

static const char *known_token(const struct exchange *x, size_t n, const char **ret_name)
{
	(void)x;
	*ret_name = "tester";
	return n ? NULL : KEY;
}

static const char *token(const struct exchange *x)
{
	return x->token;
}

static void set_token(struct exchange *x, const char *name)
{
	snprintf(x->token, sizeof(x->token), "%s", name);
}

static void on_end(struct exchange *x, void (*fn)(void *ctx), void *ctx)
{
	x->on_end = fn;
	x->ctx = ctx;
}

static void add_header(struct exchange *x, const char *name, const char *value)
{
	must(!x->replied && !x->begun && name && value);
}

static void reply(struct exchange *x, unsigned int status, const char *type, const char *text, size_t len)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	json_t *j;

	must(!x->replied && !x->begun && status >= 200 && status < 600);
	x->replied = true;
	if (!type || strcmp(type, "application/json") != 0)
		return;
	j = server_json_read(text, len, &e);
	must(j);
	json_decref(j);
}

static void begin(struct exchange *x, const char *type)
{
	must(!x->replied && !x->begun && type);
	x->begun = true;
}

static void send(struct exchange *x, const char *data, size_t len)
{
	must(x->begun && !x->ended);
	buf_add(&x->sent, data, len);
}

static size_t waiting(const struct exchange *x)
{
	return x->sent.len;
}

static void end(struct exchange *x)
{
	must(!x->ended);
	x->ended = true;
}

static const struct e2b_wire wire = { method, path,       header, query, body, known_token, token, set_token,
				      on_end, add_header, reply,  begin, send, waiting,     end };

static void drop(struct exchange *x)
{
	struct exchange **at = &exchanges;

	while (*at != x)
		at = &(*at)->next;
	*at = x->next;
	if (x->on_end)
		x->on_end(x->ctx);
	buf_finish(&x->sent);
	free(x->text);
	free(x);
}

/* ---- time ---- */

struct timer {
	timer_fn fn;
	void *ctx;
};

static struct timer timer;

int timer_add(struct loop *l, timer_fn fn, void *ctx, struct timer **ret_timer, struct aisbx_error *e)
{
	(void)l;
	(void)e;
	timer = (struct timer){ fn, ctx };
	*ret_timer = &timer;
	return 0;
}

void timer_set(struct timer *t, uint64_t after_ms)
{
	(void)t;
	(void)after_ms;
}

void timer_end(struct timer **t)
{
	timer.fn = NULL;
	*t = NULL;
}

/* ---- requests ---- */

static char *cut(char **at, const char *until)
{
	char *word = *at, *end = strstr(word, until);

	if (!end)
		return NULL;
	*end = '\0';
	*at = end + strlen(until);
	return word;
}

/* "$K" and "$A" stand for what an honest client has. */
static const char *meant(const char *value)
{
	static char own[ACCESS_MAX], traffic[ACCESS_MAX];

	access_token(KEY, BOX, ACCESS_FILES, own);
	access_token(KEY, BOX, ACCESS_TRAFFIC, traffic);
	return !strcmp(value, "$K")   ? KEY
	       : !strcmp(value, "$A") ? own
	       : !strcmp(value, "$T") ? traffic
				      : value;
}

static bool may(const struct exchange *x)
{
	const char *key = header(x, "X-API-KEY"), *access = header(x, "X-Access-Token"),
		   *traffic = header(x, "E2B-Traffic-Access-Token");

	return (key && !strcmp(key, KEY)) || (access && !strcmp(access, meant("$A"))) ||
	       (traffic && !strcmp(traffic, meant("$T"))) || !strcmp(x->path, "/health");
}

static bool parse(struct exchange *x, char *at, const char *end)
{
	char *line, *value;

	x->method = cut(&at, " ");
	line = x->method ? cut(&at, "\n") : NULL;
	if (!line)
		return false;
	value = strchr(line, '?');
	if (value)
		*value++ = '\0';
	x->path = line;
	x->query = value;
	while ((line = cut(&at, "\n")) && *line) {
		value = strstr(line, ": ");
		if (!value || x->n_headers == MAX_LINES)
			return false;
		*value = '\0';
		x->headers[x->n_headers].name = line;
		x->headers[x->n_headers++].value = meant(value + 2);
	}
	if (!line)
		return false;
	x->body = at;
	x->len = (size_t)(end - at);
	return true;
}

static void ask(struct e2b *e, const char *text, size_t len)
{
	struct exchange *x = calloc(1, sizeof(*x));
	size_t most = 0;

	must(x);
	x->text = malloc(len + 1);
	must(x->text);
	memcpy(x->text, text, len);
	x->text[len] = '\0';
	x->next = exchanges;
	exchanges = x;
	if (!parse(x, x->text, x->text + len)) {
		drop(x);
		return;
	}
	switch (e2b_admit(e, x, &most)) {
	case E2B_MINE:
		must(may(x) && !x->replied && most);
		if (x->len <= most)
			e2b_request(e, x);
		break;
	case E2B_REFUSED:
		must(x->replied);
		break;
	case E2B_NOT_MINE:
		must(!x->replied);
		break;
	}
}

static void finish_call(struct call *c, const char *text, size_t len)
{
	struct aisbx_error e = AISBX_ERROR_INIT, ignored = AISBX_ERROR_INIT;
	json_t *result = len ? server_json_read(text, len, &ignored) : NULL;

	if (!json_is_object(result)) {
		json_decref(result);
		result = NULL;
		aisbx_refuse(&e, 1 + (int)(len % (AISBX_KIND_COUNT - 1)), AISBX_AREA_BOX, EIO,
			     "it failed: /home");
	}
	stub_done(c, result, result ? NULL : &e);
}

static void tell(struct call *c, const char *text, size_t len)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	json_t *item = c->events.item ? server_json_read(text, len, &e) : NULL;

	if (item)
		c->events.item(c->ctx, item);
	else if (c->events.output && len)
		c->events.output(c->ctx, (int)(len & 1), text, len);
	json_decref(item);
}

/* The first letter of a segment says what it is. */
static void act(struct e2b *e, const char *text, size_t len)
{
	struct call *c = len > 1 && text[1] & 1 ? stub.first : stub.last;

	if (text[0] == 'Q')
		ask(e, text + 1, len - 1);
	else if (text[0] == 'D' && c)
		finish_call(c, text + 2, len > 2 ? len - 2 : 0);
	else if (text[0] == 'O' && c)
		tell(c, text + 2, len > 2 ? len - 2 : 0);
	else if (text[0] == 'B' && c && c->events.begun)
		c->events.begun(c->ctx, "r-1", "");
	else if (text[0] == 'T' && timer.fn)
		timer.fn(timer.ctx);
	else if (text[0] == 'G' && exchanges)
		drop(exchanges);
	else if (text[0] == 'F')
		stub.refuse_start = EAGAIN;
}

static void on_stopped(void *ctx)
{
	*(bool *)ctx = true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	/* A directory that can be read, and in which nothing can be written. */
	const struct e2b_how how = { .wire = &wire, .state = "/proc/self/task", .home = "/h/u" };
	struct aisbx_error err = AISBX_ERROR_INIT;
	const char *at = (const char *)data, *last = at + len;
	struct e2b *e = NULL;
	struct sandbox *s;
	bool stopped = false;

	must(e2b_open(NULL, &how, &e, &err) == 0);
	s = sandbox_new(e, BOX, "tester");
	must(s);
	s->template = strdup("base");
	s->metadata = json_pack("{s:s}", "a", "b c");
	s->env = json_pack("{s:s}", "A", "1");
	s->end_ms = INT64_MAX;
	for (int i = 0; at < last && i < MAX_SEGMENTS; i++) {
		const char *next = memchr(at, 0xff, (size_t)(last - at));

		next = next ? next : last;
		if (next > at)
			act(e, at, (size_t)(next - at));
		at = next + 1;
	}
	while (exchanges)
		drop(exchanges);
	e2b_stop(e, on_stopped, &stopped);
	while (stub.first)
		finish_call(stub.first, "", 0);
	must(stopped);
	e2b_close(e);
	stub.refuse_start = 0;
	return 0;
}
