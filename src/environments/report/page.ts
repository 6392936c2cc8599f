import { escapeHtml } from "./svg.ts";

export interface ReportPage {
  readonly title: string;
  readonly subtitle: string;
  readonly cards: readonly { readonly label: string; readonly value: string }[];
  /** SVG. */
  readonly charts: readonly string[];
  readonly tables: readonly ReportTable[];
  readonly rows: readonly ReportRow[];
}

export interface ReportTable {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** One attempt: what it came to, and the conversation behind it. */
export interface ReportRow {
  readonly title: string;
  readonly status: string;
  readonly facts: readonly string[];
  readonly turns: readonly { readonly from: string; readonly value: string }[] | undefined;
}

/** One page that needs nothing else: no network, no other file. Whatever a model wrote is shown as text. */
export function reportPage(page: ReportPage): string {
  const cards = page.cards.map(
    ({ label, value }) => `<div class="card"><b>${escapeHtml(value)}</b><span>${escapeHtml(label)}</span></div>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>${escapeHtml(page.title)}</title><style>${style}</style></head><body>
<h1>${escapeHtml(page.title)}</h1><p>${escapeHtml(page.subtitle)}</p>
<div class="cards">${cards.join("")}</div>
<div class="charts">${page.charts.join("\n")}</div>
${page.tables.map(tableHtml).join("\n")}
<h2>Attempts</h2><input id="filter" placeholder="Filter" aria-label="Filter attempts">
<div id="rows">${page.rows.map(rowHtml).join("\n")}</div>
<script>${script}</script></body></html>
`;
}

function tableHtml({ title, head, rows }: ReportTable): string {
  const cells = (row: readonly string[], tag: string): string =>
    `<tr>${row.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>`).join("")}</tr>`;
  return `<h2>${escapeHtml(title)}</h2><table>${cells(head, "th")}${rows.map((row) => cells(row, "td")).join("")}</table>`;
}

function rowHtml({ title, status, facts, turns }: ReportRow): string {
  const bubbles = turns?.map(
    ({ from, value }) =>
      `<details ${from === "system" ? "" : "open"}><summary>${escapeHtml(from)}</summary><pre>${escapeHtml(value)}</pre></details>`,
  );
  const inside = bubbles?.join("") ?? "<p>The conversation is in the files beside this page.</p>";
  return `<details class="row"><summary><i class="${escapeHtml(status)}">${escapeHtml(status)}</i> ${escapeHtml(title)} <small>${escapeHtml(facts.join(" · "))}</small></summary>${inside}</details>`;
}

const style = `body{font:14px/1.5 system-ui,sans-serif;max-width:1000px;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
.cards{display:flex;flex-wrap:wrap;gap:.7rem}.card{border:1px solid #ddd;border-radius:6px;padding:.5rem .9rem}.card b{display:block;font-size:1.3rem}
figure{margin:1.2rem 0}figcaption{font-weight:600;margin-bottom:.3rem}svg{max-width:100%}svg text{font:12px system-ui,sans-serif;fill:currentColor}
.bar{fill:#4a7bd0}.bad{fill:#c44}.dot{fill:#4a7bd0;opacity:.6}.axis{stroke:#999}table{border-collapse:collapse}td,th{border-bottom:1px solid #ddd;padding:.2rem .8rem .2rem 0;text-align:left}
pre{white-space:pre-wrap;overflow-wrap:anywhere;background:#f5f5f5;padding:.6rem;border-radius:4px}.row{border-bottom:1px solid #eee;padding:.2rem 0}
i{font-style:normal;font-weight:600}i.failed,i.FAIL,i.ERROR{color:#c44}i.saved,i.PASS{color:#277a3e}small{color:#666}
@media (prefers-color-scheme:dark){body{background:#181818;color:#ddd}pre{background:#222}.card,td,th{border-color:#444}}`;

const script = `document.getElementById("filter").addEventListener("input",(event)=>{const wanted=event.target.value.toLowerCase();
for(const row of document.querySelectorAll("#rows .row"))row.hidden=!row.firstElementChild.textContent.toLowerCase().includes(wanted)});`;
