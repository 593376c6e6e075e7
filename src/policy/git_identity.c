/* SPDX-License-Identifier: Apache-2.0 */
/* The section [user] of a git configuration. */
#include "policy/git_identity.h"

#include <stdlib.h>
#include <string.h>

#include "policy/git_config.h"

void git_identity_finish(struct git_identity *i)
{
	free(i->name);
	free(i->email);
}

bool git_identity_read(const char *text, struct git_identity *i)
{
	return git_config_value(text, "user", NULL, "name", &i->name) &&
	       git_config_value(text, "user", NULL, "email", &i->email);
}

static bool is_plain(char c)
{
	return (unsigned char)c >= ' ' && c != 0x7f;
}

/* Whether anything of TEXT is left without control characters. */
static bool says_something(const char *text)
{
	for (; text && *text; text++)
		if (is_plain(*text))
			return true;
	return false;
}

/* In quotes, so that nothing of TEXT ends the line or begins another. */
static void write_value(const char *key, const char *text, struct buf *ret)
{
	if (!says_something(text))
		return;
	buf_addf(ret, "\t%s = \"", key);
	for (const char *c = text; *c; c++) {
		if (*c == '"' || *c == '\\')
			buf_addf(ret, "\\%c", *c);
		else if (is_plain(*c))
			buf_add(ret, c, 1);
	}
	buf_addf(ret, "\"\n");
}

void git_identity_write(const struct git_identity *i, struct buf *ret)
{
	if (!says_something(i->name) && !says_something(i->email))
		return;
	buf_addf(ret, "[user]\n");
	write_value("name", i->name, ret);
	write_value("email", i->email, ret);
}
