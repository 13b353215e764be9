import type { Command } from 'commander';
import { RAGError } from '../../../core/errors.js';
import type { Engine, StoresStatus } from '../../../index.js';
import type { CliContext } from '../context.js';
import { ExitCode } from '../errors.js';
import { withEngine } from '../open-engine.js';
import { renderStores } from '../render/stores.js';

const EXAMPLES = `
Examples:
  $ ragstone stores                  the stores of rag.failover: which is asked first, what each lacks
  $ ragstone stores use chroma       ask "chroma" first, once it has everything
  $ ragstone stores sync             give every store what it lacks, now
  $ ragstone stores rebuild chroma   give up what is kept for "chroma", and copy everything to it`;

/** `ragstone stores [list | use NAME | sync | rebuild NAME]` */
export function registerStores(program: Command, context: CliContext): void {
  const command = program
    .command('stores')
    .description('the stores that hold the index (rag.failover): how they are, which is asked first')
    .addHelpText('after', EXAMPLES);
  command
    .command('list', { isDefault: true })
    .description('list them')
    .action(async () => {
      const stores = await withEngine(context, statesOf);
      context.printResult(stores, renderStores);
    });
  command
    .command('use <name>')
    .description('ask this store first, in every process of the index; it catches up before')
    .action(async (name: string) => {
      const stores = await withEngine(context, async (engine) => {
        await engine.switchStore(name);
        return statesOf(engine);
      });
      context.printResult(stores, () => `Searches and writes now ask the store "${name}" first.`);
    });
  command
    .command('sync')
    .description('give every store what it lacks')
    .action(async () => {
      const stores = await withEngine(context, (engine) => engine.syncStores());
      context.printResult(stores, renderStores);
      if (stores.stores.some(({ state }) => state !== 'ready')) context.exitCode = ExitCode.failed;
    });
  command
    .command('rebuild <name>')
    .description('give up what is kept for a store, and copy everything to it when it answers')
    .action(async (name: string) => {
      await withEngine(context, (engine) => engine.rebuildStore(name));
      context.printResult(
        { rebuilt: name },
        () => `The store "${name}" is copied anew. \`ragstone stores sync\` does it now.`,
      );
    });
}

async function statesOf(engine: Engine): Promise<StoresStatus> {
  const stores = await engine.stores();
  if (stores !== undefined) return stores;
  throw new RAGError(
    'USAGE',
    'The index is kept in one store. Name a second one in `rag.failover` (docs/failover.md).',
  );
}
