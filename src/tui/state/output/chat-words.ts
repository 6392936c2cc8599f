/**
 * Hints are written for the shell. In the chat they name what can be typed there, and a command of the shell is called
 * as this program was started: after `npm start` there is no `hermes` on the path.
 */
export function chatWords(text: string, program: string): string {
  const inside = text
    .replace(/(\b(?:model|list|switch)\b[^.:]* with: )hermes model(?! (?:set|list|test|custom)\b)/g, "$1/model")
    .replace(
      /`?\bhermes (?:model(?! (?:set|list|test|custom)\b)|setup\b|auth add [\w:.<>-]+(?: --api-key -)?)`?/g,
      "/connect",
    )
    .replace(/`?\bhermes sessions list\b`?/g, "/resume")
    .replace(/\bhermes config set (?=(?!providers\.)[a-z_]+\.[a-z_])/g, "/settings ");
  return program === "hermes" ? inside : inside.replace(/(^|[:`(] ?)hermes (?=[a-z-])/g, `$1${program} `);
}
