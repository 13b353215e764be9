import { type Command, CommanderError, type Option } from 'commander';
import { ExitCode } from './errors.js';

/** Options that a service takes with each command that it does. What no command states here is refused. */
const doneByServices = new WeakMap<Command, ReadonlySet<string>>();

/** Says that a service does a command too, and with which options. */
export function doneByService(command: Command, options: readonly string[]): void {
  doneByServices.set(command, new Set([...options, ...OF_EVERY_COMMAND]));
}

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
  const takes = doneByServices.get(command);
  const way = isOfEnvironment
    ? 'Unset RAGSTONE_SERVER for the index of this machine.'
    : 'Leave out --server for the index of this machine.';
  if (isOfEnvironment) {
    const local = program.options.filter(
      (option) =>
        OF_THIS_MACHINE.includes(option.attributeName()) &&
        program.getOptionValueSource(option.attributeName()) === 'cli',
    );
    if (takes === undefined || local.length > 0) {
      const why = local.length > 0 ? namesOf(local) : `"ragstone ${name}"`;
      if (!NEVER_OF_A_SERVICE.has(name.split(' ')[0] ?? ''))
        note(`${why} is about the index of this machine: the service of RAGSTONE_SERVER is not asked.`);
      return undefined;
    }
  }
  if (takes === undefined) {
    const done = program.commands.filter((other) => doneByServices.has(other)).map((other) => other.name());
    throw refused(`A service does not do "ragstone ${name}": it does ${done.join(', ')}. ${way}`);
  }
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
