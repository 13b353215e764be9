import type { ChunkRecord, StoredChunk } from '../../core/chunk.js';
import { throwIfAborted } from '../../core/errors.js';
import { EVERYTHING } from '../../core/filter.js';
import type { Exclusively } from '../copied-words.js';
import type { CollectionSpec, ListPage, VectorCollection } from '../vector-store.js';
import type { JournalState } from './journal-state.js';
import type { MemberStore } from './member-store.js';
import type { StoresInStep } from './stores-in-step.js';
import type { WriteJournal } from './write-journal.js';

/** What a store does not give back of chunks is made anew: their words. */
export type RecordsOf = (chunks: readonly StoredChunk[], spec: CollectionSpec) => Promise<ChunkRecord[]>;

export interface CopyOptions {
  readonly members: readonly MemberStore[];
  readonly journal: WriteJournal;
  readonly inStep: StoresInStep;
  readonly recordsOf: RecordsOf;
  /** Runs work while no other process copies. */
  readonly exclusively: Exclusively;
  readonly signal?: AbortSignal | undefined;
}

/** Chunks that are copied while nobody may write. */
const PAGE = 250;

/**
 * Copies collections of which a store holds nothing that could be trusted, from one that has them. A collection is dropped first, and then copied
 * page by page in the order of ids, each page while nobody writes. Writes between two pages go to both stores, so that every page is
 * right when it comes, and what comes after it is written to what was copied. A death begins the collection anew.
 */
export async function copyStale(options: CopyOptions): Promise<void> {
  const { journal, members, exclusively } = options;
  const state = await journal.refresh();
  if (state === undefined || !members.some((member) => toCopy(member, state).length > 0)) return;
  await exclusively(async () => {
    for (const member of members)
      for (const spec of toCopy(member, await journal.refresh()))
        if (!(await copyCollection(member, spec, options))) return;
  });
}

function toCopy({ name }: MemberStore, state: JournalState | undefined): readonly CollectionSpec[] {
  const record = state?.stores[name];
  if (record?.status !== 'current') return [];
  return record.stale.flatMap((collection) => state?.collections[collection] ?? []);
}

/** Returns false where it has to wait: a store is behind, or none has the collection. */
async function copyCollection(
  member: MemberStore,
  spec: CollectionSpec,
  { members, journal, inStep, recordsOf, signal }: CopyOptions,
): Promise<boolean> {
  let copy:
    | { readonly source: MemberStore; readonly from: VectorCollection; readonly to: VectorCollection }
    | undefined;
  let cursor: string | undefined;
  for (;;) {
    throwIfAborted(signal);
    const step = await inStep.alone(async (): Promise<'more' | 'done' | 'wait'> => {
      if (!toCopy(member, journal.known).some(({ name }) => name === spec.name)) return 'wait';
      if (copy === undefined) {
        const source = members.find((other) => other !== member && hasAll(other, spec, journal.known));
        if (source === undefined) return 'wait';
        copy = { source, from: await source.collection(spec), to: await member.emptied(spec) };
      }
      const { source, from, to } = copy;
      // What was replaced meanwhile has lost what was copied, or never had the rest.
      if (!hasAll(source, spec, journal.known)) return 'wait';
      const page = await source.ask(() => readPage(from, cursor));
      if (page.chunks.length > 0) {
        const records = await recordsOf(page.chunks, spec);
        await member.ask(() => to.upsert(records));
      }
      cursor = page.cursor;
      if (cursor !== undefined) return 'more';
      for (const one of [source, member]) {
        if (journal.positionOf(await one.readMark(journal.known.id)) !== undefined) continue;
        one.distrust();
        return 'wait';
      }
      await journal.note({ kind: 'copied', store: member.name, collection: spec.name });
      return 'done';
    });
    if (step === 'more') continue;
    // Its indexes are built when nobody waits.
    if (step === 'done') await member.ask(async () => copy?.to.optimize(signal));
    return step === 'done';
  }
}

const hasAll = ({ name }: MemberStore, spec: CollectionSpec, { stores }: JournalState): boolean =>
  stores[name]?.status === 'current' && !stores[name].stale.includes(spec.name);

/** The next chunks, with their vectors. What was deleted since they were listed is left out. */
async function readPage(from: VectorCollection, cursor: string | undefined): Promise<ListPage> {
  const page = await from.list({
    filter: EVERYTHING,
    limit: PAGE,
    ...(cursor === undefined ? {} : { cursor }),
  });
  const ids = page.chunks.map(({ id }) => id);
  return { ...page, chunks: ids.length === 0 ? [] : await from.get(ids, { includeVectors: true }) };
}
