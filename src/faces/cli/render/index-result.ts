import type { IndexError, IndexResult } from '../../../index.js';
import type { CliContext } from '../context.js';
import { displayPath } from './place.js';
import { renderTable } from './table.js';
import { formatCount, formatDuration, oneLine, plural } from './text.js';

const MAX_FAILURES = 20;

/** What an `index` run did, with every failure and what to do about it. */
export function renderIndexResult(result: IndexResult, context: CliContext): string {
  const { stats, dryRun } = result;
  const rows: [string, string][] = dryRun
    ? [
        ['documents to index', formatCount(stats.documentsProcessed)],
        ...renewedRows(result),
        ['documents unchanged', formatCount(stats.documentsUnchanged)],
        ['documents to delete', formatCount(stats.documentsDeleted - (stats.documentsMoved ?? 0))],
        ['documents failed', formatCount(stats.documentsFailed)],
        ...estimateRows(result),
      ]
    : [];
  const parts = [
    rows.length === 0 ? '' : renderTable(['', ''], rows, { context, numeric: [1] }).trimStart(),
    describeRun(result),
    renderSkipped(result),
    renderCounts('redacted', Object.entries(stats.redactions ?? {}), context),
    renderFailures(stats.errors, context, stats.documentsProcessed + stats.documentsUnchanged),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

const renewedRows = ({ stats: { documentsRenewed: renewed } }: IndexResult): [string, string][] =>
  renewed === undefined ? [] : [['of them as an earlier version wrote them', formatCount(renewed)]];

/** Kinds that a person is told of each source. */
const MOST_KINDS = 8;

/** Pipelines, manifests, tables, logs, calendars, subtitles: much asked about, and left out because they push documents out of results (docs/research/tried.md). */
const READ_WHERE_NAMED = /^(?:ya?ml|toml|csv|tsv|log|jsonl?|ndjson|xml|ini|properties|ics|vtt|srt)$/;

/** What was left out by rule, a line for each source. */
export function renderSkipped({ stats: { skipped = {} } }: IndexResult): string {
  return Object.entries(skipped)
    .map(([source, counts]) => {
      const kinds = Object.entries(counts);
      const more =
        kinds.length > MOST_KINDS
          ? [`${plural(kinds.length - MOST_KINDS, 'other kind')} (--json lists all)`]
          : [];
      const named = kinds
        .slice(0, MOST_KINDS)
        .map(([kind, count]) => `${formatCount(count)} ${oneLine(kind)}`);
      const readable = kinds.flatMap(([kind]) => (READ_WHERE_NAMED.test(kind) ? [kind] : []));
      const [first] = readable;
      const ending = readable.length > 1 ? `{${readable.join(',')}}` : first;
      const hint =
        first === undefined
          ? []
          : [
              `Settings, tables, logs and subtitles are read where they are named: \`ragstone index ${folderOf(source)} FILE.${first}\`, or \`paths: ['**', '**/*.${ending}']\` of a source.`,
            ];
      return [
        `Skipped in ${oneLine(source.replace(/^path:/, ''))}: ${[...named, ...more].join(', ')}.`,
        ...hint,
      ].join('\n');
    })
    .join('\n');
}

/** As it was named. */
const folderOf = (source: string): string => {
  const folder = source.startsWith('path:') ? oneLine(source.slice('path:'.length)) : '.';
  return /\s/.test(folder) ? `"${folder}"` : folder;
};

/** Counts by source and kind, under a word for what they are; empty text where there are none. */
export function renderCounts(
  word: string,
  bySource: readonly (readonly [string, Readonly<Record<string, number>>])[],
  context: CliContext,
): string {
  const rows = bySource.flatMap(([source, counts]) =>
    Object.entries(counts).map(([kind, count]) => [oneLine(source), oneLine(kind), formatCount(count)]),
  );
  return rows.length === 0 ? '' : renderTable(['source', word, ''], rows, { context, numeric: [2] });
}

/** What hosted models would be asked for. */
function estimateRows({ estimate }: IndexResult): [string, string][] {
  const { contexts, embedding } = estimate ?? {};
  const rows: [string, string][] = [];
  if (contexts !== undefined) {
    rows.push(['contexts to write', formatCount(contexts.chunks)]);
    rows.push(['tokens for contexts, at most', formatCount(contexts.inputTokens + contexts.outputTokens)]);
    rows.push(['cost of contexts, at most', formatCost(contexts.cost)]);
  }
  if (embedding !== undefined) {
    rows.push(['texts to embed', formatCount(embedding.texts)]);
    rows.push([
      embedding.isExact ? 'tokens to embed' : 'tokens to embed, about',
      formatCount(embedding.tokens),
    ]);
    rows.push(['cost of embedding', formatCost(embedding.cost)]);
  }
  return rows;
}

const formatCost = (cost: number | undefined): string =>
  cost === undefined ? 'price not known' : `$${cost.toFixed(cost < 1 ? 4 : 2)}`;

/** No source gave anything, now or before. */
const foundNothing = (stats: IndexResult['stats']): boolean =>
  stats.documentsProcessed +
    stats.documentsUnchanged +
    stats.documentsDeleted +
    stats.documentsFailed +
    (stats.itemsHandedOver ?? 0) +
    stats.errors.length ===
  0;

/** Files are there, and none of them is read: the paths or patterns are probably not what was meant. */
export const missedEverything = ({ stats }: IndexResult): boolean =>
  foundNothing(stats) && Object.keys(stats.skipped ?? {}).length > 0;

/** One sentence on a run: what changed, or that nothing did. */
export function describeRun({ stats, dryRun }: IndexResult): string {
  const { documentsProcessed, documentsUnchanged, documentsDeleted, documentsFailed, timeElapsed } = stats;
  const time = formatDuration(timeElapsed);
  if (dryRun) return 'Nothing was written (dry run).';
  const { itemsHandedOver = 0 } = stats;
  if (itemsHandedOver > 0)
    return `Left ${plural(itemsHandedOver, 'document')} to workers${documentsUnchanged > 0 ? `, ${formatCount(documentsUnchanged)} unchanged` : ''}${documentsFailed > 0 ? `, ${formatCount(documentsFailed)} failed` : ''} (${time}). "ragstone status" tells how far they are.`;
  if (foundNothing(stats)) return `Nothing was indexed: no source gave a document (${time}).`;
  if (documentsProcessed + documentsDeleted + documentsFailed === 0 && stats.errors.length === 0)
    return `Nothing to do: ${plural(documentsUnchanged, 'document')} unchanged, nothing re-indexed (${time}).`;
  const { documentsMoved = 0 } = stats;
  const moved = documentsMoved > 0 ? `, ${formatCount(documentsMoved)} taken over from another source` : '';
  const gone = documentsDeleted - documentsMoved;
  const deleted = gone > 0 ? `, ${formatCount(gone)} deleted` : '';
  const failed = documentsFailed > 0 ? `, ${formatCount(documentsFailed)} failed` : '';
  const unchanged = documentsUnchanged > 0 ? `, ${formatCount(documentsUnchanged)} unchanged` : '';
  return `Indexed ${plural(documentsProcessed, 'document')} in ${plural(stats.chunksCreated, 'new chunk')}${unchanged}${moved}${deleted}${failed} (${time}).`;
}

function placeOfError({ source, item, path }: IndexError, context: CliContext): string {
  if (item === undefined) return `source ${source}`;
  return path === undefined ? `${item} (${source})` : displayPath(context, path);
}

/** The failures of a run; empty text where there are none. `indexed`: documents that the index has of it nonetheless. */
export function renderFailures(
  errors: readonly IndexError[],
  context: CliContext,
  indexed: number = Number.POSITIVE_INFINITY,
): string {
  if (errors.length === 0) return '';
  const { colours } = context;
  const lines = errors.slice(0, MAX_FAILURES).map((error) => {
    const { reason, message } = error;
    const place = oneLine(placeOfError(error, context));
    return `  ${colours.red(reason)} ${place}\n    ${oneLine(message)}`;
  });
  const more =
    errors.length > MAX_FAILURES ? [`  and ${errors.length - MAX_FAILURES} more; --json lists all`] : [];
  const rest = indexed > 0 ? 'everything else is indexed' : 'nothing was indexed';
  return [`${plural(errors.length, 'failure')}; ${rest}:`, ...lines, ...more].join('\n');
}
