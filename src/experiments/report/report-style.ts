import { Markup } from './markup.js';

/** Colours by names, for both themes; A and B differ in lightness, too, so that print and people who see no colours tell them apart. */
export const REPORT_STYLE = new Markup(`
:root { color-scheme: light dark; --text: #1c1e21; --quiet: #5b6169; --ground: #ffffff; --raised: #f4f5f7; --line: #d5d9de;
  --a: #6b7785; --b: #0a5fb4; --win: #11713b; --loss: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e8eb; --quiet: #a2a9b2; --ground: #15171a; --raised: #1f2327; --line: #383e45;
    --a: #98a3b0; --b: #6cb2ff; --win: #5ccb86; --loss: #ff8a80; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 2rem 1.25rem 4rem; background: var(--ground); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: break-word; }
h1, h3, .verdict { overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem; }
h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 .25rem; }
p, dl { max-width: 46rem; }
.quiet { color: var(--quiet); }
.verdict { border-left: .3rem solid var(--b); background: var(--raised); padding: .75rem 1rem; }
dl.facts { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 1rem 0; }
dt, tbody th { overflow-wrap: normal; }
dt { color: var(--quiet); } dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--quiet); padding-bottom: .35rem; }
th, td { text-align: left; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th.number, td.number { text-align: right; white-space: nowrap; }
code { font: .9em/1.4 ui-monospace, monospace; }
figure { margin: 1rem 0; } figcaption { color: var(--quiet); }
svg { display: block; width: 100%; height: auto; background: var(--raised); }
svg text { fill: var(--quiet); font: 12px system-ui, sans-serif; }
.axis { stroke: var(--line); stroke-width: 1; } .zero { stroke: var(--quiet); stroke-width: 1; }
.win { fill: var(--win); } .loss { fill: var(--loss); } .tie { fill: var(--line); }
.interval { stroke: var(--b); stroke-width: 2; } .mean { fill: var(--b); }
.line-a { fill: none; stroke: var(--a); stroke-width: 2; stroke-dasharray: 6 4; } .line-b { fill: none; stroke: var(--b); stroke-width: 2; }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(17rem, 1fr)); gap: 0 2rem; }
.sides h4 { margin: .5rem 0 .25rem; font-size: .95rem; }
.sides ol { margin: 0; padding-left: 1.5rem; } .sides li { margin-bottom: .4rem; }
.good { color: var(--win); } .bad { color: var(--loss); }
@media print { body { max-width: none; padding: 0; } article { break-inside: avoid; } }
`);
