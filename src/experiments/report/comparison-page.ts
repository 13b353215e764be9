import { percentile } from '../../core/percentile.js';
import type { MetricComparison, QueryChange } from '../../evaluation/compare-scores.js';
import { primaryMetricOf } from '../../evaluation/query-scores.js';
import type { ComparedQuery, ComparisonReport } from '../compare.js';
import { html, Markup } from './markup.js';
import { allDifferences, differencesPlot, intervalsPlot, latencyPlot, signed } from './plots.js';

/** Queries that are shown with their results, each way. */
const SHOWN_QUERIES = 10;
const SIGNIFICANT = 0.05;

/** Colours by names, for both themes; A and B differ in lightness, too, so that print and people who see no colours tell them apart. */
const REPORT_STYLE = new Markup(`
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

/**
 * A comparison as one page of HTML that needs nothing else: no script, no network. Questions, titles and texts of documents are hostile text and stand
 * in it as text alone; a policy of the page forbids all else.
 *
 * @param made when it was measured
 */
export function comparisonPage(report: ComparisonReport, { made }: { readonly made: Date }): string {
  const { a, b, metrics, changes } = report;
  const label = primaryMetricOf(metrics.map(({ metric }) => metric));
  const primary = metrics.find(({ metric }) => metric === label) ?? metrics[0];
  const changed = changes[label] ?? [];
  const date = `${made.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const title = `${a.dataset}: ${a.name} and ${b.name}`;
  return String(html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${REPORT_STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p class="quiet">${plural(a.queries, 'question')} of ${a.dataset}, ${a.split}. Measured ${date}.</p>
${primary === undefined ? '' : verdict(primary, report)}
${configurations(report)}
${primary === undefined ? '' : metricsSection(metrics, primary)}
${primary === undefined ? '' : differencesSection(changed, primary)}
${latencySection(report)}
${changedSections(changed, label, report)}
${notices(report)}
</main>
</body>
</html>
`);
}

function verdict(
  { metric, difference, low, high, pValue, wins, losses, ties }: MetricComparison,
  { a, b, metrics }: ComparisonReport,
): Markup {
  const isClear = pValue < SIGNIFICANT && (low > 0 || high < 0);
  const isTie = wins + losses === 0;
  const words = isTie
    ? tieWords(metrics)
    : isClear
      ? `Held against A (${a.name}), B (${b.name}) is ${difference > 0 ? 'better' : 'worse'} by more than chance explains.`
      : 'Chance explains the difference: there is no reason to prefer one of the two by this measure.';
  return html`<p class="verdict"><strong>${words}</strong> ${metric} ${signed(difference)}, 95 % interval ${signed(low)} to ${signed(high)}, p ${pText(pValue)}; B won ${plural(wins, 'question')}, lost ${losses}, ${ties} alike.</p>`;
}

/** Of equals there is no difference that chance could explain. */
const tieWords = (metrics: readonly MetricComparison[]): string =>
  metrics.every(({ wins, losses }) => wins + losses === 0)
    ? 'No question changed by any measure: A and B found the same, and may be the same settings.'
    : 'No question changed by this measure: A and B are equal by it. Other measures changed, see below.';

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

function configurations({ a, b, differingSettings = [] }: ComparisonReport): Markup {
  const rows = differingSettings.map(
    ({ key, a: first, b: second }) =>
      html`<tr><th scope="row"><code>${key}</code></th><td><code>${first}</code></td><td><code>${second}</code></td></tr>
`,
  );
  const settings =
    rows.length === 0
      ? html`<p>No setting differs.</p>`
      : html`<div class="scroll"><table><caption>Settings that differ. Secrets are masked.</caption>
<thead><tr><th scope="col">setting</th><th scope="col">A</th><th scope="col">B</th></tr></thead>
<tbody>
${rows}</tbody></table></div>`;
  return html`<h2>Configurations</h2>
<dl class="facts">
<dt>A</dt><dd>${a.name}</dd>
<dt>B</dt><dd>${b.name}</dd>
<dt>embedding</dt><dd>${both(a.config.embedder, b.config.embedder)}</dd>
<dt>reranking</dt><dd>${both(a.config.rerank, b.config.rerank)}</dd>
<dt>index</dt><dd>${both(`${a.documents} documents, ${a.chunks} chunks`, `${b.documents} documents, ${b.chunks} chunks`)}</dd>
</dl>
${settings}`;
}

const both = (a: string, b: string): string => (a === b ? a : `A ${a}; B ${b}`);

function metricsSection(metrics: readonly MetricComparison[], primary: MetricComparison): Markup {
  const rows = metrics.map(
    ({ metric, a, b, difference, low, high, pValue, wins, losses, ties }) =>
      html`<tr><th scope="row">${metric}${metric === primary.metric ? ' (decides)' : ''}</th>${[a.toFixed(4), b.toFixed(4), signed(difference), `${signed(low)} to ${signed(high)}`, pText(pValue), wins, losses, ties].map((value) => html`<td class="number">${value}</td>`)}</tr>
`,
  );
  const heads = ['A', 'B', 'B \u2212 A', '95 % interval', 'p', 'B won', 'B lost', 'alike'];
  return html`<h2>Measures</h2>
<div class="scroll"><table><caption>Means over the questions; the interval is a bootstrap over questions, p a two-sided paired randomisation test.</caption>
<thead><tr><th scope="col">measure</th>${heads.map((head) => html`<th scope="col" class="number">${head}</th>`)}</tr></thead>
<tbody>
${rows}</tbody></table></div>
<figure>${intervalsPlot(metrics)}<figcaption>Differences with their intervals. An interval that does not touch the line is a difference. With ${metrics.length} measures, one in twenty differs by chance.</figcaption></figure>`;
}

const differencesSection = (
  changed: readonly QueryChange[],
  primary: MetricComparison,
): Markup => html`<h2>Question by question</h2>
<figure>${differencesPlot(allDifferences(changed, primary), primary)}<figcaption>${primary.metric} of B less that of A, a bar a question, the largest loss first. ${primary.losses} lost, ${primary.ties} alike, ${primary.wins} won.</figcaption></figure>`;

function latencySection({ a, b, asked }: ComparisonReport): Markup {
  const times = (side: 'a' | 'b'): number[] => (asked ?? []).map((query) => query[side].tookMs);
  const [ofA, ofB] = [times('a'), times('b')];
  if (ofA.length === 0)
    return html`<h2>Time</h2><p>95 % of searches took at most ${a.latencyMs.p95.toFixed(1)} ms with A, ${b.latencyMs.p95.toFixed(1)} ms with B.</p>`;
  const shares = [0.5, 0.9, 0.95, 0.99, 1];
  const row = (name: string, values: readonly number[]): Markup =>
    html`<tr><th scope="row">${name}</th>${shares.map((share) => html`<td class="number">${percentile(values, share).toFixed(1)}</td>`)}</tr>
`;
  return html`<h2>Time</h2>
<figure>${latencyPlot(ofA, ofB)}<figcaption>Share of searches that took no longer; A dashed, B solid.</figcaption></figure>
<div class="scroll"><table><caption>Milliseconds of a search, one after another on one machine: A was measured first, so small differences say nothing.</caption>
<thead><tr><th scope="col">share of searches</th>${shares.map((share) => html`<th scope="col" class="number">${share === 1 ? 'all' : `${Math.round(share * 100)} %`}</th>`)}</tr></thead>
<tbody>
${row('A', ofA)}${row('B', ofB)}</tbody></table></div>`;
}

function changedSections(changed: readonly QueryChange[], metric: string, report: ComparisonReport): Markup {
  const lost = changed.filter(({ a, b }) => b < a).slice(0, SHOWN_QUERIES);
  const won = changed
    .filter(({ a, b }) => b > a)
    .slice(-SHOWN_QUERIES)
    .reverse();
  const asked = new Map((report.asked ?? []).map((query) => [query.id, query]));
  const list = (queries: readonly QueryChange[], none: string): Markup =>
    queries.length === 0
      ? html`<p>${none}</p>`
      : html`${queries.map((query) => changedQuery(query, metric, asked.get(query.id)))}`;
  return html`<h2>B lost most, by ${metric}</h2>
${list(lost, `By ${metric} B lost no question.${elsewhere(report.metrics, metric, 'losses')}`)}
<h2>B won most, by ${metric}</h2>
${list(won, `By ${metric} B won no question.${elsewhere(report.metrics, metric, 'wins')}`)}`;
}

/** What the table says of the other measures, so that `none` here contradicts nothing there. */
function elsewhere(metrics: readonly MetricComparison[], shown: string, what: 'wins' | 'losses'): string {
  const others = metrics.filter((entry) => entry.metric !== shown && entry[what] > 0);
  return others.length === 0
    ? ''
    : ` By other measures: ${others.map((entry) => `${entry.metric} ${entry[what]}`).join(', ')}.`;
}

function changedQuery(
  { id, text, a, b }: QueryChange,
  metric: string,
  asked: ComparedQuery | undefined,
): Markup {
  const kind = b > a ? 'good' : 'bad';
  const sides =
    asked === undefined
      ? ''
      : html`<div class="sides"><div><h4>A found</h4>${results(asked.a)}</div><div><h4>B found</h4>${results(asked.b)}</div></div>`;
  return html`<article>
<h3 dir="auto">${text}</h3>
<p class="quiet">${id}: ${metric} ${a.toFixed(3)} to ${b.toFixed(3)} (<span class="${kind}">${signed(b - a, 3)}</span>)</p>
${sides}
</article>
`;
}

const results = ({ results: found }: ComparedQuery['a']): Markup =>
  found.length === 0
    ? html`<p>Nothing.</p>`
    : html`<ol>${found.map(
        ({ documentId, title, excerpt, isRelevant }) =>
          html`<li dir="auto"><strong>${title ?? documentId}</strong>${title === undefined ? '' : html` <code>${documentId}</code>`}${isRelevant ? html` <span class="good">(relevant)</span>` : ''}<br>${excerpt}</li>`,
      )}</ol>`;

function notices({ a, b, onlyA, onlyB }: ComparisonReport): Markup {
  const unpaired = onlyA.length + onlyB.length;
  const all = [
    ...new Set([...a.notices, ...b.notices]),
    ...(unpaired === 0
      ? []
      : [
          unpaired === 1
            ? '1 question was asked of one side alone and is in no mean.'
            : `${unpaired} questions were asked of one side alone and are in no mean.`,
        ]),
  ];
  return all.length === 0
    ? html``
    : html`<h2>Notices</h2><ul>${all.map((notice) => html`<li>${notice}</li>`)}</ul>`;
}

const pText = (pValue: number): string => (pValue < 0.0001 ? '< 0.0001' : pValue.toFixed(4));
