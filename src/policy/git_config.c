/* SPDX-License-Identifier: Apache-2.0 */
/* Reads one value of a git configuration. */
#include "policy/git_config.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/scope.h"

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

/* Whether NAME, which follows "[", is this section. */
static bool is_section(const char *name, const char *section, const char *part)
{
	const size_t len = strlen(section), part_len = part ? strlen(part) : 0;

	if (strncasecmp(name, section, len) != 0)
		return false;
	name += len;
	name += strspn(name, " \t");
	if (part) {
		if (*name != '"' || strncmp(name + 1, part, part_len) != 0 || name[1 + part_len] != '"')
			return false;
		name += part_len + 2;
		name += strspn(name, " \t");
	}
	return *name == ']';
}

bool git_config_value(const char *text, const char *section, const char *part, const char *key, char **ret)
{
	bool here = false;

	for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		scoped(drop_mem) char *value = NULL;
		const char *name;
		size_t word, blank;

		at += strspn(at, " \t\r");
		if (*at == '[') {
			here = is_section(at + 1 + strspn(at + 1, " \t"), section, part);
			at += strcspn(at, "]\n");
			at += *at == ']';
			at += strspn(at, " \t");
		}
		name = at;
		word = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-");
		blank = strspn(at + word, " \t");
		if (!here || at[word + blank] != '=')
			continue;
		at += word + blank + 1;
		value = read_value(&at); /* of another key, too: its lines may look like this one's */
		if (!value)
			return false;
		if (word != strlen(key) || strncasecmp(name, key, word) != 0)
			continue;
		free(*ret);
		*ret = take_mem(&value);
	}
	return true;
}
