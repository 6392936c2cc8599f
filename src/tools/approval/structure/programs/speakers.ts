/** Programs whose words are only text to print, look for or write down. */
const speakers: ReadonlySet<string> = new Set(
  (
    "echo printf grep egrep fgrep rg ag ack man info apropos whatis help cat less head tail sed awk diff jq wc sort find ls touch mkdir hermes " +
    "true : test [ read export tee code vim nano git gh glab hub truncate set local declare readonly alias trap eval bash sh zsh"
  ).split(" "),
);

export function printsWords(name: string): boolean {
  return speakers.has(name);
}
