import { RAGError, throwIfAborted } from '../../core/errors.js';
import { runtime } from '../../core/runtime.js';
import type { Exclusively } from '../copied-words.js';
import type { CollectionSpec } from '../vector-store.js';
import { adoptCollections, adoptOnce, beginAnew, beginJournal, strangersTo } from './begin-journal.js';
import type { JournalState, StoreRecord } from './journal-state.js';
import type { MemberStore } from './member-store.js';
import { isSilence, messageOf } from './outages.js';
import { collectionOfWrite, encodeWrite, type StoreWrite } from './store-write.js';
import type { WriteJournal } from './write-journal.js';

export interface InStepOptions {
  /** The first of them is asked first, until `switchStore` says otherwise. */
  readonly members: readonly MemberStore[];
  readonly journal: WriteJournal;
  /** Every store that answers has a write before it is acknowledged; else the one that is asked first alone. */
  readonly dualWrite: boolean;
  /** Runs work while no other process writes the journal or a store. */
  readonly exclusively: Exclusively;
  /** Every collection that the index has, asked once. @default what is told by `adoptAll` */
  readonly known?: (() => Promise<readonly CollectionSpec[]>) | undefined;
}

/** What came of asking every store how far it is. */
interface Round {
  /** Stores that have every write. */
  readonly level: MemberStore[];
  /** Why the others have not. */
  readonly problems: Map<MemberStore, unknown>;
  /** Writes that are still to be repeated by stores that answer. */
  readonly left: number;
}

/** What a store is given at once before others have a turn, and what somebody who wants to write waits for. */
const SLICE = { writes: 64, bytes: 8 * 1024 * 1024 };
const SMALL_SLICE = { writes: 8, bytes: 1024 * 1024 };

/** The journal is made shorter where so many bytes of it are of no more use. */
const SHORTEN_BYTES = 4 * 1024 * 1024;
const FOLLOWS = 'It follows after the acknowledgement (rag.failover.dualWrite is false).';

/**
 * Keeps stores in step by the journal. One write at a time: asked how far they are, appended and synced, done, marked, noted where a store
 * missed it, acknowledged. `docs/research/failover.md` has every order in which this may fail.
 */
export class StoresInStep {
  readonly #options: InStepOptions;
  #turn: Promise<unknown> = Promise.resolve();
  /** A store got what the journal kept for it, texts that were deleted since among it. */
  #hasCaughtUp = false;

  constructor(options: InStepOptions) {
    this.#options = options;
  }

  /** A write, acknowledged. Returns how many chunks a deletion deleted. */
  write(write: StoreWrite): Promise<number> {
    return this.alone(async () => {
      const { journal } = this.#options;
      let round = await this.#bringLevel(write);
      while (this.#targetsOf(round).length === 0 && round.left > 0) round = await this.#bringLevel(write);
      const targets = this.#targetsOf(round);
      if (targets.length === 0) throw this.#nobody(round);
      await this.#adopt(write);
      const body = encodeWrite(write);
      // What every store has makes room first.
      if (!journal.hasRoomFor(body)) await this.#shorten(0);
      if (!journal.hasRoomFor(body)) throw journal.full();
      for (const member of targets) await this.#noteCurrent(member);
      const mark = await journal.append(write, body);
      const outcomes = await Promise.allSettled(
        targets.map((member) => member.apply(write, journal.known.id, mark)),
      );
      const done = targets.filter((_, at) => outcomes[at]?.status === 'fulfilled');
      const problems = new Map(round.problems);
      targets.forEach((member, at) => {
        const outcome = outcomes[at];
        if (outcome?.status === 'rejected') problems.set(member, outcome.reason);
      });
      if (done.length === 0) throw await this.#refused(mark.seq, targets, problems);
      await this.#noteMissing(done, problems);
      await this.#shorten(write.kind === 'purge' ? 0 : SHORTEN_BYTES);
      const counted = outcomes.find((outcome) => outcome.status === 'fulfilled');
      return counted?.value ?? 0;
    });
  }

  /**
   * Gives stores that answer what they lack, a part at a time so that writes may come between.
   *
   * @returns whether every store has every write
   */
  async catchUp(signal?: AbortSignal): Promise<boolean> {
    for (;;) {
      throwIfAborted(signal);
      const round = await this.alone(async () => {
        const round = await this.#bringLevel();
        await this.#shorten(SHORTEN_BYTES);
        return round;
      });
      if (round.left === 0) return round.level.length === this.#options.members.length;
    }
  }

  /** Finishes what a dead process left, where the last write may be one that no store has. */
  async recover(): Promise<void> {
    const { journal } = this.#options;
    if ((await journal.refresh()) === undefined || journal.size.writes === 0) return;
    await this.alone(() => this.#bringLevel());
  }

  /** Makes the journal as short as it can be, where this is quickly done. */
  async tidy(): Promise<void> {
    const { journal } = this.#options;
    if ((await journal.refresh()) === undefined || journal.size.writes === 0) return;
    await this.alone(async () => {
      if ((await this.#bringLevel()).left === 0) await this.#shorten(0);
    });
  }

  /** The store that is asked first from now on. It has every write. */
  async switchTo(name: string): Promise<void> {
    await this.catchUp();
    await this.alone(async () => {
      const { journal } = this.#options;
      const member = this.#member(name);
      const round = await this.#bringLevel();
      const problem = round.problems.get(member);
      const stale = this.#recordOf(member)?.stale ?? [];
      if (round.level.includes(member) && stale.length === 0) {
        if (journal.known.active !== name) await journal.note({ kind: 'active', store: name });
        return;
      }
      const why = problem === undefined ? 'it is still being copied' : messageOf(problem);
      throw new RAGError(
        'STORE_UNAVAILABLE',
        `The store "${name}" does not have every write, so it is not switched to: ${why} \`ragstone stores\` shows how far it is.`,
        { details: { store: name } },
      );
    });
  }

  /** Gives up what the journal keeps for a store, which is copied anew when it is back. */
  rebuild(name: string): Promise<void> {
    return this.alone(async () => {
      const { journal, members } = this.#options;
      const member = this.#member(name);
      const { level } = await this.#bringLevel();
      if (!level.some((other) => other !== member))
        throw new RAGError(
          'STORE_UNAVAILABLE',
          `No other store has every write, so "${name}" could not be copied from one.`,
          { details: { store: name } },
        );
      await journal.note({ kind: 'reset', store: name, seq: journal.head.seq });
      await journal.note(this.#behind(member, 'It is copied anew.'));
      const others = members.filter((other) => other !== member && level.includes(other));
      if (others.length === members.length - 1) await journal.shorten(journal.head.seq);
    });
  }

  /** Work that no other process and no other call here does meanwhile, with the journal as it is now. */
  alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const { exclusively, journal } = this.#options;
    const result = this.#turn.then(() =>
      exclusively(async () => {
        await journal.take();
        return work();
      }),
    );
    this.#turn = result.catch(() => undefined);
    return result;
  }

  /** The stores in the order in which they are asked. */
  inOrder(state: JournalState | undefined): readonly MemberStore[] {
    const { members } = this.#options;
    const first = members.filter(({ name }) => name === (state?.active ?? members[0]?.name));
    return [...first, ...members.filter((member) => !first.includes(member))];
  }

  #member(name: string): MemberStore {
    const found = this.#options.members.find((member) => member.name === name);
    if (found !== undefined) return found;
    const names = this.#options.members.map((member) => member.name).join(', ');
    throw new RAGError('USAGE', `"${name}" is none of the stores: name one of ${names}.`);
  }

  #recordOf({ name }: MemberStore): StoreRecord | undefined {
    return this.#options.journal.known.stores[name];
  }

  #behind(member: MemberStore, why: string) {
    const { journal } = this.#options;
    const seq = journal.positionOf(member.lastSeen) ?? this.#recordOf(member)?.seq ?? -1;
    const since = new Date(runtime().now()).toISOString();
    return { kind: 'behind', store: member.name, seq, why, since } as const;
  }

  /** Asks each store how far it is and gives it what it lacks. With a write that is about to come, only as much as it can wait for. */
  async #bringLevel(write?: StoreWrite): Promise<Round> {
    const { journal, members, dualWrite, known } = this.#options;
    if (journal.state === undefined) await beginJournal(journal, members);
    await this.#admit();
    if (known !== undefined && !journal.known.isComplete)
      await adoptOnce(await known(), journal, this.#first());
    const slice = write === undefined ? SLICE : SMALL_SLICE;
    const inOrder = this.inOrder(journal.known);
    if (!dualWrite && write !== undefined) {
      const round = await this.#ask(inOrder.slice(0, 1), slice);
      // The others follow when nobody waits.
      if (round.level.length > 0) return round;
    }
    const { lost, level, problems, left } = await this.#ask(inOrder, slice);
    if (lost.length === members.length && write?.kind === 'create' && journal.isNew(write.spec)) {
      await beginAnew(journal, lost);
      return { level: lost, problems, left };
    }
    for (const member of lost) if (await this.#reset(member, level, problems)) level.push(member);
    for (const member of level) if (!this.#isFollower(member)) await this.#noteCurrent(member);
    return { level, problems, left };
  }

  /** `lost`: stores whose contents are not those that the journal knows. */
  async #ask(
    members: readonly MemberStore[],
    slice: typeof SLICE,
  ): Promise<Round & { readonly lost: MemberStore[] }> {
    const { journal } = this.#options;
    const problems = new Map<MemberStore, unknown>();
    const level: MemberStore[] = [];
    const lost: MemberStore[] = [];
    let left = 0;
    const ask = async (member: MemberStore): Promise<void> => {
      const position = journal.positionOf(await member.readMark(journal.known.id));
      if (position === undefined) {
        // It was seen, and is not to be read for that.
        member.distrust();
        lost.push(member);
        return;
      }
      const rest = await this.#repeat(member, position, slice);
      left += rest;
      if (rest === 0) level.push(member);
      else problems.set(member, new RAGError('STORE_UNAVAILABLE', `It lacks ${rest} writes.`));
    };
    const asking = members.map((member) => ask(member).catch((error) => void problems.set(member, error)));
    await Promise.all(asking);
    return { level, lost, problems, left };
  }

  /** Repeats what a store lacks; returns how many writes are left. */
  async #repeat(member: MemberStore, position: number, slice: typeof SLICE): Promise<number> {
    const { journal } = this.#options;
    const missing = journal.after(position);
    let bytes = 0;
    let repeated = 0;
    // Of writes that were acknowledged a current store lacks none: it is older than it was.
    if (missing.length > 1 && this.#recordOf(member)?.status === 'current')
      await journal.note(this.#behind(member, `It came back ${missing.length} writes older than it was.`));
    for (const mark of missing) {
      if (repeated > 0 && (repeated >= slice.writes || bytes >= slice.bytes)) break;
      const isVoid = journal.known.voided.includes(mark.seq);
      if (isVoid) await member.writeMark(journal.known.id, mark);
      else await member.apply(await journal.read(mark.seq), journal.known.id, mark);
      repeated += 1;
      bytes += mark.bytes;
    }
    if (repeated > 0 && repeated === missing.length) this.#hasCaughtUp = true;
    return missing.length - repeated;
  }

  /** A store whose contents are not those that the journal knows: it is copied, where another one has everything. */
  async #reset(
    member: MemberStore,
    level: readonly MemberStore[],
    problems: Map<MemberStore, unknown>,
  ): Promise<boolean> {
    const { journal } = this.#options;
    const isCopiable = level.some((other) => (this.#recordOf(other)?.stale.length ?? 0) === 0);
    if (!isCopiable) {
      problems.set(member, foreign(member.name));
      return false;
    }
    try {
      await journal.note({ kind: 'reset', store: member.name, seq: journal.head.seq });
      await member.writeMark(journal.known.id, journal.head);
      return true;
    } catch (error) {
      problems.set(member, error);
      return false;
    }
  }

  async #noteCurrent(member: MemberStore): Promise<void> {
    const { journal } = this.#options;
    if (this.#recordOf(member)?.status === 'current') return;
    this.#hasCaughtUp = true;
    await journal.note({ kind: 'current', store: member.name, seq: journal.head.seq });
  }

  /** It is written after the acknowledgement, and may be behind at any moment. */
  #isFollower(member: MemberStore): boolean {
    return !this.#options.dualWrite && member.name !== this.#options.journal.known.active;
  }

  #targetsOf({ level }: Round): readonly MemberStore[] {
    const order = this.inOrder(this.#options.journal.known).filter((member) => level.includes(member));
    return this.#options.dualWrite ? order : order.slice(0, 1);
  }

  /** Written down before the acknowledgement: who lacks the last write is not read until it has it. */
  async #noteMissing(
    done: readonly MemberStore[],
    problems: ReadonlyMap<MemberStore, unknown>,
  ): Promise<void> {
    const { journal, members } = this.#options;
    for (const member of members) {
      if (done.includes(member) || this.#recordOf(member)?.status === 'behind') continue;
      const problem = problems.get(member);
      await journal.note(this.#behind(member, problem === undefined ? FOLLOWS : messageOf(problem)));
    }
  }

  /** Nobody did it. What no store took is not repeated; what some store may have taken is. */
  async #refused(
    seq: number,
    targets: readonly MemberStore[],
    problems: ReadonlyMap<MemberStore, unknown>,
  ): Promise<unknown> {
    const errors = targets.map((member) => problems.get(member));
    if (!errors.some(isSilence)) await this.#options.journal.note({ kind: 'void', seq });
    return errors.find((error) => !isSilence(error)) ?? errors[0];
  }

  #nobody({ problems }: Round): unknown {
    const errors = this.inOrder(this.#options.journal.known).map((member) => problems.get(member));
    // What does not answer may have everything.
    return (
      errors.find(isSilence) ??
      errors.find((error) => error !== undefined) ??
      new RAGError('STORE_UNAVAILABLE', 'No store has every write, so nothing is written.')
    );
  }

  /** A collection that the first store had before there was a journal. */
  async #adopt(write: StoreWrite): Promise<void> {
    const { journal } = this.#options;
    if (write.kind === 'create' || write.kind === 'drop' || !journal.isNew(write.spec)) return;
    await adoptCollections([write.spec], journal, this.#first());
    if (journal.known.collections[collectionOfWrite(write)] !== undefined) return;
    throw new RAGError('STORE_DAMAGED', `The collection "${write.spec.name}" is in no store any more.`);
  }

  /** Tells the journal of all collections that there are. */
  adoptAll(specs: readonly CollectionSpec[]): Promise<void> {
    return this.alone(async () => {
      const { journal, members } = this.#options;
      if (journal.state === undefined) await beginJournal(journal, members);
      await adoptOnce(specs, journal, this.#first());
    });
  }

  #first(): MemberStore | undefined {
    return this.inOrder(this.#options.journal.known)[0];
  }

  /** Stores that the configuration names and the journal does not know yet. */
  async #admit(): Promise<void> {
    const { journal, members } = this.#options;
    for (const member of strangersTo(journal, members))
      await journal.note(this.#behind(member, 'It was named for the first time.'));
  }

  /** Forgets what every store has: where it is that long, and at once what was kept for a store that was out. */
  async #shorten(fromBytes: number): Promise<void> {
    const { journal, members } = this.#options;
    if (journal.size.writes === 0 || (journal.size.bytes < fromBytes && !this.#hasCaughtUp)) return;
    this.#hasCaughtUp = false;
    const { base, collections } = journal.known;
    const positions = members.map((member) => {
      const { status = 'behind', seq = base.seq, stale = [] } = this.#recordOf(member) ?? {};
      // Nothing is repeated for a store that is copied whole.
      const isCopied =
        status === 'behind' && stale.length > 0 && stale.length >= Object.keys(collections).length;
      return isCopied ? journal.head.seq : (journal.positionOf(member.seen) ?? seq);
    });
    const upTo = Math.min(...positions);
    const gone = upTo - base.seq;
    // What is kept is written anew: only where that is less than what goes.
    if (gone * 2 >= journal.size.writes) await journal.shorten(upTo);
  }
}

const foreign = (name: string): RAGError =>
  new RAGError(
    'STORE_DAMAGED',
    `The store "${name}" does not hold what was written to this index (it is empty, of another index, or older than the journal reaches), and no other store has everything. If its settings changed, set them back; else bring back the other store, or build the index again: \`ragstone index --force\`.`,
    { details: { store: name } },
  );
