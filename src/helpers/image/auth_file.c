/* SPDX-License-Identifier: Apache-2.0 */
/* Reads config.json: which helper keeps a password, or the password itself. No error quotes a value. */
#include "helpers/image/auth_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/base64.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/scope.h"

#define HUB_KEY "https://index.docker.io/v1/"

static void wipe(char **s)
{
	if (*s)
		explicit_bzero(*s, strlen(*s));
	free(*s);
	*s = NULL;
}

void credentials_finish(struct credentials *c)
{
	wipe(&c->user);
	wipe(&c->password);
	wipe(&c->identity_token);
	wipe(&c->registry_token);
}

const char *auth_file_key(const char *host)
{
	return !strcmp(host, "docker.io") || !strcmp(host, "index.docker.io") ||
			       !strcmp(host, "registry-1.docker.io")
		       ? HUB_KEY
		       : host;
}

int auth_file_helper(const json_t *file, const char *host, char *ret, size_t cap, struct aisbx_error *e)
{
	const json_t *helpers = json_object_get(file, "credHelpers");
	const char *name = json_string_value(json_object_get(helpers, host));

	if (!name)
		name = json_string_value(json_object_get(helpers, auth_file_key(host)));
	if (!name)
		name = json_string_value(json_object_get(file, "credsStore"));
	if (!name)
		name = "";
	if (strlen(name) >= cap || strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") != strlen(name))
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EPERM,
				    "the name of the credential helper for '%s' is invalid", host);
	memcpy(ret, name, strlen(name) + 1);
	return 0;
}

/* Neither line breaks nor other control characters: it goes into a header. */
static bool is_clean(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			return false;
	return true;
}

static int invalid(struct aisbx_error *e, const char *host)
{
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL,
			    "what the file of passwords says about '%s' is invalid", host);
}

static int take(const char *value, char **ret, const char *host, struct aisbx_error *e)
{
	if (!value || !*value)
		return 0;
	if (!is_clean(value))
		return invalid(e, host);
	wipe(ret);
	*ret = strdup(value);
	return *ret ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read passwords");
}

/* "auth": user and password in one, as base64. */
static int take_pair(const char *auth, struct credentials *c, const char *host, struct aisbx_error *e)
{
	struct buf both = { 0 };
	char *colon, *text;
	int r = 0;

	if (!auth || !*auth)
		return 0;
	if (!base64_read(&both, auth, strlen(auth)) || !(text = buf_str(&both)) ||
	    !(colon = strchr(text, ':'))) {
		r = invalid(e, host);
	} else {
		*colon = '\0';
		r = take(text, &c->user, host, e);
		if (r == 0)
			r = take(colon + 1, &c->password, host, e);
	}
	if (both.data)
		explicit_bzero(both.data, both.len);
	buf_finish(&both);
	return r;
}

static int take_entry(const json_t *entry, struct credentials *c, const char *host, struct aisbx_error *e)
{
	int r = take(json_string_value(json_object_get(entry, "username")), &c->user, host, e);

	if (r == 0)
		r = take(json_string_value(json_object_get(entry, "password")), &c->password, host, e);
	if (r == 0)
		r = take_pair(json_string_value(json_object_get(entry, "auth")), c, host, e);
	if (r == 0)
		r = take(json_string_value(json_object_get(entry, "identitytoken")), &c->identity_token, host,
			 e);
	if (r == 0)
		r = take(json_string_value(json_object_get(entry, "registrytoken")), &c->registry_token, host,
			 e);
	return r;
}

/* The entry of which the key, without scheme and "/v1/", is NAME. */
static const json_t *entry_of(const json_t *auths, const char *name)
{
	const json_t *entry;
	const char *key;
	size_t len;

	json_object_foreach((json_t *)auths, key, entry)
	{
		const char *at = key + (!strncmp(key, "https://", 8)  ? 8
					: !strncmp(key, "http://", 7) ? 7
								      : 0);

		len = strlen(at);
		while (len && at[len - 1] == '/')
			len--;
		if (len > 3 && (!strncmp(at + len - 3, "/v1", 3) || !strncmp(at + len - 3, "/v2", 3)))
			len -= 3;
		if (len == strlen(name) && !strncasecmp(at, name, len))
			return entry;
	}
	return NULL;
}

int auth_file_find(const json_t *file, const char *host, const char *repository, struct credentials *ret,
		   struct aisbx_error *e)
{
	const json_t *auths = json_object_get(file, "auths");
	const json_t *entry = json_object_get(auths, auth_file_key(host));
	scoped(drop_mem) char *name = NULL;
	char *slash;

	if (asprintf(&name, "%s/%s", host, repository) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read passwords");
	for (const json_t *found = NULL; !found; *slash = '\0') {
		found = entry_of(auths, name);
		if (found)
			entry = found;
		slash = strrchr(name, '/');
		if (!slash)
			break;
	}
	return entry ? take_entry(entry, ret, host, e) : 0;
}

int auth_file_answer(const char *text, size_t len, struct credentials *ret, struct aisbx_error *e)
{
	json_t *answer = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
	const char *user = json_string_value(json_object_get(answer, "Username"));
	const char *secret = json_string_value(json_object_get(answer, "Secret"));
	const char *whose = "its registry";
	int r;

	if (!secret)
		r = aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EPROTO,
				 "the credential helper gave an invalid answer");
	else if (user && !strcmp(user, "<token>"))
		r = take(secret, &ret->identity_token, whose, e);
	else if ((r = take(user, &ret->user, whose, e)) == 0)
		r = take(secret, &ret->password, whose, e);
	json_decref(answer); /* its memory is not overwritten; the process ends with the request */
	return r;
}
