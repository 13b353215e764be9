import { RAGError } from '../../core/errors.js';
import { runtime } from '../../core/runtime.js';
import type { CollectionSpec } from '../vector-store.js';
import type { StoreRecord } from './journal-state.js';
import type { MemberStore } from './member-store.js';
import { isSilence, messageOf } from './outages.js';
import type { WriteJournal } from './write-journal.js';

/* What a journal begins with: its stores, and the collections that they had before. Hold the lock. */

const TOKENS = 2 ** 32;

/** The first journal of an index. The store that is asked first has what there is; marks come before the journal that expects them. */
export async function beginJournal(journal: WriteJournal, members: readonly MemberStore[]): Promise<void> {
  const { random, uniqueName } = runtime();
  const id = uniqueName().replaceAll('-', '').slice(0, 16);
  const base = { seq: 0, token: Math.floor(random() * TOKENS) };
  const stores: Record<string, StoreRecord> = {};
  for (const [at, member] of members.entries()) {
    try {
      await member.writeMark(id, base);
      stores[member.name] = { status: 'current', seq: 0, stale: [] };
    } catch (error) {
      // Without the first nobody knows what there is.
      if (at === 0 || !isSilence(error)) throw error;
      stores[member.name] = { status: 'behind', seq: -1, why: messageOf(error), stale: [] };
    }
  }
  await journal.begin({
    ...{ id, base, stores },
    active: members[0]?.name ?? '',
    isComplete: false,
    collections: {},
    voided: [],
  });
}

/** Nothing is left anywhere, and a new collection is to be filled. */
export async function beginAnew(journal: WriteJournal, members: readonly MemberStore[]): Promise<void> {
  await journal.note({ kind: 'lost', seq: journal.head.seq });
  for (const member of members) await member.writeMark(journal.known.id, journal.head);
}

/** Stores that the configuration names and the journal does not know. Throws `CONFIG_INVALID` where it leaves out the one that is asked first. */
export function strangersTo(
  { known: { active, stores } }: WriteJournal,
  members: readonly MemberStore[],
): readonly MemberStore[] {
  if (!members.some(({ name }) => name === active))
    throw new RAGError(
      'CONFIG_INVALID',
      `The store "${active}" is asked first and holds the index, and rag.failover names it no more. Name it again and run \`ragstone stores use NAME\` with one of the others before you leave it out.`,
      { details: { key: 'rag.failover', value: active } },
    );
  return members.filter(({ name }) => stores[name] === undefined);
}

/** Tells the journal, once, of all collections that there are. */
export async function adoptOnce(
  specs: readonly CollectionSpec[],
  journal: WriteJournal,
  first: MemberStore | undefined,
): Promise<void> {
  if (journal.known.isComplete) return;
  await adoptCollections(specs, journal, first);
  await journal.note({ kind: 'complete' });
}

/** Collections of the store that is asked first, where it has them and the journal does not know them. */
export async function adoptCollections(
  specs: readonly CollectionSpec[],
  journal: WriteJournal,
  first: MemberStore | undefined,
): Promise<void> {
  for (const { name } of specs.filter((spec) => journal.isNew(spec))) {
    const spec = await first?.ask(() => first.store.describe(name));
    if (first !== undefined && spec !== undefined)
      await journal.note({ kind: 'adopted', store: first.name, spec });
  }
}
