import path from "node:path";

/**
 * Package managers write caches into the home, which programs may not write. They get one of their own instead: what a
 * project puts into it is never used by the person's own commands.
 */
export function cacheVariables(folder: string): Readonly<Record<string, string>> {
  const at = (name: string): string => path.join(folder, name);
  return {
    XDG_CACHE_HOME: at("cache"),
    npm_config_cache: at("npm"),
    npm_config_store_dir: at("pnpm"),
    YARN_CACHE_FOLDER: at("yarn"),
    YARN_ENABLE_GLOBAL_CACHE: "false",
    BUN_INSTALL_CACHE_DIR: at("bun"),
    DENO_DIR: at("deno"),
    PIP_CACHE_DIR: at("pip"),
    UV_CACHE_DIR: at("uv"),
    POETRY_CACHE_DIR: at("poetry"),
    CARGO_HOME: at("cargo"),
    GOCACHE: at("go-build"),
    GOMODCACHE: at("go-mod"),
    GRADLE_USER_HOME: at("gradle"),
    MAVEN_ARGS: `-Dmaven.repo.local=${at("maven")}`,
    NUGET_PACKAGES: at("nuget"),
    COMPOSER_CACHE_DIR: at("composer"),
    BUNDLE_USER_CACHE: at("bundle"),
    PLAYWRIGHT_BROWSERS_PATH: at("playwright"),
  };
}
