import type { CliContext } from './context.js';
import { inert } from './terminal.js';

/** Asks a yes-or-no question on stderr; an empty answer is the preset. */
export async function askYesNo(
  { side, stdin, signal }: CliContext,
  question: string,
  { preset }: { readonly preset: boolean },
): Promise<boolean> {
  const terminal = await side.openInput(stdin);
  try {
    const answer = await terminal.question(`${inert(question)} ${preset ? '[Y/n]' : '[y/N]'} `, { signal });
    return answer.trim() === '' ? preset : /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
