/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last output of a command, and which limits it speaks of. A process that is refused a file, a byte or a
 * thread gets an error from the kernel that nobody counts; but a program that fails for it says so, in words
 * that each language has from the same few error numbers. Written by the box: a hint, never a proof. Inside
 * run/ only.
 */
#ifndef RUN_LAST_WORDS_H
#define RUN_LAST_WORDS_H

#include <stddef.h>
#include <stdint.h>

/* A traceback or two. */
#define LAST_WORDS 4096

struct last_words {
	size_t len;
	char text[LAST_WORDS];
};

/* N more bytes of output. */
void last_words_add(struct last_words *w, const char *bytes, size_t n);
/*
 * Bits of enum limit, of those that W says were reached. Of a full disk both DISK and INODES: the error is
 * the same. "Try again" (EAGAIN) is for PROCESSES and for much else: whoever asks should know that the box
 * has made as many as its limit. LANGUAGE: as LC_MESSAGES of the command ("de_DE.UTF-8"), whose words are
 * known as well; NULL: English.
 */
uint32_t last_words_limits(const struct last_words *w, const char *language);

#endif
