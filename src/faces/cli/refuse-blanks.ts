import { type Command, CommanderError, type Option } from 'commander';
import { ExitCode } from './errors.js';

/** Arguments whose words are one text. */
const TEXTS: ReadonlySet<string> = new Set(['query', 'question']);
/** Options whose blank values are refused where scopes are read. */
const SCOPES: ReadonlySet<string> = new Set(['tenant', 'project']);

/**
 * Refuses arguments and options that hold nothing but blanks: mostly a variable of a shell that is not set.
 *
 * @throws CommanderError one sentence on the first of them
 */
export function refuseBlanks(command: Command): void {
  for (const [at, argument] of command.registeredArguments.entries()) {
    const name = argument.name();
    const given = [command.processedArgs[at] as string | readonly string[] | undefined].flat();
    const texts = given.filter((text) => text !== undefined);
    const isBlank = TEXTS.has(name)
      ? texts.length > 0 && texts.every(holdsNothing)
      : texts.some(holdsNothing);
    if (isBlank) throw blank(`the argument <${name}>`);
  }
  const options = command.optsWithGlobals<Readonly<Record<string, unknown>>>();
  for (const option of optionsOf(command)) {
    const name = option.attributeName();
    // A variable of the environment that is empty is none.
    const isStated = command.getOptionValueSourceWithGlobals(name) === 'cli' && !SCOPES.has(name);
    const values = isStated ? [options[name]].flat() : [];
    if (values.some((value) => typeof value === 'string' && holdsNothing(value)))
      throw blank(`the option ${option.long ?? option.flags}`);
  }
}

/** Its own, and those of the commands that it stands below. */
const optionsOf = (command: Command): readonly Option[] => [
  ...command.options,
  ...(command.parent === null ? [] : optionsOf(command.parent)),
];

const holdsNothing = (text: string): boolean => text.trim() === '';

const blank = (what: string): CommanderError =>
  new CommanderError(
    ExitCode.usage,
    'ragstone.blank',
    `error: ${what} is empty. Write what is meant; a variable of the shell may not be set.`,
  );
