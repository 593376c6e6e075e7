/* SPDX-License-Identifier: Apache-2.0 */
/* Reads `--secret`. No message quotes what follows the name: somebody may have put the value itself there. */
#include "secret/secret_spec.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/str.h"

static const struct {
	const char *prefix;
	enum secret_source source;
} sources[] = { { "env:", SECRET_FROM_ENV }, { "file:", SECRET_FROM_FILE }, { "cmd:", SECRET_FROM_COMMAND } };

static const struct {
	const char *suffix;
	bool as_file, as_env;
} ways[] = { { ",as=file", true, false }, { ",as=env", false, true }, { ",as=both", true, true } };

static const char *const way_names[] = {
	[SECRET_BY_HEADER] = "header", [SECRET_BY_BASIC] = "basic", [SECRET_BY_AWS] = "aws-sigv4"
};

#define INJECT ",inject="

const char *secret_way_name(enum secret_way way)
{
	return way_names[way];
}

void secret_spec_finish(struct secret_spec *s)
{
	free(s->from);
	free(s->inject.host);
	free(s->inject.header);
	s->from = NULL;
	s->inject = (struct secret_inject){ 0 };
}

/* It is the name of a file, and "[secret NAME]" stands in output. */
static bool is_name(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isalnum((unsigned char)s[i]) && s[i] != '_' && (!i || (s[i] != '-' && s[i] != '.')))
			return false;
	return n > 0 && n <= SECRET_SPEC_NAME;
}

static bool is_variable(const char *s)
{
	return !isdigit((unsigned char)*s) && !strpbrk(s, "-.");
}

static int no_memory(const struct secret_spec *s, struct aisbx_error *e)
{
	return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "read the option for secret '%s'", s->name);
}

/* "Name: text {} text", without what no header can have. */
static bool is_header(const char *text)
{
	const char *colon = strchr(text, ':'), *hole = strstr(text, "{}");

	if (!colon || colon == text || !hole || hole < colon || strstr(hole + 2, "{}"))
		return false;
	for (const char *c = text; c < colon; c++)
		if (!isalnum((unsigned char)*c) && !strchr("-_", *c))
			return false;
	for (const char *c = text; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			return false;
	return true;
}

static int read_way(const char *text, struct secret_spec *s, struct aisbx_error *e)
{
	for (enum secret_way w = SECRET_BY_BASIC; w <= SECRET_BY_AWS; w++)
		if (!strcmp(text, way_names[w])) {
			s->inject.way = w;
			return 0;
		}
	if (*text && !is_header(text))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "secret '%s': behind the host of 'inject' stands a header with {} for "
				    "the secret, such as \"" SECRET_SPEC_HEADER "\", or basic, or aws-sigv4",
				    s->name);
	s->inject.header = strdup(*text ? text : SECRET_SPEC_HEADER);
	return s->inject.header ? 0 : no_memory(s, e);
}

/* "HOST[:PORT][ WAY]" */
static int read_inject(const char *text, struct secret_spec *s, struct aisbx_error *e)
{
	size_t n = strcspn(text, " "), host = strcspn(text, " :");
	scoped(drop_mem) char *port = host < n ? strndup(text + host + 1, n - host - 1) : strdup("443");
	uint64_t number;

	if (!port)
		return no_memory(s, e);
	if (!host || !str_to_u64(port, &number) || number < 1 || number > 65535)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "secret '%s': 'inject' needs the host that gets it, such as "
				    "inject=api.example.org or inject=api.example.org:8443",
				    s->name);
	if (strchr(s->name, '.'))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "secret '%s': with 'inject' its name cannot have a '.'", s->name);
	s->inject.port = (uint16_t)number;
	s->inject.host = strndup(text, host);
	if (!s->inject.host)
		return no_memory(s, e);
	return read_way(text + n + strspn(text + n, " "), s, e);
}

/* The source and ",as=...": LEN bytes at FROM. Returns how many of them are the source. */
static size_t read_as(const char *from, size_t len, struct secret_spec *s)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		size_t k = strlen(ways[i].suffix);

		if (len >= k && !memcmp(from + len - k, ways[i].suffix, k)) {
			s->as_file = ways[i].as_file;
			s->as_env = ways[i].as_env;
			return len - k;
		}
	}
	return len;
}

/* What follows the name. */
static int read_source(const char *text, struct secret_spec *s, struct aisbx_error *e)
{
	const char *from = NULL, *inject;
	size_t len;

	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
		if (!strncmp(text, sources[i].prefix, strlen(sources[i].prefix))) {
			s->source = sources[i].source;
			from = text + strlen(sources[i].prefix);
		}
	inject = from ? strstr(from, INJECT) : NULL;
	s->as_file = !inject;
	s->as_env = inject;
	len = inject ? (size_t)(inject - from) : from ? strlen(from) : 0;
	len = read_as(from, len, s);
	if (!len)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"the source of secret '%s' is missing: write %s=env:VARIABLE, %s=file:PATH or "
			"%s=cmd:COMMAND (never the value itself: others can see a command line)",
			s->name, s->name, s->name, s->name);
	s->from = strndup(from, len);
	if (!s->from)
		return no_memory(s, e);
	return inject ? read_inject(inject + strlen(INJECT), s, e) : 0;
}

int secret_spec_parse(const char *text, struct secret_spec *ret, struct aisbx_error *e)
{
	size_t n = strcspn(text, "=");
	struct secret_spec s = { 0 };
	int r;

	if (!is_name(text, n))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "a secret needs a name of letters, digits and '_', '-', '.', at most %d: "
				    "--secret NAME=env:VARIABLE",
				    SECRET_SPEC_NAME);
	memcpy(s.name, text, n);
	r = read_source(text[n] ? text + n + 1 : "", &s, e);
	if (r == 0 && s.as_env && !is_variable(s.name))
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				 s.inject.host ? "'%s' is not a variable name; give the secret another name, "
						 "or write ',as=file' before ',inject=' and read "
						 "/run/secrets/%s"
					       : "'%s' is not a variable name; give the secret another name, "
						 "or omit ',as=' and read /run/secrets/%s",
				 s.name, s.name);
	if (r < 0) {
		secret_spec_finish(&s);
		return r;
	}
	*ret = s;
	return 0;
}
