/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of secrets and toolchains. */
#include "policy/secret.h"

#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"

const char *const secret_home_paths[] = {
	/* keys and credentials */
	".ssh", ".gnupg", ".pki", ".password-store", ".netrc", ".git-credentials", ".config/git/credentials",
	".pgpass", ".my.cnf", ".mylogin.cnf", ".vault-token", ".terraform.d", ".local/share/keyrings",
	".local/share/kwalletd", ".config/op", ".config/keybase", ".config/Bitwarden", ".config/sops", ".age",
	/* clouds and clusters */
	".aws", ".azure", ".config/gcloud", ".boto", ".s3cfg", ".kube", ".docker/config.json",
	".config/containers", ".config/doctl", ".config/hcloud", ".config/rclone", ".oci", ".fly",
	".config/heroku", ".config/configstore",
	/* package registries and forges */
	".npmrc", ".yarnrc.yml", ".pypirc", ".config/pip/pip.conf", ".cargo/credentials",
	".cargo/credentials.toml", ".gem/credentials", ".m2/settings.xml", ".m2/settings-security.xml",
	".gradle/gradle.properties", ".config/gh", ".config/hub", ".config/glab-cli",
	".config/composer/auth.json", ".composer/auth.json", ".subversion/auth", ".pip/pip.conf",
	".config/pypoetry/auth.toml", ".local/share/uv/credentials", ".gradle/init.d", ".ivy2/.credentials",
	".sbt/.credentials", ".nuget/NuGet", ".bundle/config", ".cabal/config", ".stack/config.yaml",
	".pub-cache/credentials.json", ".config/dart", ".hex/hex.config", ".conan2/credentials.json",
	".conan/.conan.db", ".condarc", ".cache/huggingface/token", ".cache/huggingface/stored_tokens",
	/* coding agents */
	".claude", ".claude.json", ".codex", ".gemini", ".cursor", ".config/github-copilot",
	".aider.conf.yml", ".anthropic", ".openai",
	/* browsers and mail */
	".mozilla", ".thunderbird", ".config/google-chrome", ".config/chromium", ".config/BraveSoftware",
	".config/microsoft-edge", ".config/vivaldi", ".config/opera", ".local/share/evolution",
	"snap/firefox",
	/* what was typed */
	".bash_history", ".zsh_history", ".python_history", ".node_repl_history", ".psql_history",
	".mysql_history", ".local/share/fish/fish_history", ".lesshst", ".viminfo",
	/* boxes and history of aisbx itself */
	".local/state/aisbx",
	/* money */
	".bitcoin", ".electrum", ".ethereum", ".monero", NULL
};

const char *const secret_system_paths[] = { "/etc/ssl/private",
					    "/etc/wireguard",
					    "/etc/NetworkManager/system-connections",
					    "/etc/ssh/ssh_host_rsa_key",
					    "/etc/ssh/ssh_host_ecdsa_key",
					    "/etc/ssh/ssh_host_ed25519_key",
					    "/etc/security/opasswd",
					    "/var/backups",
					    "/etc/sudoers",
					    "/etc/sudoers.d",
					    "/etc/krb5.keytab",
					    "/etc/letsencrypt",
					    "/etc/rancher",
					    "/etc/kubernetes",
					    "/var/lib/systemd/credential.secret",
					    "/var/lib/docker",
					    "/var/lib/containerd",
					    "/var/lib/kubelet",
					    "/var/spool/cron",
					    "/var/mail",
					    "/var/spool/mail",
					    NULL };

const char *const secret_login_names[] = { "shadow", "gshadow", "shadow-", "gshadow-", NULL };

const char *const decoy_paths[] = { ".ssh/id_rsa", ".aws/credentials", NULL };

const char decoy_text[] = "aisbx: this is a decoy; the real file, if there is one, is hidden from this box\n";

/* Whether PATH is DIR or below it; neither begins with a slash. */
static bool within(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return !strncmp(path, dir, n) && (!path[n] || path[n] == '/');
}

bool secret_in_home(const char *path_below_home)
{
	for (const char *const *p = secret_home_paths; *p; p++)
		if (within(path_below_home, *p))
			return true;
	return secret_home_holds(path_below_home);
}

bool secret_home_holds(const char *path_below_home)
{
	if (!*path_below_home)
		return true;
	for (const char *const *p = secret_home_paths; *p; p++)
		if (within(*p, path_below_home))
			return true;
	return false;
}

bool secret_in_system(const char *path)
{
	for (const char *const *p = secret_system_paths; *p; p++)
		if (path_is_within(path, *p) || path_is_within(*p, path))
			return true;
	return false;
}

/* Patterns are in capitals and match in any; of a name longer than any program has, TOO_LONG
 * is the answer. */
static bool any_matches(const char *const *patterns, const char *name, size_t len, bool too_long)
{
	char copy[128];

	if (len >= sizeof(copy))
		return too_long;
	for (size_t i = 0; i < len; i++)
		copy[i] = name[i] >= 'a' && name[i] <= 'z' ? (char)(name[i] - 'a' + 'A') : name[i];
	copy[len] = '\0';
	for (; *patterns; patterns++)
		if (str_matches(copy, *patterns))
			return true;
	return false;
}

bool secret_env_name(const char *name, size_t len)
{
	static const char *const patterns[] = { "*TOKEN*",       "*SECRET*",
						"*PASSWORD*",    "*PASSWD*",
						"*PASSPHRASE*",  "*CREDENTIAL*",
						"*API_KEY*",     "*APIKEY*",
						"*PRIVATE_KEY*", "*ACCESS_KEY*",
						"*_AUTH",        "*AUTH_SOCK*",
						"*_PAT",         "*SESSION_KEY*",
						"*_PASS",        "AWS_PROFILE",
						"AWS_SESSION*",  "SSH_*",
						"GPG_*",         "DBUS_*",
						"XAUTHORITY",    "WAYLAND_*",
						"DISPLAY",       "XDG_RUNTIME_DIR",
						"KUBECONFIG",    "DOCKER_HOST",
						"DOCKER_CONFIG", "DATABASE_URL",
						"*_DSN",         "PGPASS*",
						"MYSQL_PWD",     "NETRC",
						"VAULT_*",       NULL };

	return any_matches(patterns, name, len, true);
}

bool minimal_env_name(const char *name, size_t len)
{
	static const char *const patterns[] = { "PATH",  "HOME",     "LANG",       "LC_*", "TERM",
						"USER",  "LOGNAME",  "SHELL",      "TZ",   "COLUMNS",
						"LINES", "NO_COLOR", "PYENV_ROOT", NULL };

	return any_matches(patterns, name, len, false);
}

#define MAX_PARTS 8

static const struct {
	const char *root;
	const char *parts[MAX_PARTS];
} toolchains[] = {
	{ ".cargo",
	  { ".cargo/bin", ".cargo/env", ".cargo/registry", ".cargo/git", ".cargo/config.toml", ".rustup" } },
	{ ".rustup", { ".rustup" } },
	{ ".pyenv", { ".pyenv" } },
	{ ".nvm", { ".nvm" } },
	{ ".local",
	  { ".local/bin", ".local/lib", ".local/pipx", ".local/share/pipx", ".local/share/uv/python",
	    ".local/share/uv/tools", ".local/share/mise", ".local/share/pnpm" } },
	{ "go", { "go" } },
	{ ".goenv", { ".goenv" } },
	{ ".rbenv", { ".rbenv" } },
	{ ".nodenv", { ".nodenv" } },
	{ ".asdf", { ".asdf" } },
	{ ".volta", { ".volta" } },
	{ ".deno", { ".deno" } },
	{ ".bun", { ".bun" } },
	{ ".sdkman", { ".sdkman/candidates", ".sdkman/bin" } },
	{ ".jenv", { ".jenv" } },
	{ ".ghcup", { ".ghcup" } },
	{ ".opam", { ".opam" } },
	{ ".juliaup", { ".juliaup", ".julia/juliaup" } },
	{ ".dotnet", { ".dotnet" } },
	{ ".npm-global", { ".npm-global" } },
	{ ".yarn", { ".yarn/bin" } },
	{ "miniconda3", { "miniconda3" } },
	{ "miniforge3", { "miniforge3" } },
	{ "anaconda3", { "anaconda3" } },
};

const char *const *toolchain_paths(const char *path_below_home)
{
	for (size_t i = 0; i < sizeof(toolchains) / sizeof(*toolchains); i++) {
		size_t n = strlen(toolchains[i].root);

		if (!strncmp(path_below_home, toolchains[i].root, n) &&
		    (path_below_home[n] == '/' || !path_below_home[n]))
			return toolchains[i].parts;
	}
	return NULL;
}
