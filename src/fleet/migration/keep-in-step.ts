import { RAGError, throwIfAborted } from '../../core/errors.js';
import { EVERYTHING } from '../../core/filter.js';
import { isoNow, runtime, sleep } from '../../core/runtime.js';
import { copyForgotten } from '../../features/forgetting/copy-forgotten.js';
import { Receipts } from '../../features/forgetting/receipts.js';
import { alignTenants } from '../../features/upgrading/align-items.js';
import type { FillPace } from '../../features/upgrading/fill-pace.js';
import { findOutOfStep, type OutOfStep } from '../../features/upgrading/out-of-step.js';
import { isPushSource } from '../../indexing/folder-names.js';
import { tenantsOf } from '../../indexing/list-generations.js';
import type { Ledger } from '../../ledger/ledger.js';
import { dropRetired } from '../../resources/open-collection.js';
import {
  assertUnchanged,
  type CopyPair,
  type CopyReport,
  copyDocuments,
  type InTurn,
} from './copy-documents.js';
import type { Migration } from './migration.js';
import { alone, aloneInBoth, type OpenEnd } from './migration-ends.js';
import { storesOf } from './prepare-copy.js';

/** Documents that may be out of step when writers are asked to wait for the switch: about as many as a moment copies. */
const FEW_DOCUMENTS = 50;
/** Passes before writers are asked to wait all the same: they may change more than a pass makes up for. */
const MOST_PASSES = 20;
/** Generations that are kept to go back to. */
const KEPT_GENERATIONS = 1;

/** A copy that is being made. */
export interface Copying {
  readonly pair: CopyPair;
  readonly migration: Migration;
  readonly pace: FillPace;
}

type Copied = Omit<CopyReport, 'left'> & { readonly found: OutOfStep };

/** Copies until next to nothing is out of step. */
export async function copyUntilInStep({ pair, migration, pace }: Copying): Promise<Copied> {
  const { ends, signal } = migration;
  const inTurn: InTurn = (work) =>
    alone(ends.to, { subject: 'items', signal }, async (ledger) => {
      await assertPair(pair, ledger, migration);
      return work(ledger);
    });
  let copied = 0;
  let inexact = 0;
  for (let pass = 1; ; pass += 1) {
    const before = await revisionOf(ends.from);
    const found = await outOfStep(pair, migration);
    pace.begin(found.chunks);
    const report = await copyDocuments(found, pair, {
      inTurn,
      signal,
      onCopied: (chunks) => pace.add(chunks),
    });
    copied += report.copied;
    inexact += report.inexact;
    const isNearlyDone = found.changed.length + found.gone.length <= FEW_DOCUMENTS;
    // To look once more takes long, and without writes meanwhile there is nothing to see. The switch looks in any case.
    const isDone = report.left === 0 && before !== undefined && before === (await revisionOf(ends.from));
    if (isNearlyDone || isDone || pass >= MOST_PASSES) return { copied, inexact, found };
  }
}

/** Another text once a writer has changed the index; undefined where that cannot be told. One ledger of both changes with each copied group. */
const revisionOf = async ({ resources }: OpenEnd): Promise<string | undefined> =>
  (await resources.ledger.dry()).revision?.();

async function outOfStep(pair: CopyPair, { ends, signal }: Migration): Promise<OutOfStep> {
  const ledger = await ends.to.resources.ledger.dry();
  return findOutOfStep(pair.from.reader, ledger.reader(pair.to.facts.generation), signal);
}

export async function assertPair(
  pair: CopyPair,
  ledger: Ledger,
  { ends, liveBefore }: Migration,
): Promise<void> {
  const live = (await ends.from.resources.ledger.live())?.facts;
  assertUnchanged(pair, {
    live,
    liveBefore: liveBefore?.collection,
    generations: await ledger.generations(),
  });
}

export async function alignPair(
  pair: CopyPair,
  ledger: Ledger,
  { ends }: Migration,
): Promise<readonly string[]> {
  const from = await ends.from.resources.ledger.dry();
  const tenants = [...new Set([...(await tenantsOf(from)), ...(await tenantsOf(ledger))])];
  const writer = ledger.writer(pair.to.facts.generation, runtime().uniqueName());
  await alignTenants(tenants, pair.from.reader, writer);
  return tenants;
}

/** While neither index is written: the rest is copied, and searches read the copy, from one transaction on. */
export async function switchOver({
  pair,
  migration,
  pace,
}: Copying): Promise<CopyReport & { readonly problems: readonly string[] }> {
  const { ends, signal: outer } = migration;
  const { from, to } = ends;
  return aloneInBoth(ends, { subject: 'whole', signal: outer }, async (ledger, signal) => {
    await assertPair(pair, ledger, migration);
    const report = await copyDocuments(await outOfStep(pair, migration), pair, {
      inTurn: (work) => work(ledger),
      onCopied: (chunks) => pace.add(chunks),
      signal,
    });
    await assertWhole(pair, await outOfStep(pair, migration), migration);
    const tenants = await alignPair(pair, ledger, migration);
    if (!ends.isOneLedger)
      await copyLedgerState(
        tenants,
        { ledger: await from.resources.ledger.dry(), dataDir: from.resources.config.dataDir },
        { ledger, dataDir: to.resources.config.dataDir },
      );
    await to.resources.models.learnFrom({ ledger, ...pair.to }, { signal });
    throwIfAborted(signal);
    await makeLive(pair, ledger, migration);
    const problems = await dropRetired(ledger, storesOf(pair.from.facts, ends), KEPT_GENERATIONS);
    return { ...report, problems };
  });
}

/** In the place of what was live when the migration began, and of nothing else: a holder that lost the lock meanwhile undoes no younger switch. */
async function makeLive({ to }: CopyPair, ledger: Ledger, { liveBefore }: Migration): Promise<void> {
  const { generation } = to.facts;
  const at = isoNow();
  if (liveBefore !== undefined) return ledger.switchTo(generation, at, liveBefore.generation);
  if (await ledger.makeFirst(generation, at)) return;
  throw new RAGError(
    'INDEX_LEASE_LOST',
    `Generation ${generation} was to be the first of its ledger, and another process has put another one in use since. Searches go on with that one; nothing is lost.`,
  );
}

/** Nothing is lost in silence: what could not be copied stands in the way of the switch. */
async function assertWhole(pair: CopyPair, left: OutOfStep, migration: Migration): Promise<void> {
  const [first] = left.changed;
  if (first !== undefined) {
    const { externalId, source } = first.document;
    const help = isPushSource(source)
      ? 'Push it again or delete it'
      : 'Run `ragstone index`, or `ragstone verify --repair`, with the configuration of the old index';
    throw new RAGError(
      'MIGRATION_FAILED',
      `${left.changed.length === 1 ? 'A document is' : `${left.changed.length} documents are`} not whole in the old index, so that not all of it can be copied, ${JSON.stringify(externalId)} for one: a writer died over it, or the store lacks chunks of it. ${help}; then migrate again, which goes on from here.`,
      { details: { documents: left.changed.length, document: externalId } },
    );
  }
  await waitForStore(migration);
  const count = await pair.to.collection.count(EVERYTHING, migration.signal);
  if (count === left.chunks.total && left.gone.length === 0) return;
  throw new RAGError(
    'MIGRATION_FAILED',
    `The store of the copy holds ${count} chunks in place of ${left.chunks.total}. Nothing was switched. \`ragstone migrate\` again compares and copies what is missing.`,
    { details: { expected: left.chunks.total, actual: count } },
  );
}

/** What a server wrote may be seen a moment later. */
export async function waitForStore({ store, signal }: Migration): Promise<void> {
  const { consistency } = store.capabilities;
  if (consistency !== 'immediate') await sleep(consistency.eventualMs, signal);
}

/** A ledger, and the data folder beside it. */
interface LedgerPlace {
  readonly ledger: Ledger;
  readonly dataDir: string;
}

/**
 * Copies what a ledger knows beside its generations: sources that calls named, where sources of files lay, and what was forgotten on
 * purpose, with its receipts. What was run, and which configurations state a source, is said anew by the runs there.
 */
async function copyLedgerState(tenants: Iterable<string>, from: LedgerPlace, to: LedgerPlace): Promise<void> {
  const forgotten = new Receipts(from.dataDir).all().map(({ tenant }) => tenant);
  for (const tenant of new Set([...tenants, ...forgotten])) {
    const remembered = await from.ledger.rememberedSources(tenant);
    if (remembered.length > 0) await to.ledger.rememberSources(tenant, remembered);
    const roots = await from.ledger.sourceRoots?.(tenant);
    if (roots !== undefined && roots.size > 0) await to.ledger.recordSourceRoots?.(tenant, roots);
    await copyForgotten(tenant, from, to);
  }
}
