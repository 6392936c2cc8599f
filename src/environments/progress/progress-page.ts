/** The page of a run. All texts go in as text, never as markup. */
export const progressPage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Hermes run</title><link rel="stylesheet" href="/page.css"></head><body>
<h1 id="title">Hermes run</h1><p id="model"></p>
<progress id="bar" aria-label="Items done"></progress>
<dl id="figures"></dl>
<h2>Running</h2><table><thead><tr><th>Item</th><th>Turn</th><th>Last call</th></tr></thead><tbody id="running"></tbody></table>
<h2>Finished</h2><table><thead><tr><th>Item</th><th>Reward</th><th>Error</th></tr></thead><tbody id="recent"></tbody></table>
<p id="state" role="status"></p>
<script src="/page.js"></script></body></html>
`;

export const progressScript = `const at=(id)=>document.getElementById(id);
const cells=(rows,body)=>{body.replaceChildren(...rows.map((row)=>{const line=document.createElement("tr");
line.append(...row.map((text)=>{const cell=document.createElement("td");cell.textContent=text;return cell}));return line}))};
const percent=(share)=>(share*100).toFixed(0)+"%";
const duration=(ms)=>{const s=Math.round(ms/1000);return s<60?s+" s":Math.floor(s/60)+" min "+(s%60)+" s"};
const draw=(run)=>{at("title").textContent=run.title||"Hermes run";document.title=run.done+(run.total===null?"":"/"+run.total)+" "+run.title;
at("model").textContent=run.model;const bar=at("bar");if(run.total===null)bar.removeAttribute("value");else{bar.max=Math.max(1,run.total);bar.value=run.done}
const figures=[["Done",run.done+(run.total===null?"":" of "+run.total)],["Passed",run.done===0?"–":run.passed+" ("+percent(run.passed/run.done)+", 95%: "+percent(run.interval.low)+" to "+percent(run.interval.high)+")"],
["Errors",run.errors],["Groups sent",run.groups],["Time",duration(run.elapsed_ms)],["Left",run.left_ms===undefined?"–":duration(run.left_ms)],["Tokens",run.tokens],["Cost","$"+run.cost_usd.toFixed(4)],
["Model p50",run.latency.p50+" ms"],["Model p95",run.latency.p95+" ms"]];
at("figures").replaceChildren(...figures.map(([name,value])=>{const dt=document.createElement("dt");dt.textContent=name;const dd=document.createElement("dd");dd.textContent=String(value);const pair=document.createElement("div");pair.append(dt,dd);return pair}));
cells(run.running.map(({item,turn,last})=>[item,String(turn),last]),at("running"));
cells(run.recent.map(({item,reward,error})=>[item,String(reward),error??""]),at("recent"));
at("state").textContent=run.is_finished?"The run has ended.":""};
const source=new EventSource("/events");
source.addEventListener("progress",(event)=>draw(JSON.parse(event.data)));
source.addEventListener("error",()=>{if(at("state").textContent==="")at("state").textContent="The run does not answer any more."});
`;

export const progressStyle = `body{font:14px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1f2328;background:#fff}
progress{width:100%;height:.9rem}dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(11rem,1fr));gap:.8rem;margin:1rem 0}
dt{color:#59636e}dd{margin:0;font-weight:600}table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.25rem .8rem .25rem 0;border-bottom:1px solid #d1d9e0;overflow-wrap:anywhere}
@media (prefers-color-scheme:dark){body{color:#e6e6e6;background:#181a1d}dt{color:#9aa4ae}td,th{border-color:#3a3f45}}
`;
