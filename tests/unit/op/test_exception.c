/* SPDX-License-Identifier: Apache-2.0 */
/* Last words of interpreters, and texts that only look like them. */
#include "support/test.h"

#include <string.h>

#include "op/exception.h"

struct sample {
	const char *lang, *text, *name, *message; /* name and message NULL: JSON null */
	int line;                                 /* 0: null; -1: nothing is found */
};

static const struct sample samples[] = {
	{ "python",
	  "Traceback (most recent call last):\n  File \"/tmp/c\", line 3, in <module>\n    f()\n"
	  "  File \"/tmp/c\", line 2, in f\n    raise ValueError('x')\nValueError: x\n",
	  "ValueError", "x", 2 },
	{ "python",
	  "Traceback (most recent call last):\n  File \"/tmp/c\", line 7, in <module>\n    json.loads('')\n"
	  "  File \"/usr/lib/python3.11/json/decoder.py\", line 355, in raw_decode\n    raise\n"
	  "json.decoder.JSONDecodeError: Expecting value: line 1\n",
	  "json.decoder.JSONDecodeError", "Expecting value: line 1", 7 },
	{ "python",
	  "Traceback (most recent call last):\n  File \"/tmp/c\", line 2, in <module>\n    "
	  "1/0\nZeroDivisionError: a\n\n"
	  "During handling of the above exception, another exception occurred:\n\n"
	  "Traceback (most recent call last):\n  File \"/tmp/c\", line 4, in <module>\n    x()\nNameError: "
	  "b\n",
	  "NameError", "b", 4 },
	{ "python", "  File \"/tmp/c\", line 1\n    x = = 3\n        ^\nSyntaxError: invalid syntax\n",
	  "SyntaxError", "invalid syntax", 1 },
	{ "python",
	  "Traceback (most recent call last):\n  File \"/tmp/c\", line 1, in <module>\nKeyboardInterrupt\n",
	  "KeyboardInterrupt", NULL, 1 },
	{ "python",
	  "Traceback (most recent call last):\n  File \"/tmp/c\", line 1, in <module>\nE: one\ntwo: "
	  "three\n\n",
	  "E", "one\ntwo: three", 1 },
	{ "python", "ValueError: nobody raised me\n", NULL, NULL, -1 },
	{ "python", "Traceback (most recent call last):\n", NULL, NULL, -1 },
	{ "python", "Traceback (most recent call last):\n  File \"/tmp/c\", line 1\n", NULL, NULL, -1 },
	{ "python", "", NULL, NULL, -1 },
	{ "javascript",
	  "/tmp/c:3\nthrow new Error('x')\n^\n\nError: x\n    at f (/tmp/c:3:7)\n\nNode.js v20\n", "Error",
	  "x", 3 },
	{ "javascript", "file:///tmp/c:9\nimport x\n       ^\nSyntaxError: no\n    at a\n", "SyntaxError",
	  "no", 9 },
	{ "javascript", "/tmp/c:1\nFake: error\n^\n\nTypeError [ERR_X]: a\nb\n    at a\n", "TypeError",
	  "a\nb", 1 },
	{ "javascript", "Error: of the program's own\n    at nowhere\n", NULL, NULL, -1 },
	{ "javascript", "/tmp/c:1\nthrow 'x'\n^\nx\n", NULL, NULL, -1 },
	{ "javascript", "/tmp/c:", NULL, NULL, -1 },
	{ "shell", "/tmp/c: line 4: foo: command not found\n", NULL, "foo: command not found", 4 },
	{ "shell", "/tmp/c: line 4: a\n/tmp/c: line 12: b\n", NULL, "b", 12 },
	{ "shell", "/tmp/c: line 99999999999999999999: b\n", NULL, "b", 0 },
	{ "shell", "/tmp/other: line 4: a\n", NULL, NULL, -1 },
	{ "shell", "/tmp/c: line", NULL, NULL, -1 },
};

static void last_words_are_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++) {
		const struct sample *s = &samples[i];
		json_t *found = op_exception(s->lang, "/tmp/c", s->text);
		const char *name = json_string_value(json_object_get(found, "name"));
		const char *message = json_string_value(json_object_get(found, "message"));

		if (s->line < 0 ? !json_is_null(found)
				: (!name != !s->name || (name && strcmp(name, s->name)) ||
				   !message != !s->message || (message && strcmp(message, s->message)) ||
				   json_integer_value(json_object_get(found, "line")) != s->line))
			fail_msg("sample %zu: %s", i, json_dumps(found, JSON_ENCODE_ANY));
		json_decref(found);
	}
}

/* Cut between two characters, so that it stays text. */
static void a_long_message_is_cut(void **state)
{
	static const char head[] = "Traceback (most recent call last):\n  File \"/tmp/c\", line 1, in x\nE: ";
	char text[sizeof(head) + 9002];
	json_t *found;
	size_t n;

	(void)state;
	for (size_t shift = 0; shift < 3; shift++) {
		strcpy(text, head);
		memset(text + sizeof(head) - 1, 'x', shift);
		for (size_t i = 0; i < 3000; i++)
			memcpy(text + sizeof(head) - 1 + shift + 3 * i, "\xe2\x82\xac", 4);
		found = op_exception("python", "/tmp/c", text);
		n = json_string_length(json_object_get(found, "message"));
		assert_in_range(n, 3997, 4000);
		json_decref(found);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(last_words_are_read),
		cmocka_unit_test(a_long_message_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
