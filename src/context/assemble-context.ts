import { type PassageUnit, passageUnits } from '../core/analysis/passage-units.js';
import type { ScoredChunk } from '../core/chunk.js';
import { headingPathOf } from '../core/chunk-metadata.js';
import { RAGError, throwIfAborted } from '../core/errors.js';
import { type Notice, noticesOfKind, toldNotices } from '../core/notice.js';
import { withoutUndefined } from '../core/without-undefined.js';
import { conflictLine, conflictNotice, sourceConflicts } from '../relations/conflicts/source-conflicts.js';
import { compressPassage } from './compress.js';
import {
  type ContextEntry,
  type ContextOptions,
  type ContextOrder,
  type ContextPack,
  type ContextPiece,
  FALLBACK_TEXT,
  type OmittedChunk,
} from './context-pack.js';
import { pageStartsOf, pagesOfPieces } from './entry-pages.js';
import { expandPassages } from './expand.js';
import { flagInstructions, type InstructionFlag } from './instruction-flags.js';
import { neutraliseLine } from './neutralise.js';
import { linesOfPieces, type Passage, revisionOf, sliceOf, textOf } from './passage.js';
import { type Relevance, relevanceTo } from './relevance.js';
import {
  dateOf,
  joinBlocks,
  type RenderedPassage,
  renderBlocks,
  renderBody,
  renderPack,
} from './render-pack.js';
import { omit, selectPassages } from './select-passages.js';
import { type TokenCounter, tokensOf } from './token-counter.js';

/** A question and what was found for it, best first; retrieval has already removed near-duplicates. */
export interface ContextRequest {
  readonly question: string;
  readonly ranked: readonly ScoredChunk[];
}

/** Delimiters, attribution and the empty line between blocks, by estimate; the whole text is counted at the end. */
const BLOCK_OVERHEAD = 48;
/** A passage that grew beyond this share of the budget would take the place of the others. */
const MOST_EXPANDED_SHARE = 0.5;
/** A passage of which less would be left is not worth a block. */
const LEAST_ROOM = 24;

/**
 * Ranked chunks to cited context that never takes more than `budget` tokens. Every sentence of it can be traced to offsets
 * in a stored revision; what was left out, and why, is reported.
 *
 * @throws RAGError `CONFIG_INVALID` for a budget that cannot hold even the fallback text, `ABORTED`.
 */
export async function assembleContext(
  { question, ranked }: ContextRequest,
  options: ContextOptions,
): Promise<ContextPack> {
  throwIfAborted(options.signal);
  const { passages, omitted } = selectPassages(ranked);
  const expanded = await expand(passages, options);
  throwIfAborted(options.signal);
  const { kept, flagged } = screen(expanded, options);
  const fitted = fitBudget(kept, { question, options });
  return packOf(fitted.kept, [...omitted, ...flagged, ...fitted.omitted], options);
}

function expand(passages: readonly Passage[], options: ContextOptions): Promise<readonly Passage[]> {
  const { loadChunks, neighbours = 0, sectionHits = 2, hierarchical = false, signal } = options;
  const { budget, counter } = options;
  if (loadChunks === undefined) return Promise.resolve(passages);
  return expandPassages(passages, {
    neighbours,
    sectionHits,
    hierarchical,
    load: loadChunks,
    fits: (pieces) =>
      tokensOf(counter, pieces.map(({ text }) => text).join('\n')) <= budget * MOST_EXPANDED_SHARE,
    ...withoutUndefined({ signal }),
  });
}

interface Screened {
  readonly passage: Passage;
  readonly flags: readonly InstructionFlag[];
}

function screen(
  passages: readonly Passage[],
  { flagged = 'keep' }: ContextOptions,
): { kept: Screened[]; flagged: OmittedChunk[] } {
  const screened = passages.map((passage) => ({ passage, flags: flagsOf(passage) }));
  if (flagged === 'keep') return { kept: screened, flagged: [] };
  return {
    kept: screened.filter(({ flags }) => flags.length === 0),
    flagged: screened
      .filter(({ flags }) => flags.length > 0)
      .flatMap(({ passage, flags }) =>
        passage.chunks.map((chunk) =>
          omit(chunk, 'flagged', `reads like an instruction to a language model (${reasonsOf(flags)})`),
        ),
      ),
  };
}

/** `0.93: override, reply`: how sure and why, of the surest flag. */
function reasonsOf(flags: readonly InstructionFlag[]): string {
  const [surest] = flags.toSorted((a, b) => b.score - a.score);
  return surest === undefined ? '' : `${surest.score.toFixed(2)}: ${surest.signals.join(', ')}`;
}

/** In the text, in its title and in its headings: all of them reach the model. */
function flagsOf({ pieces, chunks: [first] }: Passage): InstructionFlag[] {
  const names = first === undefined ? [] : [textOf(first.metadata.title) ?? '', ...headingPathOf(first)];
  const inNames = names
    .flatMap((text) => flagInstructions(text))
    .map((flag) => ({ ...flag, start: 0, end: 0 }));
  return [...inNames, ...pieces.flatMap(({ text, start }) => flagInstructions(text, start))];
}

interface FitInput {
  readonly question: string;
  readonly options: ContextOptions;
}

interface Fitted {
  readonly kept: readonly RenderedPassage[];
  readonly omitted: readonly OmittedChunk[];
}

/** Best first: a passage is taken whole, else its most telling sentences, else not at all. */
function fitBudget(passages: readonly Screened[], { question, options }: FitInput): Fitted {
  const { budget, counter, compress = true } = options;
  const all = passages.map(({ passage }) => unitsOf(passage));
  const relevance = relevanceTo(
    question,
    all.flatMap((pieces) => pieces.flatMap(unitTexts)),
  );
  const kept: RenderedPassage[] = [];
  const omitted: OmittedChunk[] = [];
  let used = 0;
  passages.forEach((screened, index) => {
    const room = budget - used;
    const whole = { ...screened, body: renderBody(screened.passage) };
    const needed = tokensOf(counter, whole.body) + BLOCK_OVERHEAD;
    const shortened = (share: number) => {
      const own = Math.floor((room - BLOCK_OVERHEAD) * share);
      const short = compressed(screened, { units: all[index] ?? [], relevance, room: own, counter });
      return short !== undefined && tokensOf(counter, short.body) + BLOCK_OVERHEAD <= room
        ? short
        : undefined;
    };
    const fitting = needed <= room || !compress ? whole : firstOf(ROOM_SHARES, shortened);
    const cost = fitting === undefined ? Infinity : tokensOf(counter, fitting.body) + BLOCK_OVERHEAD;
    if (fitting === undefined || cost > room) {
      omitted.push(
        ...screened.passage.chunks.map((chunk) =>
          omit(chunk, 'budget', `needs ${needed} tokens, ${Math.max(0, room)} were left`),
        ),
      );
      return;
    }
    used += cost;
    kept.push(fitting);
  });
  return exactly({ kept, omitted }, options);
}

/** Parts count for more together than one by one, so what was chosen for all of the room may not fit. */
const ROOM_SHARES = [1, 0.85, 0.7, 0.5];

function firstOf<T, Result>(
  values: readonly T[],
  find: (value: T) => Result | undefined,
): Result | undefined {
  for (const value of values) {
    const result = find(value);
    if (result !== undefined) return result;
  }
  return undefined;
}

/** The estimates above may be a little off: the text itself is counted, and gives way until it fits. */
function exactly({ kept, omitted }: Fitted, { budget, counter, order }: ContextOptions): Fitted {
  const staying = [...kept];
  const dropped = [...omitted];
  while (staying.length > 0 && tokensOf(counter, renderPack(inOrder(staying, order))) > budget) {
    const last = staying.pop();
    dropped.push(
      ...(last?.passage.chunks ?? []).map((chunk) => omit(chunk, 'budget', 'did not fit with the others')),
    );
  }
  return { kept: staying, omitted: dropped };
}

interface PieceUnits {
  readonly piece: ContextPiece;
  readonly units: readonly PassageUnit[];
}

const unitsOf = ({ pieces, chunks: [first] }: Passage): PieceUnits[] =>
  pieces.map((piece) => ({
    piece,
    units: passageUnits(piece.text, first?.metadata),
  }));

const unitTexts = ({ piece, units }: PieceUnits): string[] =>
  units.map(({ start, end }) => piece.text.slice(start, end));

interface CompressInput {
  readonly units: readonly PieceUnits[];
  readonly relevance: Relevance;
  readonly room: number;
  readonly counter: TokenCounter;
}

function compressed(
  { passage, flags }: Screened,
  { units, relevance, room, counter }: CompressInput,
): RenderedPassage | undefined {
  const named = tokensOf(counter, renderBody({ ...passage, pieces: [] }));
  let left = room - named;
  if (left < LEAST_ROOM) return undefined;
  const pieces = units.flatMap(({ piece, units: own }) => {
    const ranges = compressPassage(piece.text, own, {
      relevance,
      room: left,
      tokensOf: (part) => tokensOf(counter, part),
    });
    const parts = ranges.map((range) => sliceOf(piece, range));
    for (const part of parts) left -= tokensOf(counter, part.text);
    return parts;
  });
  if (pieces.length === 0) return undefined;
  const shorter: Passage = { ...passage, pieces, isCompressed: true };
  const shown = flags.filter(
    ({ start, end }) => start === end || pieces.some((piece) => start < piece.end && end > piece.start),
  );
  return { passage: shorter, flags: shown, body: renderBody(shorter) };
}

function inOrder(rendered: readonly RenderedPassage[], order: ContextOrder = 'relevance'): RenderedPassage[] {
  if (order === 'edges') {
    const front = rendered.filter((_, index) => index % 2 === 0);
    const back = rendered.filter((_, index) => index % 2 === 1);
    return [...front, ...back.reverse()];
  }
  if (order === 'relevance') return [...rendered];
  const documents = [...new Set(rendered.map(({ passage }) => passage.chunks[0]?.documentId))];
  return [...rendered].sort(
    (a, b) =>
      documents.indexOf(a.passage.chunks[0]?.documentId) -
        documents.indexOf(b.passage.chunks[0]?.documentId) ||
      (a.passage.pieces[0]?.start ?? 0) - (b.passage.pieces[0]?.start ?? 0),
  );
}

function packOf(
  kept: readonly RenderedPassage[],
  omitted: readonly OmittedChunk[],
  options: ContextOptions,
): ContextPack {
  const { budget, counter, order, fallbackText = FALLBACK_TEXT } = options;
  const ordered = inOrder(kept, order);
  const isFallback = ordered.length === 0;
  const blocks = renderBlocks(ordered);
  const bare = isFallback ? fallbackText : joinBlocks(blocks);
  if (tokensOf(counter, bare) > budget || bare.trim() === '') throw tooSmall(budget, tokensOf(counter, bare));
  const entries = ordered.map((rendered, index) => ({
    ...entryOf(rendered, index + 1, counter),
    block: blocks[index] ?? '',
  }));
  const conflicts = options.conflicts === true ? sourceConflicts(entries) : [];
  const text = withLines(bare, conflicts.map(conflictLine), (longer) => tokensOf(counter, longer) <= budget);
  const used = tokensOf(counter, text);
  return {
    text,
    entries,
    omitted,
    tokens: { used, budget, counter: counter.id, margin: counter.margin },
    ...(conflicts.length === 0 ? {} : { conflicts }),
    isFallback,
    ...toldNotices([
      ...noticesOf(entries, omitted),
      ...noticesOfKind(
        'sources-conflict',
        conflicts.map((conflict) => conflictNotice(conflict, neutraliseLine)),
      ),
    ]),
  };
}

/** With as many of the lines behind it as fit. */
function withLines(text: string, lines: readonly string[], fits: (text: string) => boolean): string {
  return lines.reduce((shown, line, at) => {
    const longer = `${shown}${at === 0 ? '\n\n' : '\n'}${line}`;
    return fits(longer) ? longer : shown;
  }, text);
}

const tooSmall = (budget: number, needed: number): RAGError =>
  new RAGError(
    'CONFIG_INVALID',
    `A context of ${budget} tokens cannot hold even the sentence that nothing was found (${needed} tokens). Raise the budget.`,
    { details: { budget, needed } },
  );

function entryOf(
  { passage, flags, body }: RenderedPassage,
  n: number,
  counter: TokenCounter,
): Omit<ContextEntry, 'block'> {
  const { chunks, pieces, kind, score, isCompressed, isExpanded } = passage;
  const [first] = chunks;
  if (first === undefined) throw new RAGError('INTERNAL', 'A passage without chunks was assembled.');
  const { metadata } = first;
  const title = textOf(metadata.title);
  const url = textOf(metadata.url);
  const date = dateOf(metadata);
  const pageStarts = pageStartsOf(chunks);
  const pages = pagesOfPieces(pageStarts, pieces);
  return {
    n,
    kind,
    chunkIds: chunks.map(({ id }) => id),
    documentId: first.documentId,
    revision: revisionOf(first),
    source: textOf(metadata.source) ?? first.documentId,
    sourceType: textOf(metadata.sourceType) ?? '',
    ...withoutUndefined({ title, url, date }),
    headingPath: headingPathOf(first),
    lines: linesOfPieces(pieces),
    ...(pages === undefined ? {} : { pages, pageStarts }),
    pieces,
    score,
    tokens: tokensOf(counter, renderPack([{ passage, flags, body }])),
    flags,
    isCompressed,
    isExpanded,
    metadata,
  };
}

function noticesOf(entries: readonly ContextEntry[], omitted: readonly OmittedChunk[]): Notice[] {
  const flagged = entries.filter(({ flags }) => flags.length > 0);
  const short = entries.filter(({ isCompressed, kind }) => isCompressed && kind === 'passage').length;
  const left = omitted.filter(({ reason }) => reason === 'budget').length;
  const cut = [
    ...(short > 0
      ? [`Sentences were dropped from ${short} of ${entries.length} passages to fit the budget.`]
      : []),
    ...(left > 0 ? [`${left === 1 ? '1 passage' : `${left} passages`} found no room in the budget.`] : []),
  ];
  return [
    ...flagged.map(({ n, source, flags }) => ({
      kind: 'passage-instructs' as const,
      text: `Passage [${n}] (${source}) holds text that reads like an instruction to a language model (${reasonsOf(flags)}); it was treated as data.`,
    })),
    ...noticesOfKind('context-cut', cut),
  ];
}
