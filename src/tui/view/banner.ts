import { shortWindow } from "#foundation/text/figures";
import type { SessionInfo, ToolsetInfo } from "#session";
import { boxBottom, boxTop } from "../text/box.ts";
import { cutLine, cutText, type Line, padLine, type Span } from "../text/styled.ts";
import { displayWidth } from "../text/width.ts";
import { wrapLine } from "../text/wrap.ts";
import type { Skin } from "../theme/skin.ts";

/** What the first screen tells, besides the session itself. */
export interface BannerFacts {
  readonly version: string;
  readonly cwd: string;
  /** The branch the folder is on. */
  readonly branch?: string;
  readonly profile?: string;
  readonly mcpServers?: readonly { readonly name: string; readonly state: "ready" | "starting" | "failed" }[];
  readonly skillCategories?: readonly { readonly name: string; readonly count: number }[];
  readonly updateNotice?: string;
  readonly warnings?: readonly string[];
  readonly tip?: string;
  /** Ways to a real model, one line each, for somebody who has none yet. */
  readonly offers?: readonly string[];
}

interface BannerLook {
  readonly columns: number;
  readonly rows: number;
  readonly skin: Skin;
  readonly banner: BannerFacts;
  readonly settings: { readonly isCompact: boolean };
}

const fullColumns = 80;
/** Fewer rows would push the name out of sight. */
const fullRows = 50;

/** The first thing on the screen. Without a session yet it says so; nothing in it needs to be waited for. */
export function bannerRows(info: SessionInfo | undefined, look: BannerLook): Line[] {
  const isFull = look.columns >= fullColumns && look.rows >= fullRows && !look.settings.isCompact;
  const head = isFull ? fullHead(info, look) : compactHead(info, look);
  return [...head, ...warningRows(info, look), ...tipRows(info, look)];
}

/** Name, model, folder, what there is, what to try. */
function compactHead(info: SessionInfo | undefined, { skin, banner, columns }: BannerLook): Line[] {
  const row = (text: string, style: string): Line => [{ text: cutText(text, columns), style }];
  const title: Line = [
    { text: `⚕ ${skin.branding.agentName}`, style: "banner-title" },
    { text: ` ${banner.version}`, style: "banner-dim" },
    { text: banner.profile === undefined ? "" : ` · ${banner.profile}`, style: "banner-dim" },
  ];
  const folder = row(banner.branch === undefined ? banner.cwd : `${banner.cwd} ⎇ ${banner.branch}`, "banner-dim");
  if (info === undefined) return [title, row("starting agent…", "banner-text"), folder];
  return [
    title,
    row(modelText(info), "banner-text"),
    ...(info.isDemo ? demoLines(banner).map((line) => row(line, "warn")) : []),
    folder,
    row(haveText(info, banner), "banner-dim"),
    row("Try: list files · run `date` · remember that I like short answers", "banner-accent"),
  ];
}

function modelText({ model, providerLabel, contextWindow, isDemo }: SessionInfo): string {
  if (isDemo) return `${model} · built-in demo, offline: a few rules, no intelligence`;
  return `${model} · ${providerLabel} · ${shortWindow(contextWindow)} context`;
}

/** Ways to a real model: what is there already comes first, then what can be had. */
function demoLines({ offers }: BannerFacts): readonly string[] {
  return offers ?? ["/connect  a real model"];
}

function haveText({ toolsets, skillCount }: SessionInfo, banner: BannerFacts): string {
  const tools = toolsets.reduce((sum, set) => sum + set.tools.length, 0);
  const skills = skillText(skillCount, { ...banner, skillCategories: [] });
  const servers = (banner.mcpServers ?? []).map(({ name, state }) => (state === "ready" ? name : `${name} (${state})`));
  return [
    `${tools} tools (/tools)`,
    ...(skills === undefined ? [] : [`${skills} skills (/skills)`]),
    ...(servers.length === 0 ? [] : [`mcp ${servers.join(", ")}`]),
    "? shows the keys",
  ].join(" · ");
}

const artColumns = 30;

function fullHead(info: SessionInfo | undefined, look: BannerLook): Line[] {
  const { skin, banner, columns } = look;
  const art: Line[] = [
    ...skin.bannerLogo.split("\n").map((text): Line => [{ text, style: "banner-title" }]),
    ...skin.bannerHero.split("\n").map((text): Line => [{ text: `    ${text}`, style: "banner-accent" }]),
  ];
  const wide = Math.max(artColumns, ...art.map((row) => displayWidth(row[0]?.text ?? "") + 2));
  const facts = factRows(info, look, columns - wide - 4);
  const height = Math.max(art.length, facts.length);
  const body = Array.from(
    { length: height },
    (_, index): Line => [{ text: "  " }, ...padLine(art[index] ?? [], wide), ...(facts[index] ?? [])],
  );
  const label = `${skin.branding.agentName} ${banner.version}`;
  return [boxTop(label, columns, "banner-border"), ...body, boxBottom(columns, "banner-border")];
}

function factRows(info: SessionInfo | undefined, { banner }: BannerLook, columns: number): Line[] {
  const fact = (label: string, text: string): Line[] =>
    wrapLine(
      [
        { text: `${label} `, style: "banner-dim" },
        { text, style: "banner-text" },
      ],
      columns,
      {
        hang: [{ text: "  " }],
      },
    );
  const rows: Line[] = [];
  if (info === undefined) rows.push([{ text: "starting agent…", style: "banner-accent" }]);
  else {
    rows.push(...fact("model", modelText(info)));
    if (info.isDemo) for (const text of demoLines(banner)) rows.push(...wrapLine([{ text, style: "warn" }], columns));
  }
  rows.push(...fact("in", banner.branch === undefined ? banner.cwd : `${banner.cwd} ⎇ ${banner.branch}`));
  if (banner.profile !== undefined) rows.push(...fact("profile", banner.profile));
  if (info === undefined) return rows;
  rows.push(...fact("session", info.title === undefined ? info.id : `${info.title} (${info.id})`));
  rows.push(...toolRows(info.toolsets, columns), ...mcpRows(banner, columns));
  const skills = skillText(info.skillCount, banner);
  if (skills !== undefined) rows.push(...fact("skills", skills));
  return rows;
}

const maxToolsets = 10;

/** Tools by toolset; those that cannot be used are in red, with nothing hidden but their reason. */
function toolRows(toolsets: readonly ToolsetInfo[], columns: number): Line[] {
  const rows = toolsets.slice(0, maxToolsets).flatMap((set) => {
    const spans: Span[] = [{ text: `${set.name}: `, style: "banner-accent" }];
    const parts: Span[] = [
      ...set.tools.map((text): Span => ({ text, style: "banner-text" })),
      ...set.unavailable.map(({ name }): Span => ({ text: name, style: "error" })),
    ];
    for (const [index, part] of parts.entries()) {
      if (index > 0) spans.push({ text: ", ", style: "banner-dim" });
      spans.push(part);
    }
    return firstTwo(wrapLine(spans, columns, { hang: [{ text: "  " }] }), columns);
  });
  const more = toolsets.length - maxToolsets;
  return more > 0 ? [...rows, [{ text: `… ${more} more toolsets: /tools`, style: "banner-dim" }]] : rows;
}

/** What is left out leaves a mark. */
function firstTwo(rows: readonly Line[], columns: number): readonly Line[] {
  const [first = [], second = []] = rows;
  if (rows.length <= 2) return rows;
  return [first, [...cutLine(second, columns - 2, ""), { text: " …", style: "banner-dim" }]];
}

function mcpRows(banner: BannerFacts, columns: number): Line[] {
  const servers = banner.mcpServers ?? [];
  if (servers.length === 0) return [];
  const style = { ready: "banner-text", starting: "warn", failed: "error" } as const;
  const spans: Span[] = [{ text: "mcp ", style: "banner-dim" }];
  for (const [index, server] of servers.entries()) {
    if (index > 0) spans.push({ text: ", ", style: "banner-dim" });
    spans.push({ text: server.name, style: style[server.state] });
  }
  return wrapLine(spans, columns, { hang: [{ text: "  " }] });
}

/** A session counts its skills in the background: one that has just opened does not know them yet. */
function skillText(counted: number, banner: BannerFacts): string | undefined {
  const categories = banner.skillCategories ?? [];
  const count = Math.max(
    counted,
    categories.reduce((sum, one) => sum + one.count, 0),
  );
  if (count === 0) return undefined;
  if (categories.length === 0) return String(count);
  return `${count}: ${categories.map((one) => `${one.name} (${one.count})`).join(", ")}`;
}

const smallWindow = 8_192;

function warningRows(info: SessionInfo | undefined, { banner, columns }: BannerLook): Line[] {
  const warnings = [...(banner.warnings ?? [])];
  if (info !== undefined && info.contextWindow > 0 && info.contextWindow <= smallWindow) {
    warnings.push(
      `The context window is only ${info.contextWindow.toLocaleString("en")} tokens. Give your server a larger one (Ollama: num_ctx; llama.cpp: -c; LM Studio: context length of the model) or set model.context_length.`,
    );
  }
  return warnings.flatMap((text) =>
    wrapLine([{ text: `⚠ ${text}`, style: "warn" }], columns, { hang: [{ text: "  " }] }),
  );
}

/** Services nobody set up are no fault of the start; one quiet line says that there is more to have. */
function notSetUp(info: SessionInfo | undefined, columns: number): Line[] {
  const lost = info?.toolsets.flatMap((set) => set.unavailable.map(({ name }) => name)) ?? [];
  if (lost.length === 0) return [];
  const what = lost.length === 1 ? "1 tool is" : `${lost.length} tools are`;
  const text = `${what} not set up; /tools list says why: ${lost.join(", ")}`;
  return [[{ text: cutText(text, columns), style: "banner-dim" }]];
}

function tipRows(info: SessionInfo | undefined, { banner, skin, columns, rows: height }: BannerLook): Line[] {
  const isRoomy = height >= fullRows;
  const rows: Line[] = isRoomy ? notSetUp(info, columns) : [];
  if (banner.updateNotice !== undefined) rows.push([{ text: cutText(banner.updateNotice, columns), style: "label" }]);
  if (!isRoomy) return rows;
  rows.push([{ text: cutText(skin.branding.welcome, columns), style: "banner-dim" }]);
  if (banner.tip !== undefined) {
    rows.push(...wrapLine([{ text: `💡 ${banner.tip}`, style: "banner-dim" }], columns, { hang: [{ text: "   " }] }));
  }
  return rows;
}
