/* SPDX-License-Identifier: Apache-2.0 */
/* Calls by libcurl: what it is told, what it tells, and when a call is made again. */
#include "fleet/content/s3_call.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include <curl/curl.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/time.h"

#define PAUSE_MS   100u
#define PAUSE_MOST 5000u
#define CONNECT_S  10L
#define SLOW_BYTES 1024L /* a second, for */
#define SLOW_S     20L   /* seconds: then the connection is given up */

/* The SHA-256 of an empty body, which older versions of libcurl do not say by themselves. */
#define NOTHING "x-amz-content-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

void s3_error_code(const struct s3_call *c, char ret[64])
{
	const char *begin = strstr(c->text, "<Code>"), *end = begin ? strstr(begin, "</Code>") : NULL;

	ret[0] = '\0';
	if (end)
		snprintf(ret, 64, "%.*s", (int)(end - begin - 6), begin + 6);
}

bool s3_error_is(const struct s3_call *c, const char *code)
{
	char mine[64];

	s3_error_code(c, mine);
	return !strcmp(mine, code);
}

static size_t on_body(char *data, size_t one, size_t len, void *ctx)
{
	struct s3_call *c = ctx;

	(void)one;
	curl_easy_getinfo((CURL *)c->easy, CURLINFO_RESPONSE_CODE, &c->status);
	if (c->status / 100 != 2) {
		size_t n = sizeof(c->text) - 1 - c->text_len;

		memcpy(c->text + c->text_len, data, len < n ? len : n);
		c->text_len += len < n ? len : n;
		c->text[c->text_len] = '\0';
		return len;
	}
	if (!c->into)
		return len;
	if (c->into->len - c->into_was + len > c->most) {
		c->is_more = true;
		return 0;
	}
	buf_add(c->into, data, len);
	return c->into->failed ? 0 : len;
}

/* Parameters in the order of their names, as signing wants them; '/' is written as %2F. */
static char *url_of(const struct s3_place *p, const struct s3_call *c)
{
	scoped(drop_mem) char *prefix = NULL, *after = NULL;
	char *url = NULL, *coded = NULL, *coded_after = NULL;

	if (c->name)
		return asprintf(&url, "%s/%s%s", p->base, p->prefix, c->name) < 0 ? NULL : url;
	if (asprintf(&prefix, "%s%s", p->prefix, c->prefix) < 0 ||
	    asprintf(&after, "%s%s", p->prefix, c->after) < 0)
		return NULL;
	coded = curl_easy_escape(NULL, prefix, 0);
	coded_after = curl_easy_escape(NULL, after, 0);
	if (!coded || !coded_after ||
	    asprintf(&url, "%s/?list-type=2&max-keys=%u&prefix=%s%s%s", p->base, c->page, coded,
		     *c->after ? "&start-after=" : "", *c->after ? coded_after : "") < 0)
		url = NULL;
	curl_free(coded);
	curl_free(coded_after);
	return url;
}

static struct curl_slist *headers_of(const struct s3_place *p, const struct s3_call *c)
{
	/* Each chunk has a name that is checked when it is read; TLS protects it on the way. */
	const char *const lines[] = { c->body ? "x-amz-content-sha256: UNSIGNED-PAYLOAD" : NOTHING,
				      "Expect:", c->body ? "Content-Type: application/octet-stream" : NULL,
				      c->is_new ? "If-None-Match: *" : NULL, p->token };
	struct curl_slist *list = NULL;

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		struct curl_slist *more = lines[i] ? curl_slist_append(list, lines[i]) : list;

		if (!more) {
			curl_slist_free_all(list);
			return NULL;
		}
		list = more;
	}
	return list;
}

static void set_options(CURL *easy, const struct s3_place *p, struct s3_call *c, const char *url,
			struct curl_slist *headers)
{
	const char *roots = getenv("SSL_CERT_FILE");

	curl_easy_reset(easy);
	curl_easy_setopt(easy, CURLOPT_URL, url);
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
	if (p->sign) {
		curl_easy_setopt(easy, CURLOPT_AWS_SIGV4, p->sign);
		curl_easy_setopt(easy, CURLOPT_USERPWD, p->who);
	}
	curl_easy_setopt(easy, CURLOPT_USERAGENT, "aisbx");
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, c);
	curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, CONNECT_S);
	curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, SLOW_BYTES);
	curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, SLOW_S);
	curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 256L << 10);
	curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, c->method);
	if (c->body) {
		curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)c->body_len);
		curl_easy_setopt(easy, CURLOPT_POSTFIELDS, c->body);
	}
	if (*c->range)
		curl_easy_setopt(easy, CURLOPT_RANGE, c->range);
	if (roots && *roots)
		curl_easy_setopt(easy, CURLOPT_CAINFO, roots);
}

static void count(CURL *easy, struct s3_call *c)
{
	curl_off_t up = 0, down = 0;
	long head = 0, request = 0;

	curl_easy_getinfo(easy, CURLINFO_SIZE_UPLOAD_T, &up);
	curl_easy_getinfo(easy, CURLINFO_SIZE_DOWNLOAD_T, &down);
	curl_easy_getinfo(easy, CURLINFO_HEADER_SIZE, &head);
	curl_easy_getinfo(easy, CURLINFO_REQUEST_SIZE, &request);
	curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &c->status);
	c->sent += (uint64_t)up + (uint64_t)request;
	c->got += (uint64_t)down + (uint64_t)head;
}

static bool is_worth_again(CURLcode code, const struct s3_call *c)
{
	if (code != CURLE_OK)
		return !c->is_more && code != CURLE_PEER_FAILED_VERIFICATION && code != CURLE_URL_MALFORMAT &&
		       code != CURLE_OUT_OF_MEMORY && code != CURLE_UNSUPPORTED_PROTOCOL;
	return c->status >= 500 || c->status == 429 || c->status == 408;
}

/* A break that differs between those who failed at the same time. */
static void pause_for(unsigned int ms)
{
	uint32_t word = 0;

	if (getrandom(&word, sizeof(word), 0) == sizeof(word))
		ms = ms / 2 + word % (ms / 2 + 1);
	nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000 }, NULL);
}

int s3_call_run(const struct s3_place *p, struct s3_call *c, struct aisbx_error *e)
{
	scoped(drop_mem) char *url = url_of(p, c);
	struct curl_slist *headers = headers_of(p, c);
	uint64_t end = time_ms() + 1000ull * p->patience_s;
	unsigned int wait = PAUSE_MS;
	CURLcode code = CURLE_OUT_OF_MEMORY;

	c->into_was = c->into ? c->into->len : 0;
	c->easy = p->easy;
	while (url && headers) {
		if (c->into)
			c->into->len = c->into_was;
		c->status = 0;
		c->text_len = 0;
		c->text[0] = '\0';
		set_options(p->easy, p, c, url, headers);
		code = curl_easy_perform(p->easy);
		count(p->easy, c);
		if (!is_worth_again(code, c) || time_ms() + wait > end)
			break;
		pause_for(wait);
		wait = 2 * wait < PAUSE_MOST ? 2 * wait : PAUSE_MOST;
	}
	curl_slist_free_all(headers);
	if (code == CURLE_OK)
		return 0;
	if (c->is_more)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_LAYER, EFBIG,
				    "the server sends more than it was asked for");
	return aisbx_refuse(e, AISBX_KIND_TIMEOUT, AISBX_AREA_LAYER,
			    code == CURLE_OUT_OF_MEMORY ? ENOMEM : EIO, "ask %.200s: %s; tried for %u s",
			    p->base, curl_easy_strerror(code), p->patience_s);
}
