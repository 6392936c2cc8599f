/** Settings of git that start programs, or send it elsewhere than it seems. */
const dangerous =
  /^(?:core\.(?:hookspath|fsmonitor|sshcommand|pager|editor|gitproxy|askpass|attributesfile|alternaterefscommand)|alias\.|filter\.|diff\.external|diff\..*\.(?:command|textconv)|difftool\.|mergetool\.|merge\..*\.driver|credential\.|include\.|includeif\.|url\.|sequence\.editor|pager\.|gpg\.(?:.*\.)?program|uploadpack\.|receive\.|remote\..*\.(?:uploadpack|receivepack|proxy|vcs)|protocol\.|http\..*proxy|http\.proxy|sendemail\.|trailer\..*\.c(?:ommand|md)|interactive\.difffilter|man\.|browser\.|help\.browser|web\.browser|instaweb\.|submodule\..*\.update|hook\.|extensions\.worktreeconfig)/;

/** Whether `section.key=value` starts a program, or sends git elsewhere than it seems. */
export function isDangerousGitSetting(setting: string): boolean {
  return dangerous.test(setting);
}

/** A file of settings without those that start a program. */
export function harmlessSettings(text: string): string {
  const kept = settingsIn(text).filter((setting) => !isDangerousGitSetting(setting));
  return kept.map(asLines).join("");
}

function asLines(setting: string): string {
  const equals = setting.indexOf("=");
  const names = setting.slice(0, equals);
  const [first, last] = [names.indexOf("."), names.lastIndexOf(".")];
  const inner = first === last ? "" : ` "${names.slice(first + 1, last)}"`;
  return `[${names.slice(0, first)}${inner}]\n\t${names.slice(last + 1)} = ${setting.slice(equals + 1)}\n`;
}

/** `section.key=value`, section and key in lower case, as git compares them. */
export function settingsIn(text: string): readonly string[] {
  let section = "";
  const settings: string[] = [];
  for (const line of text.replace(/\\\r?\n/g, "").split(/\r?\n/)) {
    const head = /^\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\](.*)$/.exec(line);
    const rest = head === null ? line : (head[3] ?? "");
    if (head !== null) section = [head[1]?.toLowerCase(), head[2]].filter((part) => part !== undefined).join(".");
    const setting = /^\s*([\w-]+)\s*(?:=\s*(.*))?$/.exec(rest);
    if (setting !== null) settings.push(`${section}.${setting[1]?.toLowerCase()}=${(setting[2] ?? "").trim()}`);
  }
  return settings;
}
