/* SPDX-License-Identifier: Apache-2.0 */
/* The table of variables of active environments, and the one line of pyvenv.cfg that matters. */
#include "policy/tool_env.h"

#include <string.h>

static const char *const names[] = {
	"ANDROID_HOME",
	"ANDROID_SDK_ROOT",
	"ASDF_DATA_DIR",
	"ASDF_DIR",
	"BUN_INSTALL",
	"CONDA_PREFIX",
	"DENO_INSTALL",
	"DENO_INSTALL_ROOT",
	"DOTNET_ROOT",
	"FLUTTER_ROOT",
	"FNM_DIR",
	"FNM_MULTISHELL_PATH",
	"GEM_HOME",
	"GHCUP_INSTALL_BASE_PREFIX",
	"GOENV_ROOT",
	"GOROOT",
	"GRADLE_HOME",
	"GRAALVM_HOME",
	"HOMEBREW_PREFIX",
	"JAVA_HOME",
	"JDK_HOME",
	"JENV_ROOT",
	"KOTLIN_HOME",
	"M2_HOME",
	"MAVEN_HOME",
	"MISE_DATA_DIR",
	"NODENV_ROOT",
	"NVM_BIN",
	"NVM_DIR",
	"N_PREFIX",
	"OPAM_SWITCH_PREFIX",
	"PIPX_HOME",
	"POETRY_HOME",
	"PYENV_ROOT",
	"PYTHONHOME",
	"PYTHONUSERBASE",
	"RBENV_ROOT",
	"RUSTUP_HOME",
	"RVM_PATH",
	"SCALA_HOME",
	"SDKMAN_CANDIDATES_DIR",
	"SDKMAN_DIR",
	"SWIFTENV_ROOT",
	"UV_PYTHON_INSTALL_DIR",
	"VIRTUAL_ENV",
	"VOLTA_HOME",
	"rvm_path",
};

bool tool_env_name(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i][0] == name[0] && strlen(names[i]) == len && !memcmp(names[i], name, len))
			return true;
	return false;
}

const char *tool_env_base(const char *config, size_t *ret_len)
{
	static const char blanks[] = " \t\r";

	for (const char *line = config; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *value = line + strspn(line, blanks);

		if (strncmp(value, "home", 4) != 0)
			continue;
		value += 4 + strspn(value + 4, blanks);
		if (*value++ != '=')
			continue;
		value += strspn(value, blanks);
		*ret_len = strcspn(value, "\n");
		while (*ret_len && strchr(blanks, value[*ret_len - 1]))
			--*ret_len;
		return *ret_len ? value : NULL;
	}
	return NULL;
}
