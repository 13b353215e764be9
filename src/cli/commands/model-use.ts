import type { Command } from 'commander';
import type { RAGSettingsInput } from '../../config/schema/index.js';
import type { IndexStatus } from '../../index.js';
import type { CliContext } from '../context.js';
import { withEngine } from '../open-engine.js';
import { runIndex } from './index.js';

type EmbeddingSettings = NonNullable<RAGSettingsInput['embedding']>;

const EXAMPLES = `
Examples:
  $ ragstone model use ./models/all-MiniLM-L6-v2        a folder on this machine
  $ ragstone model use Xenova/all-MiniLM-L6-v2          a model of the Hugging Face hub, fetched once
  $ ragstone model use Xenova/multilingual-e5-small     for text and questions in many languages
  $ ragstone model use builtin                          back to the model of the package

The index is built anew beside the present one, which answers until the new one is complete. Where that fails, the
configuration stays as it was. Models other than the built-in one need @huggingface/transformers.`;

/** `ragstone model use MODEL` */
export function registerModelUse(model: Command, context: CliContext): void {
  model
    .command('use')
    .description('name an embedding model in the configuration, and build the index anew with it')
    .argument('<model>', 'folder of an ONNX model, id of one on the Hugging Face hub, or builtin')
    .addHelpText('after', EXAMPLES)
    .action((name: string) => runUse(context, name));
}

async function runUse(context: CliContext, name: string): Promise<void> {
  // Reads the configuration as every command does: one that nobody trusts is refused before anything is written.
  const documents = await withEngine(context, (engine) => engine.status().then(countOf, noneIfEmpty));
  const project = await projectOf(context);
  const settings = await settingsFor(context, name, project);
  const { configFileToWrite, replacingSettings } = await import('../../config/write-settings.js');
  const file = await configFileToWrite(context.cwd, context.globals.config);
  await replacingSettings(file, { embedding: settings }, async () => {
    if (context.globals.config === undefined) {
      const { trustConfiguration } = await import('../../config/trust/trust-configuration.js');
      await trustConfiguration(project.root);
    }
    if (documents > 0) await runIndex(context, [], { force: true });
  });
  if (documents > 0) context.note(`${file} names ${settings.model}.`);
  else
    context.printResult(
      { file, ...settings },
      () => `${file} names ${settings.model}. Nothing is indexed yet: run "ragstone index FOLDER".`,
    );
}

const countOf = ({ documents }: IndexStatus): number => documents;

function noneIfEmpty(error: unknown): number {
  if (error instanceof Error && 'reason' in error && error.reason === 'INDEX_EMPTY') return 0;
  throw error;
}

interface Project {
  readonly root: string;
  readonly hasPrefixes: boolean;
}

async function projectOf({ cwd, env, globals }: CliContext): Promise<Project> {
  const { loadConfig } = await import('../../config/load-config.js');
  const { projectRoot, rag } = await loadConfig({
    trust: 'unchecked',
    cwd,
    env,
    ...(globals.config === undefined ? {} : { file: globals.config }),
  });
  const { queryPrefix, documentPrefix } = rag.embedding;
  return { root: projectRoot, hasPrefixes: queryPrefix !== undefined || documentPrefix !== undefined };
}

/** A folder is named by its path from the project; what is no folder is an id of the hub. */
async function settingsFor(
  { cwd }: CliContext,
  name: string,
  { root, hasPrefixes }: Project,
): Promise<EmbeddingSettings & { readonly model: string }> {
  const none = hasPrefixes ? { queryPrefix: '', documentPrefix: '' } : {};
  if (name === 'builtin') return { model: name, ...none };
  const { relative, resolve, sep } = await import('node:path');
  const { checkModelFolder, isFolder } = await import('../../config/models.js');
  const folder = resolve(cwd, name);
  // As the cards of these models ask.
  const prefixes = /(?:^|\/)(?:multilingual-)?e5-/.test(name)
    ? { queryPrefix: 'query: ', documentPrefix: 'passage: ' }
    : none;
  if (!(await isFolder(folder))) return { model: `transformers:${name}`, allowRemote: true, ...prefixes };
  await checkModelFolder(folder);
  const path = relative(root, folder).replaceAll(sep, '/');
  return { model: `transformers:${path.startsWith('.') ? path : `./${path}`}`, ...prefixes };
}
