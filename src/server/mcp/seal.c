/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a client stores for us between two requests: "MAC.JSON", authenticated (HMAC-SHA-256 by a key of this
 * process), for one purpose, one kind of request, one owner, and for an hour. It is not secret, but nobody
 * else can make it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/io.h"
#include "base/scope.h"
#include "base/sha256.h"
#include "server/mcp/request.h"

#define LASTS_S 3600
#define HEX     (2 * SHA256_BYTES)

/* What the request is, without what changes from round to round. */
static void digest(const struct mcp_request *r, char ret[HEX + 1])
{
	static const char *const parts[] = { "name", "uri", "arguments" };
	uint8_t sum[SHA256_BYTES];
	struct sha256 s;

	sha256_init(&s);
	sha256_add(&s, r->method, strlen(r->method) + 1);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const json_t *part = json_object_get(r->params, parts[i]);
		scoped(drop_mem) char *text =
			part ? json_dumps(part, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY) : NULL;

		if (text)
			sha256_add(&s, text, strlen(text));
		sha256_add(&s, "", 1);
	}
	sha256_end(&s, sum);
	io_hex(sum, SHA256_BYTES, ret);
}

json_t *mcp_seal(const struct mcp_request *r, const char *purpose, json_t *data)
{
	char of[HEX + 1], mac[HEX + 1];
	scoped(drop_mem) char *text = NULL;
	uint8_t sum[SHA256_BYTES];
	json_t *payload;

	digest(r, of);
	payload = json_pack("{s:s, s:s, s:s?, s:I, s:o}", "purpose", purpose, "of", of, "owner",
			    r->session->owner, "until", (json_int_t)time(NULL) + LASTS_S, "data", data);
	text = payload ? json_dumps(payload, JSON_COMPACT) : NULL;
	json_decref(payload);
	if (!text)
		return NULL;
	sha256_hmac(r->session->mcp->key, text, strlen(text), sum);
	io_hex(sum, SHA256_BYTES, mac);
	return json_sprintf("%s.%s", mac, text);
}

static bool is_same(const char *a, const char *b, size_t n)
{
	unsigned char differ = 0;

	for (size_t i = 0; i < n; i++)
		differ |= (unsigned char)a[i] ^ (unsigned char)b[i];
	return !differ;
}

static bool is_for(const struct mcp_request *r, const char *purpose, const json_t *payload)
{
	const char *owner = json_string_value(json_object_get(payload, "owner"));
	char of[HEX + 1];

	digest(r, of);
	return !strcmp(json_string_value(json_object_get(payload, "purpose")), purpose) &&
	       !strcmp(json_string_value(json_object_get(payload, "of")), of) &&
	       !strcmp(owner ? owner : "", r->session->owner ? r->session->owner : "") &&
	       json_integer_value(json_object_get(payload, "until")) >= (json_int_t)time(NULL);
}

json_t *mcp_unseal(const struct mcp_request *r, const char *purpose, const char *text, struct aisbx_error *e)
{
	uint8_t sum[SHA256_BYTES];
	char mac[HEX + 1];
	json_t *payload, *data = NULL;

	if (!text || strlen(text) < HEX + 1 || text[HEX] != '.') {
		aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			     "this was not issued by the server");
		return NULL;
	}
	sha256_hmac(r->session->mcp->key, text + HEX + 1, strlen(text + HEX + 1), sum);
	io_hex(sum, SHA256_BYTES, mac);
	if (!is_same(mac, text, HEX)) {
		aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			     "this was not issued by the server, or the server has been restarted since");
		return NULL;
	}
	payload = json_loads(text + HEX + 1, 0, NULL);
	if (payload && is_for(r, purpose, payload))
		data = json_incref(json_object_get(payload, "data"));
	else
		aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			     "this was issued for another request, or too long ago");
	json_decref(payload);
	return data;
}
