import { type Command, CommanderError, type Option } from 'commander';
import { ExitCode } from './errors.js';

const OF_FILTERS = ['filter', 'sourceType', 'source', 'since', 'until', 'tenant'];
const OF_SEARCHES = [
  ...OF_FILTERS,
  'topK',
  'mode',
  'hops',
  'minSimilarity',
  'exactWords',
  'collapse',
  'deadlineMs',
  'maxCost',
];
const OF_ANSWERS = [
  'chat',
  'stream',
  'explain',
  'mode',
  'answerer',
  'topK',
  'abstainBelow',
  'maxSteps',
  'deadlineMs',
  'maxCost',
  'maxTokens',
];

/** What a service does for the command line, with the options that reach it. What is new is refused until it stands here. */
const DONE_BY_SERVICES: Readonly<Record<string, readonly string[]>> = {
  search: [...OF_SEARCHES, 'explain'],
  ask: [...OF_FILTERS, ...OF_ANSWERS, 'exactWords', 'collapse'],
  related: ['hops', 'limit', 'kind', 'tenant'],
  'explain-miss': OF_SEARCHES,
  status: ['tenant'],
  health: ['endpoint'],
  index: ['tenant'],
  console: ['open'],
};
const OF_EVERY_COMMAND = ['server', 'json', 'quiet', 'logLevel'];

/** Each of them means an index of this machine. */
const OF_THIS_MACHINE = ['config', 'data', 'trust'];

/** What nobody expects of a service, whatever the environment names. */
const NEVER_OF_A_SERVICE = new Set(['init', 'try', 'config', 'model', 'trust', 'serve', 'help']);

/**
 * The service that a command asks; undefined for the index of this machine. `--server` refuses what a service cannot do, so that nothing is
 * ignored and nothing happens here in place of there. RAGSTONE_SERVER is for the commands that can ask a service, and leaves others alone.
 *
 * @param note - is told where somebody could expect that the service of the environment is asked, and it is not
 * @throws CommanderError one sentence on the command or its options
 */
export function chooseServer(
  program: Command,
  command: Command,
  note: (text: string) => void,
): string | undefined {
  const server = program.getOptionValue('server') as string | undefined;
  const isOfEnvironment = program.getOptionValueSource('server') === 'env';
  // A variable that is empty counts as not set; an empty address is a slip.
  if (server === undefined || (server === '' && isOfEnvironment)) return undefined;
  if (server === '') throw noAddress();
  const name = pathOf(program, command);
  const done = DONE_BY_SERVICES[name];
  const way = isOfEnvironment
    ? 'Unset RAGSTONE_SERVER for the index of this machine.'
    : 'Leave out --server for the index of this machine.';
  if (isOfEnvironment) {
    const local = program.options.filter(
      (option) =>
        OF_THIS_MACHINE.includes(option.attributeName()) &&
        program.getOptionValueSource(option.attributeName()) === 'cli',
    );
    if (done === undefined || local.length > 0) {
      const why = local.length > 0 ? namesOf(local) : `"ragstone ${name}"`;
      if (!NEVER_OF_A_SERVICE.has(name.split(' ')[0] ?? ''))
        note(`${why} is about the index of this machine: the service of RAGSTONE_SERVER is not asked.`);
      return undefined;
    }
  }
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
  if (idle.length > 0)
    throw refused(
      `A service takes no ${namesOf(idle)} of "ragstone ${name}": it and its key decide that. ${way}`,
    );
  if (name === 'index' && command.args.length > 0)
    throw refused(`A service indexes its own sources and no paths of this machine. ${way}`);
  return server;
}

const namesOf = (options: readonly Option[]): string =>
  options.map(({ long, short }) => long ?? short).join(', ');

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
