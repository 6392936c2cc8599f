import type { VNode } from "preact";
import { Markdown } from "../markdown/markdown.tsx";
import type { View } from "./frames.tsx";

/** What a slash command shows. */
export function CommandView({ view, onCommand }: { readonly view: View; onCommand(line: string): void }): VNode {
  switch (view.kind) {
    case "text":
      return <pre class={`item view ${view.level ?? "info"}`}>{view.text}</pre>;
    case "markdown":
      return (
        <div class="item view">
          <Markdown text={view.text} />
        </div>
      );
    case "table":
      return (
        <div class="item view scrolls">
          <table>
            <caption>{view.title}</caption>
            <thead>
              <tr>
                {view.columns.map((name) => (
                  <th key={name}>{name}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {view.rows.map((row, index) => (
                <tr key={index}>
                  {row.map((cell, column) => (
                    <td key={column}>{cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
    case "picker":
      return (
        <section class="item view" aria-label={view.title}>
          <h3>{view.title}</h3>
          <ul class="picker">
            {view.items.map(({ value, label, detail, is_current }) => (
              <li key={value}>
                <button type="button" aria-current={is_current} onClick={() => onCommand(`${view.command} ${value}`)}>
                  {label} <small>{detail}</small>
                </button>
              </li>
            ))}
          </ul>
        </section>
      );
    default:
      return <span />;
  }
}
