/* SPDX-License-Identifier: Apache-2.0 */
/* Secrets into requests: in the header of the template and nowhere else, and no other credential beside them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/base64.h"
#include "base/scope.h"
#include "net/tls/check.h"
#include "net/tls/sigv4.h"

/* Where clients say who they are. A host that gets a secret gets none of these that the box chose (attack
 * 118). */
static const char *const credentials[] = {
	"authorization",
	"proxy-authorization",
	"cookie",
	"cookie2",
	"x-api-key",
	"api-key",
	"apikey",
	"x-apikey",
	"x-auth-token",
	"x-access-token",
	"x-authorization",
	"private-token",
	"job-token",
	"deploy-token",
	"x-goog-api-key",
	"x-github-token",
	"x-gitlab-token",
	"x-vault-token",
	"x-amz-security-token",
	"x-auth-key",
	"x-auth-email",
	"x-session-token",
	"x-jfrog-art-api",
	"x-nuget-apikey",
	"circle-token",
	"x-shopify-access-token",
	"x-functions-key",
	"ocp-apim-subscription-key",
	"x-token",
	"token",
};

static void drop_buf(struct buf *b)
{
	if (b->data)
		explicit_bzero(b->data, b->len);
	buf_finish(b);
}

bool inject_is_credential(const struct place *p, const char *name)
{
	for (size_t i = 0; i < sizeof(credentials) / sizeof(credentials[0]); i++)
		if (!strcasecmp(name, credentials[i]))
			return true;
	for (size_t i = 0; p && i < p->config->n_secrets; i++)
		if (config_secret_is_of(&p->config->secrets[i], p->name, p->port) &&
		    !strcasecmp(name, p->config->secrets[i].header))
			return true;
	return false;
}

/* The placeholder stands alone: at the end, behind a space or nothing. */
static bool ends_with_word(const char *value, const char *word, const char *behind)
{
	size_t n = strlen(value), w = strlen(word), b = strlen(behind);

	return n >= w + b && !strcmp(value + n - b, behind) && !memcmp(value + n - b - w, word, w) &&
	       (n == w + b || strchr(" =\"", value[n - b - w - 1]));
}

static bool put(struct field *f, const char *value)
{
	char *copy = strdup(value);

	if (!copy)
		return false;
	explicit_bzero(f->value, strlen(f->value));
	free(f->value);
	f->value = copy;
	f->hide = true;
	return true;
}

/* Always in the template's form, whatever scheme the box wrote. */
static bool put_header(struct field *f, const struct tls_secret *s)
{
	scoped(drop_buf) struct buf b = { 0 };

	if (!ends_with_word(f->value, s->placeholder, s->behind) &&
	    !ends_with_word(f->value, s->placeholder, ""))
		return false;
	buf_add(&b, s->before, s->before_len);
	buf_addf(&b, "%s%s", s->value, s->behind);
	return buf_str(&b) && put(f, b.data);
}

static bool put_basic(struct field *f, const struct tls_secret *s, struct swap *swap)
{
	scoped(drop_buf) struct buf plain = { 0 }, made = { 0 }, value = { 0 };
	const char *code = f->value + 5;
	size_t user, n = strlen(s->placeholder);

	if (strncasecmp(f->value, "Basic ", 6) != 0)
		return false;
	code += strspn(code, " ");
	if (!base64_read(&plain, code, strlen(code)) || !buf_str(&plain) || strlen(plain.data) != plain.len ||
	    !strchr(plain.data, ':'))
		return false;
	user = strcspn(plain.data, ":");
	if (!strcmp(plain.data + user + 1, s->placeholder))
		memcpy(plain.data + user + 1, s->value, n);
	else if (user == n && !memcmp(plain.data, s->placeholder, n))
		memcpy(plain.data, s->value, n);
	else
		return false;
	base64_add(&made, plain.data, plain.len);
	buf_add(&value, "Basic ", 6);
	buf_add(&value, made.data, made.len);
	return buf_str(&made) && buf_str(&value) && made.len == strlen(code) &&
	       swap_add(swap, made.data, code, made.len) && put(f, value.data);
}

/* Whether the field is now the secret's. */
static bool take(struct field *f, const struct tls_secret *s, struct swap *swap, struct verdict *v)
{
	if (strcasecmp(f->name, s->header) != 0)
		return false;
	if (s->how == SECRET_AWS) {
		if (!sigv4_shows(f->value, s->placeholder, strcspn(s->placeholder, ":")))
			return false;
		v->signs = s;
		return true;
	}
	if (!strcmp(s->header, "authorization") && put_basic(f, s, swap))
		return true;
	return s->how == SECRET_HEADER && put_header(f, s);
}

/* What must not come back: the secret, or its parts. */
static bool add_pairs(const struct tls_secret *s, struct swap *swap)
{
	const char *from = s->value, *to = s->placeholder;

	if (s->how != SECRET_AWS)
		return swap_add(swap, from, to, strlen(from));
	for (size_t n; *from; from += n + (from[n] == ':'), to += n + (to[n] == ':')) {
		n = strcspn(from, ":");
		if (!swap_add(swap, from, to, n))
			return false;
		if (!from[n])
			break;
	}
	return true;
}

static bool take_by_any(const struct place *p, struct field *f, struct swap *swap, struct verdict *v)
{
	for (size_t i = 0; i < p->config->n_secrets; i++)
		if (config_secret_is_of(&p->config->secrets[i], p->name, p->port) &&
		    take(f, &p->config->secrets[i], swap, v))
			return true;
	return false;
}

/* Whether a field of that name before the one at I is still there: then it is a secret's. */
static bool is_second(const struct message *m, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcasecmp(m->fields[k].name, m->fields[i].name))
			return true;
	return false;
}

bool inject_secrets(const struct place *p, struct message *m, struct swap *swap, struct verdict *v)
{
	if (!config_has_secret(p->config, p->name, p->port))
		return true;
	for (size_t i = 0; i < p->config->n_secrets; i++)
		if (config_secret_is_of(&p->config->secrets[i], p->name, p->port) &&
		    !add_pairs(&p->config->secrets[i], swap))
			return verdict_refuse(v, 500, NET_NO_REASON,
					      "more secrets for one host than can be kept from coming back");
	for (size_t i = 0; i < m->n_fields;) {
		if (inject_is_credential(p, m->fields[i].name) &&
		    (is_second(m, i) || !take_by_any(p, &m->fields[i], swap, v)))
			message_remove_at(m, i);
		else
			i++;
	}
	/* So that what comes back can be read. */
	message_remove(m, "accept-encoding");
	if (!message_add(m, "accept-encoding", 15, "identity", 8))
		return verdict_refuse(v, 431, NET_BAD_HTTP, "too many fields");
	return !v->signs || check_sign(m, NULL, v);
}

bool check_sign(struct message *m, const char *hash, struct verdict *v)
{
	scoped(drop_mem) char *parts = strdup(v->signs->value);
	char *rest = parts;
	const char *why = "no memory";
	struct sigv4_key key = { 0 };
	enum sigv4_result r = SIGV4_REFUSED;

	if (parts) {
		key.id = strsep(&rest, ":");
		key.secret = strsep(&rest, ":");
		key.token = rest;
		r = sigv4_sign(m, &key, hash, &why);
		explicit_bzero(parts, strlen(v->signs->value));
	}
	if (r == SIGV4_REFUSED)
		return verdict_refuse(v, 403, NET_BAD_HTTP,
				      "aisbx could not sign this request to an Amazon service: %s", why);
	if (r == SIGV4_DONE)
		v->signs = NULL;
	return true;
}
