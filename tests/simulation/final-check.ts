import { documentIdOf } from '../../src/core/ids.js';
import type { Engine } from '../../src/index.js';
import { blockedNameHash } from '../../src/ledger/blocked-name.js';
import type { PendingBatch } from '../../src/ledger/pending-work.js';
import { contentsOf } from '../sync/index-contents.js';
import type { LateWrites } from './late-writes.js';
import { firstDifference, isThrough, Wrong } from './outcomes.js';
import type { Scheduler } from './scheduler.js';
import type { Servers, SimulatedHost } from './simulated-host.js';
import { startSimulatedWorkers } from './simulated-workers.js';
import { OTHER_TENANT, OTHERS, type SimulatedWorld, STAFF, TENANT } from './simulated-world.js';
import { PUSHED, PUSHES } from './workload.js';

export interface FinalParts {
  readonly world: SimulatedWorld;
  readonly servers: Servers;
  /** Those on which processes ran. */
  readonly hosts: readonly SimulatedHost[];
  readonly newHost: (name: string) => SimulatedHost;
  readonly newServers: () => Servers;
  readonly scheduler: Scheduler;
  readonly lateWrites: LateWrites;
  /** Lets the simulation go on until work has ended. */
  readonly drive: <T>(name: string, work: Promise<T>) => Promise<T>;
}

/** What is pending is done within this time, in milliseconds: leases and locks of the dead end, and workers look for what the queue lacks. */
const OWED_MS = 300_000;
const POLL_MS = 500;
/** A failure is tried again after 5 s at most. */
const RETRY_MS = 6_000;
const MOST_ROUNDS = 10;

/**
 * When nothing breaks any more: one run brings the index in step, and what is left of pushes that nobody was told the end of is finished
 * or taken back. Then it is what a clean index is, and what people wrote.
 */
export async function finalCheck(parts: FinalParts): Promise<void> {
  const { hosts, drive, servers, world } = parts;
  for (const host of hosts) if (host.isForgetting) await endForgetting(host, parts);
  const [host] = hosts;
  if (host === undefined) return;
  const { engine } = await host.start(servers, world, { isAlone: true });
  // What nobody was left to mend keeps a run from its end.
  if (parts.lateWrites.isAnyInDoubt(parts.scheduler.now)) await repair(engine, parts);
  if (servers.queue !== undefined) await endPending(host, parts);
  const result = await drive('The last run', engine.index());
  if (!isThrough(result))
    throw new Wrong(
      `The last run is not through: ${JSON.stringify(result.stats.errors)} ${result.notices.join()}`,
    );
  await checkInStep(engine, parts);
  await repair(engine, parts);
  await compareWithClean(engine, parts);
  await drive('Closing', engine.close());
}

const isOfPush = ({ source, kind }: { source: string; kind: string }): boolean =>
  kind.startsWith('document-') && PUSHED.includes(source);

/**
 * What a program handed in and a late writer then wrote over, who did not come to mend it, may be lost in both revisions: it says so, and is handed in
 * again, as it asks for. All else is repaired.
 */
async function repair(engine: Engine, parts: FinalParts): Promise<void> {
  const { drive } = parts;
  for (const scope of [STAFF, OTHERS]) {
    const first = await drive('A repair', engine.verify({ repair: true }, scope));
    if (first.ok) continue;
    for (const name of lostPushes(first.drift, scope.tenant, parts))
      await pushAgain(engine, { name, scope }, parts);
    const repaired = await drive('A repair', engine.verify({ repair: true }, scope));
    if (!repaired.ok) throw new Wrong(`It cannot be repaired: ${JSON.stringify(first.drift)}`);
  }
}

function lostPushes(
  drift: readonly { readonly source: string; readonly kind: string }[],
  tenant: string,
  { lateWrites, scheduler }: FinalParts,
): ReadonlySet<string> {
  const isLost = (one: { readonly source: string; readonly kind: string }): boolean =>
    isOfPush(one) && lateWrites.isInDoubt(documentIdOf(tenant, PUSHES, one.source), scheduler.now);
  return new Set(drift.filter(isLost).map(({ source }) => source));
}

async function pushAgain(
  engine: Engine,
  { name, scope }: { readonly name: string; readonly scope: { readonly tenant: string } },
  { drive, world, scheduler }: FinalParts,
): Promise<void> {
  const text = world.newText(name);
  const document = { tenant: scope.tenant, source: PUSHES, externalId: name };
  const write = world.truth.beginWrite(document, text, scheduler.now);
  await drive('A push again', engine.push([{ id: name, text, mediaType: 'text/markdown' }], scope));
  write.until = scheduler.now;
}

/** Only what was pushed cannot be read again by a run. */
async function checkInStep(
  engine: Engine,
  { drive, world, lateWrites, scheduler }: FinalParts,
): Promise<void> {
  const { drift } = await drive('A verification', engine.verify({}, STAFF));
  const { truth } = world;
  const inDoubt = new Set(
    truth.ids
      .filter((id) => lateWrites.isInDoubt(id, scheduler.now))
      .map((id) => truth.document(id)?.externalId),
  );
  const wrong = drift.filter((one) => !isOfPush(one) && !inDoubt.has(one.source));
  if (wrong.length > 0) throw new Wrong(`After a run it is out of step: ${JSON.stringify(wrong)}`);
}

/** Listings hand over until nothing is left that failed, and workers do all of it. */
async function endPending(host: SimulatedHost, parts: FinalParts): Promise<void> {
  const { drive, servers, world, scheduler, lateWrites } = parts;
  const { process, engine } = await host.start(servers, world);
  const fail = (error: unknown): void => {
    throw error;
  };
  const workers = startSimulatedWorkers(engine, {
    ...{ name: process.name, random: scheduler.random, lateWrites, fail },
    isEnding: () => false,
  });
  for (let round = 0; ; round++) {
    await drive('A listing', engine.index({ options: { handOver: true } }));
    await drive('What is pending', nothingPending(parts));
    const failures = await drive('A look at failures', engine.failures());
    if (failures.length === 0) break;
    if (round >= MOST_ROUNDS) throw new Wrong(`What failed is never done: ${JSON.stringify(failures)}`);
    // What failed as often as it is tried waits for a person.
    if (failures.every(({ state }) => state === 'given-up')) await drive('A retry', engine.retry());
    await drive('The time of retries', scheduler.wait(RETRY_MS, 'retries are due'));
  }
  await drive('Stopping', workers.stop());
  await checkInStep(engine, parts);
  await drive('Closing', engine.close());
}

async function nothingPending({ servers, scheduler }: FinalParts): Promise<void> {
  const ledger = servers.ledger.connect();
  const pending = async (): Promise<PendingBatch[]> => {
    const live = await ledger.live();
    return live === undefined ? [] : ((await ledger.reader(live.generation).pendingWork?.batches(10)) ?? []);
  };
  const deadline = scheduler.now + OWED_MS;
  for (let left = await pending(); left.length > 0; left = await pending()) {
    if (scheduler.now > deadline) throw new Wrong(`What is pending stays pending: ${JSON.stringify(left)}`);
    await scheduler.wait(POLL_MS, 'a look at what is pending');
  }
}

async function endForgetting(host: SimulatedHost, { drive, servers, world }: FinalParts): Promise<void> {
  const { engine } = await host.start(servers, world, { isAlone: true });
  const problems = await drive('The end of a forgetting', engine.resumeForgetting());
  if (problems.length > 0 || host.isForgetting)
    throw new Wrong(`A forgetting does not come to its end: ${problems.join()}`);
}

async function compareWithClean(engine: Engine, parts: FinalParts): Promise<void> {
  const { drive, servers, world, newHost, newServers } = parts;
  const { truth } = world;
  const contents = await drive('A look at the index', contentsOf(engine));
  const kept = await servers.ledger.connect().blockedNames(TENANT);
  const isKeptOut = (source: string, name: string): boolean =>
    kept.some(({ key, hashes }) =>
      hashes.has(blockedNameHash(key, { tenant: TENANT, source, kind: 'document', name })),
    );
  const { documents } = contents.staff;
  const pushes = documents.filter(({ source }) => source === PUSHES);
  const textsOf = (held: typeof documents) => new Map(held.map(({ externalId, text }) => [externalId, text]));
  checkPushes(textsOf(pushes), TENANT, { truth, isKeptOut });
  const others = await drive('A look at the other tenant', textsOfOthers(engine));
  checkPushes(others, OTHER_TENANT, { truth, isKeptOut: () => false });

  const clean = newServers();
  for (const names of kept) await clean.ledger.connect().block(TENANT, { ...names, receipt: 'all' });
  const { engine: other } = await newHost('clean').start(clean, world, { isAlone: true });
  await drive('A clean run', other.index());
  const again = pushes.map(({ externalId, text }) => ({
    id: externalId,
    text: text ?? '',
    mediaType: 'text/markdown',
  }));
  if (again.length > 0) await drive('Clean pushes', other.push(again, STAFF));
  const wanted = await drive('A look at the clean index', contentsOf(other));
  const difference = firstDifference(contents, wanted);
  if (difference !== undefined) throw new Wrong(`It is not what a clean index is: ${difference}`);
  await drive('Closing', other.close());

  const held = new Map(documents.map(({ id, text }) => [id, text]));
  for (const { id } of pushes) held.delete(id);
  for (const [id, { text }] of truth.present()) {
    const document = truth.document(id);
    if (document === undefined || isKeptOut(document.source, document.externalId)) continue;
    if (held.get(id) !== text)
      throw new Wrong(`The index holds ${JSON.stringify(held.get(id))} and not ${JSON.stringify(text)}`);
    held.delete(id);
  }
  if (held.size > 0) throw new Wrong(`The index holds what is not there: ${[...held.values()].join('\n')}`);
}

async function textsOfOthers(engine: Engine): Promise<Map<string, string | undefined>> {
  const view = engine.as(OTHERS);
  const { documents } = await view.list({ limit: 1_000 });
  const texts = documents.map(
    async ({ id, externalId }) => [externalId, (await view.get(id))?.text] as const,
  );
  return new Map(await Promise.all(texts));
}

function checkPushes(
  held: ReadonlyMap<string, string | undefined>,
  tenant: string,
  {
    truth,
    isKeptOut,
  }: {
    readonly truth: SimulatedWorld['truth'];
    readonly isKeptOut: (source: string, name: string) => boolean;
  },
): void {
  for (const externalId of PUSHED) {
    const text = held.get(externalId);
    const finals = truth.finals(documentIdOf(tenant, PUSHES, externalId));
    const isForgotten = text === undefined && isKeptOut(PUSHES, externalId);
    if (!finals.includes(text) && !isForgotten)
      throw new Wrong(
        `Of the push ${externalId} is left ${JSON.stringify(text)}, and not one of ${JSON.stringify(finals)}`,
      );
  }
}
