import type { SimpleCommand } from "../../../shell/simple-command.ts";
import { everydayAddresses } from "./fetching.ts";
import { building, isLoading } from "./loading.ts";

/** Options that speak for themselves in whatever program: they take a protection away. */
const unprotecting =
  /^--?(?:no-?sandbox|(?:disable|no)-(?:sandbox|verification|security|signature[\w-]*|tls[\w-]*|ssl[\w-]*|host-key[\w-]*|check-certificates?|web-security|gpg-?checks?)|insecure[\w-]*|unsafe[\w-]*|dangerous(?:ly)?[\w-]*|trust(?:-all|-model|-server-cert)?|allow-(?:root|run|ffi|untrusted|unauthenticated|insecure|downgrades|plugins|exec|eval|shell|unsafe|unsigned)[\w-]*|skip-(?:tls-)?verif[\w-]*|tls-no-verify|nogpgcheck|ignore-(?:certificate|ssl|tls)[\w-]*|privileged|permissive|force-yes|shell-escape|enable-(?:shell|exec|eval|scripting|unsafe)[\w-]*)$/;
/** Programs whose own tables say what such an option means, and those where it concerns this machine only. */
const judged = /^(?:git|grep|rg|echo|printf|test|\[|\[\[|man|deno|chromium|google-chrome|chrome)$/;
const local = /^(?:https?:\/\/)?(?:localhost|127\.\d|\[::1\]|0\.0\.0\.0|host\.docker\.internal)(?:[:/]|$)/;

export function takesProtectionAway({ name = "", args }: SimpleCommand): boolean {
  if (judged.test(name) || args.some(({ text }) => local.test(text))) return false;
  return args.some(({ text }) => unprotecting.test(text.replace(/=(?!(?:false|no|0)$).*$/s, "")));
}

const remote = /^(?:https?|ftp|git|ssh|oci|s3|git\+\w+):\/\//i;

/** Settings, plugins or sources of a program that obeys them, from an address. */
export function obeysAddress({ name = "", args }: SimpleCommand): boolean {
  if (everydayAddresses.test(name) && !/^(?:docker|podman|nerdctl|terraform)$/.test(name)) return false;
  const isBuilding = building.test(name);
  return args.some(({ text }, at) => {
    const inline = /^(--?[A-Za-z][\w.-]*?)=(?:[\w-]+,)?([\s\S]+)$/.exec(text);
    const key = inline?.[1] ?? args[at - 1]?.text ?? "";
    const value = inline?.[2] ?? text;
    const isSetting =
      (isBuilding ? isLoading(key) : isLoading(key) && /^-[cf]$|^--/.test(key)) ||
      /^-D.*(?:url|repo|registry|source|wrapper|mirror)/i.test(key);
    return key.startsWith("-") && isSetting && remote.test(value) && !local.test(value);
  });
}
