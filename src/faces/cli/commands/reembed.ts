import type { Command } from 'commander';
import { RAGError } from '../../../core/errors.js';
import type { ReembedProgress, ReembedRequest } from '../../../index.js';
import { FIELDS } from '../../../operations/fields.js';
import { auditedCommand } from '../audited-command.js';
import type { CliContext } from '../context.js';
import { choiceOption } from '../field-options.js';
import { assertSharedIndex, placeOf, withEngine } from '../open-engine.js';
import { startCounter } from '../render/progress.js';
import { renderReembedding } from '../render/reembedding.js';

interface ReembedOptions {
  readonly model?: string;
  readonly questions?: string;
  readonly switch?: NonNullable<ReembedRequest['switch']>;
  readonly tenant?: string;
  readonly dryRun?: boolean;
}

const EXAMPLES = `
Examples:
  $ ragstone reembed --model transformers:./models/all-MiniLM-L6-v2
  $ ragstone reembed --model openai:text-embedding-3-small --dry-run    say what it would cost
  $ ragstone reembed --questions questions.jsonl                        compare on questions of your own
  $ ragstone generations use 1                                          take the switch back

The index is searched and kept in step meanwhile, and goes first. Nothing is read from the sources. A run that is stopped or killed goes on
where it is started again. "rag.embedding.upgrade" names the model once and for all; "ragstone sync --daemon" and "ragstone serve" then do this by
themselves.`;

/** `ragstone reembed` */
export function registerReembed(program: Command, context: CliContext): void {
  program
    .command('reembed')
    .description('make vectors of a stronger model beside the live ones, compare both, and switch')
    .option('--model <name>', 'the model, named as in the configuration (default: rag.embedding.upgrade)')
    .option(
      '--questions <file>',
      'questions (JSONL) to compare on (default: rag.embedding.upgradeQuestions, else some made of the indexed documents)',
    )
    .addOption(
      choiceOption(
        '--switch <rule>',
        'switch unless it is found worse, only if better, always, or never (default: rag.embedding.upgradeSwitch, if-not-worse)',
        FIELDS.reembed.switch,
      ),
    )
    .option('--tenant <name>', 'whose documents the questions are about (default: "default")')
    .option('--dry-run', 'count what would be embedded, and tell what a hosted model costs')
    .addHelpText('after', EXAMPLES)
    .action((options: ReembedOptions) => runReembed(context, options));
}

async function runReembed(context: CliContext, options: ReembedOptions): Promise<void> {
  const { tenant, ...request } = options;
  if (tenant !== undefined) await assertSharedIndex(context, { tenant });
  const result = await auditedCommand(await placeOf(context), { action: 'reembed', context }, () =>
    withEngine(context, async (engine) => {
      const progress = startCounter(context);
      try {
        return await engine.reembed(
          {
            ...request,
            onProgress: (told) => progress.update(lineOf(told)),
            signal: context.signal,
          },
          tenant === undefined ? undefined : { tenant },
        );
      } catch (error) {
        throw context.signal.aborted ? stopped(error) : error;
      } finally {
        progress.stop();
      }
    }),
  );
  if (result.outcome !== 'already') context.printNotices(result);
  context.printResult(result, renderReembedding);
}

function lineOf({ stage, done, total, perSecond, etaMs }: ReembedProgress) {
  const rate = stage === 'embedding' && perSecond > 0 ? ` (${perSecond.toFixed(1)} chunks/s)` : '';
  return { stage: `${stage}${rate}`, done, total, ...(etaMs === undefined ? {} : { etaMs }) };
}

function stopped(cause: unknown): Error {
  return new RAGError('ABORTED', 'Stopped. What has its vectors keeps them; the same command goes on.', {
    cause,
  });
}
