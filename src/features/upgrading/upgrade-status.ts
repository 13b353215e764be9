import { basename } from 'node:path';
import type { ResolvedConfig } from '../../config/resolved-config.js';
import { withoutUndefined } from '../../core/without-undefined.js';
import type { Generation, Ledger } from '../../ledger/ledger.js';
import type { UpgradeStatus } from '../../operations/upgrade-types.js';
import { type UpgradeRecord, upgradeRecordOf } from '../../resources/upgrade-record.js';

interface Upgrade {
  readonly facts: Generation;
  readonly record: UpgradeRecord;
}

/** Where the upgrade that is wanted, or was begun, stands; undefined where there is none. */
export async function readUpgradeStatus(
  ledger: Ledger,
  live: Generation,
  { rag }: ResolvedConfig,
): Promise<UpgradeStatus | undefined> {
  const upgrades = (await ledger.generations()).flatMap((facts): Upgrade[] => {
    const record = upgradeRecordOf(facts);
    return record === undefined ? [] : [{ facts, record }];
  });
  const wanted = rag.embedding.upgrade ?? upgrades[0]?.record.model;
  if (wanted === undefined) return undefined;
  if (isOf(live, wanted)) return inUse(live, wanted, ledger);
  const found = upgrades.find(({ facts, record }) => record.model === wanted || isOf(facts, wanted));
  const total = await chunksOf(live, ledger);
  if (found === undefined) {
    const notice = `Searches use the vectors of ${live.embedder}. \`ragstone reembed\` makes those of ${wanted} beside them, and so do \`ragstone sync --daemon\` and \`ragstone serve\` while they run.`;
    return { wanted, state: 'waiting', done: 0, total, notice };
  }
  const { facts, record } = found;
  const { generation } = facts;
  const { embedded, embeddingMs, comparison, isComplete } = record;
  const facets = {
    wanted,
    generation,
    total,
    ...(embeddingMs > 0 ? { perSecond: (embedded * 1000) / embeddingMs } : {}),
    ...withoutUndefined({ comparison }),
  };
  const done = Math.min(total, await chunksOf(facts, ledger));
  if (facts.state === 'retired')
    return {
      ...facets,
      state: 'taken back',
      done,
      notice: `Generation ${generation} of ${wanted} was live and was taken back; nothing is done by itself. \`ragstone generations use ${generation}\` goes to it again.`,
    };
  if (!isComplete)
    return {
      ...facets,
      state: 'filling',
      done,
      notice: `Searches use the vectors of ${live.embedder}; ${done} of ${total} chunks have those of ${wanted}, in generation ${generation}. \`ragstone reembed\` goes on with it where nothing is at it now.`,
    };
  const judged = comparison === undefined ? 'was not compared' : `was compared: ${comparison.verdict}`;
  return {
    ...facets,
    state: 'complete',
    done,
    notice: `Searches use the vectors of ${live.embedder}; those of ${wanted} are complete in generation ${generation}, which ${judged}. \`ragstone reembed --switch always\` switches to it, \`ragstone generations drop ${generation}\` removes it.`,
  };
}

async function inUse(live: Generation, wanted: string, ledger: Ledger): Promise<UpgradeStatus> {
  const total = await chunksOf(live, ledger);
  const comparison = upgradeRecordOf(live)?.comparison;
  return {
    wanted,
    state: 'live',
    generation: live.generation,
    done: total,
    total,
    ...withoutUndefined({ comparison }),
    notice: `Searches use the vectors of ${live.embedder}, the model that is wanted.`,
  };
}

/** By name: whether it is that very revision is found out when the model is opened. */
const isOf = (facts: Generation, wanted: string): boolean =>
  upgradeRecordOf(facts)?.model === wanted ||
  facts.embedder === wanted ||
  facts.embedder ===
    wanted.replace(
      /^(?:(onnx:)|transformers:)?(.*)$/s,
      (_, onnx = 'transformers:', path: string) => onnx + basename(path),
    );

async function chunksOf({ generation }: Generation, ledger: Ledger): Promise<number> {
  const sources = await ledger.reader(generation).sources();
  return sources.reduce((sum, { chunks }) => sum + chunks, 0);
}

/** Whether something is left to be done by itself. */
export const isUpgradeDue = (status: UpgradeStatus | undefined): boolean =>
  status?.state === 'waiting' || status?.state === 'filling';
