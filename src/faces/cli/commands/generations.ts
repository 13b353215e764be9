import type { Command } from 'commander';
import { RAGError } from '../../../core/errors.js';
import type { GenerationSummary } from '../../../index.js';
import type { CliContext } from '../context.js';
import { withEngine } from '../open-engine.js';
import { renderTable } from '../render/table.js';
import { formatCount, formatTime } from '../render/text.js';

const EXAMPLES = `
Examples:
  $ ragstone generations            what is live, what can be gone back to, what is being filled
  $ ragstone generations use 3      go back to generation 3; later deletions and restrictions hold in it too
  $ ragstone generations drop 3     remove it with its texts and vectors`;

/** `ragstone generations [list | use ID | drop ID]` */
export function registerGenerations(program: Command, context: CliContext): void {
  const command = program
    .command('generations')
    .description('the fillings of the index: each rebuild makes another one beside the live one')
    .addHelpText('after', EXAMPLES);
  command
    .command('list', { isDefault: true })
    .description('list them, newest first')
    .action(async () => {
      const generations = await withEngine(context, (engine) => engine.generations());
      context.printResult({ generations }, () => renderGenerations(generations, context));
    });
  command
    .command('use <id>')
    .description('go back to a retired generation')
    .action(async (id: string) => {
      const generation = toGeneration(id);
      await withEngine(context, (engine) => engine.useGeneration(generation));
      context.printResult(
        { generation },
        () =>
          `Searches now read generation ${generation}. \`ragstone index\` brings it in step with its sources.`,
      );
    });
  command
    .command('drop <id>')
    .description('remove a generation that is not live')
    .action(async (id: string) => {
      const generation = toGeneration(id);
      await withEngine(context, (engine) => engine.dropGeneration(generation));
      context.printResult({ dropped: generation }, () => `Generation ${generation} is removed.`);
    });
}

function toGeneration(id: string): GenerationSummary['generation'] {
  const number = Number(id);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new RAGError(
    'USAGE',
    `"${id}" is no generation: give its number, as \`ragstone generations\` lists it.`,
  );
}

/** A table, newest first. */
const renderGenerations = (generations: readonly GenerationSummary[], context: CliContext): string =>
  generations.length === 0
    ? 'Nothing is indexed yet.'
    : renderTable(
        ['generation', 'state', 'store', 'embedding model', 'documents', 'chunks', 'in use since'],
        generations.map(({ generation, state, provider, embedder, documents, chunks, switchedAt }) => [
          String(generation),
          state,
          provider,
          embedder,
          formatCount(documents),
          formatCount(chunks),
          switchedAt === undefined ? '' : formatTime(switchedAt),
        ]),
        { context, numeric: [0, 4, 5] },
      );
