import { RAGError } from '../../core/errors.js';
import type { CliContext } from './context.js';
import { inert } from './terminal.js';

/**
 * Asks a yes-or-no question on stderr; an empty answer is the preset, and the end of the input (Ctrl-D) is no.
 *
 * @throws RAGError `ABORTED` for Ctrl-C
 */
export async function askYesNo(
  { side, stdin, signal }: CliContext,
  question: string,
  { preset }: { readonly preset: boolean },
): Promise<boolean> {
  const terminal = await side.openInput(stdin);
  const stop = new AbortController();
  // A terminal that is read by the key sends no signal.
  terminal.once('SIGINT', () => stop.abort());
  const ended = new Promise<string>((resolve) => terminal.once('close', () => resolve('no')));
  try {
    const asked = terminal.question(`${inert(question)} ${preset ? '[Y/n]' : '[y/N]'} `, {
      signal: AbortSignal.any([signal, stop.signal]),
    });
    const answer = await Promise.race([asked, ended]);
    return answer.trim() === '' ? preset : /^y(es)?$/i.test(answer.trim());
  } catch (error) {
    if (stop.signal.aborted) throw stopped(error);
    if (signal.aborted) throw error;
    return false;
  } finally {
    terminal.close();
  }
}

const stopped = (cause: unknown): Error => new RAGError('ABORTED', 'Stopped.', { cause });
