import type { MarkupStyle } from "../../text/markup.ts";
import { plainStyle } from "../../text/markup.ts";

/** WhatsApp's own markup; both ways of reaching it show the same. */
export const whatsappStyle: MarkupStyle = {
  ...plainStyle,
  strong: (content) => `*${content}*`,
  emphasis: (content) => `_${content}_`,
  struck: (content) => `~${content}~`,
  code: (text) => `\`${text}\``,
  block: (text) => `\`\`\`\n${text}\n\`\`\``,
  heading: (content) => `*${content.replaceAll("*", "")}*`,
  table: (source) => `\`\`\`\n${source}\n\`\`\``,
};
