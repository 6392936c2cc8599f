/** A message that is a command, as chats write it. */
export interface CommandLine {
  readonly name: string;
  readonly args: string;
}

/**
 * Reads `/Name@bot rest`. Undefined for words: a path such as `/usr/bin` is none. Phones turn two hyphens into a dash;
 * in arguments they are turned back.
 */
export function readCommandLine(text: string): CommandLine | undefined {
  const [, word = "", rest = ""] = /^\/([^\s/@]+)(?:@\S*)?(?:\s+([\s\S]*))?$/u.exec(text.trimStart()) ?? [];
  if (word === "") return undefined;
  return { name: word.toLowerCase(), args: rest.replaceAll("—", "--").replaceAll("–", "-").trim() };
}
