import { type Command, CommanderError } from 'commander';
import { ExitCode } from './errors.js';

const OF_FILTERS = ['filter', 'sourceType', 'source', 'since', 'until', 'tenant'];
const OF_SEARCHES = [...OF_FILTERS, 'topK', 'mode', 'minSimilarity', 'exactWords', 'collapse'];
const OF_ANSWERS = ['chat', 'stream', 'explain', 'mode', 'answerer', 'topK', 'abstainBelow'];

/** What a service does for the command line, with the options that reach it. What is new is refused until it stands here. */
const DONE_BY_SERVICES: Readonly<Record<string, readonly string[]>> = {
  search: [...OF_SEARCHES, 'explain'],
  ask: [...OF_FILTERS, ...OF_ANSWERS, 'exactWords', 'collapse'],
  'explain-miss': OF_SEARCHES,
  status: [],
  index: [],
};
const OF_EVERY_COMMAND = ['server', 'json', 'quiet', 'logLevel'];

/**
 * Refuses what a service cannot do for the command line, so that nothing is ignored and nothing happens here in place of there.
 *
 * @throws CommanderError one sentence on the command or its options
 */
export function refuseOnServer(program: Command, command: Command): void {
  const server = program.getOptionValue('server') as string | undefined;
  const isOfEnvironment = program.getOptionValueSource('server') === 'env';
  // A variable that is empty counts as not set; an empty address is a slip.
  if (server === undefined || (server === '' && isOfEnvironment)) return;
  if (server === '') throw noAddress();
  const name = pathOf(program, command);
  const done = DONE_BY_SERVICES[name];
  const way = isOfEnvironment
    ? 'Unset RAGSTONE_SERVER for the index of this machine.'
    : 'Leave out --server for the index of this machine.';
  if (done === undefined)
    throw refused(
      `A service does not do "ragstone ${name}": it does ${Object.keys(DONE_BY_SERVICES).join(', ')}. ${way}`,
    );
  const takes = new Set([...done, ...OF_EVERY_COMMAND]);
  const idle = [...command.options, ...program.options].filter((option) => {
    const owner = program.options.includes(option) ? program : command;
    const source = owner.getOptionValueSource(option.attributeName());
    return source !== undefined && source !== 'default' && !takes.has(option.attributeName());
  });
  if (idle.length > 0) {
    const names = idle.map(({ long, short }) => long ?? short).join(', ');
    throw refused(`A service takes no ${names} of "ragstone ${name}": it and its key decide that. ${way}`);
  }
  if (name === 'index' && command.args.length > 0)
    throw refused(`A service indexes its own sources and no paths of this machine. ${way}`);
}

/** A wrong use of `--server`, in one sentence. */
export const refused = (message: string): CommanderError =>
  new CommanderError(ExitCode.usage, 'ragstone.server', message);

export const noAddress = (): CommanderError =>
  refused('--server must be the address of a service, such as http://127.0.0.1:7240.');

function pathOf(program: Command, command: Command): string {
  const names: string[] = [];
  for (let at: Command | null = command; at !== null && at !== program; at = at.parent)
    names.unshift(at.name());
  return names.join(' ');
}
