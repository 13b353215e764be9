import { RAGError } from '../../core/errors.js';
import type { PartState } from '../../platform/degradation/breaker.js';
import type { StoreState, StoresStatus } from './failover-states.js';
import type { JournalState } from './journal-state.js';
import type { MemberStore } from './member-store.js';
import { isSilence, messageOf } from './outages.js';
import type { StoresInStep } from './stores-in-step.js';
import type { WriteJournal } from './write-journal.js';

export interface StatesContext {
  readonly members: readonly MemberStore[];
  readonly journal: WriteJournal;
  readonly inStep: StoresInStep;
  readonly dualWrite: boolean;
  readonly maxBytes: number;
}

/** Asks each store how far it is; what does not answer is said, never thrown. */
export async function readStates(context: StatesContext): Promise<StoresStatus> {
  const { members, journal, inStep, dualWrite, maxBytes } = context;
  const state = await journal.refresh();
  const active = inStep.inOrder(state)[0]?.name ?? '';
  const stores = await Promise.all(members.map((member) => stateOf(member, state, context)));
  return { active, dualWrite, stores, journal: { ...journal.size, maxBytes } };
}

async function stateOf(
  member: MemberStore,
  state: JournalState | undefined,
  { journal, inStep, dualWrite }: StatesContext,
): Promise<StoreState> {
  const { name } = member;
  const isActive = inStep.inOrder(state)[0] === member;
  const record = state?.stores[name];
  const about = (): Pick<StoreState, 'name' | 'isActive' | 'breaker' | 'since'> => ({
    ...{ name, isActive, breaker: BREAKER[member.breaker] },
    ...(record?.since === undefined ? {} : { since: record.since }),
  });
  const head = state === undefined ? 0 : journal.head.seq;
  const lagFrom = (seq: number): number => Math.max(0, head - Math.max(seq, state?.base.seq ?? 0));
  try {
    const mark = state === undefined ? await answers(member) : await member.readMark(state.id);
    if (state === undefined)
      return isActive
        ? { ...about(), state: 'ready', lag: 0 }
        : { ...about(), state: 'behind', lag: 0, detail: 'Nothing was written since it was named.' };
    const position = journal.positionOf(mark);
    if (position === undefined) {
      member.distrust();
      const isNew = record === undefined || record.seq < 0;
      return { ...about(), state: isNew ? 'behind' : 'foreign', lag: head, detail: record?.why ?? FOREIGN };
    }
    const lag = lagFrom(position);
    if (record !== undefined && record.stale.length > 0)
      return {
        ...about(),
        state: 'copying',
        lag,
        detail: `Left to copy: ${record.stale.length} collections.`,
      };
    const isLevel = lag === 0 || (record?.status === 'current' && lag === 1);
    if (isLevel) return { ...about(), state: 'ready', lag };
    const detail = dualWrite || isActive ? record?.why : undefined;
    return { ...about(), state: 'behind', lag, ...(detail === undefined ? {} : { detail }) };
  } catch (error) {
    if (!RAGError.isInstance(error)) throw error;
    const lag = lagFrom(record?.seq ?? 0);
    return { ...about(), state: isSilence(error) ? 'out' : 'foreign', lag, detail: messageOf(error) };
  }
}

/** Before there is a journal a store has no mark. */
async function answers(member: MemberStore): Promise<undefined> {
  const { ok, detail } = await member.quickly(() => member.store.health());
  if (!ok) throw new RAGError('STORE_UNAVAILABLE', detail);
}

const BREAKER: Readonly<Record<PartState, StoreState['breaker']>> = {
  well: 'closed',
  out: 'open',
  trying: 'half-open',
};

const FOREIGN = 'It does not hold what was written to this index.';
