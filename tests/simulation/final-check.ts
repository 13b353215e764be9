import { documentIdOf } from '../../src/core/ids.js';
import type { Engine } from '../../src/index.js';
import { keptOutHash } from '../../src/ledger/kept-out-hash.js';
import { contentsOf } from '../sync/index-contents.js';
import { firstDifference, isThrough, Wrong } from './outcomes.js';
import type { Servers, SimulatedHost } from './simulated-host.js';
import { OTHER_TENANT, OTHERS, type SimulatedWorld, STAFF, TENANT } from './simulated-world.js';
import { PUSHED, PUSHES } from './workload.js';

export interface FinalParts {
  readonly world: SimulatedWorld;
  readonly servers: Servers;
  /** Those on which processes ran. */
  readonly hosts: readonly SimulatedHost[];
  readonly newHost: (name: string) => SimulatedHost;
  readonly newServers: () => Servers;
  /** Lets the simulation go on until work has ended. */
  readonly drive: <T>(name: string, work: Promise<T>) => Promise<T>;
}

/**
 * When nothing breaks any more: one run brings the index in step, and what is left of pushes that nobody was told the end of is finished
 * or taken back. Then it is what a clean index is, and what people wrote.
 */
export async function finalCheck(parts: FinalParts): Promise<void> {
  const { hosts, drive, servers, world } = parts;
  for (const host of hosts) if (host.isForgetting) await endForgetting(host, parts);
  const [host] = hosts;
  if (host === undefined) return;
  const { engine } = await host.start(servers, world);
  const result = await drive('The last run', engine.index());
  if (!isThrough(result))
    throw new Wrong(
      `The last run is not through: ${JSON.stringify(result.stats.errors)} ${result.notices.join()}`,
    );
  const { drift } = await drive('A verification', engine.verify({}, STAFF));
  // Only what was pushed cannot be read again by a run.
  const ofSources = drift.filter((one) => !isOfPush(one));
  if (ofSources.length > 0) throw new Wrong(`After a run it is out of step: ${JSON.stringify(ofSources)}`);
  for (const scope of [STAFF, OTHERS]) {
    const repaired = await drive('A repair', engine.verify({ repair: true }, scope));
    if (!repaired.ok) throw new Wrong(`It cannot be repaired: ${JSON.stringify(repaired.drift)}`);
  }
  await compareWithClean(engine, parts);
  await drive('Closing', engine.close());
}

const isOfPush = ({ source, kind }: { source: string; kind: string }): boolean =>
  kind.startsWith('document-') && PUSHED.includes(source);

async function endForgetting(host: SimulatedHost, { drive, servers, world }: FinalParts): Promise<void> {
  const { engine } = await host.start(servers, world);
  const problems = await drive('The end of a forgetting', engine.resumeForgetting());
  if (problems.length > 0 || host.isForgetting)
    throw new Wrong(`A forgetting does not come to its end: ${problems.join()}`);
}

async function compareWithClean(engine: Engine, parts: FinalParts): Promise<void> {
  const { drive, servers, world, newHost, newServers } = parts;
  const { truth } = world;
  const contents = await drive('A look at the index', contentsOf(engine));
  const kept = await servers.ledger.connect().keptOut(TENANT);
  const isKeptOut = (source: string, name: string): boolean =>
    kept?.hashes.has(keptOutHash(kept.key, { tenant: TENANT, source, kind: 'document', name })) === true;
  const { documents } = contents.staff;
  const pushes = documents.filter(({ source }) => source === PUSHES);
  const textsOf = (held: typeof documents) => new Map(held.map(({ externalId, text }) => [externalId, text]));
  checkPushes(textsOf(pushes), TENANT, { truth, isKeptOut });
  const others = await drive('A look at the other tenant', textsOfOthers(engine));
  checkPushes(others, OTHER_TENANT, { truth, isKeptOut: () => false });

  const clean = newServers();
  if (kept !== undefined) await clean.ledger.connect().keepOut(TENANT, { ...kept, receipt: 'all' });
  const { engine: other } = await newHost('clean').start(clean, world);
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
