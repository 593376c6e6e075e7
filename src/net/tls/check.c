/* SPDX-License-Identifier: Apache-2.0 */
/* Judges requests: host, rules, placeholders. */
#include "net/tls/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/scope.h"
#include "net/tls/path.h"

static void drop_buf(struct buf *b)
{
	buf_finish(b);
}

bool verdict_refuse(struct verdict *v, unsigned int status, enum net_reason reason, const char *fmt, ...)
{
	va_list args;

	v->status = status;
	v->reason = reason;
	va_start(args, fmt);
	vsnprintf(v->text, sizeof(v->text), fmt, args);
	va_end(args);
	for (char *at = v->text; *at; at++) /* a part of it may be the box's */
		if (*at < 0x20 || *at == 0x7f)
			*at = '?';
	return false;
}

/* "NAME" or "NAME:PORT" */
static bool is_authority(const struct place *p, const char *text)
{
	size_t n = strlen(p->name);
	char port[8];

	if (strncasecmp(text, p->name, n) != 0)
		return false;
	snprintf(port, sizeof(port), ":%u", p->port);
	return !strcmp(text + n, port) || (!text[n] && p->port == 443);
}

static bool is_token(const char *text)
{
	return *text && !text[strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ-")];
}

/* The smallest rule that would allow it. */
static void suggest(const struct place *p, const char *method, const char *path, struct verdict *v)
{
	char port[8] = "";

	if (p->port != 443)
		snprintf(port, sizeof(port), ":%u", p->port);
	if (snprintf(v->rule, sizeof(v->rule), "https://%s%s%s %s", p->name, port, path, method) >=
	    (int)sizeof(v->rule))
		snprintf(v->rule, sizeof(v->rule), "https://%s%s/* %s", p->name, port, method);
}

/* Whether a rule has this name, and the method; with its path or without one. */
static bool rule_is_for(const struct place *p, const struct egress_rule *r, const char *method)
{
	return r->kind == EGRESS_NAMES && !r->udp && egress_match_name(r, 1, p->name, p->port, false) &&
	       (!r->methods || (r->methods & path_method(method)));
}

/* Fields by which some servers take another method or path than the request line's. */
static void strip_overrides(struct message *m)
{
	static const char *const fields[] = { "x-http-method-override", "x-http-method", "x-method-override",
					      "x-original-url",         "x-rewrite-url", "x-original-uri",
					      "x-forwarded-uri" };

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		message_remove(m, fields[i]);
}

/* Whether any rule of this name looks at requests. */
static bool is_restricted(const struct place *p)
{
	for (size_t i = 0; i < p->config->n_rules; i++) {
		const struct egress_rule *r = &p->config->rules[i];

		if (r->kind == EGRESS_NAMES && !r->path[0] && !r->methods &&
		    egress_match_name(r, 1, p->name, p->port, false))
			return false;
	}
	return true;
}

static bool check_rules(const struct place *p, struct message *m, struct verdict *v)
{
	scoped(drop_mem) char *path = malloc(3 * strlen(m->target) + 1);
	scoped(drop_mem) char *target = NULL;
	const char *why;

	if (!path)
		return verdict_refuse(v, 500, NET_NO_REASON, "no memory");
	if (is_restricted(p))
		strip_overrides(m);
	for (size_t i = 0; i < p->config->n_rules; i++)
		if (!p->config->rules[i].path[0] && rule_is_for(p, &p->config->rules[i], m->method))
			return true; /* any path, as it is */
	why = path_normalise(m->target, path);
	if (why)
		return verdict_refuse(
			v, 400, NET_WRONG_METHOD,
			"the path has %s, which servers read in different ways; rules for %s name paths", why,
			p->name);
	for (size_t i = 0; i < p->config->n_rules; i++)
		if (rule_is_for(p, &p->config->rules[i], m->method) &&
		    path_matches(path, p->config->rules[i].path)) {
			/* What was judged is what is sent. */
			if (asprintf(&target, "%s%s", path, m->target + strcspn(m->target, "?")) < 0)
				return verdict_refuse(v, 500, NET_NO_REASON, "no memory");
			free(m->target);
			m->target = take_mem(&target);
			return true;
		}
	suggest(p, m->method, path, v);
	return verdict_refuse(v, 403, NET_WRONG_METHOD,
			      "no rule allows %s %.200s on %s; this one would: %.300s", m->method, path,
			      p->name, v->rule);
}

/* Everything of a request before its body, as one text. */
static bool head_text(const struct message *m, struct buf *ret)
{
	if (m->target) {
		scoped(drop_mem) char *plain = malloc(strlen(m->target) + 1);
		size_t n = plain ? path_unescape(m->target, plain) : 0;

		ret->failed |= !plain;
		buf_addf(ret, "%s\n", m->target);
		if (plain)
			buf_add(ret, plain, n);
		buf_add(ret, "\n", 1);
	}
	for (size_t i = 0; i < m->n_fields; i++)
		buf_addf(ret, "%s: %s\n", m->fields[i].name, m->fields[i].value);
	return buf_str(ret) != NULL;
}

static bool has_mark(const struct buf *b)
{
	return b->len && memmem(b->data, b->len, CONFIG_FOUND, strlen(CONFIG_FOUND));
}

static bool wrong_secret(const struct place *p, const struct tls_secret *s, const char *where,
			 struct verdict *v)
{
	return verdict_refuse(v, 403, NET_WRONG_SECRET,
			      "the placeholder of the secret '%s' is in the %s; it belongs to %s, not to %s",
			      s->name, where, s->host, p->name);
}

/* No placeholder of another host's secret (attack 116). */
static bool check_placeholders(const struct place *p, const struct message *m, struct verdict *v)
{
	scoped(drop_buf) struct buf text = { 0 };

	for (size_t i = 0; i < p->config->n_secrets; i++) {
		const struct tls_secret *s = &p->config->secrets[i];
		scoped(drop_buf) struct buf out = { 0 };

		if (config_secret_is_of(s, p->name, p->port))
			continue;
		if (!text.len && !head_text(m, &text))
			return verdict_refuse(v, 500, NET_NO_REASON, "no memory");
		if (!redact_bytes(s->finder, text.data, text.len, &out))
			return verdict_refuse(v, 500, NET_NO_REASON, "no memory");
		if (has_mark(&out))
			return wrong_secret(p, s, "request", v);
	}
	return true;
}

bool check_request(const struct place *p, struct message *m, struct swap *swap, struct verdict *v)
{
	if (!m->authority || !is_authority(p, m->authority))
		return verdict_refuse(v, 421, NET_WRONG_HOST,
				      "this connection is to %s, and the request names %.200s", p->name,
				      m->authority ? m->authority : "no host");
	if (!m->method || !m->target || !is_token(m->method) || !path_is_target(m->target) ||
	    !strcmp(m->method, "CONNECT"))
		return verdict_refuse(v, 400, NET_BAD_HTTP, "a request line that aisbx does not pass on");
	return check_placeholders(p, m, v) && check_rules(p, m, v) && inject_secrets(p, m, swap, v);
}

void check_answer(struct message *m, const struct swap *swap)
{
	if (!swap->n_pairs)
		return;
	message_remove(m, "set-cookie");
	message_remove(m, "set-cookie2");
	for (size_t i = 0; i < m->n_fields; i++) {
		swap_text(swap, m->fields[i].name);
		swap_text(swap, m->fields[i].value);
	}
}

bool check_trailers(const struct place *p, struct message *m, struct verdict *v)
{
	for (size_t i = m->n_fields; i-- > 0;)
		if (inject_is_credential(p, m->fields[i].name))
			message_remove_at(m, i);
	return check_placeholders(p, m, v);
}

bool body_scan_init(struct body_scan *s, const struct place *p, const struct message *m)
{
	const char *encoding = message_get(m, "content-encoding");

	*s = (struct body_scan){ .left = CHECK_BODY_SCAN };
	if (!p->config->n_secrets || (encoding && strcasecmp(encoding, "identity") != 0))
		return true;
	s->ones = calloc(p->config->n_secrets, sizeof(s->ones[0]));
	if (!s->ones)
		return false;
	for (size_t i = 0; i < p->config->n_secrets; i++) {
		const struct tls_secret *one = &p->config->secrets[i];

		if (config_secret_is_of(one, p->name, p->port))
			continue;
		if (!redact_init(&s->ones[s->n_ones].stream, one->finder))
			return false;
		s->ones[s->n_ones++].of = one;
	}
	return true;
}

void body_scan_finish(struct body_scan *s)
{
	for (size_t i = 0; i < s->n_ones; i++)
		redact_finish(&s->ones[i].stream);
	free(s->ones);
	*s = (struct body_scan){ 0 };
}

bool body_scan_feed(struct body_scan *s, const struct place *p, const char *data, size_t len, bool last,
		    struct verdict *v)
{
	if (!s->n_ones || (!s->left && !last))
		return true;
	len = len < s->left ? len : s->left;
	s->left -= len;
	for (size_t i = 0; i < s->n_ones; i++) {
		scoped(drop_buf) struct buf out = { 0 };

		redact_feed(&s->ones[i].stream, data, len, &out);
		if (last || !s->left)
			redact_end(&s->ones[i].stream, &out);
		if (out.failed || s->ones[i].stream.failed)
			return verdict_refuse(v, 500, NET_NO_REASON, "no memory");
		if (has_mark(&out) || s->ones[i].stream.n_covers) /* found; and more of it could follow */
			return wrong_secret(p, s->ones[i].of, "body", v);
	}
	if (last || !s->left)
		body_scan_finish(s);
	return true;
}
