/** Whether a text ends the way a finished answer does. Short texts and single words are left alone. */
export function endsNaturally(text: string): boolean {
  const trimmed = text.trimEnd();
  if ([...trimmed].length < 20 || !/\s/.test(trimmed)) return true;
  return /(?:[.!?:;)\]}>"'`…”’»*_|]|```|[。！？；：）】」』》])$/u.test(trimmed);
}

const longestPlan = 1_200;
const futurePhrase = /\b(?:i(?:'|’)?ll|i will|i am going to|i(?:'|’)?m going to|let me|next,? i|first,? i)\b/i;
const actionVerb =
  /\b(?:inspect|check|run|read|fix|search|look|open|list|review|examine|test|edit|update|scan|explore|investigate)\b/i;
const locationWord =
  /\b(?:director(?:y|ies)|folder|repo(?:sitory)?|path|file|project|codebase|workspace)\b|(?:^|\s)[~.]?\//i;

/** An announcement of work on the user's files, without the work. */
export function soundsLikePlanning(text: string, userText: string): boolean {
  if ([...text].length > longestPlan) return false;
  return futurePhrase.test(text) && actionVerb.test(text) && (locationWord.test(userText) || locationWord.test(text));
}
