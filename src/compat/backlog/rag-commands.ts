import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';

/** The command line of Ragstone, as it is installed. */
const COMMAND_LINE = fileURLToPath(new URL('../../faces/cli/main.js', import.meta.url));

const NAMES = {
  index: 'bring the index in step with its sources',
  search: 'find passages in the index',
  status: 'what is indexed, how large it is, and what failed',
  clear: 'delete the index',
  config: 'show or check the configuration',
  rollout: 'which items are enriched from the index, and what that did',
} as const;

type Name = keyof typeof NAMES;

/**
 * Commands of Ragstone that a program with a command line of its own mounts: `program.command('rag').addCommand(ragCommands.index)`. Each
 * takes the options of `ragstone NAME` and gives its output and its exit code.
 */
export const ragCommands: Readonly<Record<Name, Command>> = Object.freeze({
  index: passedOn('index'),
  search: passedOn('search'),
  status: passedOn('status'),
  clear: passedOn('clear'),
  config: passedOn('config'),
  rollout: passedOn('rollout'),
});

/** A process of its own: it stops by a signal, and writes to the terminal, as it does when it is called by its own name. */
function passedOn(name: Name): Command {
  return new Command(name)
    .description(NAMES[name])
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .argument('[args...]', `as "ragstone ${name}" takes them`)
    .action(async (args: readonly string[]) => {
      process.exitCode = await run([name, ...args]);
    });
}

function run(args: readonly string[]): Promise<number> {
  // A signal of the terminal reaches both; this one waits for what the other says to it.
  const wait = (): void => undefined;
  process.on('SIGINT', wait);
  return new Promise<number>((resolve, reject) => {
    const child = spawn(process.execPath, [COMMAND_LINE, ...args], { stdio: 'inherit' });
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  }).finally(() => process.off('SIGINT', wait));
}
