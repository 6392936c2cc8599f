/** A mail, with its head. */
const mail = /^(?:>\s*)?From:\s*\S.*\n(?:.*\n){0,12}?(?:>\s*)?(?:Subject|To|Date):/im;
/** Several lines between marks that people put around what others wrote. */
const quoted = /("""|\u201c{2,}|<<<+)[ \t]*\n(?:.*\n)+?[ \t]*("""|\u201d{2,}|>>>+)/;
/** A conversation in which each line is quoted. */
const cited = /(?:^>.*\n?){3,}/m;

/** Whether a person's message says itself that it holds the words of others. */
export function quotedSource(text: string): string | undefined {
  if (mail.test(text)) return "a mail in the message";
  return quoted.test(text) || cited.test(text) ? "quoted text in the message" : undefined;
}
