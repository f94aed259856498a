// SPDX-License-Identifier: Apache-2.0
#include "report/page/page.h"

namespace tessera::detail {

const char* const kPageStyle = R"page(<style>
:root {
  --back: #f7f7f4; --panel: #ffffff; --line: #dedfda; --text: #1d1f21; --soft: #5d6268; --mark: #0b5cad;
  --pick: #e3eefb; --exact: #1d7a3c; --superset: #935600; --unknown: #b3261e; --code: #f0f0ec;
  --read: #d9641e; --cell: #e4e8ec; --scheme: light;
}
@media (prefers-color-scheme: dark) {
  :root:not([data-theme=light]) {
    --back: #141619; --panel: #1c1f23; --line: #33373d; --text: #e6e7e9; --soft: #9da3aa; --mark: #7fb8f5;
    --pick: #22364d; --exact: #6fcf8e; --superset: #f0b357; --unknown: #ff8a80; --code: #262a2f;
    --read: #ff9d5c; --cell: #30353b; --scheme: dark;
  }
}
:root[data-theme=dark] {
  --back: #141619; --panel: #1c1f23; --line: #33373d; --text: #e6e7e9; --soft: #9da3aa; --mark: #7fb8f5;
  --pick: #22364d; --exact: #6fcf8e; --superset: #f0b357; --unknown: #ff8a80; --code: #262a2f;
  --read: #ff9d5c; --cell: #30353b; --scheme: dark;
}
* { box-sizing: border-box; }
html, body { height: 100%; margin: 0; }
body { display: grid; grid-template-rows: auto 1fr; background: var(--back); color: var(--text);
  font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; }
code, .mono { font: 13px/1.55 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
header { padding: 12px 20px 0; border-bottom: 1px solid var(--line); background: var(--panel); }
h1 { margin: 0 0 8px; font-size: 18px; font-weight: 600; overflow-wrap: anywhere; }
h2 { margin: 26px 0 8px; font-size: 16px; font-weight: 600; }
h3 { margin: 0 0 6px; font-size: 14.5px; font-weight: 600; overflow-wrap: anywhere; }
nav { display: flex; flex-wrap: wrap; gap: 4px 2px; align-items: end; }
nav button.view { background: none; border: 0; border-bottom: 3px solid transparent; border-radius: 0;
  padding: 6px 12px; color: var(--soft); cursor: pointer; }
nav button.view.on { color: var(--text); border-bottom-color: var(--mark); font-weight: 600; }
nav .gap { flex: 1; }
input, select, button { font: inherit; font-size: 14px; color: inherit; background: var(--back);
  border: 1px solid var(--line); border-radius: 6px; padding: 4px 10px; }
button { cursor: pointer; }
#tools { display: flex; flex: 0 1 760px; flex-wrap: wrap; gap: 8px; padding-bottom: 8px; }
#tools input { flex: 1 1 200px; min-width: 140px; }
#tools select { max-width: 190px; }
:is(input, select, button, .body):focus-visible { outline: 2px solid var(--mark); outline-offset: -1px; }
a { color: var(--mark); cursor: pointer; text-decoration: none; overflow-wrap: anywhere; }
a:hover { text-decoration: underline; }
main { min-height: 0; overflow: hidden; }
#summary { height: 100%; overflow: auto; }
#summary > div { max-width: 1080px; margin: 0 auto; padding: 20px 24px 60px; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(136px, 1fr)); gap: 8px; }
.card { background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: 9px 12px; }
.card b { display: block; font-size: 17px; font-weight: 600; line-height: 1.3; }
.card span { color: var(--soft); font-size: 13px; }
.finding { display: grid; grid-template-columns: 118px 1fr auto; gap: 2px 14px; padding: 10px 0;
  border-top: 1px solid var(--line); }
.finding .kind { color: var(--soft); font-size: 13.5px; padding-top: 1px; }
.finding .bad { color: var(--read); font-weight: 600; }
.command { display: flex; gap: 8px; align-items: baseline; min-width: 0; }
.finding .command { grid-column: 2 / 4; }
.command code { color: var(--soft); overflow-wrap: anywhere; }
.command button { font-size: 12px; padding: 0 7px; color: var(--soft); flex: none; }
#tables { display: grid; grid-template-columns: minmax(360px, 61%) 1fr; height: 100%; min-height: 0; }
#table { display: grid; grid-template-rows: auto 1fr; min-height: 0; min-width: 0; overflow-x: auto; overflow-y: hidden;
  border-right: 1px solid var(--line); background: var(--panel); }
.heads, .row { display: grid; grid-template-columns: var(--columns); min-width: var(--least); }
.heads { border-bottom: 1px solid var(--line); }
.heads button { background: none; border: 0; border-radius: 0; padding: 5px 6px; text-align: left; font-size: 13px;
  color: var(--soft); white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.heads button.number { text-align: right; }
.heads button.sorted { color: var(--text); font-weight: 600; }
.body { overflow-y: auto; overflow-x: hidden; position: relative; min-width: var(--least); }
.row { position: absolute; left: 0; right: 0; height: 28px; line-height: 28px; cursor: pointer; font-size: 13.5px;
  }
.row:hover { background: var(--code); }
.row.picked { background: var(--pick); box-shadow: inset 3px 0 var(--mark); }
.row div { padding: 0 6px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.row .number { text-align: right; font-variant-numeric: tabular-nums; }
.row .mono { line-height: 28px; }
.row .second { color: var(--soft); }
.row .name { display: flex; }
.row .name span { overflow: hidden; white-space: pre; }
.row .name span:first-child { text-overflow: ellipsis; min-width: 0; }
.row .name span + span { flex: none; }
.tag { font-size: 12px; border: 1px solid; border-radius: 999px; padding: 0 8px; white-space: nowrap; align-self: start; }
.exact { color: var(--exact); } .superset, .bound { color: var(--superset); } .unknown { color: var(--unknown); }
#detail { overflow: auto; padding: 16px 24px 60px; min-width: 0; }
#detail > h2:first-child { margin: 0 0 2px; font-size: 17px; overflow-wrap: anywhere; }
.type, .note { color: var(--soft); overflow-wrap: anywhere; }
.note { font-size: 13.5px; margin-top: 5px; }
.box { margin-top: 12px; padding: 12px 16px; background: var(--panel); border: 1px solid var(--line); border-radius: 8px; }
.map { margin: 8px 0 4px; overflow-wrap: anywhere; }
.map + .map { border-top: 1px dashed var(--line); padding-top: 8px; }
.function { font-size: 14px; }
ul.domain { display: flex; flex-wrap: wrap; gap: 5px; margin: 5px 0 0; padding: 0; list-style: none; }
ul.domain li { background: var(--code); border-radius: 5px; padding: 0 7px; }
table { border-collapse: collapse; width: 100%; font-size: 13.5px; }
td, th { text-align: left; padding: 3px 10px 3px 0; vertical-align: top; border-bottom: 1px solid var(--line);
  overflow-wrap: break-word; }
td.mono { overflow-wrap: anywhere; }
th { color: var(--soft); font-weight: 500; font-size: 13px; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
tr:last-child td { border-bottom: 0; }
.pictures { display: flex; flex-wrap: wrap; gap: 18px; margin-top: 8px; }
figure { margin: 0; max-width: 100%; }
figcaption { font-size: 13px; color: var(--soft); max-width: 240px; margin-bottom: 4px; overflow-wrap: anywhere; }
canvas { display: block; max-width: 100%; border-radius: 3px; }
canvas.pick { cursor: crosshair; }
.switch button { font-size: 13px; padding: 1px 9px; }
.switch button.on { border-color: var(--mark); color: var(--mark); }
svg text { font: 12px ui-monospace, "DejaVu Sans Mono", Menlo, monospace; fill: var(--text); }
svg .node { cursor: pointer; }
svg .node rect { fill: var(--panel); stroke: var(--line); }
svg .node:hover rect { stroke: var(--mark); }
svg .node.here rect { fill: var(--pick); stroke: var(--mark); }
svg .node .second { fill: var(--soft); font-size: 11px; }
svg path { fill: none; stroke: var(--soft); stroke-opacity: .55; }
.graph { overflow-x: auto; }
.empty { color: var(--soft); padding: 24px; }
[hidden] { display: none !important; }
@media (max-width: 900px) {
  #tables { grid-template-columns: 1fr; grid-template-rows: 46% 1fr; }
  #table { border-right: 0; border-bottom: 1px solid var(--line); }
  .finding { grid-template-columns: 1fr auto; } .finding .kind { grid-column: 1 / 3; } .finding .command { grid-column: 1 / 3; }
}
</style>
</head>
<body>
)page";

const char* const kPageBody = R"page(<nav id="nav">
<span class="gap"></span>
<div id="tools">
<input id="search" type="search" placeholder="Search names, opcodes, types, maps" aria-label="Search">
<select id="opcode" aria-label="Opcode"><option value="">every opcode</option></select>
<select id="exactness" aria-label="Exactness"><option value="">every answer</option><option>exact</option>
<option>superset</option><option>unknown</option></select>
<button id="theme" type="button">dark / light</button>
</div>
</nav>
</header>
<main>
<noscript><p class="empty">This page needs JavaScript.</p></noscript>
<div id="summary"><div></div></div>
<div id="tables" hidden>
<div id="table"><div class="heads"></div><div class="body" tabindex="0" role="listbox" aria-label="Rows"></div></div>
<article id="detail" aria-live="polite"></article>
</div>
</main>
)page";

}  // namespace tessera::detail
