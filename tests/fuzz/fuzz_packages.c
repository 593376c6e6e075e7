/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the readers of package managers' notes, which a box may have written: the first byte chooses the
 * reader, a 0x1e parts the text before from the text now. Whatever is told consists of words that neither a
 * terminal nor a shell obeys, and nothing compared with itself differs.
 */
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "box/packages.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

static void check_word(const char *word)
{
	must(strlen(word) > 0 && strlen(word) <= PACKAGE_WORD_MAX && isalnum((unsigned char)word[0]));
	for (; *word; word++)
		must(isalnum((unsigned char)*word) || strchr("+.-_~:", *word));
}

static void read_list(int how, const char *text, size_t len, struct package_list *ret)
{
	if (how == 2)
		packages_add_pip(text, ret);
	else
		(how ? packages_read_apk : packages_read_dpkg)(text, len, ret);
	package_list_sort(ret);
}

static void check_changes(const struct package_list *a, const struct package_list *b)
{
	struct package_changes changes = { 0 }, none = { 0 };

	must(packages_compare(PACKAGE_DPKG, a, b, &changes) == 0 &&
	     packages_compare(PACKAGE_DPKG, b, b, &none) == 0);
	for (size_t i = 0; i < changes.n; i++) {
		check_word(changes.items[i].name);
		if (changes.items[i].version)
			check_word(changes.items[i].version);
		if (changes.items[i].version && changes.items[i].previous)
			must((package_version_compare(changes.items[i].version, changes.items[i].previous) <
			      0) == (package_version_compare(changes.items[i].previous,
							     changes.items[i].version) > 0));
	}
	must(none.n == 0);
	package_changes_finish(&changes);
	package_changes_finish(&none);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct package_list before = { 0 }, now = { 0 };
	struct strlist users = { 0 };
	char *text, *second;
	size_t n;

	if (len < 1)
		return 0;
	n = len - 1;
	text = calloc(1, n + 1);
	if (!text)
		return 0;
	memcpy(text, data + 1, n);
	second = memchr(text, 0x1e, n);
	if (second)
		*second++ = '\0';
	else
		second = text + n;
	read_list(data[0] % 3, text, strlen(text), &before);
	read_list(data[0] % 3, second, n - (size_t)(second - text), &now);
	check_changes(&before, &now);
	packages_new_users(text, second, &users);
	for (size_t i = 0; i < users.n; i++)
		check_word(users.items[i] + (users.items[i][0] == '_'));
	strlist_finish(&users);
	package_list_finish(&before);
	package_list_finish(&now);
	free(text);
	return 0;
}
