/* SPDX-License-Identifier: Apache-2.0 */
/* Text to numbers and back, the way people write sizes and durations. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "100m", "1g", "4096": powers of 1024; a trailing "b" or "ib" is allowed. */
bool str_to_size(const char *text, uint64_t *ret_bytes);
/* "30s", "500ms", "2m", "1h", "7d"; a number alone is seconds; fractions are allowed. */
bool str_to_ms(const char *text, uint64_t *ret_ms);
/* "1.5" to 1500. */
bool str_to_milli(const char *text, uint64_t *ret_value);
bool str_to_u64(const char *text, uint64_t *ret_value);
/* "512 KiB", "1.5 GiB" */
const char *str_size(uint64_t bytes, char *buf, size_t cap);
/* "350 ms", "12.3 s", "5 min" */
const char *str_ms(uint64_t ms, char *buf, size_t cap);
/* PATTERN with '*' for any sequence of characters; case matters. */
bool str_matches(const char *text, const char *pattern);
/* WORD is one of the words of LIST, "a|b|c"; the empty word is of none. */
bool str_is_one_of(const char *word, const char *list);
bool str_is_one_of_n(const char *word, size_t len, const char *list);
/* The candidate most similar to what was typed, or NULL if none is similar. */
const char *str_nearest(const char *typed, const char *const *candidates, size_t n);

/* Growing list of owned strings, NULL-terminated for exec and friends. */
struct strlist {
	char **items; /* owned */
	size_t n;
	size_t room; /* of items, as far as it is known */
	bool failed;
};

void strlist_finish(struct strlist *l);
void strlist_add(struct strlist *l, const char *s);
void strlist_addf(struct strlist *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool strlist_has(const struct strlist *l, const char *s);

#endif
