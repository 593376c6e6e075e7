/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes the section [user] of a git configuration. */
#include "policy/git_identity.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/scope.h"

void git_identity_finish(struct git_identity *i)
{
	free(i->name);
	free(i->email);
}

/* A value: quotes, backslashes, comments, lines that go on. AT is then at the end of it. Heap, or NULL. */
static char *read_value(const char **at)
{
	scoped(buf_finish) struct buf b = { 0 };
	bool quoted = false;
	size_t end = 0; /* blanks at the end do not count */
	const char *c = *at + strspn(*at, " \t");

	buf_add(&b, "", 0);
	for (; *c && *c != '\n'; c++) {
		char plain = *c;

		if (*c == '"') {
			quoted = !quoted;
			continue;
		}
		if (!quoted && (*c == '#' || *c == ';')) {
			c += strcspn(c, "\n");
			break;
		}
		if (*c == '\\' && c[1]) {
			c++;
			if (*c == '\n')
				continue;
			plain = *c == 'n' ? '\n' : *c == 't' ? '\t' : *c;
		}
		buf_add(&b, &plain, 1);
		if (quoted || !strchr(" \t\r", plain))
			end = b.len;
	}
	*at = c;
	return buf_str(&b) ? strndup(b.data, end) : NULL;
}

static bool take(char **into, const char **at)
{
	char *value = read_value(at);

	if (!value)
		return false;
	free(*into);
	*into = value;
	return true;
}

bool git_identity_read(const char *text, struct git_identity *i)
{
	bool in_user = false;

	for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		size_t word;

		at += strspn(at, " \t\r");
		if (*at == '[') {
			const char *name = at + 1 + strspn(at + 1, " \t");

			in_user = !strncasecmp(name, "user", 4) && name[4 + strspn(name + 4, " \t")] == ']';
			at += strcspn(at, "]\n");
			at += *at == ']';
			at += strspn(at, " \t");
		}
		word = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-");
		if (!in_user || at[word + strspn(at + word, " \t")] != '=') {
			continue;
		} else {
			bool is_name = word == 4 && !strncasecmp(at, "name", 4),
			     is_email = word == 5 && !strncasecmp(at, "email", 5);

			at += word + strspn(at + word, " \t") + 1;
			if ((is_name && !take(&i->name, &at)) || (is_email && !take(&i->email, &at)))
				return false;
		}
	}
	return true;
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
