/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the reader of the label of a template. What it takes can be written and read again, the same. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "image/template_label.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

static void must_be_word(const char *text, size_t most)
{
	size_t n = text ? strlen(text) : 0;

	must(!text || (n && n <= most));
	for (size_t i = 0; i < n; i++)
		must((text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z') ||
		     (text[i] >= '0' && text[i] <= '9') || strchr("._- ", text[i]));
}

static void must_hold(const struct template_label *l)
{
	must(l->name && l->name[0] != '.' && !l->os == !l->machine && (l->os || !l->system));
	must(!l->recipe == !l->lock && (!l->lock || strlen(l->lock) == 64) && l->net.n <= TEMPLATE_RULES_MAX);
	must_be_word(l->name, TEMPLATE_WORD_MAX);
	must_be_word(l->profile, TEMPLATE_WORD_MAX);
	must_be_word(l->recipe, TEMPLATE_WORD_MAX);
	must_be_word(l->os, TEMPLATE_SYSTEM_MAX);
	must_be_word(l->machine, TEMPLATE_SYSTEM_MAX);
	for (size_t i = 0; i < l->net.n; i++)
		for (const char *c = l->net.items[i]; *c; c++)
			must(*c >= ' ' && *c <= '~');
}

static void must_come_back(const struct template_label *l)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct template_label again = { 0 };
	char *text = template_label_write(l), *twice;

	must(text && template_label_read(text, strlen(text), &again, &e) == 0);
	twice = template_label_write(&again);
	must(twice && !strcmp(text, twice));
	free(text);
	free(twice);
	template_label_finish(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct template_label l = { 0 };

	if (template_label_read((const char *)data, len, &l, &e) == 0) {
		must_hold(&l);
		must_come_back(&l);
	} else {
		must(e.code < 0 && e.text[0]);
	}
	template_label_finish(&l);
	return 0;
}
