import type { ComponentChildren, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { decoded } from "./entities.tsx";

type Highlighter = typeof import("./languages.tsx");

/** A block of code; colours come when the languages are loaded. */
export function Code({ text, language }: { readonly text: string; readonly language: string }): VNode {
  const [highlighter, setHighlighter] = useState<Highlighter>();
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (language !== "") void import("./languages.tsx").then(setHighlighter);
  }, [language]);
  const copy = (): void => {
    void navigator.clipboard.writeText(text).then(() => setCopied(true));
  };
  return (
    <div class="code">
      <div class="code-head">
        <span>{language}</span>
        <button type="button" class="quiet" onClick={copy}>
          {isCopied ? "Copied" : "Copy"}
        </button>
      </div>
      <pre tabIndex={0}>
        <code>{highlighter === undefined ? text : coloured(highlighter.highlight(text, language))}</code>
      </pre>
    </div>
  );
}

/** Elements from what the highlighter writes: spans with a class, and escaped words. Anything else would be shown as words. */
function coloured(marked: string): ComponentChildren {
  interface Open {
    readonly name: string;
    readonly children: ComponentChildren[];
  }
  const stack: [Open, ...Open[]] = [{ name: "", children: [] }];
  const top = (): Open => stack.at(-1) ?? stack[0];
  for (const [piece, name] of marked.matchAll(/<span class="([^"]*)">|<\/span>|[^<]+|</g)) {
    if (name !== undefined) stack.push({ name, children: [] });
    else if (piece === "</span>" && stack.length > 1) {
      const closed = stack.pop() ?? top();
      top().children.push(<span class={closed.name}>{closed.children}</span>);
    } else top().children.push(decoded(piece.replaceAll("&#x27;", "'")));
  }
  return stack[0].children;
}
