import { resolve } from 'node:path';
import type { ChunkingOptions } from '../chunking/chunker.js';
import { DATA_FOLDERS } from '../core/data-folder.js';
import { isDateField } from '../core/date-fields.js';
import { ITEM_ID_FIELDS } from '../core/item-id.js';
import { foldedName } from '../core/metadata.js';
import { TAKEN_NAMES } from '../core/pushed-fields.js';
import type { ConfigPath } from './config-path.js';
import { explainChunkingConflict, resolveChunking, resolveSourceChunking } from './resolve-chunking.js';
import { resolveFailover } from './resolve-failover.js';
import type { ResolvedSettings, ResolvedSource } from './resolved-config.js';
import type { RAGSettings } from './schema/index.js';
import type { ConfigProblem } from './validate-tree.js';

/** A checked file as the schema gives it. */
interface CheckedFile {
  readonly rag: RAGSettings;
  readonly rag_embedding_model?: string | undefined;
  readonly rag_top_k?: number | undefined;
}

interface Folders {
  readonly projectRoot: string;
  readonly dataDir: string;
}

/** Fills what depends on other settings, makes paths absolute, and checks what no single value shows. */
export function resolveSettings(
  file: CheckedFile,
  folders: Folders,
): { readonly settings: ResolvedSettings; readonly problems: readonly ConfigProblem[] } {
  const { rag } = file;
  const problems: ConfigProblem[] = [];
  const refuse = (path: ConfigPath, problem: string): void => {
    problems.push({ path, target: 'value', problem });
  };
  const chunking = resolveChunking(rag.chunking);
  checkChunking(chunking, ['rag', 'chunking'], refuse);
  checkSourceNames(rag, refuse);
  const sources = rag.sources.map((source, index) =>
    resolveSource(source, rag, folders, (own) =>
      checkChunking(own, ['rag', 'sources', index, 'chunking'], refuse),
    ),
  );
  checkEncryption(rag, refuse);
  checkAlerts(rag, refuse);
  const { topK } = rag.retrieval.rerank;
  if (topK !== undefined && rag.retrieval.rerank.enabled && topK > rag.retrieval.topK)
    refuse(
      ['rag', 'retrieval', 'rerank', 'topK'],
      `rag.retrieval.rerank.topK (${topK}) must not be more than rag.retrieval.topK (${rag.retrieval.topK}).`,
    );

  const model = file.rag_embedding_model ?? rag.embedding.model;
  const { cache } = rag.embedding;
  const stores = resolveFailover(rag, (stated, usual) => resolveIn(folders, stated, usual), refuse);
  const { local } = stores.storage;
  return {
    problems,
    settings: {
      ...rag,
      chunking,
      sources,
      embedding: {
        ...rag.embedding,
        model,
        fallback: rag.embedding.fallback ?? (/^(?:onnx|transformers):/.test(model) ? 'error' : 'builtin'),
        cache: { ...cache, path: resolveIn(folders, cache.path, `${DATA_FOLDERS.cache}/embeddings`) },
        ...(rag.embedding.upgradeQuestions === undefined
          ? {}
          : { upgradeQuestions: resolve(folders.projectRoot, rag.embedding.upgradeQuestions) }),
      },
      provider: stores.provider,
      failover: stores.failover,
      storage: {
        ...stores.storage,
        local: { ...local, path: resolveIn(folders, local.path, DATA_FOLDERS.store) },
      },
      retrieval: {
        ...rag.retrieval,
        topK: file.rag_top_k ?? rag.retrieval.topK,
        synonyms: withFile(rag.retrieval.synonyms, folders),
      },
      answering: withInstructions(rag.answering, folders),
      monitoring: withPaths(rag.monitoring, folders),
    },
  };
}

const withFile = (
  { rules, file }: RAGSettings['retrieval']['synonyms'],
  { projectRoot }: Folders,
): RAGSettings['retrieval']['synonyms'] =>
  file === undefined ? { rules } : { rules, file: resolve(projectRoot, file) };

const withInstructions = (
  { instructions, ...rest }: RAGSettings['answering'],
  { projectRoot }: Folders,
): RAGSettings['answering'] =>
  instructions === undefined ? rest : { ...rest, instructions: resolve(projectRoot, instructions) };

function withPaths(
  { metrics, logging, alerts, ...rest }: RAGSettings['monitoring'],
  { projectRoot }: Folders,
): RAGSettings['monitoring'] {
  const inProject = (path: string | undefined) =>
    path === undefined ? undefined : resolve(projectRoot, path);
  return {
    ...rest,
    metrics: { ...metrics, exportPath: inProject(metrics.exportPath) },
    logging: { ...logging, path: inProject(logging.path) },
    alerts: {
      ...alerts,
      channels: alerts.channels.map((channel) => ({ ...channel, path: inProject(channel.path) })),
    },
  };
}

/** What a channel needs, and nothing else; conditions once each. */
function checkAlerts({ monitoring }: RAGSettings, refuse: (path: ConfigPath, problem: string) => void): void {
  const path: ConfigPath = ['rag', 'monitoring', 'alerts'];
  for (const [index, { type, path: file, url }] of monitoring.alerts.channels.entries()) {
    const at: ConfigPath = [...path, 'channels', index];
    if ((file !== undefined) !== (type === 'file'))
      refuse(at, `\`path\` is for a channel of type \`file\`, which needs it; this one is \`${type}\`.`);
    if ((url !== undefined) !== (type === 'webhook'))
      refuse(at, `\`url\` is for a channel of type \`webhook\`, which needs it; this one is \`${type}\`.`);
  }
  const seen = new Set<string>();
  for (const [index, { name, severity }] of monitoring.alerts.conditions.entries()) {
    if (seen.has(`${name} ${severity}`))
      refuse(
        [...path, 'conditions', index],
        `The condition "${name}" stands twice with the severity ${severity}; one of them is enough.`,
      );
    seen.add(`${name} ${severity}`);
  }
}

/** A stated path is relative to the project, a default one to the data folder. */
const resolveIn = (folders: Folders, stated: string | undefined, fallback: string): string =>
  stated === undefined ? resolve(folders.dataDir, fallback) : resolve(folders.projectRoot, stated);

function resolveSource(
  source: RAGSettings['sources'][number],
  rag: RAGSettings,
  folders: Folders,
  check: (chunking: ChunkingOptions) => void,
): ResolvedSource {
  const { chunking: stated, ...rest } = source;
  const chunking = stated === undefined ? undefined : resolveSourceChunking(rag.chunking, stated);
  if (chunking !== undefined && source.enabled) check(chunking);
  const own = chunking === undefined ? {} : { chunking };
  return 'root' in rest
    ? { ...rest, ...own, root: resolve(folders.projectRoot, rest.root) }
    : { ...rest, ...own };
}

function checkChunking(
  chunking: ChunkingOptions,
  path: ConfigPath,
  refuse: (path: ConfigPath, problem: string) => void,
): void {
  const conflict = explainChunkingConflict(chunking);
  if (conflict !== undefined) refuse(path, `${path.join('.')}: ${conflict}.`);
}

/** What the engine itself reads of a document, to find, weigh, order and cite it. */
const READ_BY_ENGINE: ReadonlySet<string> = new Set(
  [...TAKEN_NAMES, ...ITEM_ID_FIELDS, 'labels'].map(foldedName),
);

function checkEncryption(
  { security }: RAGSettings,
  refuse: (path: ConfigPath, problem: string) => void,
): void {
  const { fields, keys } = security.encryption;
  const path = ['rag', 'security', 'encryption'];
  for (const field of fields) {
    if (READ_BY_ENGINE.has(foldedName(field)) || isDateField(field))
      refuse([...path, 'fields'], `The field "${field}" is read by the engine and cannot be encrypted.`);
    else if (!/^[\w-]+$/.test(field))
      refuse([...path, 'fields'], `"${field}" is no name of a field: letters, digits, _ and -.`);
  }
  if (fields.length > 0 && keys.length === 0)
    refuse([...path, 'keys'], 'rag.security.encryption.fields needs a key in rag.security.encryption.keys.');
  if (new Set(keys.map(({ id }) => id)).size < keys.length)
    refuse([...path, 'keys'], 'Two keys of rag.security.encryption.keys have the same id.');
}

function checkSourceNames(rag: RAGSettings, refuse: (path: ConfigPath, problem: string) => void): void {
  const seen = new Set<string>();
  for (const [index, { name }] of rag.sources.entries()) {
    if (seen.has(name))
      refuse(['rag', 'sources', index, 'name'], `Two sources are named "${name}"; names must differ.`);
    seen.add(name);
  }
}
