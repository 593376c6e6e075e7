/* SPDX-License-Identifier: Apache-2.0 */
/* Where the storage is and who asks, by the variables of the environment. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <curl/curl.h>

#include "base/error.h"
#include "base/str.h"
#include "fleet/content/s3_call.h"

#define PEER_PATIENCE_S 5 /* there are others */
#define PLAIN           "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/"

static const char *variable(const char *name, const char *other)
{
	const char *value = getenv(name);

	if ((!value || !*value) && other)
		value = getenv(other);
	return value && *value ? value : NULL;
}

static void forget(char *secret)
{
	if (secret)
		explicit_bzero(secret, strlen(secret));
	free(secret);
}

void s3_place_finish(struct s3_place *p)
{
	curl_easy_cleanup(p->easy);
	forget(p->who);
	forget(p->token);
	free(p->base);
	free(p->prefix);
	free(p->sign);
	*p = (struct s3_place){ 0 };
}

static bool make_base(const char *bucket, const char *region, struct s3_place *p)
{
	const char *endpoint = variable("AISBX_S3_ENDPOINT", NULL), *slash = strchr(bucket, '/');
	int len = slash ? (int)(slash - bucket) : (int)strlen(bucket);
	size_t end = endpoint ? strlen(endpoint) : 0;

	while (end && endpoint[end - 1] == '/')
		end--;
	if (endpoint)
		return asprintf(&p->base, "%.*s/%.*s", (int)end, endpoint, len, bucket) > 0;
	return asprintf(&p->base, "https://s3.%s.amazonaws.com/%.*s", region, len, bucket) > 0;
}

static bool make_prefix(const char *bucket, const char *tenant, struct s3_place *p)
{
	const char *slash = strchr(bucket, '/'), *prefix = slash ? slash + 1 : "";
	size_t len = strlen(prefix);

	while (len && prefix[len - 1] == '/')
		len--;
	return asprintf(&p->prefix, "%.*s%s%s/", (int)len, prefix, len ? "/" : "", tenant) > 0;
}

int s3_place_init(const char *bucket, const char *tenant, struct s3_place *ret, struct aisbx_error *e)
{
	const char *key = variable("AWS_ACCESS_KEY_ID", NULL),
		   *secret = variable("AWS_SECRET_ACCESS_KEY", NULL);
	const char *token = variable("AWS_SESSION_TOKEN", NULL);
	const char *region = variable("AWS_REGION", "AWS_DEFAULT_REGION");
	const char *patience = variable("AISBX_S3_PATIENCE", NULL);
	struct s3_place p = { .patience_s = S3_PATIENCE_S };
	uint64_t seconds = S3_PATIENCE_S;

	region = region ? region : "us-east-1";
	if (!key || !secret)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "s3://%.200s needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the "
				    "environment",
				    bucket);
	if (strspn(bucket, PLAIN) != strlen(bucket) || strstr(bucket, "//") || strlen(bucket) > 200 ||
	    strspn(region, PLAIN) != strlen(region))
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"a bucket, prefix or region has only letters, digits, '.', '_', '-' and '/': "
			"s3://%.200s",
			bucket);
	if (patience && str_to_u64(patience, &seconds) && seconds <= 86400)
		p.patience_s = (unsigned int)seconds;
	p.easy = curl_easy_init();
	if (!p.easy || !make_base(bucket, region, &p) || !make_prefix(bucket, tenant, &p) ||
	    asprintf(&p.who, "%s:%s", key, secret) < 0 || asprintf(&p.sign, "aws:amz:%s:s3", region) < 0 ||
	    (token && asprintf(&p.token, "x-amz-security-token: %s", token) < 0)) {
		s3_place_finish(&p);
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "open s3://%.200s", bucket);
	}
	*ret = p;
	return 0;
}

int s3_place_peer(const char *url, const char *tenant, const char *word, struct s3_place *ret,
		  struct aisbx_error *e)
{
	const char *patience = variable("AISBX_S3_PATIENCE", NULL);
	struct s3_place p = { .patience_s = PEER_PATIENCE_S };
	uint64_t seconds;
	size_t len = strlen(url);

	if (patience && str_to_u64(patience, &seconds) && seconds < p.patience_s)
		p.patience_s = (unsigned int)seconds;
	while (len && url[len - 1] == '/')
		len--;
	p.easy = curl_easy_init();
	if (!p.easy || asprintf(&p.base, "%.*s", (int)len, url) < 0 ||
	    asprintf(&p.prefix, "%s/", tenant) < 0 ||
	    asprintf(&p.token, "Authorization: Bearer %s", word) < 0) {
		s3_place_finish(&p);
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "open %.200s", url);
	}
	*ret = p;
	return 0;
}
