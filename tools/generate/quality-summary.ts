import { readFileSync } from 'node:fs';

const MEASURED = new URL('../../docs/research/quality.md', import.meta.url);

/** A row of the table of measurements. */
interface Row {
  readonly dataset: string;
  readonly queries: string;
  readonly mode: string;
  readonly embedder: string;
  readonly rerank: string;
  readonly metric: string;
  readonly value: string;
  readonly interval: string;
  readonly target: string;
  readonly met: string;
}

/** The text of `docs/quality.md`: of every data set what the defaults reach, beside words alone and a better model. */
export function qualitySummary(): string {
  const page = readFileSync(MEASURED, 'utf8');
  const rows = [...rowsOf(page, 'Retrieval'), ...rowsOf(page, 'With the reader')];
  const [date = '', readerDate = date] = [...page.matchAll(/Measured at commit .*? on ([\d-]+)/g)].map(
    ([, day]) => day,
  );
  return `# Quality

<!-- Generated from the measurements; do not edit. -->

How often a search shows what was asked for, on public data sets (their test sides, where they have one). Measured on ${date}, with the
reader on ${readerDate}, by \`ragstone eval\`,
whose metrics are those of trec_eval ([evaluation](evaluation.md) explains them). \`hit@5\` of .720, for instance: for 72 of 100 questions one
of the first five passages holds the answer. In brackets stands the 95 % interval. *MiniLM* is all-MiniLM-L6-v2: see
[a better model](better-model.md).

${table(rows)}

*With the reader* is the default, once it has read the passages; it was measured on four of the sets. Without it the built-in reranker is on in
the rows of SciFact, with MiniLM too, and off in the others. Removal of near-duplicates, variety, recency and thresholds were off.

## Targets that were missed

${missed(rows)}

## Answers

How often a quoted answer is right, and how often it is withheld, is in [answers](answering.md#measures-ragstone-eval-dataset---answers).

## On your own documents

Public sets say little about yours. Write down twenty questions and where their answers are, and let
[\`ragstone eval\`](evaluation.md#questions-about-a-folder) count.
`;
}

function rowsOf(page: string, heading: string): Row[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const lines = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(2).map((line) => {
    const cells = line.split('|').map((cell) => cell.trim());
    const [, dataset = '', queries = '', mode = '', embedder = '', rerank = '', metric = ''] = cells;
    const [value = '', interval = '', target = '', met = ''] = cells.slice(7);
    return { dataset, queries, mode, embedder, rerank, metric, value, interval, target, met };
  });
}

/** What people look at: the first ten. */
const isShown = ({ metric }: Row): boolean => Number(/@(\d+)/.exec(metric)?.[1] ?? 0) <= 10;

function table(rows: readonly Row[]): string {
  const keys = new Map(
    rows.filter((row) => isShown(row)).map((row) => [`${row.dataset} ${row.metric}`, row] as const),
  );
  const lines = [...keys.values()].map(({ dataset, queries, metric }) => {
    const of = (mode: string, embedder: string, reranks: readonly string[] = ['builtin', 'none']): string => {
      const found = rows.filter(
        (row) =>
          row.dataset === dataset && row.metric === metric && row.mode === mode && row.embedder === embedder,
      );
      const row = reranks.flatMap((name) => found.find(({ rerank }) => rerank === name) ?? [])[0];
      return row === undefined ? '' : `${row.value} (${row.interval})`;
    };
    const cells = [
      of('lexical', 'builtin'),
      of('hybrid', 'builtin'),
      of('hybrid', 'builtin', ['reader']),
      of('hybrid', 'MiniLM'),
    ];
    return `| ${dataset.replace(/, (?:test|[\w-]+\.jsonl)$/, '')} | ${queries} | ${metric} | ${cells.join(' | ')} |`;
  });
  return [
    '| data set | questions | measure | words alone | built-in model | with the reader | with MiniLM |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...lines,
  ].join('\n');
}

const missed = (rows: readonly Row[]): string =>
  rows
    .filter(({ met }) => met.includes('no'))
    .map(
      ({ dataset, mode, embedder, rerank, metric, value, target }) =>
        `- ${dataset}, ${mode}, ${embedder}${rerank === 'reader' ? ', reader' : ''}: ${metric} ${value}, target ${target}.`,
    )
    .join('\n') || 'None.';
