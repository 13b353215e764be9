import { existsSync } from 'node:fs';
import type { Answer } from '../answering/answer.js';
import type { AnswerEvent } from '../answering/answer-events.js';
import { type LoadConfigOptions, loadConfig } from '../config/load-config.js';
import { chooseProvider } from '../config/registry.js';
import type { ResolvedConfig } from '../config/resolved-config.js';
import { RAGError } from '../core/errors.js';
import { LOCAL_SCOPE, type Scope } from '../core/scope.js';
import type { Ledger } from '../ledger/ledger.js';
import { acquireWriterLock } from '../ledger/writer-lock.js';
import type { PushedDocument } from '../sources/push/push-source.js';
import { lastAnswer, runAsk } from './answer-pipeline.js';
import {
  configuredSources,
  isPathSource,
  pathSource,
  pushedSource,
  rememberedPaths,
  selectSources,
} from './configured-sources.js';
import { pathsOf } from './document-paths.js';
import type {
  AskRequest,
  Engine,
  IndexRequest,
  IndexResult,
  SearchQuery,
  SearchResponse,
  VerifyResult,
} from './engine.js';
import { EngineResources } from './engine-resources.js';
import { explainMiss } from './explain-miss.js';
import { runIndex } from './index-pipeline.js';
import { pathAdder, readStatus } from './index-status.js';
import type { MissExplanation } from './miss-explanation.js';
import { isRedundant, withoutOverlaps } from './overlapping-sources.js';
import { runSearch } from './query-pipeline.js';
import { type SalvagedLedger, salvageLedger } from './salvage-ledger.js';
import type { ConfiguredSource } from './source-task.js';
import { damagedLedger, isLedgerDamage, prepareRepair, verifyIndex } from './verify-index.js';

export interface CreateEngineOptions {
  /** A configuration as an object: the content of `rag:`, or a whole file. Without it a file is looked for. */
  readonly config?: LoadConfigOptions['config'];
  /** Default: `config/rag-config.yaml`, then `ragstone.yaml`, in `cwd`; none means defaults. */
  readonly configFile?: string;
  /** Settings over those of the file or object. */
  readonly overrides?: LoadConfigOptions['overrides'];
  /** @default `.ragstone` in the project's folder */
  readonly dataDir?: string;
  /** Folder that relative paths start from. @default process.cwd() */
  readonly cwd?: string;
  /** Fetch secrets that the configuration names as `scheme:name`; beside `env`, `file` and `keyvault`. */
  readonly secretResolvers?: LoadConfigOptions['secretResolvers'];
}

/** Chunks in one embedding and store batch: large enough to make a store's commits cheap, small enough for steady memory. */
const DEFAULT_BATCH_SIZE = 2000;
const DEFAULT_PARALLEL = 8;

/** Opens an engine. Nothing is read or loaded until it is needed. Throws what the configuration is refused for. */
export async function createEngine(options: CreateEngineOptions = {}): Promise<Engine> {
  const { config, configFile, overrides, dataDir, cwd, secretResolvers } = options;
  const resolved = await loadConfig({
    ...(config === undefined ? {} : { config }),
    ...(configFile === undefined ? {} : { file: configFile }),
    ...(overrides === undefined ? {} : { overrides }),
    ...(dataDir === undefined ? {} : { dataDir }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(secretResolvers === undefined ? {} : { secretResolvers }),
  });
  // A store that this version lacks is refused now, whatever is asked for later.
  chooseProvider(resolved);
  return engineOver(new EngineResources(resolved), cwd ?? process.cwd());
}

/** An engine over resources that the caller knows too; closing the engine closes them. */
export const engineOver = (resources: EngineResources, cwd: string): Engine =>
  new EmbeddedEngine(resources, cwd);

class EmbeddedEngine implements Engine {
  readonly #opened: EngineResources;
  readonly #cwd: string;
  #closing: Promise<void> | undefined;

  constructor(resources: EngineResources, cwd: string) {
    this.#opened = resources;
    this.#cwd = cwd;
  }

  /** Throws once the engine is closed: a ledger that was opened anew would stay open. */
  get #resources(): EngineResources {
    if (this.#closing === undefined) return this.#opened;
    throw new RAGError('USAGE', 'This engine is closed. Open another one with createEngine.');
  }

  get #config(): ResolvedConfig {
    return this.#opened.config;
  }

  async index(given: IndexRequest | readonly PushedDocument[] = {}): Promise<IndexResult> {
    const request = requestOf(given);
    if (request.options?.dryRun === true) return this.#runIndex(request, 'index --dry-run');
    return this.#locked('index', request, () => this.#runIndex(request, 'index'));
  }

  async search(query: string | SearchQuery, scope: Scope = LOCAL_SCOPE): Promise<SearchResponse> {
    return runSearch(typeof query === 'string' ? { text: query } : query, scope, this.#resources);
  }

  async ask(request: string | AskRequest, scope: Scope = LOCAL_SCOPE): Promise<Answer> {
    return lastAnswer(this.askStream(request, scope));
  }

  askStream(request: string | AskRequest, scope: Scope = LOCAL_SCOPE): AsyncIterable<AnswerEvent> {
    return runAsk(typeof request === 'string' ? { question: request } : request, scope, this.#resources);
  }

  async explainMiss(
    query: string | SearchQuery,
    document: string,
    scope: Scope = LOCAL_SCOPE,
  ): Promise<MissExplanation> {
    const asked = typeof query === 'string' ? { text: query } : query;
    return explainMiss({ query: asked, scope, resources: this.#resources }, document);
  }

  async status(): ReturnType<Engine['status']> {
    return readStatus(this.#resources);
  }

  async verify({
    repair = false,
    signal,
  }: {
    repair?: boolean;
    signal?: AbortSignal;
  } = {}): Promise<VerifyResult> {
    const before = await this.#verify(signal);
    if (!repair || before.drift.length === 0)
      return { ok: before.drift.length === 0, drift: before.drift, repaired: 0 };
    return this.#locked('verify --repair', signal === undefined ? {} : { signal }, async () => {
      if (!before.damaged) await prepareRepair(before, await this.#verifyContext(signal));
      await this.#runIndex(
        { options: { force: before.damaged }, ...(signal === undefined ? {} : { signal }) },
        'verify --repair',
      );
      const after = await this.#verify(signal);
      const repaired = Math.max(0, before.drift.length - after.drift.length);
      return { ok: after.drift.length === 0, drift: after.drift, repaired };
    });
  }

  async clear(): Promise<void> {
    await this.#locked('clear', {}, async () => {
      const facts = this.#factsIfReadable();
      const { store } = await this.#resources.store();
      if (facts !== undefined) await store.drop(facts.collection);
      await this.#resources.discardLedger();
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#opened.close();
    return this.#closing;
  }

  async #locked<T>(
    command: string,
    { options, signal }: Pick<IndexRequest, 'options' | 'signal'>,
    work: () => Promise<T>,
  ): Promise<T> {
    const lock = await acquireWriterLock({
      folder: this.#config.dataDir,
      holder: { command: `ragstone ${command}` },
      waitMs: options?.waitMs ?? 0,
      ...(signal === undefined ? {} : { signal }),
    });
    try {
      return await work();
    } finally {
      lock.release();
    }
  }

  async #runIndex(request: IndexRequest, command: string): Promise<IndexResult> {
    const { force = false, dryRun = false, prune = false } = request.options ?? {};
    const { ledger, salvaged } = dryRun
      ? { ledger: this.#resources.dryLedger() }
      : await this.#writingLedger(request);
    const selected = await this.#selectSources(request, () => [
      ...sourceNames(ledger),
      ...(salvaged?.sources ?? []),
    ]);
    if (selected.sources.length === 0 && sourceNames(ledger).length === 0 && salvaged === undefined)
      throw nothingToIndex();
    if (!dryRun) rememberPaths(ledger, selected, prune);
    const isPartial =
      request.sources !== undefined || request.paths !== undefined || request.documents !== undefined;
    const { store, notices: ofStore } = await this.#resources.store({
      rebuild: force && !isPartial && !dryRun,
    });
    const { embedder, notices, cache } = await this.#resources.embedder();
    const contextualiser = await this.#resources.contextualiser();
    const result = await runIndex({
      ...(contextualiser === undefined ? {} : { contextualiser }),
      ledger,
      store,
      embedder,
      embedding: cache === undefined ? {} : { cache },
      sources: selected.sources,
      knownSources: selected.known,
      configuredNames: new Set(this.#config.rag.sources.map(({ name }) => name)),
      options: {
        scope: LOCAL_SCOPE,
        force,
        dryRun,
        prune,
        batchSize: request.options?.batchSize ?? DEFAULT_BATCH_SIZE,
        parallel: request.options?.parallel ?? DEFAULT_PARALLEL,
      },
      command,
      ...(salvaged?.facts === undefined ? {} : { abandoned: salvaged.facts }),
      now: () => new Date().toISOString(),
      ...(request.onProgress === undefined ? {} : { onProgress: request.onProgress }),
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    });
    if (!dryRun) await this.#resources.learnFromCollection(request.signal);
    if (!dryRun) forgetRedundant(ledger, selected);
    const { stats } = result;
    return {
      ...result,
      stats: { ...stats, errors: stats.errors.map(pathAdder(this.#config)) },
      notices: [...(salvaged?.notices ?? []), ...ofStore, ...notices, ...result.notices],
    };
  }

  /** The ledger for writing. With `force` a damaged one is begun anew, if the request still says what to index. */
  async #writingLedger({
    sources,
    paths,
    documents,
    options,
  }: IndexRequest): Promise<{ ledger: Ledger; salvaged?: SalvagedLedger }> {
    const { force = false } = options ?? {};
    try {
      return { ledger: this.#resources.writingLedger({ check: force }) };
    } catch (error) {
      if (!force || !isLedgerDamage(error)) throw error;
      const salvaged = salvageLedger(() => this.#resources.readingLedger());
      const isOpen = sources === undefined && paths === undefined && documents === undefined;
      const isKnown = rememberedPaths(salvaged.sources, this.#config).length > 0;
      if (isOpen && !isKnown && (await configuredSources(this.#config)).length === 0) {
        throw new RAGError(
          'INDEX_DAMAGED',
          `The index's ledger in ${this.#config.dataDir} is damaged, and with it the list of the folders that were indexed by name. Name them to build the index anew: \`ragstone index FOLDER --force\`.`,
          { cause: error },
        );
      }
      await this.#resources.discardLedger();
      return { ledger: this.#resources.writingLedger({ check: false }), salvaged };
    }
  }

  /** What a request brings in step, and which sources still count. */
  async #selectSources(request: IndexRequest, indexed: () => readonly string[]): Promise<SelectedSources> {
    const all = await configuredSources(this.#config);
    const { paths, documents } = request;
    const isOpen = request.sources === undefined && paths === undefined && documents === undefined;
    const prune = request.options?.prune === true;
    const remembered = rememberedPaths(indexed(), this.#config);
    // With `prune` a remembered folder that is gone is given up; without, it is reported and kept.
    const isKept = (path: string): boolean => !prune || existsSync(path);
    const chosenPaths = paths ?? (isOpen ? remembered.filter(isKept) : []);
    const chosen = isOpen ? [...all] : selectSources(all, request.sources ?? []);
    for (const path of chosenPaths) chosen.push(await pathSource(path, this.#config, this.#cwd));
    if (documents !== undefined)
      chosen.push(await pushedSource({ documents, deleted: request.deleted }, this.#config));
    const pathSourceOf = (path: string) => pathSource(path, this.#config, this.#cwd);
    // What `prune` gives up shares its files with nobody.
    const others = prune || isOpen ? [] : await Promise.all(remembered.map(pathSourceOf));
    const findPath = pathsOf('items', this.#config);
    const sources = withoutOverlaps(chosen, [...all, ...others], findPath);
    return { sources, known: new Set([...all, ...sources].map(({ source }) => source.name)) };
  }

  async #verifyContext(signal: AbortSignal | undefined): Promise<Parameters<typeof verifyIndex>[0]> {
    const ledger = this.#resources.readingLedger();
    if (ledger?.facts() === undefined) {
      throw new RAGError(
        'INDEX_EMPTY',
        'Nothing is indexed yet, so there is nothing to verify. Run `ragstone index FOLDER` first.',
      );
    }
    const { store } = await this.#resources.store();
    const { sources } = await this.#selectSources({}, () => sourceNames(ledger));
    return {
      ledger,
      store,
      sources,
      tenant: LOCAL_SCOPE.tenant,
      paths: { ofItem: pathsOf('items', this.#config), ofDocument: pathsOf('documents', this.#config) },
      ...(signal === undefined ? {} : { signal }),
    };
  }

  async #verify(signal: AbortSignal | undefined): ReturnType<typeof verifyIndex> {
    try {
      return await verifyIndex(await this.#verifyContext(signal));
    } catch (error) {
      if (isLedgerDamage(error)) return damagedLedger([error.message]);
      throw error;
    }
  }

  #factsIfReadable() {
    try {
      return this.#resources.readingLedger()?.facts();
    } catch (error) {
      // A damaged ledger is no reason to keep it.
      if (isLedgerDamage(error)) return undefined;
      throw error;
    }
  }
}

/** What a request brings in step, and the names of all sources that still count. */
interface SelectedSources {
  readonly sources: readonly ConfiguredSource[];
  readonly known: ReadonlySet<string>;
}

/** A list of documents, and deletions alone, are pushes too. */
function requestOf(given: IndexRequest | readonly PushedDocument[]): IndexRequest {
  if (isList(given)) return { documents: given };
  return given.deleted !== undefined && given.documents === undefined ? { ...given, documents: [] } : given;
}

const isList = (given: IndexRequest | readonly PushedDocument[]): given is readonly PushedDocument[] =>
  Array.isArray(given);

const sourceNames = (ledger: Ledger): string[] => ledger.sourceNames(LOCAL_SCOPE.tenant);

const nothingToIndex = (): RAGError =>
  new RAGError(
    'USAGE',
    'There is nothing to index: name a folder (`ragstone index docs`), or configure `rag.sources` (`ragstone init` writes a start).',
  );

/**
 * Makes named paths known before anything is read, so that a run that is killed is gone on with. A path that names nothing is
 * not remembered: each later run would report it.
 */
function rememberPaths(ledger: Ledger, { sources, known }: SelectedSources, prune: boolean): void {
  const { tenant } = LOCAL_SCOPE;
  const paths = sources.filter(({ source, root }) => isPathSource(source.name) && isThere(root));
  ledger.rememberSources(
    tenant,
    paths.map(({ source }) => source.name),
  );
  if (!prune) return;
  const dropped = ledger.rememberedSources(tenant).filter((name) => !known.has(name));
  ledger.forgetSources(tenant, dropped);
}

/** A folder whose files all belong to another source holds nothing: naming it again in each run would only repeat that. */
function forgetRedundant(ledger: Ledger, { sources }: SelectedSources): void {
  const redundant = sources.filter(({ source }) => isRedundant(source)).map(({ source }) => source.name);
  ledger.forgetSources(LOCAL_SCOPE.tenant, redundant);
}

const isThere = (path: string | undefined): boolean => path !== undefined && existsSync(path);
