const kept =
  /^(?:PATH|HOME|USER|LANG|LC_|TERM|TMPDIR|TMP|TEMP|SHELL|LOGNAME|XDG_|PYTHONPATH|VIRTUAL_ENV|CONDA|HERMES_)/;
const secret = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|PASSWD|AUTH/;

/** The environment of a script: a short list of names, and never one that sounds like a credential. */
export function scriptEnvironment(
  parent: NodeJS.ProcessEnv,
  options: { readonly passthrough: readonly string[]; readonly extra: Readonly<Record<string, string>> },
): Record<string, string> {
  const names = Object.keys(parent).filter((name) => kept.test(name) && !secret.test(name.toUpperCase()));
  const entries = [...names, ...options.passthrough].flatMap((name) => {
    const value = parent[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const zone = parent["HERMES_TIMEZONE"];
  return {
    ...Object.fromEntries(entries),
    ...(zone === undefined || zone === "" ? {} : { TZ: zone }),
    ...options.extra,
  };
}
