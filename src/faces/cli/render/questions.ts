import type { CliContext } from '../context.js';

const PROMPT = '> ';

/** Questions of a conversation: the first as given, then lines of the standard input until an empty one or its end. */
export async function* readQuestions(context: CliContext, first: string | undefined): AsyncGenerator<string> {
  if (first !== undefined) yield first;
  const isPerson = context.canAsk;
  const lines = await context.side.openInput(context.stdin, { terminal: isPerson });
  const stop = () => lines.close();
  context.signal.addEventListener('abort', stop, { once: true });
  const ask = (): void => {
    if (!isPerson) return;
    lines.setPrompt(PROMPT);
    lines.prompt();
  };
  try {
    ask();
    for await (const line of lines) {
      const question = line.trim();
      if (question === '') return;
      yield question;
      ask();
    }
  } finally {
    context.signal.removeEventListener('abort', stop);
    lines.close();
  }
}
