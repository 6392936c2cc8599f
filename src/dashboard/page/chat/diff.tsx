import type { VNode } from "preact";

const kinds: Readonly<Record<string, string>> = { "+": "added", "-": "removed", "@": "hunk" };

/** A change to files, line by line. */
export function Diff({ text }: { readonly text: string }): VNode {
  return (
    <pre class="diff" tabIndex={0}>
      {text.split("\n").map((line, index) => (
        <span key={index} class={/^(?:\+\+\+|---) /.test(line) ? "file" : (kinds[line.charAt(0)] ?? "same")}>
          {`${line}\n`}
        </span>
      ))}
    </pre>
  );
}
