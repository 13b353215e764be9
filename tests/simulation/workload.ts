import { contentHash, documentIdOf } from '../../src/core/ids.js';
import { type Engine, RAGError, type SearchResponse, type Workers } from '../../src/index.js';
import { pushSourceName } from '../../src/indexing/folder-names.js';
import type { Faults } from './faults.js';
import type { LateWrites } from './late-writes.js';
import { EXPECTED, isDone, isThrough, Wrong } from './outcomes.js';
import type { Scheduler } from './scheduler.js';
import type { SimulatedHost } from './simulated-host.js';
import type { SimulatedProcess } from './simulated-process.js';
import { startSimulatedWorkers } from './simulated-workers.js';
import { GUEST, OTHER_TENANT, OTHERS, type SimulatedWorld, STAFF, TENANT } from './simulated-world.js';

/** The source of what programs push. */
export const PUSHES = pushSourceName(undefined);
/** What programs push, by name. */
export const PUSHED = ['bell', 'buoy', 'chart', 'flag'];

/** What of a file that is half written is enough to be found by. */
const SOUGHT = /\b(lantern|dusk|dawn|keeper)\b/i;
/** Passages that a search asks for: more than there are. */
const MOST_RESULTS = 200;

/** A process, its engine, and the machine that they are on. */
export interface Work {
  readonly process: SimulatedProcess;
  readonly engine: Engine;
  readonly host: SimulatedHost;
  /** Its engine is closed, or about to be. */
  isClosing: boolean;
  /** Does what listings leave to workers; absent where it leaves that to others. */
  workers?: Workers | undefined;
}

export interface WorkloadParts {
  readonly scheduler: Scheduler;
  readonly world: SimulatedWorld;
  readonly lateWrites: LateWrites;
  /** Listings may leave their work to workers. */
  readonly hasQueue: boolean;
  readonly faults: () => Faults;
  /** Whether processes do nothing new any more. */
  readonly isOver: () => boolean;
  readonly fail: (error: unknown) => void;
  readonly hasEverything: boolean;
}

/** What each process does, again and again and several things at once, and what must be so of each answer. */
export class Workload {
  readonly #parts: WorkloadParts;
  readonly #hasOthers: boolean;
  readonly #forgets: boolean;
  readonly #rebuilds: boolean;
  searches = 0;
  runs = 0;
  /** Errors that were to be expected, by reason. */
  readonly refusals = new Map<string, number>();

  constructor(parts: WorkloadParts) {
    this.#parts = parts;
    const { hasEverything } = parts;
    const { random } = parts.scheduler;
    this.#hasOthers = random.chance(0.5) || hasEverything;
    this.#forgets = random.chance(0.3) || hasEverything;
    this.#rebuilds = random.chance(0.5) || hasEverything;
  }

  begin(work: Work): void {
    const { hasQueue, scheduler, lateWrites, isOver, fail } = this.#parts;
    if (hasQueue && scheduler.random.chance(0.7))
      work.workers = startSimulatedWorkers(work.engine, {
        name: work.process.name,
        random: scheduler.random,
        lateWrites,
        isEnding: () => isOver() || work.isClosing,
        fail,
      });
    this.#loop(work, 3_000, () => this.#index(work, this.#handOver()));
    this.#loop(work, 4_000, () => this.#write(work));
    this.#loop(work, 2_000, () => this.#search(work));
    this.#loop(work, 8_000, () => this.#administer(work));
  }

  /** Does work again and again, as long as the process lives. */
  #loop(work: Work, pauseMs: number, doIt: () => Promise<void>): void {
    const { scheduler, isOver, fail } = this.#parts;
    const { process } = work;
    const isAtEnd = (): boolean => isOver() || work.isClosing;
    const go = async (): Promise<void> => {
      while (!isAtEnd()) {
        await scheduler.wait(scheduler.random.between(0, 2 * pauseMs), `${process.name} goes on`, process);
        if (!isAtEnd()) await doIt();
      }
    };
    go().catch(fail);
  }

  /** Does what may fail for a known reason; undefined where it did. */
  async #attempt<T>(
    name: string,
    work: Work,
    doIt: (signal: AbortSignal | undefined) => Promise<T>,
  ): Promise<T | undefined> {
    const { scheduler, faults, isOver, lateWrites } = this.#parts;
    const { random } = scheduler;
    // A search writes nothing, so nothing waits for its end.
    const operation = name === 'searches' ? undefined : lateWrites.begin(work.process.name);
    const began = scheduler.now;
    const label = `${work.process.name} ${name}`;
    const controller = random.chance(faults().cancelled) ? new AbortController() : undefined;
    if (controller !== undefined)
      scheduler.after(random.between(0, 600), `${label} is cancelled`, () => controller.abort());
    scheduler.note(label);
    try {
      const result = await doIt(controller?.signal);
      if (operation !== undefined) lateWrites.end(operation, isDone(result));
      return result;
    } catch (error) {
      if (operation !== undefined) lateWrites.end(operation, false);
      if (!RAGError.isInstance(error)) throw error;
      const { reason, message, stack, cause } = error;
      const isClosed = reason === 'USAGE' && (work.isClosing || isOver());
      const isNothing = reason === 'USAGE' && /^(There is nothing to index|Nothing is indexed)/.test(message);
      // A run looks whether the store holds what it should.
      const isLate = reason === 'STORE_DAMAGED' && lateWrites.isAnyInDoubt(began);
      if (!EXPECTED.has(reason) && !isClosed && !isNothing && !isLate)
        throw new Wrong(`${label}: ${stack}\n${cause instanceof Error ? cause.stack : ''}`);
      this.refusals.set(reason, 1 + (this.refusals.get(reason) ?? 0));
      return undefined;
    }
  }

  async #index(work: Work, options: { force?: boolean; handOver?: boolean } = {}): Promise<void> {
    const { scheduler, world } = this.#parts;
    const from = scheduler.now;
    const result = await this.#attempt(options.force === true ? 'rebuilds' : 'indexes', work, (signal) =>
      work.engine.index({ options: { ...options, waitMs: 5_000 }, ...given(signal) }),
    );
    if (result === undefined) return;
    this.runs += 1;
    if (options.handOver !== true && isThrough(result)) world.truth.runEnded(from, scheduler.now);
  }

  #handOver(): { handOver?: true } {
    const { hasQueue, scheduler } = this.#parts;
    return hasQueue && scheduler.random.chance(0.6) ? { handOver: true } : {};
  }

  async #write(work: Work): Promise<void> {
    const { scheduler, world } = this.#parts;
    const { random } = scheduler;
    const others = this.#hasOthers && random.chance(0.4);
    const [scope, tenant] = others ? [OTHERS, OTHER_TENANT] : [STAFF, TENANT];
    const externalId = random.pick(PUSHED) ?? '';
    const document = { tenant, source: PUSHES, externalId };
    const text = random.chance(0.25) ? undefined : world.newText(externalId);
    const write = world.truth.beginWrite(document, text, scheduler.now);
    const result = await this.#attempt(
      `${text === undefined ? 'takes back' : 'pushes'} ${externalId}`,
      work,
      (signal) =>
        work.engine.index(
          {
            documents: text === undefined ? [] : [{ id: externalId, text, mediaType: 'text/markdown' }],
            deleted: text === undefined ? [externalId] : [],
            options: { waitMs: 5_000 },
            ...given(signal),
          },
          scope,
        ),
    );
    if (result === undefined) return;
    if (result.stats.errors.some(({ reason }) => reason === 'DOCUMENT_FORGOTTEN'))
      world.truth.takeBack(document, write);
    else if (isThrough(result)) write.until = scheduler.now;
  }

  async #remove(work: Work): Promise<void> {
    const { scheduler, world } = this.#parts;
    const externalId = scheduler.random.pick(PUSHED) ?? '';
    const document = { tenant: TENANT, source: PUSHES, externalId };
    const write = world.truth.beginWrite(document, undefined, scheduler.now);
    const deleted = await this.#attempt(`deletes ${externalId}`, work, () =>
      work.engine.delete([documentIdOf(TENANT, PUSHES, externalId)], STAFF),
    );
    if (deleted !== undefined) write.until = scheduler.now;
  }

  async #search(work: Work): Promise<void> {
    const { scheduler } = this.#parts;
    const { random } = scheduler;
    const scope = random.pick([STAFF, STAFF, GUEST, ...(this.#hasOthers ? [OTHERS] : [])]) ?? STAFF;
    const mode = random.chance(0.5) ? 'lexical' : 'hybrid';
    const began = scheduler.now;
    const found = await this.#attempt('searches', work, (signal) =>
      work.engine.search(
        {
          text: 'lantern dusk dawn keeper',
          options: {
            ...{ mode, topK: MOST_RESULTS, collapse: 'none', nearDuplicates: 'keep' },
            ...{ minSimilarity: 0, rerank: false },
          },
          ...given(signal),
        },
        scope,
      ),
    );
    if (found === undefined) return;
    this.searches += 1;
    this.#check(found, { began, scope, asker: work.process.name });
  }

  async #administer(work: Work): Promise<void> {
    const { random } = this.#parts.scheduler;
    const { engine, host } = work;
    if (host.isForgetting) {
      await this.#attempt('goes on forgetting', work, () => engine.resumeForgetting());
      return;
    }
    const kind = random.weighed({
      rebuild: this.#rebuilds ? 3 : 0,
      forget: this.#forgets ? 1 : 0,
      remove: 2,
      verify: 1,
      repair: 1,
      retry: 1,
    });
    if (kind === 'rebuild') await this.#index(work, { force: true });
    else if (kind === 'forget') await this.#forget(work);
    else if (kind === 'remove') await this.#remove(work);
    else if (kind === 'retry') await this.#attempt('retries', work, () => engine.retry({ waitMs: 3_000 }));
    else await this.#attempt(kind, work, () => engine.verify({ repair: kind === 'repair' }, STAFF));
  }

  async #forget(work: Work): Promise<void> {
    const { scheduler, world } = this.#parts;
    const id = scheduler.random.pick(world.truth.ids) ?? '';
    world.truth.forgets(id);
    const receipt = await this.#attempt(`forgets ${world.truth.document(id)?.externalId}`, work, () =>
      work.engine.forget({ documents: [id], waitMs: 5_000 }, STAFF),
    );
    if (receipt?.state === 'done' && receipt.documents > 0) world.truth.forgot(id, scheduler.now);
  }

  /** No mix of revisions, nothing of another tenant, nothing that is hidden, older than what was indexed, or forgotten. */
  #check(
    { results }: SearchResponse,
    { began, scope, asker }: { began: number; scope: { tenant: string }; asker: string },
  ): void {
    const { world, lateWrites } = this.#parts;
    const { truth } = world;
    const seen = new Map<string, string>();
    for (const { content, metadata } of results) {
      const id = String(metadata.documentId);
      const document = truth.document(id);
      const wrong = (what: string): Wrong =>
        new Wrong(
          `A search of ${asker} that began at ${began.toFixed(3)} shows ${what}: ${document?.source}/${document?.externalId}, "${content}"`,
        );
      if (document?.tenant !== scope.tenant) throw wrong('a document of another tenant');
      const revision = String(metadata.revision);
      if ((seen.get(id) ?? revision) !== revision) throw wrong('two revisions of one document');
      seen.set(id, revision);
      if (lateWrites.isInDoubt(id, began)) continue;
      const fits = truth.admissible(id, began).some(({ text, isHidden }) => {
        const isIt = text?.includes(content) === true && contentHash(text) === revision;
        return isIt && !(isHidden && scope === GUEST);
      });
      if (!fits) throw wrong('what it must not');
    }
    // What finds all that it may find leaves nothing out.
    if (results.length >= MOST_RESULTS) return;
    for (const { documentId, text = '', isHidden } of truth.certain(began)) {
      const document = truth.document(documentId);
      const isSeen =
        seen.has(documentId) ||
        !SOUGHT.test(text) ||
        document?.tenant !== scope.tenant ||
        (isHidden && scope === GUEST);
      if (!isSeen && !lateWrites.isInDoubt(documentId, began))
        throw new Wrong(
          `A search of ${asker} that began at ${began.toFixed(3)} misses ${document?.source}/${document?.externalId}.`,
        );
    }
  }
}

const given = (signal: AbortSignal | undefined): { signal?: AbortSignal } =>
  signal === undefined ? {} : { signal };
