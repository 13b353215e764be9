import type { Command } from 'commander';
import type { CliContext } from '../context.js';
import { dataDirOf } from '../open-engine.js';
import { registerModelUse } from './model-use.js';

const EXAMPLES = `
Examples:
  $ ragstone model list                             recommended models, and those that were added
  $ ragstone model use all-MiniLM-L6-v2             fetch it, name it in the configuration and build the index anew with it
  $ ragstone model use ms-marco-MiniLM-L6-v2        fetch a reranker, and name it in the configuration
  $ ragstone model use ./models/all-MiniLM-L6-v2    name it in the configuration and build the index anew with it
  $ ragstone model add ./models/all-MiniLM-L6-v2    only make it known by its name`;

/** `ragstone model list|add PATH|use MODEL` */
export function registerModel(program: Command, context: CliContext): void {
  const model = program
    .command('model')
    .description('list, fetch, add or use embedding models and rerankers')
    .addHelpText('after', EXAMPLES);
  model
    .command('list', { isDefault: true })
    .description('list the models that the configuration may name')
    .addHelpText('after', EXAMPLES)
    .action(() => runList(context));
  model
    .command('add')
    .description('make an ONNX model folder known by its name; the folder stays where it is')
    .argument('<path>', 'folder with config.json, tokenizer.json and an .onnx file')
    .addHelpText('after', EXAMPLES)
    .action((path: string) => runAdd(context, path));
  registerModelUse(model, context);
}

async function runList(context: CliContext): Promise<void> {
  const { listModels, listRecommended } = await import('../../../config/models.js');
  const dataDir = await dataDirOf(context);
  const added = await listModels(dataDir);
  const recommended = await listRecommended(dataDir);
  const models = [{ name: 'builtin', path: null, isUsable: true }, ...added];
  context.printResult({ models, recommended }, () =>
    [
      ...models.map(({ name, path, isUsable }) => {
        const where =
          path === null
            ? 'ships with the package'
            : isUsable
              ? path
              : `${path} (not there any more, or incomplete)`;
        return `${name.padEnd(32)} ${where}`;
      }),
      '',
      'Recommended ("ragstone model use NAME"):',
      ...recommended.map(
        ({ name, languages, megabytes, purpose, path }) =>
          `${name.padEnd(32)} ${languages}, ${megabytes} MB${path === null ? '' : ', fetched'}: ${purpose}`,
      ),
    ].join('\n'),
  );
}

async function runAdd(context: CliContext, path: string): Promise<void> {
  const { resolve } = await import('node:path');
  const { addModel } = await import('../../../config/models.js');
  const model = await addModel(await dataDirOf(context), resolve(context.cwd, path));
  context.printResult(
    model,
    () =>
      `Added ${model.name}. Set rag.embedding.model: ${model.name}, then run "${context.command} index --force".`,
  );
}
