/**
 * Runs the built command line in a terminal and writes what a person sees to `docs/images/terminal.svg`: `npm run build`, then
 * `npm run record`. Times in it differ from run to run, so it is no part of `npm run generate`. Needs `script` of Linux.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openScreen } from './screen.js';
import { terminalSvg } from './terminal-svg.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MAIN = join(ROOT, 'dist/faces/cli/main.js');
const COLUMNS = 100;

const SESSION: readonly (readonly string[])[] = [
  ['index', 'handbook'],
  ['search', 'PAY-4012', '--top-k', '1'],
  ['ask', 'how long are audit logs kept?'],
  ['ask', 'who may create a Kafka topic?'],
];

const folder = mkdtempSync(join(tmpdir(), 'ragstone-record-'));
try {
  cpSync(fileURLToPath(new URL('handbook', import.meta.url)), join(folder, 'handbook'), { recursive: true });
  const screen = openScreen(COLUMNS);
  for (const words of SESSION) {
    await screen.write(`\x1b[32m$\x1b[0m npx ragstone ${words.map(quoted).join(' ')}\r\n`);
    await screen.write(outputOf(words));
    await screen.write('\r\n');
  }
  writeFileSync(join(ROOT, 'docs/images/terminal.svg'), terminalSvg(screen.lines(), COLUMNS));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** What a command writes to a terminal. */
function outputOf(words: readonly string[]): string {
  const command = [process.execPath, MAIN, ...words].map((word) => `'${word}'`).join(' ');
  const { PATH = '', HOME = '' } = process.env;
  return execFileSync('script', ['-qec', `stty cols ${COLUMNS} rows 40; exec ${command}`, '/dev/null'], {
    cwd: folder,
    // As `npx` starts it.
    env: { PATH, HOME, TERM: 'xterm-256color', npm_command: 'exec' },
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
}

function quoted(word: string): string {
  return word.includes(' ') ? `"${word}"` : word;
}
