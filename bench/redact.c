/* SPDX-License-Identifier: Apache-2.0 */
/* How fast, in processor time, the redactor lets bytes pass that hold no secret: text, base64 and random
 * bytes, with 1, 16 and 64 secrets. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/scope.h"
#include "secret/redact.h"

#define SAMPLE  (4u << 20)
#define CHUNK   65536u
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void fill(char *p, size_t n, int kind)
{
	static const char text[] =
		"The quick brown fox jumps over the lazy dog; int main(void) { return 0x2a; } /* 100% */\n";

	for (size_t i = 0; i < n; i++)
		p[i] = kind == 0   ? text[i % (sizeof(text) - 1)]
		       : kind == 1 ? LETTERS[rand() % 64]
				   : (char)rand();
}

/* Seconds for 64 times the sample. */
static double measure(const struct redactor *r, const char *sample)
{
	struct buf out = { 0 };
	struct redact s;
	double began = now();

	if (!redact_init(&s, r))
		exit(1);
	for (int round = 0; round < 64; round++)
		for (size_t at = 0; at < SAMPLE; at += CHUNK) {
			redact_feed(&s, sample + at, CHUNK, &out);
			out.len = 0;
		}
	redact_finish(&s);
	buf_finish(&out);
	return now() - began;
}

int main(void)
{
	static const char *const kinds[] = { "text", "base64", "random" };
	static const size_t counts[] = { 1, 16, 64 };
	scoped(drop_mem) char *sample = malloc(SAMPLE);
	struct run_secret list[64];
	char values[64][41] = { 0 };

	if (!sample)
		return 1;
	srand(1);
	for (int i = 0; i < 64; i++) {
		fill(values[i], 40, 1);
		list[i] = (struct run_secret){ .name = "S", .value = values[i], .len = 40 };
	}
	for (int c = 0; c < 3; c++) {
		double began = now();
		scoped(drop_redactor) struct redactor *r = redactor_create(list, counts[c]);

		printf("%2zu secrets of 40 bytes: made in %.2f ms;", counts[c], (now() - began) * 1e3);
		for (int k = 0; r && k < 3; k++) {
			fill(sample, SAMPLE, k);
			printf(" %s %.0f MB/s", kinds[k], 64.0 * SAMPLE / 1e6 / measure(r, sample));
		}
		printf("\n");
	}
	return 0;
}
