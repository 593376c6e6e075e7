/* SPDX-License-Identifier: Apache-2.0 */
/* Reads `--secret`. No message quotes what follows the name: somebody may have put the value itself there. */
#include "secret/secret_spec.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static const struct {
	const char *prefix;
	enum secret_source source;
} sources[] = { { "env:", SECRET_FROM_ENV }, { "file:", SECRET_FROM_FILE }, { "cmd:", SECRET_FROM_COMMAND } };

static const struct {
	const char *suffix;
	bool as_file, as_env;
} ways[] = { { ",as=file", true, false }, { ",as=env", false, true }, { ",as=both", true, true } };

void secret_spec_finish(struct secret_spec *s)
{
	free(s->from);
	s->from = NULL;
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

int secret_spec_parse(const char *text, struct secret_spec *ret, struct aisbx_error *e)
{
	size_t n = strcspn(text, "="), len;
	struct secret_spec s = { .as_file = true };
	const char *from = NULL;

	if (!is_name(text, n))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "a secret needs a name of letters, digits and '_', '-', '.', at most %d: "
				    "--secret NAME=env:VARIABLE",
				    SECRET_SPEC_NAME);
	memcpy(s.name, text, n);
	for (size_t i = 0; text[n] && i < sizeof(sources) / sizeof(*sources); i++)
		if (!strncmp(text + n + 1, sources[i].prefix, strlen(sources[i].prefix))) {
			s.source = sources[i].source;
			from = text + n + 1 + strlen(sources[i].prefix);
		}
	len = from ? strlen(from) : 0;
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		size_t k = strlen(ways[i].suffix);

		if (from && strlen(from) >= k && !strcmp(from + strlen(from) - k, ways[i].suffix)) {
			s.as_file = ways[i].as_file;
			s.as_env = ways[i].as_env;
			len -= k;
		}
	}
	if (!len)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"the source of secret '%s' is missing: write %s=env:VARIABLE, %s=file:PATH or "
			"%s=cmd:COMMAND (never the value itself: others can see a command line)",
			s.name, s.name, s.name, s.name);
	if (s.as_env && !is_variable(s.name))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'%s' is not a variable name; give the secret another name, or omit "
				    "',as=' and read /run/secrets/%s",
				    s.name, s.name);
	s.from = strndup(from, len);
	if (!s.from)
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "read the option for secret '%s'", s.name);
	*ret = s;
	return 0;
}
