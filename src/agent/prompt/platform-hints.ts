/** What the model has to know about the place its words appear in: where it is, what renders, how files travel. */
export function platformHint(platform: string): string | undefined {
  return hints.get(platform.trim().toLowerCase());
}

const attachments =
  "To send a file, put a line MEDIA:/absolute/path in your reply: it arrives as a native attachment, and a Markdown link to an image arrives as a photo.";

function chat(location: string, formatting: string): string {
  return `You are talking on ${location}. ${formatting} ${attachments}`;
}

const noMarkdown = "Markdown does not render there, so write plain text.";
const markdown = "Markdown renders there.";

const hints: ReadonlyMap<string, string> = new Map([
  [
    "cli",
    "You are talking in a terminal. Prefer plain text that reads well there; Markdown may not render. Files are not sent: name their absolute paths, and write no MEDIA lines.",
  ],
  [
    "dashboard",
    "You are talking in a page in the browser. Markdown renders there, with tables and code. To show an image of this machine, write ![what it is](/absolute/path); other files are not sent: name their absolute paths, and write no MEDIA lines.",
  ],
  ["telegram", chat("Telegram", `${markdown} Tables do not; use lists.`)],
  ["discord", chat("Discord", `${markdown} Tables do not; use lists.`)],
  ["slack", chat("Slack", "Basic Markdown renders there (bold, lists, code); headings and tables do not.")],
  ["whatsapp", chat("WhatsApp", noMarkdown)],
  ["signal", chat("Signal", noMarkdown)],
  [
    "email",
    `You are answering by email. Write plain text, without Markdown and without needless greetings or sign-offs. ${attachments}`,
  ],
  [
    "sms",
    `You are answering by SMS. Plain text only, no Markdown, and brief: a message holds about 1,600 characters. ${attachments}`,
  ],
  [
    "cron",
    `You run as a scheduled job. Nobody is present: never ask anything, decide sensibly and finish. Your final reply is delivered by itself to where the job reports, so put the whole result there; Markdown renders where that place renders it. ${attachments}`,
  ],
  ["matrix", chat("Matrix", markdown)],
  ["mattermost", chat("Mattermost", markdown)],
  ["feishu", chat("Feishu", "Basic Markdown renders there (bold, lists, links, code).")],
  ["weixin", chat("WeChat", "Little Markdown renders there; keep formatting simple.")],
  ["wecom", chat("WeCom", "Basic Markdown renders there (bold, links, code).")],
  ["qqbot", chat("QQ", "Basic Markdown may render there; keep formatting simple.")],
  ["bluebubbles", chat("iMessage", noMarkdown)],
]);
