import type { ResolvedConfig } from '../../config/resolved-config.js';
import { ageMs } from '../../core/age.js';
import { RAGError, toRAGError } from '../../core/errors.js';
import { runtime } from '../../core/runtime.js';
import type { AsOfReport } from '../../ledger/history/as-of-report.js';
import { readAsOf } from '../../ledger/history/moment.js';
import type { HistoryMark, LedgerHistory } from '../../ledger/history.js';
import { createSourceNamed } from '../../resources/assembly/open-sources.js';

/** A moment that the history covers. */
export interface ResolvedMoment {
  readonly moment: number;
  readonly report: AsOfReport;
  /** Where a day that goes on was asked for: how to ask for later of it. */
  readonly hint?: string | undefined;
}

interface Resolving {
  readonly history: LedgerHistory | undefined;
  readonly config: ResolvedConfig;
  readonly tenant: string;
  readonly signal?: AbortSignal | undefined;
}

/** Tags and commits that a message names. */
const NAMED = 10;

/**
 * The moment that `asOf` means. Of a tag it is the first one that the history covers in which the index was found to hold that commit, whole.
 *
 * @throws RAGError `QUERY_INVALID` where no history is kept, for a moment before it or in the future, for a tag that is unknown or whose commit
 *   the index never held, and where it cannot be told
 */
export async function resolveMoment(asOf: string | Date, resolving: Resolving): Promise<ResolvedMoment> {
  const wanted = readAsOf(asOf);
  const begins = await beginOf(resolving);
  const { moment, tag } =
    'moment' in wanted ? { ...wanted, tag: undefined } : await momentOfTag(wanted.name, begins, resolving);
  const now = runtime().now();
  if (moment > now)
    throw invalid(`${timeOf(moment)} is in the future. Leave asOf out to ask for the index as it is now.`);
  const isDay = 'moment' in wanted && wanted.isDay === true;
  const hintBefore = (time: number): string | undefined =>
    isDay && time < moment + DAY_MS ? dayHint(asOf, time) : undefined;
  if (moment < begins) {
    const hint = hintBefore(begins);
    throw invalid(
      `Of the index as it was at ${timeOf(moment)} nothing is known: its history begins at ${timeOf(begins)}.${hint === undefined ? '' : ` ${hint}`}`,
    );
  }
  const named = tag === undefined ? {} : { tag };
  return { moment, report: { at: timeOf(moment), begins: timeOf(begins), ...named }, hint: hintBefore(now) };
}

const DAY_MS = 24 * 3_600_000;

const dayHint = (day: string | Date, time: number): string =>
  `A date is the beginning of its day in UTC: for later on ${String(day).trim()} state a time, such as ${timeOf(time)}.`;

async function beginOf({ history, config }: Resolving): Promise<number> {
  const { keep } = config.rag.history;
  if (keep === undefined)
    throw invalid(
      'The index keeps no history. Set `rag.history.keep` (such as 90d) and run `ragstone index`: moments from then on can be asked for.',
    );
  const begins = await history?.begins();
  if (begins === undefined)
    throw invalid(
      history === undefined
        ? 'The ledger of this index cannot keep history.'
        : 'The history of the index has not begun, or was broken by a process whose configuration keeps none. Run `ragstone index`: moments from then on can be asked for.',
    );
  return Math.max(begins, runtime().now() - ageMs(keep));
}

interface Tag {
  readonly source: string;
  readonly commit: string;
}

async function momentOfTag(
  name: string,
  begins: number,
  resolving: Resolving,
): Promise<{ readonly moment: number; readonly tag: NonNullable<AsOfReport['tag']> }> {
  const { config, history, tenant } = resolving;
  const sources = config.rag.sources.filter(({ type, enabled }) => type === 'git' && enabled);
  if (sources.length === 0)
    throw invalid(
      `"${name}" is no date, and no Git source is configured that could have a tag of that name.`,
    );
  const found: Tag[] = [];
  const known = new Map<string, string[]>();
  for (const { name: source } of sources) {
    const tags = await tagsOf(source, resolving);
    const own = name.startsWith(`${source}:`) ? name.slice(source.length + 1) : name;
    const commit = tags.get(own);
    if (commit !== undefined) found.push({ source, commit });
    for (const [tag, of] of tags) known.set(of, [...(known.get(of) ?? []), tag]);
  }
  const marks = ((await history?.marks(tenant)) ?? []).filter(({ seen }) => seen >= begins);
  const held = marks.flatMap(({ mark }) => known.get(mark) ?? []);
  const [tag, other] = found;
  if (tag === undefined) throw unknownTag(name, { held, all: [...new Set([...known.values()].flat())] });
  if (other !== undefined)
    throw invalid(
      `The tag "${name}" is one of several sources: ${found.map(({ source }) => source).join(', ')}. Write ${tag.source}:${name}.`,
    );
  const mark = marks.find((one) => one.source === tag.source && one.mark === tag.commit);
  if (mark === undefined) throw neverHeld(name, tag, { marks, held });
  return { moment: mark.at >= begins ? mark.at : mark.seen, tag: { name, ...tag } };
}

async function tagsOf(source: string, { config, signal }: Resolving): Promise<ReadonlyMap<string, string>> {
  try {
    const opened = await createSourceNamed(source, config);
    return (await opened.source.namedStates?.(signal)) ?? new Map();
  } catch (error) {
    throw toRAGError(error, 'SEARCH_FAILED', `The tags of the source "${source}" cannot be read.`);
  }
}

const unknownTag = (
  name: string,
  { held, all }: { readonly held: readonly string[]; readonly all: readonly string[] },
): RAGError =>
  invalid(
    `"${name}" is no date, and no configured Git source has a tag of that name. ${
      held.length > 0
        ? `Tags whose commit the index held: ${shown(held)}.`
        : `Tags there are: ${shown(all) || 'none'}.`
    }`,
  );

function neverHeld(
  name: string,
  { source, commit }: Tag,
  { marks, held }: { readonly marks: readonly HistoryMark[]; readonly held: readonly string[] },
): RAGError {
  const own = marks.filter((one) => one.source === source);
  const moments = own.map(({ mark, at }) => `${mark.slice(0, 10)} at ${timeOf(at)}`);
  const tags = held.length === 0 ? '' : ` Tags whose commit it held: ${shown(held)}.`;
  return invalid(
    `The tag "${name}" is commit ${commit.slice(0, 10)} of "${source}", and as far as history goes back no run ended with the index at that commit.${tags} Commits that it held: ${shown(moments) || 'none'}. Ask for a date instead.`,
  );
}

const shown = (names: readonly string[]): string => {
  const last = names.slice(-NAMED);
  return (names.length > last.length ? ['...', ...last] : last).join(', ');
};

const timeOf = (moment: number): string => new Date(moment).toISOString();

const invalid = (message: string): RAGError =>
  new RAGError('QUERY_INVALID', message, { details: { key: 'asOf' } });
