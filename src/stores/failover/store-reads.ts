import { RAGError } from '../../core/errors.js';
import type { CollectionSpec, VectorCollection } from '../vector-store.js';
import type { JournalState } from './journal-state.js';
import type { MemberStore } from './member-store.js';
import { isReplaceable, isSilence, messageOf } from './outages.js';
import { noteStandIn } from './stand-ins.js';
import type { StoresInStep } from './stores-in-step.js';
import type { WriteJournal } from './write-journal.js';

export interface StoreReadsOptions {
  readonly journal: WriteJournal;
  readonly inStep: StoresInStep;
  /** Of a search: a store that says nothing for so long is given up, in milliseconds. Undefined: it is waited for. */
  readonly patience: () => number | undefined;
  /** Told that a store is not what the journal says of it. */
  readonly onDoubt: () => void;
}

/** Asks the first store that has every write, and the next one where that does not answer. */
export class StoreReads {
  readonly #options: StoreReadsOptions;

  constructor(options: StoreReadsOptions) {
    this.#options = options;
  }

  /** What `request` gives of a collection that is there. */
  of<Result>(
    spec: CollectionSpec,
    request: (collection: VectorCollection, member: MemberStore) => Promise<Result>,
  ): Promise<Result> {
    return this.ask(spec.name, async (member) => {
      const { journal } = this.#options;
      // Nobody dropped it by a write: to open it would make it anew, empty.
      if (journal.state?.collections[spec.name] !== undefined && !member.hasOpen(spec.name))
        if ((await member.store.describe(spec.name)) === undefined) throw missing(spec.name, member);
      return request(await member.opened(spec), member);
    });
  }

  /** What `request` gives of the first store that may be read of a collection. */
  async ask<Result>(name: string, request: (member: MemberStore) => Promise<Result>): Promise<Result> {
    const { journal, inStep } = this.#options;
    const state = await journal.refresh();
    const order = inStep.inOrder(state);
    const problems: unknown[] = [];
    for (const member of order) {
      const why = state === undefined ? undefined : unreadable(member, name, state);
      // Before the journal knows everything, the first store alone can tell.
      const isKnown = state?.isComplete === true || state?.collections[name] !== undefined;
      if (!isKnown && member !== order[0]) continue;
      if (why !== undefined) {
        problems.push(new RAGError('STORE_UNAVAILABLE', why));
        continue;
      }
      try {
        if (state !== undefined) await this.#assertInStep(member, state);
        const answer = await this.#patiently(member, () => request(member));
        if (member !== order[0]) noteStandIn(standInText(order[0], member, problems[0]));
        return answer;
      } catch (error) {
        if (!isReplaceable(error)) throw error;
        problems.push(error);
      }
    }
    throw problems.find(isSilence) ?? problems[0];
  }

  /** A store that failed since it was last asked says first how far it is; it may have come back older or empty. */
  async #assertInStep(member: MemberStore, state: JournalState): Promise<void> {
    const { journal, onDoubt } = this.#options;
    const { head } = journal;
    const record = state.stores[member.name];
    // The last write may be under way, and is not acknowledged; a store that only follows must have that, too.
    const least = record?.status === 'current' ? Math.max(state.base.seq, head.seq - 1) : head.seq;
    const isFar = (): boolean => {
      const position = journal.positionOf(member.seen);
      return position !== undefined && position >= least;
    };
    if (member.seen !== undefined && (record?.status === 'current' || isFar())) return;
    await member.readMark(state.id);
    if (isFar()) return;
    member.distrust();
    onDoubt();
    throw new RAGError(
      record?.status === 'current' ? 'STORE_DAMAGED' : 'STORE_UNAVAILABLE',
      `The store "${member.name}" does not have every write yet, so it is not read.`,
      { details: { store: member.name } },
    );
  }

  #patiently<Result>(member: MemberStore, request: () => Promise<Result>): Promise<Result> {
    return this.#options.patience() === undefined ? member.ask(request) : member.quickly(request);
  }
}

function unreadable(member: MemberStore, name: string, { stores }: JournalState): string | undefined {
  const record = stores[member.name];
  if (record === undefined) return `The store "${member.name}" holds nothing yet.`;
  if (record.stale.includes(name)) return `The store "${member.name}" is still being copied.`;
  if (member.isLeftAlone)
    return `The store "${member.name}" does not answer: ${member.lastError ?? ''}`.trim();
  return undefined;
}

const standInText = (first: MemberStore | undefined, { name }: MemberStore, problem: unknown): string =>
  `Answered by the store "${name}", which has every write, in place of "${first?.name}": ${messageOf(problem)}`;

const missing = (name: string, member: MemberStore): RAGError =>
  new RAGError(
    'STORE_DAMAGED',
    `The collection "${name}" is missing from the store "${member.name}". If the store's settings changed, set them back; else \`ragstone stores rebuild ${member.name}\` copies it from the other store.`,
    { details: { store: member.name } },
  );
