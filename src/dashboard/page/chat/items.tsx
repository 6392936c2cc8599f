import type { VNode } from "preact";
import { LocalImage } from "../markdown/local-image.tsx";
import { Markdown } from "../markdown/markdown.tsx";
import { memo } from "../markdown/memo.tsx";
import type { Item, ToolItem } from "./column.tsx";
import { Diff } from "./diff.tsx";
import { CommandView } from "./view.tsx";

export interface ItemProps {
  readonly item: Item;
  onCommand(line: string): void;
}

/** One thing of the conversation; drawn again only when it changes. */
export const ItemView = memo(({ item, onCommand }: ItemProps): VNode => {
  switch (item.kind) {
    case "user":
      return (
        <article class="item user" aria-label="You">
          <p>{item.text}</p>
          {item.images.map((source, index) => (
            <img key={index} src={source} alt="attached" />
          ))}
        </article>
      );
    case "assistant":
      return (
        <article class="item assistant" aria-label="Hermes">
          {item.reasoning !== "" && (
            <details class="reasoning">
              <summary>Reasoning</summary>
              <p>{item.reasoning}</p>
            </details>
          )}
          <Markdown text={item.text} />
        </article>
      );
    case "tool":
      return <ToolCard tool={item} />;
    case "notice":
      return (
        <p class={`item notice ${item.level}`} role={item.level === "error" ? "alert" : "status"}>
          {item.text}
        </p>
      );
    case "view":
      return <CommandView view={item.view} onCommand={onCommand} />;
  }
});

/** The file of an image that was made. */
const imageIn = (output: string): string | undefined => /"file_path":\s*"([^"\\]+)"/.exec(output)?.[1];

const words: Readonly<Record<ToolItem["state"], string>> = {
  running: "running",
  done: "done",
  failed: "failed",
  cut: "stopped",
};

function ToolCard({ tool }: { readonly tool: ToolItem }): VNode {
  const { name, preview, input, output, diff, state, durationMs } = tool;
  const took = durationMs === undefined ? "" : ` in ${(durationMs / 1000).toFixed(1)} s`;
  const image = name === "image_generate" && state === "done" ? imageIn(output) : undefined;
  return (
    <article class={`item tool ${state}`} aria-label={`Tool ${name}`}>
      <details open={state === "running" || diff !== undefined || image !== undefined}>
        <summary>
          <strong>{name}</strong> <code>{preview}</code> <span class="state">{`${words[state]}${took}`}</span>
        </summary>
        {input !== "" && (
          <details class="input">
            <summary>Arguments</summary>
            <pre tabIndex={0}>{input}</pre>
          </details>
        )}
        {diff !== undefined && <Diff text={diff} />}
        {image !== undefined && <LocalImage path={image} name={preview} />}
        {output !== "" && diff === undefined && (
          <pre class="output" tabIndex={0}>
            {output}
          </pre>
        )}
      </details>
    </article>
  );
}
