/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the last output of a command: line by line, words for errors of the kernel as the C library, shells
 * and the languages write them.
 */
#include "run/last_words.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <stdbool.h>
#include <string.h>

#include "jail/plan.h"

#define BIT(l)   (1u << LIMIT_##l)
#define ANY_DISK (BIT(DISK) | BIT(INODES))

/* Words for one limit, in small letters. All errors: "errno 24", "os error 24" and such are known by number.
 */
static const struct {
	uint32_t limits;
	const char *words;
} phrases[] = {
	{ BIT(FILES), "too many open files" },
	{ BIT(FILES), "emfile" },
	{ BIT(FILE_SIZE), "file too large" },
	{ BIT(FILE_SIZE), "efbig" },
	{ BIT(FILE_SIZE), "file size limit exceeded" },
	{ BIT(FILE_SIZE), "filesize limit exceeded" },
	{ BIT(CPU_TIME), "cpu time limit exceeded" },
	{ BIT(CPU_TIME), "cputime limit exceeded" },
	{ ANY_DISK, "no space left on device" },
	{ ANY_DISK, "disk quota exceeded" },
	{ ANY_DISK, "database or disk is full" },
	{ ANY_DISK, "enospc" },
	{ ANY_DISK, "edquot" },
	{ BIT(PROCESSES), "resource temporarily unavailable" },
	{ BIT(PROCESSES), "eagain" },
	{ BIT(PROCESSES), "cannot fork" },
	{ BIT(PROCESSES), "can't fork" },
	{ BIT(PROCESSES), "unable to fork" },
	{ BIT(PROCESSES), "fork failed" },
	{ BIT(PROCESSES), "fork: retry" },
	{ BIT(PROCESSES), "can't start new thread" },
	{ BIT(PROCESSES), "can't create thread" },
	{ BIT(PROCESSES), "cannot create thread" },
	{ BIT(PROCESSES), "unable to create thread" },
	{ BIT(PROCESSES), "unable to create native thread" },
	{ BIT(PROCESSES), "unable to create new native thread" },
	{ BIT(PROCESSES), "failed to create new os thread" },
	{ BIT(PROCESSES), "failed to spawn thread" },
	{ BIT(PROCESSES), "thread creation failed" },
	{ BIT(PROCESSES), "pthread_create" },
	{ BIT(PROCESSES), "uv_thread_create" },
	{ BIT(MEMORY), "memoryerror" },
	{ BIT(MEMORY), "bad_alloc" },
	{ BIT(MEMORY), "outofmemoryerror" },
	{ BIT(MEMORY), "out of memory" },
	{ BIT(MEMORY), "cannot allocate memory" },
	{ BIT(MEMORY), "can't allocate memory" },
	{ BIT(MEMORY), "virtual memory exhausted" },
	{ BIT(MEMORY), "memory allocation of" },
	{ BIT(MEMORY), "memory exhausted" },
	{ BIT(MEMORY), "enomem" },
};

/* What the C library and languages put before the number of an error. */
static const char *const before_number[] = { "errno ", "errno=", "errno: ", "os error ", "os { code: " };

/* Errors by number. */
static const struct {
	int error;
	uint32_t limits;
} errors[] = {
	{ EMFILE, BIT(FILES) }, { EFBIG, BIT(FILE_SIZE) }, { ENOSPC, ANY_DISK },
	{ EDQUOT, ANY_DISK },   { ENOMEM, BIT(MEMORY) },   { EAGAIN, BIT(PROCESSES) },
};

/* The same errors for watched files, of which a person has few, and for the whole machine's files. */
static const char *const others[] = { "inotify", "watcher", "watch ", "watches", "open files in system" };

#define N(list) (sizeof(list) / sizeof(*(list)))

void last_words_add(struct last_words *w, const char *bytes, size_t n)
{
	size_t stay;

	if (n > LAST_WORDS) {
		bytes += n - LAST_WORDS;
		n = LAST_WORDS;
	}
	stay = w->len < LAST_WORDS - n ? w->len : LAST_WORDS - n;
	if (stay && stay < w->len)
		memmove(w->text, w->text + w->len - stay, stay);
	memcpy(w->text + stay, bytes, n);
	w->len = stay + n;
}

/* A piece of text, not ended by anything. */
struct piece {
	const char *at;
	size_t len;
};

/* WORDS in TEXT, and not a part of longer ones. */
static const char *find(struct piece text, const char *words)
{
	size_t n = strlen(words);
	const char *at = text.at, *end = text.at + text.len;

	while (n && (at = memmem(at, (size_t)(end - at), words, n))) {
		bool opens =
			at == text.at || !isalnum((unsigned char)at[-1]) || !isalnum((unsigned char)words[0]);
		bool closes = at + n == end || !isalnum((unsigned char)at[n]) ||
			      !isalnum((unsigned char)words[n - 1]);

		if (opens && closes)
			return at;
		at++;
	}
	return NULL;
}

static bool has_any(struct piece text, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (memmem(text.at, text.len, list[i], strlen(list[i])))
			return true;
	return false;
}

/* The number behind WORDS at AT; -1: none. */
static int number_at(struct piece text, const char *at, const char *words)
{
	const char *end = text.at + text.len;
	int n = -1;

	for (at += strlen(words); at < end && isdigit((unsigned char)*at) && n < 1000; at++)
		n = (n < 0 ? 0 : n) * 10 + (*at - '0');
	return n;
}

static uint32_t by_number(struct piece line)
{
	uint32_t limits = 0;

	for (size_t i = 0; i < N(before_number); i++) {
		const char *at = memmem(line.at, line.len, before_number[i], strlen(before_number[i]));
		int number = at ? number_at(line, at, before_number[i]) : -1;

		for (size_t k = 0; k < N(errors); k++)
			if (errors[k].error == number)
				limits |= errors[k].limits;
	}
	return limits;
}

/* As the command's C library says it. */
static uint32_t in_language(struct piece line, locale_t language)
{
	uint32_t limits = 0;

	for (size_t k = 0; language && k < N(errors); k++) {
		const char *words = strerror_l(errors[k].error, language);

		if (memmem(line.at, line.len, words, strlen(words)))
			limits |= errors[k].limits;
	}
	return limits;
}

static uint32_t of_line(struct piece small)
{
	uint32_t limits = by_number(small);

	for (size_t i = 0; i < N(phrases); i++)
		if (!(limits & phrases[i].limits) && find(small, phrases[i].words))
			limits |= phrases[i].limits;
	return limits;
}

uint32_t last_words_limits(const struct last_words *w, const char *language)
{
	locale_t words =
		language ? newlocale(LC_MESSAGES_MASK | LC_CTYPE_MASK, language, (locale_t)0) : (locale_t)0;
	char small[LAST_WORDS];
	uint32_t limits = 0;

	for (size_t i = 0; i < w->len; i++)
		small[i] = (char)tolower((unsigned char)w->text[i]);
	for (size_t at = 0, n; at < w->len; at += n + 1) {
		const char *end = memchr(small + at, '\n', w->len - at);
		struct piece line = { small + at, 0 };

		line.len = n = end ? (size_t)(end - line.at) : w->len - at;
		if (has_any(line, others, N(others)))
			continue;
		limits |= of_line(line) | in_language((struct piece){ w->text + at, n }, words);
	}
	if (words)
		freelocale(words);
	return limits;
}
