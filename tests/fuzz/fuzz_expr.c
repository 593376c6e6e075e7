/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes expressions, which people and models write. The first bytes are what is known of the facts, the rest
 * is the text: what parses is judged the same way each time and told in UTF-8, what does not has a caret
 * within its text.
 */
#include <stdlib.h>
#include <string.h>

#include "expr/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

#define HEAD 8

static char *const changed[] = { (char *)"src/a.c", (char *)"docs/\xFF\n/x.md", NULL };
static const struct strlist paths = { (char **)changed, 2, false };

struct world {
	uint8_t head[HEAD];
};

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

/* Odd numbers among them: whoever makes facts may be wrong. */
static struct expr_value look(void *ctx, size_t fact)
{
	static const double odd[] = {
		0, 1, -1, 0.5, 2, 3, 1e300, -1e300, __builtin_inf(), __builtin_nan(""), 268435456, 1e15
	};
	const struct world *w = ctx;
	uint8_t b = w->head[fact % HEAD];
	struct expr_value v = { .known = b % 4 != 0,
				.number = odd[(b / 4 + fact) % (sizeof(odd) / sizeof(*odd))] };

	if (!v.known)
		v.text = b % 8 ? "nobody \xFF\n looked" : NULL;
	v.paths = b % 16 < 12 ? &paths : NULL;
	return v;
}

static bool is_utf8(const char *s)
{
	struct buf b = { 0 };
	bool same;

	buf_add_utf8(&b, s, strlen(s));
	same = buf_str(&b) && b.len == strlen(s) && !strpbrk(s, "\n\r\t\x7F");
	buf_finish(&b);
	return same;
}

static void judge(const struct expr *x, struct world *w)
{
	struct expr_verdict v[2] = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;

	for (int i = 0; i < 2; i++)
		must(expr_judge(x, look, w, &v[i], &e) == 0 && v[i].why && *v[i].why);
	must(v[0].holds == v[1].holds && !strcmp(v[0].why, v[1].why) && is_utf8(v[0].why));
	expr_verdict_finish(&v[0]);
	expr_verdict_finish(&v[1]);
}

static void reckon(const struct expr *x, struct world *w)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	double got[2];
	bool known[2];

	for (int i = 0; i < 2; i++)
		must(expr_score(x, look, w, &got[i], &known[i], &e) == 0);
	must(got[0] == got[1] && known[0] == known[1] && got[0] - got[0] == 0);
}

/* "MESSAGE\n  EXCERPT\n  ^", the caret below the excerpt or right behind it. */
static void check_error(const struct aisbx_error *e)
{
	const char *excerpt = strchr(e->text, '\n'), *caret = excerpt ? strchr(excerpt + 1, '\n') : NULL;
	size_t columns = 0;

	must(excerpt && caret && !strchr(caret + 1, '\n') && strspn(caret + 1, " ") + 2 == strlen(caret) &&
	     caret[strlen(caret) - 1] == '^');
	for (const char *c = excerpt + 1; c < caret; c++)
		columns += ((unsigned char)*c & 0xC0) != 0x80;
	must(strlen(caret + 1) - 1 <= columns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct world w = { 0 };
	char *text = len > HEAD ? malloc(len - HEAD + 1) : NULL;

	if (!text)
		return 0;
	memcpy(w.head, data, HEAD);
	memcpy(text, data + HEAD, len - HEAD);
	text[len - HEAD] = '\0';
	for (int number = 0; number < 2; number++) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		struct expr *x = NULL;

		if (expr_parse(text, number, &x, &e) < 0)
			check_error(&e);
		else if (number)
			reckon(x, &w);
		else
			judge(x, &w);
		expr_free(x);
	}
	free(text);
	return 0;
}
