/**
 * Masks what identifies a person rather than unlocks a door: phone numbers (`+491****5678`) and
 * Discord mentions. For logs and the gateway only; in files, diffs and command output digits are data.
 */
export function maskIdentifiers(text: string): string {
  return text
    .replace(/(?<![\w+])\+[1-9]\d{7,14}(?!\d)/g, (number) => `${number.slice(0, 4)}****${number.slice(-4)}`)
    .replace(/<@([!&]?)\d{15,21}>/g, "<@$1***>");
}
