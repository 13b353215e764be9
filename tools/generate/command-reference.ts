import type { Command } from 'commander';
import { CliContext } from '../../src/faces/cli/context.js';
import { buildProgram } from '../../src/faces/cli/program.js';

const INTRODUCTION = `# Commands

<!-- Generated from the definitions of the commands; do not edit. -->

Every command of \`ragstone\`, its options and examples. \`ragstone help COMMAND\` prints the same. Where Ragstone is installed in a project,
type \`npx ragstone\`.`;

/** The text of `docs/commands.md`: what every command and its options say of themselves. */
export function commandReference(): string {
  const program = buildProgram(new CliContext([], new AbortController().signal));
  const { examples, rest } = textBelow(program);
  const sections = commandsOf(program).flatMap((command) => sectionsOf(command, 2, examples));
  return `${[
    INTRODUCTION,
    sh(examples),
    '## Options of every command',
    'They may stand before or after the name of the command.',
    optionTable(program),
    '## Exit codes',
    rest.replace(/^Exit codes: /, '').replace(/^\w/, (letter) => letter.toUpperCase()),
    ...sections,
  ].join('\n\n')}\n`;
}

/** A command and those below it, which mostly share its examples. */
function sectionsOf(command: Command, depth: number, shown: readonly string[]): string[] {
  const { examples, rest } = textBelow(command);
  const isNew = examples.join() !== shown.join();
  const own = [
    `${'#'.repeat(depth)} \`${usageOf(command)}\``,
    sentence(command.description()),
    optionTable(command),
    isNew ? sh(examples) : '',
    isNew ? rest : '',
  ].filter((part) => part !== '');
  return [...own, ...commandsOf(command).flatMap((child) => sectionsOf(child, depth + 1, examples))];
}

const commandsOf = (command: Command): readonly Command[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== 'help');

/** The words that call a command, from `ragstone` on, with its arguments. */
function usageOf(command: Command): string {
  const names: string[] = [];
  for (let at: Command | null = command; at !== null; at = at.parent) names.unshift(at.name());
  const arguments_ = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return [...names, ...arguments_].join(' ');
}

/** Arguments and options as a table; nothing where there are none. */
function optionTable(command: Command): string {
  const help = command.createHelp();
  const rows = [
    ...help
      .visibleArguments(command)
      .map((argument) => [`<${argument.name()}>`, help.argumentDescription(argument)] as const),
    ...help
      .visibleOptions(command)
      .filter((option) => option.long !== '--help')
      .map((option) => [option.flags, help.optionDescription(option)] as const),
  ];
  if (rows.length === 0) return '';
  const lines = rows.map(
    ([term, meaning]) => `| \`${term.replaceAll('|', '\\|')}\` | ${meaning.replaceAll('|', '\\|')} |`,
  );
  return ['| | |', '| --- | --- |', ...lines].join('\n');
}

/** What the help says below the options: examples, and what follows them. */
function textBelow(command: Command): { readonly examples: readonly string[]; readonly rest: string } {
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  const [, below = ''] = text.split('\nExamples:\n');
  const lines = below.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('  '));
  return {
    examples: lines.slice(0, end).map((line) => line.trim().replace(/^\$ /, '')),
    rest: lines.slice(end).join('\n').trim(),
  };
}

/** Examples as a shell reads them: what stands behind two spaces is a comment. */
const sh = (examples: readonly string[]): string =>
  examples.length === 0
    ? ''
    : `\`\`\`sh\n${examples.map((line) => line.replace(/ {2,}(?=\S)/, '  # ')).join('\n')}\n\`\`\``;

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
