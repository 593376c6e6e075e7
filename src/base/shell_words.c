/* SPDX-License-Identifier: Apache-2.0 */
/* Words as a person types them at a shell. */
#include "base/shell_words.h"

#include <stdio.h>
#include <string.h>

bool shell_is_special(const char *word, bool blanks)
{
	return strpbrk(word, "|&;<>()$`\\\"'*?[]{}~#!") || (blanks && strpbrk(word, " \t\n"));
}

/* False: it does not fit. */
static bool put(char *ret, size_t cap, const char *text, size_t len)
{
	size_t at = strlen(ret);

	if (at + len + 1 > cap)
		return false;
	memcpy(ret + at, text, len);
	ret[at + len] = '\0';
	return true;
}

static bool put_word(char *ret, size_t cap, const char *word)
{
	bool good;

	if (*word && !shell_is_special(word, true))
		return put(ret, cap, word, strlen(word));
	good = put(ret, cap, "'", 1);
	for (size_t n; good && *word; word += n) {
		n = strcspn(word, "'");
		good = put(ret, cap, word, n) && (!word[n] || put(ret, cap, "'\\''", 4));
		n += word[n] == '\'';
	}
	return good && put(ret, cap, "'", 1);
}

void shell_words(char *const *words, size_t n, char *ret, size_t cap)
{
	const size_t room = cap - 5; /* for " ..." */

	*ret = '\0';
	for (size_t i = 0; i < n; i++) {
		size_t before = strlen(ret);

		if ((i == 0 || put(ret, room, " ", 1)) && put_word(ret, room, words[i]))
			continue;
		ret[before] = '\0';
		put(ret, cap, i ? " ..." : "...", i ? 4 : 3);
		break;
	}
}
