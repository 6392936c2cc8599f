import type { ProgramCall } from "./local-terminal.ts";

/** Variables that tell the loader and the C library which code to load: obeyed by every program, before its own first line. */
const ofLoader = /^(?:LD_|DYLD_|GLIBC_TUNABLES$|GCONV_PATH$|LOCPATH$|NLSPATH$|MALLOC_TRACE$)/;

/**
 * The variables of a session belong to the program that is held, not to the one that holds it: that starts outside, and would load what a
 * variable names. So the loader's come after it, by `env`.
 */
export function withoutLoaderVariables(
  call: ProgramCall,
  env: Readonly<Record<string, string>>,
): { readonly call: ProgramCall; readonly env: Readonly<Record<string, string>> } {
  const all = Object.entries(env);
  const words = all.filter(([name]) => ofLoader.test(name)).map((pair) => pair.join("="));
  if (words.length === 0) return { call, env };
  return {
    call: { program: "/usr/bin/env", args: [...words, call.program, ...call.args] },
    env: Object.fromEntries(all.filter(([name]) => !ofLoader.test(name))),
  };
}
