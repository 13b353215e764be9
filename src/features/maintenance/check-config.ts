import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { isInstalled } from '../../config/models.js';
import type { ResolvedConfig } from '../../config/resolved-config.js';
import { RAGError } from '../../core/errors.js';
import { configuredSources } from '../../indexing/configured-sources.js';
import { ocrInWords } from '../../parsing/pdf/installed-ocr.js';
import { factsOf, splitModelName } from '../../platform/providers/provider-table.js';
import { checkModels } from '../../resources/assembly/check-models.js';
import { chooseProvider, storeDefinition } from '../../resources/assembly/choose-store.js';
import { contextAsWritten } from '../../resources/assembly/open-store.js';
import { resolveEmbeddingModel } from '../../resources/assembly/resolve-model.js';
import { readSynonymFile } from '../../searching/synonym-rules.js';

/** What a configuration names and this machine lacks. */
export interface MissingPart {
  readonly setting: string;
  readonly problem: string;
  /** `index` ends here; else it does otherwise than the settings say. */
  readonly stops: boolean;
}

export interface ConfigReport {
  /** What `index` would refuse, or do otherwise than the settings say. */
  readonly missing: readonly MissingPart[];
  /** What keeps no index from working, one sentence each. */
  readonly notices: readonly string[];
  /** Whether OCR, which no setting names, is installed. */
  readonly ocr: string;
}

/**
 * Holds a configuration against this machine: models, packages, programs, folders. No service is called and nothing is written.
 *
 * @throws RAGError whatever is wrong in the configuration itself; see `checkModels` and `configuredSources`.
 */
export async function checkConfig(config: ResolvedConfig): Promise<ConfigReport> {
  const model = await resolveEmbeddingModel(config);
  const standIn = model.kind === 'builtin' ? model.notice : undefined;
  const notices = (await checkModels(config)).filter((notice) => notice !== standIn);
  const folders = await unreadableSources(config);
  const missing: MissingPart[] = [
    ...(await missingOfStore(config)),
    ...missingOfSecondStore(config),
    ...(standIn === undefined
      ? []
      : [
          {
            setting: 'rag.embedding.model',
            problem: standIn.replace(/^rag\.embedding\.model: /, ''),
            stops: false,
          },
        ]),
    ...missingPackage(
      'rag.embedding.model',
      model.kind === 'transformers' ? TRANSFORMERS : packageOf(config.rag.embedding.model),
    ),
    ...missingPackage('rag.chat.model', packageOf(config.rag.chat.model)),
    ...missingGit(config),
    ...(await wrongSynonyms(config)),
  ];
  return { missing, notices: [...notices, ...folders], ocr: ocrInWords() };
}

async function wrongSynonyms({ rag }: ResolvedConfig): Promise<MissingPart[]> {
  const { file } = rag.retrieval.synonyms;
  if (file === undefined) return [];
  try {
    await readSynonymFile(file);
    return [];
  } catch (error) {
    if (!RAGError.isInstance(error)) throw error;
    return [{ setting: 'rag.retrieval.synonyms.file', problem: error.message, stops: true }];
  }
}

const TRANSFORMERS = '@huggingface/transformers';

/** The optional package that a hosted model is reached with. */
function packageOf(model: string | undefined): string | undefined {
  const provider = model === undefined ? undefined : splitModelName(model)?.provider;
  return provider === undefined ? undefined : factsOf(provider).install;
}

async function missingOfStore(config: ResolvedConfig): Promise<MissingPart[]> {
  const { provider } = chooseProvider(config);
  const { storage } = config.rag;
  const isOwn = config.own?.store?.name === provider;
  return [
    ...(isOwn ? [] : missingOfDefinition('rag.provider', { provider, storage }, config)),
    ...(isOwn ? [] : await refusedByStore(provider, config)),
    ...(config.rag.ledger.type === 'postgres' ? missingPackage('rag.ledger.type', 'pg') : []),
  ];
}

/** What a store behind an address says of its settings before it connects. */
async function refusedByStore(provider: string, config: ResolvedConfig): Promise<MissingPart[]> {
  const definition = storeDefinition(provider);
  const isReached = definition?.reads === 'server' || definition?.reads === 'cloud';
  if (definition === undefined || !isReached || definition.program !== undefined) return [];
  try {
    // References to secrets are not followed, for that may ask a service.
    const store = await definition.open(contextAsWritten(config));
    await store.close();
    return [];
  } catch (error) {
    if (!RAGError.isInstance(error) || error.reason !== 'CONFIG_INVALID') return [];
    return [{ setting: 'rag.storage', problem: error.message, stops: true }];
  }
}

/** Packages and the program of one store. */
function missingOfDefinition(
  setting: string,
  {
    provider,
    storage: { server, local },
  }: { readonly provider: string; readonly storage: ResolvedConfig['rag']['storage'] },
  config: ResolvedConfig,
): MissingPart[] {
  const definition = storeDefinition(provider);
  const program = server === undefined && local.type === 'chroma' ? definition?.program : undefined;
  return [
    ...(definition?.packages ?? []).flatMap((name) => missingPackage(setting, name)),
    ...(program === undefined ? [] : missingProgram(setting, program, config)),
  ];
}

function missingOfSecondStore(config: ResolvedConfig): MissingPart[] {
  const { failover } = config.rag;
  if (failover === undefined) return [];
  const { provider, storage } = failover.secondary;
  return missingOfDefinition('rag.failover.secondary', { provider, storage }, config);
}

const missingGit = (config: ResolvedConfig): MissingPart[] =>
  config.rag.sources
    .flatMap(({ type, enabled }, index) =>
      type === 'git' && enabled ? missingProgram(`rag.sources[${index}]`, 'git', config) : [],
    )
    .slice(0, 1);

function missingPackage(setting: string, install: string | undefined): MissingPart[] {
  if (install === undefined || isInstalled(install.replace(/(?<=.)@[^@/]+$/, ''))) return [];
  return [
    {
      setting,
      problem: `The package ${install} is not installed. Run \`npm install ${install}\`.`,
      stops: true,
    },
  ];
}

function missingProgram(setting: string, name: string, { environment }: ResolvedConfig): MissingPart[] {
  const files = process.platform === 'win32' ? [`${name}.exe`, `${name}.cmd`] : [name];
  const folders = (environment.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const isFound = folders.some((folder) => files.some((file) => isExecutable(join(folder, file))));
  return isFound
    ? []
    : [
        {
          setting,
          problem: `The program \`${name}\` is not in PATH. Install it, or choose another.`,
          stops: true,
        },
      ];
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Lists the folders of this machine to their first file: a path that leads outside is refused here as by `index`. */
async function unreadableSources(config: ResolvedConfig): Promise<string[]> {
  const notices: string[] = [];
  for (const { source, root } of await configuredSources(config)) {
    if (root === undefined) continue;
    try {
      await source.list()[Symbol.asyncIterator]().next();
    } catch (error) {
      if (!RAGError.isInstance(error) || error.category === 'config') throw error;
      notices.push(error.message);
    }
  }
  return notices;
}
