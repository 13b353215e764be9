import type { Command } from 'commander';
import { withoutUndefined } from '../../../core/without-undefined.js';
import type { CliContext } from '../context.js';
import { withCounter } from '../evaluation-target.js';
import { assertSharedIndex } from '../open-engine.js';
import { wholeNumber } from '../parse-options.js';
import { type ScopeOptions, toScope, withScopeOptions } from '../scope-options.js';

interface ProfileFlags extends ScopeOptions {
  readonly questions?: string;
  readonly max?: number;
}

const EXAMPLES = `
Examples:
  $ ragstone profile                                    titles of what is indexed, held against the whole search
  $ ragstone profile --questions questions.jsonl        your own questions: what each plan is really worth
  $ ragstone search "retry policy" --deadline-ms 20     what is worth most in 20 ms, by the profile

It writes profile.json into the data folder. Run it again when the index has grown to several times its size, or on another machine.`;

/** `ragstone profile` */
export function registerProfile(program: Command, context: CliContext): void {
  const command = program
    .command('profile')
    .description('measure what searches can leave out, for searches with a deadline')
    .option('--questions <file>', 'questions with gold quotes about what is indexed, one JSON object a line')
    .option('--max <n>', 'most questions that are asked (default: 100)', wholeNumber(1));
  withScopeOptions(command)
    .addHelpText('after', EXAMPLES)
    .action((flags: ProfileFlags) => runProfile(context, flags));
}

async function runProfile(
  context: CliContext,
  { tenant, project, group, clearance, ...options }: ProfileFlags,
): Promise<void> {
  await assertSharedIndex(context, { tenant });
  const { profileSearches } = await import('../../../index.js');
  const { config, data } = context.globals;
  const report = await withCounter(context, (onProgress) =>
    profileSearches({
      ...options,
      scope: toScope({ tenant, project, group, clearance }),
      cwd: context.cwd,
      env: context.env,
      signal: context.signal,
      onProgress,
      ...withoutUndefined({ configFile: config, dataDir: data }),
    }),
  );
  const { renderProfile } = await import('../render/profile.js');
  context.printResult(report, renderProfile);
}
