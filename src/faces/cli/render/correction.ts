import type { QueryCorrection } from '../../../index.js';
import type { CliContext } from '../context.js';
import { oneLine } from './text.js';

/** What was searched for in place of mistyped words, and how to search for what was typed; nothing where no word was. */
export function renderCorrection(correction: QueryCorrection | undefined, { colours }: CliContext): string[] {
  if (correction === undefined) return [];
  const { searchedFor, words } = correction;
  const used = [...new Set(words.map((word) => word.used))];
  const shown = used.reduce((text, word) => text.replaceAll(word, colours.bold(word)), oneLine(searchedFor));
  const typed = words.map((word) => word.typed).join(', ');
  return [
    `Searched for: ${shown}\n${colours.dim(`Typed: ${oneLine(typed)}. To search for it as typed: --exact-words`)}`,
  ];
}
