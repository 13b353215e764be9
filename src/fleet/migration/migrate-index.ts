import { RAGError } from '../../core/errors.js';
import { runtime } from '../../core/runtime.js';
import { LOCAL_SCOPE, type Scope, type ScopeInput, scopeOf } from '../../core/scope.js';
import { FillPace, type FillProgress } from '../../features/upgrading/fill-pace.js';
import { findOutOfStep } from '../../features/upgrading/out-of-step.js';
import type { Generation, Ledger } from '../../ledger/ledger.js';
import { nothingIndexed } from '../../resources/open-collection.js';
import { checkCopy } from './check-copy.js';
import { compareResults, questionsToAsk } from './compare-results.js';
import type { CopyReport } from './copy-documents.js';
import { alignPair, assertPair, copyUntilInStep, switchOver, waitForStore } from './keep-in-step.js';
import type { Migration } from './migration.js';
import { alone, aloneInBoth, endOf, type OpenEnd, type OpenEnds, withEnds } from './migration-ends.js';
import type { MigrateRequest, MigrationProgress, MigrationResult } from './migration-types.js';
import { alreadyNotice, inexactNotice, keptNotice, noQuestionsNotice, wayBack } from './migration-words.js';
import { assertPlaces, assertSameModel, begunBefore, isCopyOf, openPair } from './prepare-copy.js';

/** Share of results that both must have in common, where nobody says: two stores rank words, and find near vectors, a little differently. */
const MIN_OVERLAP = 0.8;

/**
 * Copies an index into another store, with its vectors: nothing is read from sources or embedded. What was copied is checked, both are asked the
 * same questions, and then the copy becomes live at once. Searches and runs go on with the old index until then, and it stays as it was.
 * A migration that was stopped or killed goes on where it is called again.
 *
 * @throws RAGError `INDEX_EMPTY`; `STORE_FINGERPRINT_MISMATCH` where the models differ; `USAGE` where both are one place, or the new one holds
 * an index; `MIGRATION_FAILED` where the copy is not whole; `INDEX_LOCKED` where another process is at it
 */
export async function migrateIndex(
  request: MigrateRequest,
  stated: ScopeInput = LOCAL_SCOPE,
): Promise<MigrationResult> {
  const started = runtime().elapsed();
  const scope = scopeOf(stated);
  const { from, to, cwd } = request;
  const minOverlap = request.minOverlap ?? MIN_OVERLAP;
  if (!(minOverlap >= 0 && minOverlap <= 1))
    throw new RAGError('USAGE', 'The least overlap of results (`minOverlap`) is a number from 0 to 1.');
  const done = await withEnds({ from, to, cwd }, (ends) =>
    migrateBetween({ ...request, minOverlap }, scope, ends),
  );
  return { ...done, tookMs: Math.round(runtime().elapsed() - started) };
}

type Migrated = Omit<MigrationResult, 'tookMs'>;

async function migrateBetween(
  request: Migration['request'],
  scope: Scope,
  ends: OpenEnds,
): Promise<Migrated> {
  const { from, to } = ends;
  const live = await from.resources.ledger.live();
  if (live === undefined) throw nothingIndexed(from.resources.config);
  const { store, notices } = await to.resources.stores.configured({ rebuild: true });
  await assertSameModel(live.facts, ends);
  const there = await to.resources.ledger.live();
  const base = {
    from: endOf(from, live.facts.provider, live.facts.generation),
    to: endOf(to, store.name, undefined),
    embedder: live.facts.embedder,
    ...{ copied: 0, copyMs: 0, notices },
  };
  const ofHistory = await historyNotice(ends, live.ledger);
  const told = { ...base, notices: ofHistory === undefined ? notices : [...notices, ofHistory] };
  if (there !== undefined && (await isCopyOf(there.facts, live.facts, { store, ends }))) {
    const { changed, gone, documents, chunks } = await findOutOfStep(
      live.reader,
      there.reader,
      request.signal,
    );
    const differences = changed.length + gone.length;
    if (differences === 0 || request.replace !== true) {
      const generation = there.facts.generation;
      return {
        ...base,
        outcome: 'already',
        to: { ...base.to, generation },
        ...{ documents, chunks: chunks.total },
        notices: [...notices, alreadyNotice(differences, base)],
      };
    }
  }
  await assertPlaces(ends, { store, there, replace: request.replace === true });
  const reading = await to.resources.ledger.dry();
  if (request.dryRun === true) {
    const begun = await begunBefore(live.facts, store, reading);
    const found = await findOutOfStep(live.reader, reading.reader(begun?.generation ?? 0), request.signal);
    const chunks = found.chunks.total - found.chunks.inStep;
    return { ...told, outcome: 'dry-run', documents: found.changed.length, chunks };
  }
  const { signal } = request;
  // One process migrates an index, or makes vectors for it, at a time.
  return aloneInBoth(ends, { subject: 'upgrading', signal }, async (_, held) => {
    const migration = { request, scope, ends, store, signal: held, liveBefore: there?.facts };
    return { ...told, ...(await copyAndSwitch(live.facts, migration, told)) };
  });
}

const keepsHistory = ({ resources }: OpenEnd): boolean => resources.config.rag.history.keep !== undefined;

/**
 * What becomes of the history of the index that is copied, in words; undefined where none is kept. In one ledger it goes on; between two it
 * stays behind, for its times are those of the ledger that wrote it.
 *
 * @throws RAGError `USAGE` where one ledger keeps it and the configuration of the copy does not: whatever that wrote would end it
 */
async function historyNotice(
  { from, to, isOneLedger }: OpenEnds,
  { history }: Pick<Ledger, 'history'>,
): Promise<string | undefined> {
  const begins = await history?.begins();
  if (begins === undefined) return undefined;
  const since = new Date(begins).toISOString();
  if (!isOneLedger)
    return `The history of the index (since ${since}) is not copied: ${
      keepsHistory(to)
        ? 'that of the copy begins with the copy'
        : 'the configuration of the copy keeps none (rag.history.keep)'
    }. Earlier moments (asOf) can be asked of the old index, as long as it is there.`;
  if (!keepsHistory(to))
    throw new RAGError(
      'USAGE',
      `The index keeps its history since ${since}, and the configuration of the copy keeps none, so that what it writes would end it. Set rag.history.keep there too${keepsHistory(from) ? ', or take it out of both and run `ragstone index`, which deletes the history' : ''}.`,
      { details: { key: 'rag.history.keep' } },
    );
  return undefined;
}

async function copyAndSwitch(
  live: Generation,
  migration: Migration,
  base: Pick<Migrated, 'from' | 'to' | 'notices'>,
): Promise<
  Pick<
    Migrated,
    | 'outcome'
    | 'to'
    | 'documents'
    | 'chunks'
    | 'copied'
    | 'copyMs'
    | 'check'
    | 'comparison'
    | 'wayBack'
    | 'notices'
  >
> {
  const { request, ends, scope, signal } = migration;
  const { from, to } = ends;
  const tell = (stage: MigrationProgress['stage']) => (progress: FillProgress) =>
    request.onProgress?.({ stage, ...progress });
  const copied = await from.resources.stores.collection();
  // A wrong file is found out before hours of work.
  const asked = await questionsToAsk(request.questions, {
    ...{ reader: copied.reader, scope },
    cwd: request.cwd ?? process.cwd(),
  });
  const pair = await openPair(live, copied, migration);
  const started = runtime().elapsed();
  const copying = { pair, migration, pace: new FillPace(tell('copying')) };
  const first = await copyUntilInStep(copying);
  const copyMs = Math.round(runtime().elapsed() - started);
  const facts = await alone(to, { subject: 'items', signal }, async (ledger) => {
    await assertPair(pair, ledger, migration);
    await alignPair(pair, ledger, migration);
    await pair.to.collection.optimize(signal);
    await to.resources.models.learnFrom({ ledger, ...pair.to }, { signal });
    return (await ledger.generations()).find(({ collection }) => collection === pair.to.facts.collection);
  });
  const reading = await to.resources.ledger.dry();
  const reader = reading.reader(pair.to.facts.generation);
  await waitForStore(migration);
  const checking = new FillPace(tell('checking'));
  const total = first.found.chunks.total;
  checking.begin({ total, inStep: 0 });
  const check = await checkCopy(pair, reader, { total, signal, onChecked: (chunks) => checking.add(chunks) });
  const comparing = new FillPace(tell('comparing'));
  comparing.begin({ total: asked.questions.length, inStep: 0 });
  const comparison = await compareResults(
    asked,
    {
      from: {
        resources: from.resources,
        ledger: copied.ledger,
        facts: live,
        collection: copied.collection,
      },
      to: {
        resources: to.resources,
        ledger: reading,
        facts: facts ?? pair.to.facts,
        collection: pair.to.collection,
      },
    },
    { scope, signal, onAsked: (count) => comparing.add(count) },
  );
  const { generation } = pair.to.facts;
  const counted = {
    to: { ...base.to, generation },
    documents: first.found.documents,
    chunks: total,
    ...{ copyMs, check },
    ...(comparison === undefined ? {} : { comparison }),
  };
  const notices = [...base.notices, ...(comparison === undefined ? [noQuestionsNotice()] : [])];
  const maySwitch = comparison === undefined || comparison.overlap >= request.minOverlap;
  if (request.switch === false || !maySwitch) {
    const why = request.switch === false ? undefined : comparison;
    notices.push(...inexactNotices(first), keptNotice(base.from, request.minOverlap, why));
    return { ...counted, outcome: 'kept', copied: first.copied, notices };
  }
  const rest = await copyUntilInStep(copying);
  tell('switching')({ done: 0, total: 1, perSecond: 0 });
  const last = await switchOver(copying);
  const sum = (of: 'copied' | 'inexact'): number => first[of] + rest[of] + last[of];
  notices.push(...last.problems, ...inexactNotices({ inexact: sum('inexact') }));
  return {
    ...counted,
    outcome: 'switched',
    copied: sum('copied'),
    wayBack: wayBack({ from: base.from, to: counted.to }, ends.isOneLedger),
    notices,
  };
}

const inexactNotices = ({ inexact }: Pick<CopyReport, 'inexact'>): string[] =>
  inexact === 0 ? [] : [inexactNotice(inexact)];
