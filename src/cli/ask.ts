import { createInterface } from 'node:readline/promises';

/** Asks a yes-or-no question on stderr; an empty answer is the preset. */
export async function askYesNo(
  question: string,
  { preset, signal }: { readonly preset: boolean; readonly signal: AbortSignal },
): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${question} ${preset ? '[Y/n]' : '[y/N]'} `, { signal });
    return answer.trim() === '' ? preset : /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
