/** How this program is called in a shell: `npm start` puts no `hermes` on the path. */
export function programName(env: NodeJS.ProcessEnv): string {
  return env["npm_lifecycle_event"] === "start" ? "npm start --" : "hermes";
}

/** Words for the shell, with commands as this program was started. */
export function asStarted(text: string, env: NodeJS.ProcessEnv): string {
  const program = programName(env);
  if (program === "hermes") return text;
  return text
    .replace(/(^|[:`(] ?)hermes (?=[a-z-])/gm, `$1${program} `)
    .replace(/(: `?)hermes(?=`?$)/gm, "$1npm start");
}
