/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The grammar of references, by hand: each span_* gives the length of the longest piece of its kind at the
 * start of a text, 0 if there is none. A whole text is a reference if its pieces cover it.
 */
#include "image/reference.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "image/digest.h"

#define LOWER  "abcdefghijklmnopqrstuvwxyz"
#define UPPER  "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"
#define ALNUM  LOWER UPPER DIGITS

#define MAX_HOST       255u
#define MAX_REPOSITORY 255u
#define MAX_TAG        128u

/* "a.b_c__d---e": words of lower-case letters and digits between separators. */
static size_t span_component(const char *s)
{
	size_t n = strspn(s, LOWER DIGITS), sep;

	while (n) {
		const char *at = s + n;

		if (*at == '.')
			sep = 1;
		else if (*at == '_')
			sep = at[1] == '_' ? 2 : 1;
		else
			sep = strspn(at, "-");
		if (!sep || !strspn(at + sep, LOWER DIGITS))
			break;
		n += sep + strspn(at + sep, LOWER DIGITS);
	}
	return n;
}

static bool is_repository(const char *s)
{
	size_t n;

	for (; (n = span_component(s)); s += n + 1)
		if (s[n] != '/')
			return !s[n];
	return false;
}

/* Words of letters, digits and inner hyphens, between dots. */
static size_t span_domain(const char *s)
{
	size_t all = 0, n;

	while ((n = strspn(s + all, ALNUM "-")) && s[all] != '-' && s[all + n - 1] != '-') {
		all += n;
		if (s[all] != '.')
			return all;
		all++;
	}
	return 0;
}

static size_t span_ipv6(const char *s)
{
	size_t n = *s == '[' ? strspn(s + 1, "abcdefABCDEF:" DIGITS) : 0;

	return n && s[1 + n] == ']' ? n + 2 : 0;
}

static bool is_host(const char *s)
{
	size_t n = *s == '[' ? span_ipv6(s) : span_domain(s);

	if (!n || strlen(s) > MAX_HOST)
		return false;
	if (s[n] == ':' && s[n + 1])
		n += 1 + strspn(s + n + 1, DIGITS);
	return !s[n];
}

static bool is_tag(const char *s)
{
	size_t n = strspn(s, ALNUM "_.-");

	return n && n <= MAX_TAG && !s[n] && *s != '.' && *s != '-';
}

static int refuse(const char *text, const char *why, struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			    "'%.200s' is no name of an image: %s", text, why);
}

/* What stands before the first slash is a registry if it looks like one: it has a dot, a port or upper-case
 * letters, or is "localhost". Cuts it off. */
static char *cut_host(char *name, const char **ret_host)
{
	char *slash = strchr(name, '/');

	*ret_host = REFERENCE_DOCKER;
	if (!slash)
		return name;
	*slash = '\0';
	if (!strpbrk(name, ".:" UPPER) && strcmp(name, "localhost") != 0) {
		*slash = '/';
		return name;
	}
	if (strcmp(name, "index.docker.io") != 0)
		*ret_host = name;
	return slash + 1;
}

/* Takes the pieces apart, in place; NULL for those that are missing. */
static void cut_end(char *rest, char **ret_tag, char **ret_digest)
{
	char *at = strchr(rest, '@');

	*ret_digest = at ? at + 1 : NULL;
	if (at)
		*at = '\0';
	at = strchr(rest, ':');
	*ret_tag = at ? at + 1 : NULL;
	if (at)
		*at = '\0';
}

static const char *what_is_wrong(const char *host, const char *repository, const char *tag,
				 const char *digest)
{
	if (!is_host(host))
		return "the registry before the first '/' is none";
	if (strpbrk(repository, UPPER))
		return "a repository is written in lower-case letters";
	if (!is_repository(repository))
		return "a repository has lower-case letters and digits, between them '.', '_', '__' or '-', "
		       "and "
		       "'/' between its parts";
	if (strlen(repository) > MAX_REPOSITORY)
		return "its repository has more than 255 characters";
	if (tag && !is_tag(tag))
		return "a tag has up to 128 letters, digits, '_', '.' and '-', and begins with neither '.' "
		       "nor '-'";
	if (digest && !digest_is_valid(digest))
		return "a digest is sha256: and 64 digits (0-9, a-f), or sha512: and 128 of them";
	return NULL;
}

int reference_parse(const char *text, struct reference *ret, struct aisbx_error *e)
{
	scoped(drop_mem) char *copy = NULL;
	scoped(drop_mem) char *repository = NULL;
	struct reference r = { 0 };
	const char *host, *wrong;
	char *rest, *tag, *digest;
	bool official;

	if (!*text || strlen(text) > REFERENCE_MAX)
		return refuse(text, *text ? "it is too long" : "it is empty", e);
	if (strlen(text) == 64 && strspn(text, "abcdef" DIGITS) == 64)
		return refuse(text, "64 digits are a digest: write NAME@sha256:DIGITS", e);
	copy = strdup(text);
	if (!copy)
		return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "read a name of an image");
	rest = cut_host(copy, &host);
	cut_end(rest, &tag, &digest);
	official = !strcmp(host, REFERENCE_DOCKER) && !strchr(rest, '/');
	if (asprintf(&repository, "%s%s", official ? "library/" : "", rest) < 0) {
		repository = NULL;
		return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "read a name of an image");
	}
	wrong = what_is_wrong(host, repository, tag, digest);
	if (wrong)
		return refuse(text, wrong, e);
	r = (struct reference){ .host = strdup(host),
				.repository = take_mem(&repository),
				.tag = tag ? strdup(tag) : NULL,
				.digest = digest ? strdup(digest) : NULL };
	if (!r.host || (tag && !r.tag) || (digest && !r.digest)) {
		reference_finish(&r);
		return aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "read a name of an image");
	}
	*ret = r;
	return 0;
}

void reference_finish(struct reference *r)
{
	free(r->host);
	free(r->repository);
	free(r->tag);
	free(r->digest);
	*r = (struct reference){ 0 };
}

static char *join(const char *host, const char *repository, const char *tag, const char *digest)
{
	char *text;

	if (asprintf(&text, "%s%s%s%s%s%s%s", host, *host ? "/" : "", repository, tag ? ":" : "",
		     tag ? tag : "", digest ? "@" : "", digest ? digest : "") < 0)
		return NULL;
	return text;
}

char *reference_full(const struct reference *r)
{
	return join(r->host, r->repository,
		    r->tag      ? r->tag
		    : r->digest ? NULL
				: REFERENCE_DEFAULT_TAG,
		    r->digest);
}

char *reference_familiar(const struct reference *r)
{
	bool docker = !strcmp(r->host, REFERENCE_DOCKER);
	/* A word of 64 characters might be taken for a digest. */
	bool official = docker && !strncmp(r->repository, "library/", 8) && !strchr(r->repository + 8, '/') &&
			strlen(r->repository + 8) != 64;
	const char *tag = r->tag && !r->digest && !strcmp(r->tag, REFERENCE_DEFAULT_TAG) ? NULL : r->tag;
	const char *repository = r->repository + (official ? 8 : 0);
	size_t first = strcspn(repository, "/");

	/* A first part that looks like a registry would be taken for one. */
	docker = docker && (!repository[first] ||
			    (!memchr(repository, '.', first) && strncmp(repository, "localhost/", 10) != 0));
	return join(docker ? "" : r->host, repository, tag, r->digest);
}

const char *reference_version(const struct reference *r)
{
	return r->digest ? r->digest : r->tag ? r->tag : REFERENCE_DEFAULT_TAG;
}
