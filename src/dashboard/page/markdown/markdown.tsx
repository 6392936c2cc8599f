import { marked, type Token, type Tokens } from "marked";
import type { ComponentChildren, VNode } from "preact";
import { useMemo } from "preact/hooks";
import { Code } from "./code.tsx";
import { decoded } from "./entities.tsx";
import { LocalImage, pathOf } from "./local-image.tsx";
import { memo } from "./memo.tsx";

/**
 * Words of a model as elements. Nothing becomes HTML by way of text: tokens become elements, and markup in the words is shown
 * as the words it is. Pictures of other servers are links, so that reading an answer tells nobody.
 */
export const Markdown = memo(({ text }: { readonly text: string }): VNode => {
  const tokens = marked.lexer(text);
  const linkCount = Object.keys(tokens.links).length;
  return (
    <div class="markdown">
      {tokens.map((token, index) => (
        <Block key={index} token={token} linkCount={linkCount} />
      ))}
    </div>
  );
});

/** While an answer grows only its last block is drawn again; a definition of a link may change the others, too. */
function Block({ token, linkCount }: { readonly token: Token; readonly linkCount: number }): VNode {
  return useMemo(() => <>{block(token, 0)}</>, [token.raw, linkCount]);
}

function block(token: Token, index: number): ComponentChildren {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading": {
      const { depth, tokens } = token as Tokens.Heading;
      // The page has headings of its own above those of an answer.
      const Tag = `h${Math.min(depth + 2, 6)}` as "h3";
      return <Tag key={index}>{tokens.map(inline)}</Tag>;
    }
    case "paragraph":
      return <p key={index}>{(token as Tokens.Paragraph).tokens.map(inline)}</p>;
    case "text": {
      const { tokens, text } = token as Tokens.Text;
      return tokens === undefined ? decoded(text) : tokens.map(inline);
    }
    case "code": {
      const { text, lang } = token as Tokens.Code;
      return <Code key={index} text={text} language={lang?.split(/\s/)[0] ?? ""} />;
    }
    case "blockquote":
      return <blockquote key={index}>{(token as Tokens.Blockquote).tokens.map(block)}</blockquote>;
    case "list":
      return list(token as Tokens.List, index);
    case "table":
      return table(token as Tokens.Table, index);
    case "hr":
      return <hr key={index} />;
    default:
      return token.raw;
  }
}

function inline(token: Token, index: number): ComponentChildren {
  switch (token.type) {
    case "strong":
      return <strong key={index}>{(token as Tokens.Strong).tokens.map(inline)}</strong>;
    case "em":
      return <em key={index}>{(token as Tokens.Em).tokens.map(inline)}</em>;
    case "del":
      return <del key={index}>{(token as Tokens.Del).tokens.map(inline)}</del>;
    case "codespan":
      return <code key={index}>{(token as Tokens.Codespan).text}</code>;
    case "br":
      return <br key={index} />;
    case "link": {
      const { href, tokens } = token as Tokens.Link;
      return link(href, tokens.map(inline), index);
    }
    case "image": {
      const { href, text } = token as Tokens.Image;
      if (/^data:image\/(?:png|jpeg|gif|webp);base64,/.test(href)) return <img key={index} src={href} alt={text} />;
      const path = pathOf(href);
      if (path !== undefined) return <LocalImage key={index} path={path} name={text} />;
      return link(href, `🖼 ${text === "" ? href : text}`, index);
    }
    case "escape":
      return (token as Tokens.Escape).text;
    case "text": {
      const { tokens, text } = token as Tokens.Text;
      return tokens === undefined ? decoded(text) : tokens.map(inline);
    }
    default:
      return token.raw;
  }
}

function link(href: string, children: ComponentChildren, key: number): ComponentChildren {
  if (!/^(?:https?:|mailto:)/i.test(href)) return children;
  return (
    <a key={key} href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

function list({ ordered, start, items }: Tokens.List, key: number): VNode {
  const rows = items.map((item, index) => (
    <li key={index}>
      {item.task && <input type="checkbox" checked={item.checked === true} disabled aria-label="task" />}
      {item.tokens.filter(({ type }) => type !== "checkbox").map(block)}
    </li>
  ));
  return ordered ? (
    <ol key={key} start={start === "" ? 1 : start}>
      {rows}
    </ol>
  ) : (
    <ul key={key}>{rows}</ul>
  );
}

function table({ header, rows }: Tokens.Table, key: number): VNode {
  return (
    <div class="scrolls" key={key}>
      <table>
        <thead>
          <tr>
            {header.map((cell, index) => (
              <th key={index}>{cell.tokens.map(inline)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column}>{cell.tokens.map(inline)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
