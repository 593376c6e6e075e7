/* SPDX-License-Identifier: Apache-2.0 */
/* The table of caches. Beside a directory that is listed there may be credentials; inside there are none. */
#include "policy/cache.h"

#include <string.h>

#define END                \
	{                  \
		NULL, NULL \
	}

/* Of ~/.cache: no browser, no mail, no thumbnails, nothing that a person made. */
static const struct cache_dir of_cache[] = {
	/* Python */
	{ "pip", "PIP_CACHE_DIR" },
	{ "uv", "UV_CACHE_DIR" },
	{ "pypoetry", "POETRY_CACHE_DIR" },
	{ "pdm", "PDM_CACHE_DIR" },
	{ "pipenv", "PIPENV_CACHE_DIR" },
	{ "hatch", "HATCH_CACHE_DIR" },
	{ "pre-commit", "PRE_COMMIT_HOME" },
	{ "mypy", NULL },
	{ "mypy_cache", "MYPY_CACHE_DIR" },
	{ "ruff", "RUFF_CACHE_DIR" },
	{ "black", "BLACK_CACHE_DIR" },
	{ "pylint", "PYLINTHOME" },
	{ "jedi", NULL },
	{ "matplotlib", NULL },
	{ "numba", "NUMBA_CACHE_DIR" },
	{ "huggingface/hub", "HF_HUB_CACHE" },
	{ "huggingface/datasets", "HF_DATASETS_CACHE" },
	{ "huggingface/modules", NULL },
	{ "huggingface/assets", NULL },
	{ "huggingface/xet", NULL },
	{ "torch", "TORCH_HOME" },
	{ "torch_extensions", "TORCH_EXTENSIONS_DIR" },
	{ "triton", "TRITON_CACHE_DIR" },
	{ "whisper", NULL },
	/* JavaScript */
	{ "yarn", "YARN_CACHE_FOLDER" },
	{ "pnpm", NULL },
	{ "node", "COREPACK_HOME" },
	{ "node-gyp", "npm_config_devdir" },
	{ "typescript", NULL },
	{ "deno/deps", NULL },
	{ "deno/gen", NULL },
	{ "deno/npm", NULL },
	{ "deno/remote", NULL },
	{ "deno/registries", NULL },
	{ "electron", "electron_config_cache" },
	{ "electron-builder", "ELECTRON_BUILDER_CACHE" },
	{ "Cypress", "CYPRESS_CACHE_FOLDER" },
	{ "puppeteer", "PUPPETEER_CACHE_DIR" },
	{ "ms-playwright", "PLAYWRIGHT_BROWSERS_PATH" },
	{ "prisma", NULL },
	{ "turbo", NULL },
	/* Go */
	{ "go-build", "GOCACHE" },
	{ "golangci-lint", "GOLANGCI_LINT_CACHE" },
	{ "gopls", NULL },
	{ "goimports", NULL },
	{ "staticcheck", "STATICCHECK_CACHE" },
	/* C, C++, Rust, Zig and what builds them */
	{ "ccache", NULL },
	{ "sccache", "SCCACHE_DIR" },
	{ "bazel", NULL },
	{ "bazelisk", "BAZELISK_HOME" },
	{ "vcpkg", NULL },
	{ "zig", "ZIG_GLOBAL_CACHE_DIR" },
	/* Java, Scala, Haskell, OCaml, PHP, Ruby, Erlang, R, Nix */
	{ "coursier", "COURSIER_CACHE" },
	{ "sbt", NULL },
	{ "mill", NULL },
	{ "ghcup", NULL },
	{ "cabal", NULL },
	{ "dune", "DUNE_CACHE_ROOT" },
	{ "opam", NULL },
	{ "composer", "COMPOSER_CACHE_DIR" },
	{ "gem", NULL },
	{ "rubocop_cache", NULL },
	{ "rebar3", "REBAR_CACHE_DIR" },
	{ "R", NULL },
	{ "nix", NULL },
	END
};

static const struct cache_dir of_go[] = { { "pkg/mod", "GOMODCACHE" }, { "pkg/sumdb", NULL }, END };
static const struct cache_dir of_cargo[] = { { "registry", NULL }, { "git", NULL }, END };
static const struct cache_dir of_npm[] = {
	{ "_cacache", NULL }, { "_npx", NULL }, { "_prebuilds", NULL }, END
};
static const struct cache_dir of_pnpm[] = { { "store", "npm_config_store_dir" }, END };
static const struct cache_dir of_yarn[] = { { "berry/cache", NULL }, { "berry/metadata", NULL }, END };
static const struct cache_dir of_bun[] = { { "install/cache", "BUN_INSTALL_CACHE_DIR" }, END };
static const struct cache_dir of_maven[] = { { "repository", NULL }, { "wrapper", NULL }, END };
static const struct cache_dir of_gradle[] = {
	{ "caches", NULL }, { "wrapper", NULL }, { "native", NULL }, { "jdks", NULL }, END
};
static const struct cache_dir of_ivy[] = { { "cache", NULL }, { "jars", NULL }, END };
static const struct cache_dir of_sbt[] = { { "boot", NULL }, { "launchers", NULL }, END };
static const struct cache_dir of_coursier[] = { { "cache", NULL }, END };
static const struct cache_dir of_nuget[] = { { "packages", "NUGET_PACKAGES" }, END };
static const struct cache_dir of_nuget_http[] = { { "v3-cache", "NUGET_HTTP_CACHE_PATH" },
						  { "http-cache", NULL },
						  END };
static const struct cache_dir of_gem[] = {
	{ "ruby", NULL }, { "specs", "GEM_SPEC_CACHE" }, { "cache", NULL }, END
};
static const struct cache_dir of_bundle[] = { { "cache", "BUNDLE_USER_CACHE" }, END };
static const struct cache_dir of_stack[] = {
	{ "pantry", NULL }, { "snapshots", NULL }, { "programs", NULL }, { "setup-exe-cache", NULL }, END
};
static const struct cache_dir of_cabal[] = { { "packages", NULL }, { "store", NULL }, END };
static const struct cache_dir of_cabal_state[] = { { "store", NULL }, END };
static const struct cache_dir of_ghcup[] = { { "cache", NULL }, END };
static const struct cache_dir of_composer[] = { { "cache", NULL }, END };
static const struct cache_dir of_hex[] = { { "packages", NULL }, END };
static const struct cache_dir of_mix[] = { { "archives", "MIX_ARCHIVES" }, { "elixir", NULL }, END };
static const struct cache_dir of_pub[] = { { "hosted", NULL }, { "git", NULL }, END };
static const struct cache_dir of_julia[] = { { "packages", NULL }, { "artifacts", NULL },
					     { "compiled", NULL }, { "registries", NULL },
					     { "clones", NULL },   END };
static const struct cache_dir of_opam[] = { { "download-cache", NULL }, { "repo", NULL }, END };
static const struct cache_dir of_conan2[] = { { "p", NULL }, END };
static const struct cache_dir of_conan[] = { { "data", NULL }, END };
static const struct cache_dir of_conda[] = { { "pkgs", "CONDA_PKGS_DIRS" }, END };
static const struct cache_dir of_conda_root[] = { { "pkgs", NULL }, END };
static const struct cache_dir of_cpan[] = { { "sources", NULL }, END };
static const struct cache_dir of_nimble[] = { { "pkgs", NULL }, { "pkgs2", NULL }, END };
static const struct cache_dir itself[] = { { "", NULL }, END };

const struct cache_place cache_places[] = {
	{ ".cache", "XDG_CACHE_HOME", of_cache },
	{ "go", "GOPATH", of_go },
	{ ".cargo", "CARGO_HOME", of_cargo },
	{ ".npm", "npm_config_cache", of_npm },
	{ ".local/share/pnpm", "PNPM_HOME", of_pnpm },
	{ ".yarn", NULL, of_yarn },
	{ ".bun", "BUN_INSTALL", of_bun },
	{ ".m2", NULL, of_maven },
	{ ".gradle", "GRADLE_USER_HOME", of_gradle },
	{ ".ivy2", NULL, of_ivy },
	{ ".sbt", NULL, of_sbt },
	{ ".coursier", NULL, of_coursier },
	{ ".nuget", NULL, of_nuget },
	{ ".local/share/NuGet", NULL, of_nuget_http },
	{ ".gem", NULL, of_gem },
	{ ".bundle", "BUNDLE_USER_HOME", of_bundle },
	{ ".stack", "STACK_ROOT", of_stack },
	{ ".cabal", "CABAL_DIR", of_cabal },
	{ ".local/state/cabal", NULL, of_cabal_state },
	{ ".ghcup", NULL, of_ghcup },
	{ ".composer", "COMPOSER_HOME", of_composer },
	{ ".hex", "HEX_HOME", of_hex },
	{ ".mix", "MIX_HOME", of_mix },
	{ ".pub-cache", "PUB_CACHE", of_pub },
	{ ".julia", "JULIA_DEPOT_PATH", of_julia },
	{ ".opam", "OPAMROOT", of_opam },
	{ ".conan2", "CONAN_HOME", of_conan2 },
	{ ".conan", NULL, of_conan },
	{ ".conda", NULL, of_conda },
	{ "miniconda3", NULL, of_conda_root },
	{ "miniforge3", NULL, of_conda_root },
	{ "anaconda3", NULL, of_conda_root },
	{ ".cpan", NULL, of_cpan },
	{ ".nimble", "NIMBLE_DIR", of_nimble },
	{ ".ccache", "CCACHE_DIR", itself },
	{ ".elm", "ELM_HOME", itself },
	{ ".node-gyp", NULL, itself },
	{ ".electron", NULL, itself },
	{ NULL, NULL, NULL },
};

/* What PATH is below DIR, as path_below for paths that begin with no slash; NULL: nothing. */
static const char *below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	if (!n)
		return path;
	if (strncmp(path, dir, n) != 0 || (path[n] && path[n] != '/'))
		return NULL;
	return path + n + (path[n] == '/');
}

bool cache_has(const char *path_below_home)
{
	for (const struct cache_place *p = cache_places; p->path; p++) {
		const char *rest = below(path_below_home, p->path);

		for (const struct cache_dir *d = p->dirs; rest && d->path; d++)
			if (below(rest, d->path))
				return true;
	}
	return false;
}
