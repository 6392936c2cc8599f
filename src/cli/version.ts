declare const __HERMES_VERSION__: string | undefined;

/** Written in by the build; from source there is no number. */
export const version = typeof __HERMES_VERSION__ === "string" ? __HERMES_VERSION__ : "0.0.0-source";

export function versionLine(): string {
  return `hermes ${version} (Node ${process.versions.node})`;
}
