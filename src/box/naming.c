/* SPDX-License-Identifier: Apache-2.0 */
/* Finds names that are free. */
#include "box/naming.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/names.h"

/* Of two words alone; then with a number, of which there is no end. */
#define TRIES 32

/* Longer names keep no place for a number. */
#define LONGEST (STORE_NAME_MAX - 22)

int box_name_new(struct store *s, const char *owner, char ret[STORE_NAME_MAX + 1], struct aisbx_error *e)
{
	char words[NAME_TWO_WORDS_SIZE];
	uint64_t seed, number = 0;
	bool taken = true;
	int r = 0;

	for (int i = 0; r == 0 && taken && i < TRIES; i++) {
		if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
			abort(); /* cannot fail for 8 bytes */
		name_two_words(seed, words);
		snprintf(ret, STORE_NAME_MAX + 1, "%s", words);
		r = store_box_has_name(s, owner, ret, &taken, e);
	}
	return r == 0 && taken ? box_name_next(s, owner, words, &number, ret, e) : r;
}

/* How much of NAME is before its number, "-12"; RET_NUMBER: that, or 1. */
static size_t stem_of(const char *name, uint64_t *ret_number)
{
	size_t n = strlen(name), digits = n;

	while (digits && isdigit((unsigned char)name[digits - 1]))
		digits--;
	*ret_number = 1;
	if (digits < 2 || digits == n || n - digits > 9 || name[digits] == '0' || name[digits - 1] != '-')
		return n;
	*ret_number = strtoull(name + digits, NULL, 10);
	return digits - 1;
}

int box_name_next(struct store *s, const char *owner, const char *of, uint64_t *number,
		  char ret[STORE_NAME_MAX + 1], struct aisbx_error *e)
{
	uint64_t first;
	size_t n = stem_of(of, &first);
	bool taken = true;
	int r = 0;

	if (n > LONGEST)
		n = LONGEST;
	if (!*number)
		*number = first;
	while (r == 0 && taken) {
		snprintf(ret, STORE_NAME_MAX + 1, "%.*s-%llu", (int)n, of, (unsigned long long)++*number);
		r = store_box_has_name(s, owner, ret, &taken, e);
	}
	return r;
}
