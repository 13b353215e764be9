import { modelNamed, trustNamed } from '../../config/trust/index-reach.js';
import { RAGError, throwIfAborted } from '../../core/errors.js';
import { isoNow, runtime } from '../../core/runtime.js';
import type { Scope } from '../../core/scope.js';
import type { EmbeddingEstimate } from '../../embedding/embedder.js';
import { fingerprintOf, sumOfEstimates } from '../../embedding/embedder.js';
import { readHeld } from '../../indexing/carry-over.js';
import type { Generation, Ledger } from '../../ledger/ledger.js';
import type {
  ReembedRequest,
  ReembedResult,
  SwitchRule,
  UpgradeComparison,
} from '../../operations/upgrade-types.js';
import {
  dropGeneration,
  dropRetired,
  newCollectionName,
  nothingIndexed,
  openForReading,
  specOf,
} from '../../resources/open-collection.js';
import {
  editUpgradeRecord,
  heldUpgradeRecord,
  type UpgradeRecord,
  upgradeRecordOf,
  writeUpgradeRecord,
} from '../../resources/upgrade-record.js';
import { alignItems } from './align-items.js';
import { chooseQuestions, compareGenerations, type QuestionChoice } from './compare-generations.js';
import { assertPair, type Filling, fillGeneration } from './fill-generation.js';
import { FillPace } from './fill-pace.js';
import { findOutOfStep, type OutOfStep } from './out-of-step.js';
import type { GenerationPair, OpenGeneration, UpgradeHost, UpgradeModel } from './upgrade-host.js';

/** Documents that may be out of step when writers are asked to wait for the switch: about as many as a moment copies. */
const FEW_DOCUMENTS = 8;
/** Passes before writers are asked to wait all the same: they may change more than a pass makes up for. */
const MOST_PASSES = 20;
/** Generations that are kept to go back to. */
const KEPT_GENERATIONS = 1;

/**
 * Makes the vectors of another model beside the live ones, from what is stored, compares both on questions, and switches. Searches and runs
 * go on with the live generation until the switch, which is one transaction. One that was stopped or killed goes on where it is called
 * again.
 *
 * @throws RAGError `USAGE` where no model is named; `MODEL_NOT_FOUND`; `INDEX_EMPTY`; `INDEX_LOCKED` where another process is at it
 */
export async function reembed(
  request: ReembedRequest,
  scope: Scope,
  host: UpgradeHost,
): Promise<ReembedResult> {
  const started = runtime().elapsed();
  const { resources, config, signal } = host;
  const { setting, key } = modelOf(request, host);
  const live = await resources.ledger.live();
  if (live === undefined) throw nothingIndexed(config);
  const opened = await resources.models.openUpgradeModel(setting, key);
  try {
    const model: UpgradeModel = { setting, ...opened };
    const { facts } = live;
    const base = {
      from: { generation: facts.generation, embedder: facts.embedder },
      documents: 0,
      chunks: 0,
      embedded: 0,
      embeddingMs: 0,
    };
    const since = (): number => Math.round(runtime().elapsed() - started);
    if (model.fingerprint === facts.fingerprint) {
      await keepFollowing(facts, model, host);
      return {
        ...base,
        outcome: 'already',
        to: { generation: facts.generation, embedder: facts.embedder },
        tookMs: since(),
        notices: [`The index is made with ${facts.embedder} already.`],
      };
    }
    if (request.dryRun === true) {
      const counted = await countWork(live.facts, model, host);
      const to = { generation: counted.generation, embedder: model.embedder.identity.model };
      return { ...base, ...counted.counts, outcome: 'dry-run', to, tookMs: since(), notices: [] };
    }
    trustNamed(modelNamed(setting), config);
    const lock = await resources.ledger.lock({ subject: 'upgrading', command: 'ragstone reembed', signal });
    try {
      const done = await upgrade(request, { facts, model, scope, host });
      return { ...base, ...done, tookMs: since() };
    } finally {
      await lock.release();
    }
  } finally {
    await opened.close();
  }
}

function modelOf(
  { model }: ReembedRequest,
  { config }: UpgradeHost,
): { readonly setting: string; readonly key: string } {
  if (model !== undefined) return { setting: model, key: 'The model to upgrade to' };
  const { upgrade } = config.rag.embedding;
  if (upgrade !== undefined) return { setting: upgrade, key: 'rag.embedding.upgrade' };
  throw new RAGError(
    'USAGE',
    'No model is named to embed with: say `ragstone reembed --model MODEL`, or set `rag.embedding.upgrade`.',
  );
}

/** Runs embed with the model of the live generation from now on, whatever the configuration names. */
async function keepFollowing(facts: Generation, model: UpgradeModel, host: UpgradeHost): Promise<void> {
  const configured = await configuredFingerprint(host);
  if (configured === model.fingerprint || upgradeRecordOf(facts)?.configured === configured) return;
  trustNamed(modelNamed(model.setting), host.config);
  await host.alone('items', (ledger) =>
    writeUpgradeRecord(ledger, facts.generation, {
      ...newRecord(facts, model, configured),
      isComplete: true,
    }),
  );
}

const configuredFingerprint = async ({ resources }: UpgradeHost): Promise<string> =>
  fingerprintOf((await resources.models.configuredEmbedder()).embedder.identity);

const newRecord = (
  { generation, embedder }: Generation,
  { setting }: UpgradeModel,
  configured: string,
): UpgradeRecord => ({
  model: setting,
  configured,
  from: { generation, embedder },
  embedded: 0,
  embeddingMs: 0,
  isComplete: false,
});

interface UpgradeParts {
  /** The live generation. */
  readonly facts: Generation;
  readonly model: UpgradeModel;
  readonly scope: Scope;
  readonly host: UpgradeHost;
}

type Upgraded = Pick<
  ReembedResult,
  'outcome' | 'to' | 'documents' | 'chunks' | 'embedded' | 'embeddingMs' | 'comparison' | 'notices'
>;

async function upgrade(request: ReembedRequest, parts: UpgradeParts): Promise<Upgraded> {
  const { facts, model, scope, host } = parts;
  const { config, cwd, signal } = host;
  const file = request.questions ?? config.rag.embedding.upgradeQuestions;
  const ledger = await readingLedger(host);
  const choose = (from: string | undefined): Promise<QuestionChoice> =>
    chooseQuestions(from, { reader: ledger.reader(facts.generation), tenant: scope.tenant, cwd });
  // A wrong file is found out before hours of work.
  const given = file === undefined ? undefined : await choose(file);
  const pair = await openPair(parts);
  const { generation, embedder } = pair.target.facts;
  const notices: string[] = [];
  const pace = new FillPace((progress) => request.onProgress?.({ stage: 'embedding', ...progress }));
  const filling: Filling = {
    host,
    model,
    pair,
    copied: new Map(),
    observer: { embedded: (chunks) => pace.add(chunks), notice: (text) => notices.push(text) },
  };
  const first = await fill(filling, pace);
  let { embedded, inexact } = first;
  await host.alone('items', async (writing) => {
    await assertPair(writing, pair);
    await alignItems(writing, pair);
    await pair.target.collection.optimize(signal);
    await host.resources.models.learnFrom({ ledger: writing, ...pair.target }, { signal });
    await editUpgradeRecord(writing, generation, () => ({ isComplete: true }));
  });
  const comparison = await compared(given ?? (await choose(undefined)), { ...parts, pair, ledger, request });
  if (comparison === undefined) notices.push(NO_QUESTIONS);
  else await host.alone('items', (writing) => editUpgradeRecord(writing, generation, () => ({ comparison })));
  const rule = request.switch ?? config.rag.embedding.upgradeSwitch;
  const isSwitched = maySwitch(rule, comparison);
  if (isSwitched) {
    const rest = await fill(filling, pace);
    embedded += rest.embedded;
    inexact += rest.inexact;
    request.onProgress?.({ stage: 'switching', done: 0, total: 1, perSecond: 0 });
    await warmUp(pair.target, host);
    const last = await switchOver(filling);
    notices.push(...last.problems);
    inexact += last.inexact;
  } else notices.push(keptNotice(rule, comparison, pair));
  if (inexact > 0) notices.push(inexactNotice(inexact));
  const record = await heldUpgradeRecord(await readingLedger(host), generation);
  return {
    outcome: isSwitched ? 'switched' : 'kept',
    to: { generation, embedder },
    documents: first.found.documents,
    chunks: first.found.chunks.total,
    embedded,
    embeddingMs: Math.round(record?.embeddingMs ?? 0),
    ...(comparison === undefined ? {} : { comparison }),
    notices,
  };
}

const NO_QUESTIONS =
  'Both models could not be compared: the indexed documents suggest no questions. Name a file of your own with --questions, or switch without a comparison with --switch always.';

const inexactNotice = (count: number): string =>
  `${count} passages are indexed with words that are in no stored text (contexts written by a language model, surroundings that a program handed in), and were embedded without them. The next \`ragstone index\` mends those of sources that it can read; push the others again.`;

function keptNotice(
  rule: SwitchRule,
  comparison: UpgradeComparison | undefined,
  { live, target }: GenerationPair,
): string {
  const why =
    rule === 'never'
      ? 'as it was asked to (--switch never)'
      : comparison === undefined
        ? 'because nothing was compared'
        : comparison.verdict === 'worse'
          ? 'because the new model was found worse'
          : 'because the new model was not found better (--switch if-better)';
  return `Searches stay with generation ${live.facts.generation} (${live.facts.embedder}), ${why}. Generation ${target.facts.generation} is complete: \`ragstone reembed --model MODEL --switch always\` switches to it, \`ragstone generations drop ${target.facts.generation}\` removes it.`;
}

function maySwitch(rule: SwitchRule, comparison: UpgradeComparison | undefined): boolean {
  if (rule === 'always') return true;
  if (rule === 'never' || comparison === undefined) return false;
  return rule === 'if-better' ? comparison.verdict === 'better' : comparison.verdict !== 'worse';
}

async function readingLedger({ resources, config }: UpgradeHost): Promise<Ledger> {
  const ledger = await resources.ledger.reading();
  if (ledger === undefined) throw nothingIndexed(config);
  return ledger;
}

/** Opens the live generation, and that of the model: the one that was begun before, or a new one in the same store. */
async function openPair({ facts: live, model, host }: UpgradeParts): Promise<GenerationPair> {
  const { resources } = host;
  const store = await resources.stores.of(live);
  const configured = await configuredFingerprint(host);
  const collection = await openForReading(live, store);
  const facts = await host.alone('items', async (ledger) => {
    let found: Generation | undefined;
    for (const held of await ledger.generations()) {
      if (held.state === 'live' || upgradeRecordOf(held) === undefined) continue;
      const isOurs = held.fingerprint === model.fingerprint && held.provider === live.provider;
      const isThere = isOurs && (await store.describe(held.collection)) !== undefined;
      if (isThere && found === undefined) found = held;
      // One upgrade is under way at a time; what is left of another one is in nobody's way but for its room.
      else if (held.state === 'building') await dropGeneration(held, ledger, (of) => resources.stores.of(of));
    }
    found ??= await ledger.begin(
      (generation) => ({
        provider: store.name,
        collection: newCollectionName(generation),
        dimensions: model.embedder.dimensions,
        fingerprint: model.fingerprint,
        embedder: model.embedder.identity.model,
      }),
      isoNow(),
    );
    const before = upgradeRecordOf(found) ?? newRecord(live, model, configured);
    const record = { ...before, model: model.setting, configured };
    await writeUpgradeRecord(ledger, found.generation, record);
    // By what it says of itself its model is found.
    return { ...found, upgrade: JSON.stringify(record) };
  });
  return {
    live: { facts: live, collection },
    target: { facts, collection: await store.open(specOf(facts)) },
  };
}

/** Copies until next to nothing is out of step. */
async function fill(
  filling: Filling,
  pace: FillPace,
): Promise<{ embedded: number; inexact: number; found: OutOfStep }> {
  let embedded = 0;
  let inexact = 0;
  for (let pass = 1; ; pass += 1) {
    const found = await outOfStep(filling);
    pace.begin(found.chunks);
    const report = await fillGeneration(found, filling);
    embedded += report.embedded;
    inexact += report.inexact;
    const isDone = found.changed.length + found.gone.length - report.left <= FEW_DOCUMENTS;
    if (isDone || pass >= MOST_PASSES) return { embedded, inexact, found };
  }
}

async function outOfStep({ pair, host }: Filling): Promise<OutOfStep> {
  const ledger = await readingLedger(host);
  const { live, target } = pair;
  return findOutOfStep(
    ledger.reader(live.facts.generation),
    ledger.reader(target.facts.generation),
    host.signal,
  );
}

async function compared(
  choice: QuestionChoice,
  {
    request,
    ...context
  }: UpgradeParts & {
    readonly pair: GenerationPair;
    readonly ledger: Ledger;
    readonly request: ReembedRequest;
  },
): Promise<UpgradeComparison | undefined> {
  if (choice.questions.length === 0) return undefined;
  const { generation } = context.pair.target.facts;
  // What was learnt of it is named in its facts.
  const facts = (await context.ledger.generations()).find((held) => held.generation === generation);
  const target = { ...context.pair.target, facts: facts ?? context.pair.target.facts };
  return compareGenerations(choice, {
    ...context,
    pair: { ...context.pair, target },
    onQuestion: (done, total) => request.onProgress?.({ stage: 'comparing', done, total, perSecond: 0 }),
  });
}

/** The first search after the switch should not wait for the model to be loaded. */
async function warmUp({ facts }: OpenGeneration, { resources, signal }: UpgradeHost): Promise<void> {
  const { embedder } = await resources.models.embedderOf(facts);
  // A hosted one has nothing to load.
  if (embedder.isCheap || embedder.estimate !== undefined) return;
  await embedder.doEmbed(['warm up'], 'query', signal);
}

/** While nobody writes: the rest is copied, and searches read the new vectors, from one transaction on. */
async function switchOver(
  filling: Filling,
): Promise<{ readonly problems: readonly string[]; readonly inexact: number }> {
  const { host, pair } = filling;
  const { resources, signal } = host;
  return host.alone('whole', async (ledger) => {
    await assertPair(ledger, pair);
    // This turn is ours until the switch.
    const within: Filling = { ...filling, host: { ...host, alone: (_, work) => work(ledger) } };
    const { inexact } = await fillGeneration(await outOfStep(within), within);
    await alignItems(ledger, pair);
    await resources.models.learnFrom({ ledger, ...pair.target }, { signal });
    throwIfAborted(signal);
    const at = isoNow();
    await ledger.switchTo(pair.target.facts.generation, at, pair.live.facts.generation);
    const problems = await dropRetired(ledger, (of) => resources.stores.of(of), KEPT_GENERATIONS);
    return { problems, inexact };
  });
}

/** What an upgrade would have to do; of a hosted model, what it costs. */
async function countWork(
  live: Generation,
  model: UpgradeModel,
  host: UpgradeHost,
): Promise<{
  readonly generation: number | undefined;
  readonly counts: Pick<ReembedResult, 'documents' | 'chunks' | 'estimate'>;
}> {
  const ledger = await readingLedger(host);
  const begun = (await ledger.generations()).find(
    (held) =>
      held.state !== 'live' &&
      held.fingerprint === model.fingerprint &&
      held.provider === live.provider &&
      upgradeRecordOf(held) !== undefined,
  );
  const reader = ledger.reader(live.generation);
  // A generation that nobody began holds nothing.
  const found = await findOutOfStep(reader, ledger.reader(begun?.generation ?? 0), host.signal);
  const chunks = found.chunks.total - found.chunks.inStep;
  const counts = { documents: found.changed.length, chunks };
  if (model.embedder.estimate === undefined) return { generation: begun?.generation, counts };
  const collection = await openForReading(live, await host.resources.stores.of(live));
  const from = { facts: live, reader, collection };
  let estimate: EmbeddingEstimate | undefined;
  for (const { document } of found.changed) {
    throwIfAborted(host.signal);
    const held = await readHeld(document, from, { signal: host.signal });
    const texts = held?.rebuilt.map(({ indexedText }) => indexedText) ?? [];
    const more = await model.embedder.estimate(texts);
    estimate = sumOfEstimates(estimate, more);
  }
  return { generation: begun?.generation, counts: { ...counts, estimate } };
}
