import type { Command } from 'commander';
import type { RAGSettingsInput } from '../../../config/schema/index.js';
import { RAGError } from '../../../core/errors.js';
import type { IndexStatus } from '../../../index.js';
import type { CliContext } from '../context.js';
import { withEngine } from '../open-engine.js';
import { startDownload } from '../render/progress.js';
import { runIndex } from './index.js';

type ModelSettings = Pick<
  NonNullable<RAGSettingsInput['embedding']>,
  'allowRemote' | 'queryPrefix' | 'documentPrefix'
> & {
  readonly model: string;
  readonly sha256?: string;
};

const TRANSFORMERS = '@huggingface/transformers';

const EXAMPLES = `
Examples:
  $ ragstone model use all-MiniLM-L6-v2              a recommended model ("ragstone model list"), fetched once and checked
  $ ragstone model use all-MiniLM-L6-v2 --from https://mirror.example     from a mirror of the hub
  $ ragstone model use all-MiniLM-L6-v2 --from /media/models              a folder that holds it: no network is needed
  $ ragstone model use ./models/my-model             a folder on this machine
  $ ragstone model use Xenova/all-MiniLM-L12-v2      any ONNX model of the Hugging Face hub
  $ ragstone model use multilingual-e5-small         for text and questions in many languages
  $ ragstone model use builtin                       back to the model of the package
  $ ragstone model use ms-marco-MiniLM-L6-v2         a reranker: the next search uses it, and the index stays as it is
  $ ragstone model use reader                        back to the reranker of the package

The index is built anew beside the present one, which answers until the new one is complete. Where that fails, the
configuration stays as it was. BERT models with uncased WordPiece or XLM-R's Unigram need no package (onnx:...), others need
@huggingface/transformers (transformers:...); either may be written before the name. HF_ENDPOINT names another hub. A
cross-encoder (its config.json names ...ForSequenceClassification) becomes the reranker, once it has scored a passage here.`;

/** `ragstone model use MODEL` */
export function registerModelUse(model: Command, context: CliContext): void {
  model
    .command('use')
    .description(
      'fetch an embedding model or a reranker, name it in the configuration, and build the index anew where that is needed',
    )
    .argument(
      '<model>',
      'a recommended model, a folder of an ONNX model, an id on the Hugging Face hub, builtin, or reader',
    )
    .option('--from <place>', 'folder that holds the model, or address of a mirror of the hub')
    .addHelpText('after', EXAMPLES)
    .action((name: string, { from }: { readonly from?: string }) => runUse(context, { name, from }));
}

interface Asked {
  readonly name: string;
  readonly from: string | undefined;
}

async function runUse(context: CliContext, asked: Asked): Promise<void> {
  // Reads the configuration as every command does: one that nobody trusts is refused before anything is written.
  const documents = await withEngine(context, (engine) => engine.status().then(countOf, noneIfEmpty));
  const project = await projectOf(context);
  const { isReranker, settings } = await choose(context, asked, project);
  const { configFileToWrite, replacingSettings } = await import('../../../config/write-settings.js');
  const file = await configFileToWrite(context.cwd, context.globals.config);
  const change = isReranker
    ? {
        settings: { retrieval: { rerank: { ...settings, ...(project.reranks ? {} : { enabled: true }) } } },
        at: ['retrieval', 'rerank'],
      }
    : { settings: { embedding: settings }, at: ['embedding'] };
  const removed = settings.sha256 === undefined ? [[...change.at, 'sha256']] : [];
  await replacingSettings(file, { settings: change.settings, removed }, async () => {
    if (context.globals.config === undefined) {
      const { trustConfiguration } = await import('../../../config/trust/trust-configuration.js');
      await trustConfiguration(project.root);
    }
    if (isReranker) await tryReranker(context);
    else if (documents > 0) await runIndex(context, [], { force: true });
  });
  const pinned = settings.sha256 === undefined ? '' : `, with the SHA-256 ${settings.sha256}`;
  const told = `${file} names ${settings.model}${pinned}.`;
  const next = isReranker
    ? 'It reranks from the next search on; the index stays as it is.'
    : 'Nothing is indexed yet: run "ragstone index FOLDER".';
  if (documents > 0 && !isReranker) context.note(told);
  else context.printResult({ file, ...settings }, () => `${told} ${next}`);
}

/** @throws RAGError what the reranker of the configuration cannot be opened or asked for */
async function tryReranker({ cwd, env, globals }: CliContext): Promise<void> {
  const { openModels } = await import('../../../index.js');
  const models = await openModels({ cwd, env, configFile: globals.config, dataDir: globals.data });
  try {
    const reranker = await models.reranker();
    const passage = { content: 'a passage', headingPath: [], identifiers: [], fusedScore: 1 };
    await reranker.doRerank('a question', [passage]);
  } finally {
    await models.close();
  }
}

const countOf = ({ documents }: IndexStatus): number => documents;

function noneIfEmpty(error: unknown): number {
  if (error instanceof Error && 'reason' in error && error.reason === 'INDEX_EMPTY') return 0;
  throw error;
}

interface Project {
  readonly root: string;
  readonly dataDir: string;
  readonly hasPrefixes: boolean;
  readonly reranks: boolean;
}

async function projectOf({ place }: CliContext): Promise<Project> {
  const { loadConfig } = await import('../../../config/load-config.js');
  const { projectRoot, dataDir, rag } = await loadConfig({ ...place, trust: 'unchecked' });
  const { queryPrefix, documentPrefix } = rag.embedding;
  return {
    root: projectRoot,
    dataDir,
    hasPrefixes: queryPrefix !== undefined || documentPrefix !== undefined,
    reranks: rag.retrieval.rerank.enabled,
  };
}

interface Choice {
  readonly isReranker: boolean;
  readonly settings: ModelSettings;
}

async function choose(context: CliContext, asked: Asked, project: Project): Promise<Choice> {
  const none = project.hasPrefixes ? { queryPrefix: '', documentPrefix: '' } : {};
  if (asked.name === 'reader') return { isReranker: true, settings: { model: asked.name } };
  if (asked.name === 'builtin') return { isReranker: false, settings: { model: asked.name, ...none } };
  const [, runtime, name = ''] = /^(?:(onnx|transformers):)?(.*)$/s.exec(asked.name) ?? [];
  const { examineModel } = await import('../../../config/models.js');
  const local = await localFolder(context, { ...asked, name }, project.root);
  const found = local ?? (await fetched(context, { ...asked, name }, project.dataDir));
  const { sha256, problem, isClassifier } = await examineModel(found.folder);
  if (found.sha256 !== undefined && found.sha256 !== sha256)
    throw new RAGError(
      'MODEL_INVALID',
      `The network in ${found.folder} has the SHA-256 ${sha256}, where that of ${name} is ${found.sha256}. Delete the folder and try again.`,
    );
  const chosen = runtime ?? (problem === undefined ? 'onnx' : 'transformers');
  if (chosen === 'transformers')
    await assertPackage(`It cannot be run without the package: ${problem ?? ''}.`);
  const model = `${chosen}:${found.name}`;
  if (isClassifier) return { isReranker: true, settings: { model, sha256 } };
  // As the cards of these models ask.
  const prefixes = /(?:^|\/)(?:multilingual-)?e5-/.test(name)
    ? { queryPrefix: 'query: ', documentPrefix: 'passage: ' }
    : none;
  const remote = local === undefined ? { allowRemote: true } : {};
  return { isReranker: false, settings: { model, ...remote, sha256, ...prefixes } };
}

/** Where a model is, and how the configuration names it. */
interface FoundModel {
  readonly folder: string;
  readonly name: string;
  /** What its network has to have. */
  readonly sha256?: string | undefined;
}

const isAddress = (place: string | undefined): place is string => /^https?:\/\//.test(place ?? '');

/** A folder is named by its path from the project. */
async function localFolder(
  { cwd }: CliContext,
  { name, from }: Asked,
  root: string,
): Promise<FoundModel | undefined> {
  if (isAddress(from)) return undefined;
  const { join, relative, resolve, sep } = await import('node:path');
  const { checkModelFolder, isFolder } = await import('../../../config/models.js');
  const inside = resolve(cwd, from ?? '.', name);
  const folder = from === undefined || (await isFolder(join(inside, 'onnx'))) ? inside : resolve(cwd, from);
  if (from === undefined && !(await isFolder(folder))) return undefined;
  await checkModelFolder(folder);
  const path = relative(root, folder).replaceAll(sep, '/');
  return { folder, name: path.startsWith('.') ? path : `./${path}` };
}

/** What is no folder is a recommended model, or an id of the hub. */
async function fetched(context: CliContext, { name, from }: Asked, dataDir: string): Promise<FoundModel> {
  const { fetchModel, recommendedModel } = await import('../../../config/models.js');
  const recommended = recommendedModel(name);
  const { HF_ENDPOINT, HF_TOKEN } = context.env;
  const remoteHost = from ?? HF_ENDPOINT;
  const display = startDownload(context);
  try {
    const id = recommended?.id ?? name;
    const folder = await fetchModel(dataDir, id, {
      signal: context.signal,
      onProgress: display.update,
      ...(remoteHost === undefined ? {} : { remoteHost }),
      // A mirror is not the hub that the token is for.
      ...(HF_TOKEN === undefined || from !== undefined ? {} : { token: HF_TOKEN }),
    });
    return { folder, name: id, sha256: recommended?.pinned?.files['onnx/model_quantized.onnx']?.sha256 };
  } finally {
    display.stop();
  }
}

async function assertPackage(why: string): Promise<void> {
  const { isInstalled } = await import('../../../config/models.js');
  if (isInstalled(TRANSFORMERS)) return;
  throw new RAGError(
    'PACKAGE_MISSING',
    `The model needs the package ${TRANSFORMERS}, which is not installed. ${why} Install it, some 620 MB: npm install ${TRANSFORMERS}@4.3.1`,
    { details: { package: TRANSFORMERS } },
  );
}
