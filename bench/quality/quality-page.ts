import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { Circumstances } from '../shared/machine.js';
import { REPOSITORY } from '../shared/places.js';
import type { ChunkerRow } from './chunkers.js';
import { type PlottedSetting, writePlots } from './plots.js';
import { type CaseOutcome, type QualityRow, shown } from './run-case.js';

const PAGE = `${REPOSITORY}docs/research/quality.md`;
const LOOKS_HEADING = '## Looks at test splits';
const READER_HEADING = '## With the reader';

export interface QualityFigures {
  readonly circumstances: Circumstances;
  readonly rows: readonly QualityRow[];
  readonly outcomes: readonly CaseOutcome[];
  readonly chunkers: readonly ChunkerRow[];
}

/**
 * Writes docs/research/quality.md anew; only the section of the reader, which is measured by itself, and the log of looks at test splits are
 * kept, and the log grows by this one.
 */
export function writeQualityPage(figures: QualityFigures): string {
  const { circumstances, rows, outcomes, chunkers } = figures;
  const page = [
    '# Quality',
    `<!-- Made by \`npm run bench:quality\`; do not edit. -->\n\n${measuredAt(circumstances)} by \`npm run bench:quality\`, which runs \`ragstone eval\`. Metrics are those of trec_eval (linear gain, mean over judged queries); threshold, near-duplicate removal, variety and recency are off. Intervals are 95 % bootstrap intervals over the queries (10,000 resamples, seed 1); two settings are compared with \`ragstone eval --compare\`, not by their intervals.`,
    '## Retrieval',
    retrievalTable(rows),
    configurationNotes(outcomes),
    ...(earlier(READER_HEADING) === '' ? [] : [READER_HEADING, earlier(READER_HEADING)]),
    '## Quality and time',
    '![nDCG@10 of SciFact by setting, with intervals](images/quality-by-setting.svg)\n\n![nDCG@10 of SciFact against milliseconds a query](images/quality-by-time.svg)',
    timeTable(outcomes),
    '## Questions by type (hit@5)',
    typeTable(outcomes),
    '## Chunking',
    "The five corpora and 472 questions of Chroma's evaluation of chunking strategies, k = 5, chunks of all corpora searched together. Ours are retrieved by hybrid search with the embedder named and counted in tokens of the built-in tokenizer; the published rows are counted in tokens of cl100k. Recall and IoU therefore also compare the models; precision-omega depends on the chunks alone. Chunks of `adaptive` that follow each other are joined before they are scored, as every search does.",
    chunkerTable(chunkers),
    LOOKS_HEADING,
    'Settings are tuned on train splits and other collections. Every run of this program looks at test splits, and is listed here.',
    [...earlierLooks(), lookOf(circumstances, outcomes)].join('\n'),
  ];
  writePlots(plottedSettings(outcomes));
  writeFileSync(PAGE, `${page.join('\n\n')}\n`);
  return PAGE;
}

/** Writes the section of the reader in docs/research/quality.md anew, and this look into the log. */
export function writeReaderSection({ circumstances, rows, outcomes }: QualityFigures): string {
  const section = `${READER_HEADING}\n\n${measuredAt(circumstances)} by \`npm run bench:quality -- --reader\`: the default reranker, on an index whose passages it has read.\n\n${retrievalTable(rows)}\n\n`;
  const page = readFileSync(PAGE, 'utf8').replace(`${READER_HEADING}\n\n${earlier(READER_HEADING)}\n\n`, '');
  const [before = '', after = ''] = page.split('## Quality and time');
  writeFileSync(
    PAGE,
    `${before}${section}## Quality and time${after.trimEnd()}\n${lookOf(circumstances, outcomes)}\n`,
  );
  return PAGE;
}

const measuredAt = ({ commit, date, isModified }: Circumstances): string =>
  `Measured at commit \`${commit}\`${isModified ? ' with changes' : ''} on ${date.slice(0, 10)}`;

/** What the page has under a heading; empty where there is none. */
function earlier(heading: string): string {
  if (!existsSync(PAGE)) return '';
  const [, section = ''] = readFileSync(PAGE, 'utf8').split(`${heading}\n`);
  return (section.split('\n## ')[0] ?? '').trim();
}

function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}

const retrievalTable = (rows: readonly QualityRow[]): string =>
  markdownTable(
    [
      'data set',
      'queries',
      'mode',
      'embedder',
      'rerank',
      'metric',
      'value',
      '95 % interval',
      'target',
      'met',
      'notes',
    ],
    rows.map((row) => [
      `${row.dataset}, ${row.split}`,
      String(row.queries),
      row.mode,
      row.embedder,
      row.rerank,
      row.metric,
      shown(row.value),
      `${shown(row.low)} to ${shown(row.high)}`,
      row.target,
      row.met === undefined ? '' : row.met ? 'yes' : '**no**',
      row.notes,
    ]),
  );

function configurationNotes(outcomes: readonly CaseOutcome[]): string {
  const notes = new Set(
    outcomes.map(({ case: { embedder }, report: { config } }) => {
      const { method, weights } = config.fusion;
      const { dense, lexical } = weights;
      const each = method === 'adaptive' ? ', found for each query around' : ' with';
      return `- ${embedder}: store ${config.store}, ${config.candidatesPerLane} candidates a lane, fusion ${method}${each} weights ${dense.toFixed(2)} dense and ${lexical.toFixed(2)} lexical, analysis version ${config.analysisVersion}.`;
    }),
  );
  return [
    'Lexical is BM25 with k1 1.2 and b 0.75 over terms that Ragstone analyses (NFKC, folded, names kept whole and split, English stop words, Porter2); see [retrieval](../retrieval.md).',
    '',
    ...notes,
  ].join('\n');
}

/** Settings of SciFact, the only set that is run with all of them, as plots and the table of times show them. */
export const plottedSettings = (outcomes: readonly CaseOutcome[]): PlottedSetting[] =>
  outcomes
    .filter(({ case: { dataset } }) => dataset === 'SciFact')
    .map((outcome, style) => {
      const value = outcome.report.metrics[PLOTTED] ?? 0;
      return {
        style,
        name: settingName(outcome.case),
        value,
        ...(outcome.intervals.get(PLOTTED) ?? { low: value, high: value }),
        ms: outcome.report.latencyMs.p50,
      };
    });

const PLOTTED = 'ndcg@10';

function settingName({ mode, embedder, rerank }: CaseOutcome['case']): string {
  if (mode === 'lexical') return 'lexical (BM25)';
  return `${mode}, ${embedder}${rerank === 'none' ? '' : ' + rerank'}`;
}

const timeTable = (outcomes: readonly CaseOutcome[]): string =>
  [
    markdownTable(
      ['SciFact, test', 'nDCG@10', 'median ms a query'],
      plottedSettings(outcomes).map(({ name, value, ms }) => [name, shown(value), ms.toFixed(1)]),
    ),
    'One query after another, in the run that measured the quality; what else the machine did then is in its times.',
  ].join('\n\n');

function typeTable(outcomes: readonly CaseOutcome[]): string {
  const asked = outcomes.filter(({ report }) => report.byType !== undefined);
  const types = [...new Set(asked.flatMap(({ report }) => Object.keys(report.byType ?? {})))];
  return markdownTable(
    ['folder', ...types],
    asked.map(({ report }) => [
      report.dataset,
      ...types.map((type) => {
        const means = report.byType?.[type];
        return means === undefined ? '' : `${shown(means.metrics['hit@5'] ?? 0)} (${means.questions})`;
      }),
    ]),
  );
}

/** As the page has it. */
export const chunkerTable = (rows: readonly ChunkerRow[]): string =>
  markdownTable(
    ['chunker', 'from', 'embedder', 'chunks', 'recall', 'precision', 'precision-omega', 'IoU'],
    rows.map((row) => [
      row.chunker,
      row.origin,
      row.embedder,
      row.chunks === undefined ? '' : String(row.chunks),
      ...[row.recall, row.precision, row.precisionOmega, row.iou].map(shown),
    ]),
  );

const earlierLooks = (): string[] =>
  earlier(LOOKS_HEADING)
    .split('\n')
    .filter((line) => line.startsWith('- '));

function lookOf({ date, commit }: Circumstances, outcomes: readonly CaseOutcome[]): string {
  const looks = outcomes.map(({ case: { dataset, mode, embedder, rerank } }) =>
    [dataset, mode, embedder, ...(rerank === 'none' ? [] : [`rerank ${rerank}`])].join(' '),
  );
  return `- ${date.slice(0, 16).replace('T', ' ')} UTC, \`${commit}\`: ${looks.join('; ')}.`;
}
