import type { StoredChunk } from '../../core/chunk.js';
import { linesOf } from '../../core/chunk-metadata.js';
import type { LineRange } from '../../core/document.js';
import { RAGError } from '../../core/errors.js';
import { and, EVERYTHING, eq, type Filter } from '../../core/filter.js';
import { type FindPath, pathsOf } from '../../indexing/document-paths.js';
import type { SearchQuery } from '../../operations/engine.js';
import type { MissExplanation } from '../../operations/miss-explanation.js';
import { nothingIndexed } from '../../resources/open-collection.js';
import { correctWords } from '../../searching/correct-words.js';
import { searchFilter } from '../../searching/search-filter.js';
import { scopeCollection } from '../../stores/scoped-collection.js';
import { findInLedger, findNearName, type LedgerFinding } from './find-document.js';
import { Journey } from './journey.js';
import { lostInLanes, lostInRanking } from './losses.js';
import {
  type AskedSearch,
  chunksOfDocument,
  type FollowedSearch,
  followSearch,
  isPartOf,
  type Wanted,
} from './ranking.js';
import { absentWords, readTexts } from './reading.js';

/**
 * Says which stage lost a document that a query should have found, and which setting would bring it into the results; a
 * setting that can be tried is tried. It tells of documents that the scope may not read, as long as they are of its tenant
 * and project: it is for maintainers of the index.
 *
 * @param name of a document, with the lines of a passage (`docs/audit.md:12-18`) where that is what was missed
 * @throws RAGError `INDEX_EMPTY`; `USAGE` where the name means several documents; what a search throws.
 */
export async function explainMiss(asked: AskedSearch, name: string): Promise<MissExplanation> {
  const findPath = pathsOf('documents', asked.resources.config);
  const { correction, corrected } = await withRightWords(asked);
  const explanation = {
    ...(await explain(corrected, name, findPath)),
    query: asked.query.text,
    ...correction,
  };
  const { document } = explanation;
  const path = document === undefined ? undefined : findPath(document.source, document.externalId);
  return document === undefined || path === undefined
    ? explanation
    : { ...explanation, document: { ...document, path } };
}

/** The search as it is made: every step below looks for the words that were meant. */
async function withRightWords(
  asked: AskedSearch,
): Promise<{ readonly corrected: AskedSearch; readonly correction?: Pick<MissExplanation, 'correction'> }> {
  const { query, scope, resources } = asked;
  if (query.options?.exactWords === true || (await resources.ledger.live()) === undefined)
    return { corrected: asked };
  const { correction } = await correctWords(query.text, { scope, resources, signal: query.signal });
  if (correction === undefined) return { corrected: asked };
  const options = { ...query.options, exactWords: true };
  return {
    corrected: { ...asked, query: { ...query, text: correction.searchedFor, options } },
    correction: { correction },
  };
}

async function explain(asked: AskedSearch, name: string, findPath: FindPath): Promise<MissExplanation> {
  const { query, scope, resources } = asked;
  const live = await resources.ledger.live();
  if (live === undefined) throw nothingIndexed(resources.config);
  if (!resources.config.rag.enabled)
    throw new RAGError(
      'USAGE',
      'Retrieval is switched off by `rag.enabled: false`, so nothing is found at all.',
    );
  const { finding, lines } = await findNamed(name, (whole) =>
    findInLedger(live.reader, whole, { scope, findPath }),
  );
  if (finding.kind !== 'known') {
    const meant = finding.kind === 'unknown' ? await findNearName(live.reader, name, scope) : undefined;
    return notInIndex(query.text, name, { finding, meant });
  }
  const journey = new Journey(query.text, finding.document);
  const { documentId } = finding.document;
  const whole = await chunksOfDocument(resources, documentId);
  checkLedger(journey, finding, whole);
  const wanted = { documentId, lines };
  const chunks = whole.filter((chunk) => isPartOf(wanted, chunk));
  if (chunks.length === 0 && lines !== undefined) losePassage(journey, lines, whole);
  await checkVisibility(journey, asked, chunks);
  if (journey.isLost) return journey.end();
  return followDocument(journey, asked, { wanted, chunks });
}

/** `docs/audit.md:12-18`, as screens and citations name passages. */
const PASSAGE = /^(.+):(\d+)(?:-(\d+))?$/s;

/** A document may have such a name itself. */
async function findNamed(
  name: string,
  find: (name: string) => Promise<LedgerFinding>,
): Promise<{ readonly finding: LedgerFinding; readonly lines?: LineRange }> {
  const finding = await find(name);
  const [, document, first, last = first] = PASSAGE.exec(name) ?? [];
  if (finding.kind !== 'unknown' || document === undefined) return { finding };
  const [start = 0, end = 0] = [Number(first), Number(last)].sort((a, b) => a - b);
  return { finding: await find(document), lines: { start, end } };
}

function losePassage(journey: Journey, { start, end }: LineRange, chunks: readonly StoredChunk[]): void {
  const last = Math.max(0, ...chunks.map((chunk) => linesOf(chunk)?.end ?? 0));
  journey.lose({
    stage: 'not-indexed',
    reason: `The document has no passage at lines ${start} to ${end}; its last ends at line ${last}.`,
    remedies: [{ setting: 'ragstone index', detail: 'Where its file has them, the next run reads them.' }],
  });
}

function notInIndex(
  query: string,
  name: string,
  {
    finding,
    meant,
  }: { readonly finding: Exclude<LedgerFinding, { kind: 'known' }>; readonly meant: string | undefined },
): MissExplanation {
  const journey = new Journey(query);
  if (finding.kind === 'failed')
    journey.lose({
      stage: 'failed',
      reason: `"${finding.itemId}" could not be indexed (${finding.failure.reason}): ${finding.failure.message}`,
      remedies: [
        { setting: 'ragstone index', detail: 'Once the cause is mended, the next run reads it again.' },
      ],
    });
  else if (meant !== undefined)
    journey.lose({
      stage: 'not-indexed',
      reason: `The index holds no document "${name}". Did you mean "${meant}"?`,
      remedies: [{ setting: meant, detail: 'A document of nearly this name: ask about it.' }],
    });
  else
    journey.lose({
      stage: 'not-indexed',
      reason: `The index holds no document "${name}".`,
      remedies: [
        {
          setting: `ragstone index ${name}`,
          detail:
            'Where the source should hold it, look at its paths, its excludes, .gitignore and hidden folders; `ragstone index --dry-run` says what would be read.',
        },
      ],
    });
  return journey.end();
}

function checkLedger(
  journey: Journey,
  { document, failure }: Extract<LedgerFinding, { kind: 'known' }>,
  chunks: readonly StoredChunk[],
): void {
  const again = { setting: 'ragstone index', detail: 'The next run completes it.' };
  if (chunks.length === 0) {
    const isDrift = document.chunkCount > 0;
    journey.lose({
      stage: 'not-indexed',
      reason: isDrift
        ? `The ledger knows ${document.chunkCount} chunks of it and the store holds none.`
        : 'The document holds no text.',
      remedies: isDrift
        ? [{ setting: 'ragstone verify --repair', detail: 'It writes what is missing.' }]
        : [],
    });
    return;
  }
  journey.pass(
    'not-indexed',
    chunks.length === 1 ? 'One chunk is in the store.' : `${chunks.length} chunks are in the store.`,
  );
  if (failure !== undefined) {
    journey.note(
      'failed',
      `Its latest revision could not be indexed (${failure.reason}); an older one is searched.`,
    );
    journey.suspect({
      stage: 'failed',
      reason: `Its latest revision could not be indexed, so an older one is searched: ${failure.message}`,
      remedies: [again],
    });
  }
  if (document.status === 'outdated' || document.status === 'pending') {
    journey.note('outdated', `The document is ${document.status}: what is searched is not its present text.`);
    journey.suspect({
      stage: 'outdated',
      reason: `The document is ${document.status}: it was indexed by other settings or an older revision, or a run did not finish.`,
      remedies: [again],
    });
  }
}

async function checkVisibility(
  journey: Journey,
  { query, scope, resources }: AskedSearch,
  chunks: readonly StoredChunk[],
): Promise<void> {
  const [first] = chunks;
  if (journey.isLost || first === undefined) return;
  const { collection: whole, sealing } = await resources.stores.collection();
  const collection = scopeCollection(whole, scope, sealing);
  const admits = (filter: Filter) => collection.count(and(eq('$documentId', first.documentId), filter));
  if ((await admits(EVERYTHING)) === 0) {
    const { groups, level } = first.access;
    journey.lose({
      stage: 'scope',
      reason: `The scope may not read it: it is for the groups ${groups.join(', ') || '(none)'} from clearance ${level}, and who asks has the groups ${scope.groups.join(', ') || '(none)'} and clearance ${scope.clearance}.`,
      remedies: [
        {
          setting: 'scope',
          detail: 'Ask with a scope that may read it, or change the access of its source.',
        },
      ],
    });
    return;
  }
  journey.pass('scope', 'The scope may read it.');
  if ((await admits(searchFilter(query))) > 0) {
    journey.pass('filter', 'The filters admit it.');
    return;
  }
  const refused: string[] = [];
  for (const [part, filter] of filterParts(query)) if ((await admits(filter)) === 0) refused.push(part);
  const names = refused.length > 0 ? refused.join(', ') : 'the filters together';
  journey.lose({
    stage: 'filter',
    reason: `A filter leaves it out: ${names}.`,
    remedies: [{ setting: names, detail: 'Leave it out, or give it a value that the document has.' }],
  });
}

/** The parts of a query's filters that can be left out one by one. */
function filterParts({ filters = {}, filter }: SearchQuery): (readonly [string, Filter])[] {
  const { metadata = {}, ...rest } = filters;
  return [
    ...Object.entries(rest).map(
      ([key, value]) => [key, searchFilter({ filters: { [key]: value } })] as const,
    ),
    ...Object.entries(metadata).map(
      ([key, value]) =>
        [`metadata.${key}`, searchFilter({ filters: { metadata: { [key]: value } } })] as const,
    ),
    ...(filter === undefined ? [] : [['filter', filter] as const]),
  ];
}

async function followDocument(
  journey: Journey,
  asked: AskedSearch,
  { wanted, chunks }: { readonly wanted: Wanted; readonly chunks: readonly StoredChunk[] },
): Promise<MissExplanation> {
  const followed = await followSearch(asked, wanted);
  const chunk = followed.furthest ?? chunks[0];
  if (chunk !== undefined) journey.reached(chunk);
  if (followed.rank !== undefined) return journey.arrive(followed.rank);
  await readTexts(journey, asked, chunks);
  noteLanes(journey, followed);
  const place = { asked, wanted, followed };
  const loss =
    followed.rankIn('fusion') === undefined
      ? await lostInLanes(journey, place)
      : await lostInRanking(journey, place);
  const absent = await absentWords(asked);
  journey.lose(absent === undefined ? loss : { ...loss, remedies: [absent, ...loss.remedies] });
  return journey.end();
}

function noteLanes(journey: Journey, { lanes, rankIn, lengthOf }: FollowedSearch): void {
  for (const [stage, lane] of [
    ['lexical', 'lexical'],
    ['vector', 'dense'],
  ] as const) {
    const report = lanes.find((entry) => entry.lane === lane);
    const rank = rankIn(lane);
    if (report === undefined || report.status === 'off' || report.status === 'failed')
      journey.off(stage, report?.reason ?? 'The lane did not run.');
    else if (rank === undefined)
      journey.note(stage, `Not among the ${lengthOf(lane)} candidates of the lane.`);
    else journey.pass(stage, `Rank ${rank} of ${lengthOf(lane)} candidates.`);
  }
}
