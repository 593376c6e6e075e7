/* SPDX-License-Identifier: Apache-2.0 */
/* Signs requests to Amazon's services, as their documentation says: canonical request, string to sign,
 * signature. */
#include "net/tls/sigv4.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/scope.h"
#include "base/sha256.h"
#include "net/tls/path.h"

#define ALGORITHM "AWS4-HMAC-SHA256"
#define MAX_PARTS 256

/* What the Authorization field says. */
struct claim {
	char id[130], date[9], region[64], service[64];
	char *headers; /* owned; "host;x-amz-date" */
};

static void finish_claim(struct claim *c)
{
	free(c->headers);
}

static void drop_buf(struct buf *b)
{
	buf_finish(b);
}

/* The text behind "NAME=" up to a comma. */
static const char *part(const char *text, const char *name, size_t *ret_len)
{
	const char *at = strstr(text, name);

	if (!at)
		return NULL;
	at += strlen(name);
	*ret_len = strcspn(at, ", ");
	return at;
}

bool sigv4_shows(const char *authorization, const char *id, size_t id_len)
{
	size_t len;
	const char *at = strncmp(authorization, ALGORITHM " ", sizeof(ALGORITHM)) != 0
				 ? NULL
				 : part(authorization, "Credential=", &len);

	return at && len > id_len && !memcmp(at, id, id_len) && at[id_len] == '/';
}

static bool read_claim(const char *authorization, struct claim *ret)
{
	size_t len, n_headers;
	const char *at = part(authorization, "Credential=", &len);
	const char *headers = part(authorization, "SignedHeaders=", &n_headers);
	char end[16];

	if (!at || !headers || !n_headers || len > 300 ||
	    sscanf(at, "%129[^/, ]/%8[0-9]/%63[A-Za-z0-9-]/%63[A-Za-z0-9-]/%15[a-z0-9_]", ret->id, ret->date,
		   ret->region, ret->service, end) != 5 ||
	    strlen(ret->date) != 8 || strcmp(end, "aws4_request") != 0)
		return false;
	ret->headers = strndup(headers, n_headers);
	return ret->headers != NULL;
}

static void add_encoded(struct buf *b, const char *text, size_t len, bool slashes)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (isalnum(c) || (c && strchr("-._~", c)) || (slashes && c == '/'))
			buf_add(b, &text[i], 1);
		else
			buf_addf(b, "%%%02X", c);
	}
}

/* S3 takes the path as it is escaped; all others escape it once more. */
static void add_path(struct buf *b, const char *target, bool once)
{
	size_t len = strcspn(target, "?");

	if (once)
		buf_add(b, target, len);
	else
		add_encoded(b, target, len, true);
	buf_add(b, "\n", 1);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* "NAME=VALUE" with the escapes that a signature wants. */
static char *query_part(const char *text)
{
	scoped(drop_mem) char *plain = malloc(strlen(text) + 1);
	struct buf b = { 0 };
	const char *equals = strchr(text, '=');
	scoped(drop_mem) char *name = equals ? strndup(text, (size_t)(equals - text)) : strdup(text);

	if (!plain || !name)
		return NULL;
	add_encoded(&b, plain, path_unescape(name, plain), false);
	buf_add(&b, "=", 1);
	if (equals)
		add_encoded(&b, plain, path_unescape(equals + 1, plain), false);
	return buf_str(&b);
}

static bool add_query(struct buf *b, const char *target)
{
	char *parts[MAX_PARTS];
	size_t n = 0;
	const char *query = strchr(target, '?');
	scoped(drop_mem) char *copy = strdup(query ? query + 1 : "");
	char *rest = copy, *one;
	bool good = copy != NULL;

	while (good && (one = strsep(&rest, "&"))) {
		if (!*one)
			continue;
		good = n < MAX_PARTS && (parts[n] = query_part(one));
		n += good;
	}
	qsort(parts, n, sizeof(parts[0]), by_text);
	for (size_t i = 0; i < n; i++) {
		buf_addf(b, "%s%s", i ? "&" : "", parts[i]);
		free(parts[i]);
	}
	buf_add(b, "\n", 1);
	return good;
}

/* A value without spaces around it, and one space for many. */
static void add_value(struct buf *b, const char *value)
{
	for (bool space = false; *value; value++) {
		if (*value == ' ' && space)
			continue;
		space = *value == ' ';
		buf_add(b, value, 1);
	}
}

/* Adds the signed fields to B and their names to NAMES. Those that are gone are left out. */
static void add_fields(struct buf *b, struct buf *names, const struct message *m, char *list)
{
	char *name;

	while ((name = strsep(&list, ";"))) {
		bool any = false;

		if (!strcmp(name, "host") || !strcmp(name, ":authority")) {
			buf_addf(b, "host:%s", m->authority);
			name = "host";
			any = true;
		}
		for (size_t i = 0; strcmp(name, "host") != 0 && i < m->n_fields; i++)
			if (!strcasecmp(m->fields[i].name, name)) {
				if (any)
					buf_add(b, ",", 1);
				else
					buf_addf(b, "%s:", name);
				add_value(b, m->fields[i].value);
				any = true;
			}
		if (any) {
			buf_add(b, "\n", 1);
			buf_addf(names, "%s%s", names->len ? ";" : "", name);
		}
	}
}

static void hash_text(const char *data, size_t len, char ret[SIGV4_HASH])
{
	struct sha256 s;
	uint8_t sum[SHA256_BYTES];

	sha256_init(&s);
	sha256_add(&s, data, len);
	sha256_end(&s, sum);
	io_hex(sum, sizeof(sum), ret);
}

static bool hmac(const void *key, size_t key_len, const char *text, uint8_t ret[SHA256_BYTES])
{
	unsigned int n = SHA256_BYTES;

	return HMAC(EVP_sha256(), key, (int)key_len, (const unsigned char *)text, strlen(text), ret, &n) !=
	       NULL;
}

static bool signature(const struct sigv4_key *key, const struct claim *c, const char *text,
		      char ret[SIGV4_HASH])
{
	uint8_t sum[SHA256_BYTES];
	char first[256];
	int n = snprintf(first, sizeof(first), "AWS4%s", key->secret);
	bool good = n > 0 && n < (int)sizeof(first) && hmac(first, (size_t)n, c->date, sum) &&
		    hmac(sum, sizeof(sum), c->region, sum) && hmac(sum, sizeof(sum), c->service, sum) &&
		    hmac(sum, sizeof(sum), "aws4_request", sum) && hmac(sum, sizeof(sum), text, sum);

	io_hex(sum, sizeof(sum), ret);
	explicit_bzero(first, sizeof(first));
	return good;
}

/* The token is a field like others, always signed; "" where the real key has none. */
static bool set_token(struct message *m, const struct sigv4_key *key, struct claim *c)
{
	static const char name[] = "x-amz-security-token";
	char *list;

	message_remove(m, name);
	if (!key->token)
		return true;
	if (!message_add(m, name, sizeof(name) - 1, key->token, strlen(key->token)))
		return false;
	m->fields[m->n_fields - 1].hide = true;
	if (strstr(c->headers, name))
		return true;
	/* In order: behind everything that is before it, which is nearly all. */
	list = NULL;
	for (char *at = c->headers;; at = strchr(at, ';') + 1) {
		if (strcmp(at, name) > 0) {
			if (asprintf(&list, "%.*s%s;%s", (int)(at - c->headers), c->headers, name, at) < 0)
				return false;
			break;
		}
		if (!strchr(at, ';')) {
			if (asprintf(&list, "%s;%s", c->headers, name) < 0)
				return false;
			break;
		}
	}
	free(c->headers);
	c->headers = list;
	return true;
}

static bool set_authorization(struct message *m, const char *text)
{
	message_remove(m, "authorization");
	if (!message_add(m, "authorization", 13, text, strlen(text)))
		return false;
	m->fields[m->n_fields - 1].hide = true;
	return true;
}

static bool sign(struct message *m, const struct sigv4_key *key, struct claim *c, const char *hash)
{
	scoped(drop_buf) struct buf request = { 0 }, names = { 0 }, text = { 0 }, value = { 0 };
	const char *date = message_get(m, "x-amz-date");
	char sum[SIGV4_HASH];

	buf_addf(&request, "%s\n", m->method);
	add_path(&request, m->target, !strncmp(c->service, "s3", 2));
	if (!add_query(&request, m->target))
		return false;
	add_fields(&request, &names, m, c->headers);
	if (!buf_str(&names))
		return false;
	buf_addf(&request, "\n%s\n%s", names.data, hash);
	if (!buf_str(&request))
		return false;
	hash_text(request.data, request.len, sum);
	buf_addf(&text, ALGORITHM "\n%s\n%s/%s/%s/aws4_request\n%s", date, c->date, c->region, c->service,
		 sum);
	if (!buf_str(&text) || !signature(key, c, text.data, sum))
		return false;
	buf_addf(&value, ALGORITHM " Credential=%s/%s/%s/%s/aws4_request, SignedHeaders=%s, Signature=%s",
		 key->id, c->date, c->region, c->service, names.data, sum);
	return buf_str(&value) && set_authorization(m, value.data);
}

enum sigv4_result sigv4_sign(struct message *m, const struct sigv4_key *key, const char *hash,
			     const char **ret_why)
{
	scoped(finish_claim) struct claim c = { 0 };
	const char *authorization = message_get(m, "authorization"), *date = message_get(m, "x-amz-date");
	const char *told = message_get(m, "x-amz-content-sha256");

	*ret_why = "its signature is not one of version 4";
	if (!authorization || !date || strlen(date) != 16 || !read_claim(authorization, &c) ||
	    strncmp(date, c.date, 8) != 0)
		return SIGV4_REFUSED;
	*ret_why = "its body is signed in pieces, which aisbx cannot do anew; let the client send it "
		   "unsigned, or at once";
	if (told && !strncmp(told, "STREAMING-AWS4", 14))
		return SIGV4_REFUSED;
	if (!told && !hash)
		return SIGV4_NEEDS_BODY;
	*ret_why = "no memory";
	if (!set_token(m, key, &c))
		return SIGV4_REFUSED;
	told = message_get(m, "x-amz-content-sha256");
	return sign(m, key, &c, told ? told : hash) ? SIGV4_DONE : SIGV4_REFUSED;
}
