import type { TextRange } from '../core/document.js';
import { rewriteParts } from './markup/edits.js';
import { readMarkup } from './markup/read-markup.js';
import { StepCounter, TooManySteps } from './markup/step-counter.js';
import { stepLimit } from './neutralise.js';

/**
 * A Markdown text whose code stays as it is, spans of code included, all else rewritten part by part. One that costs more to read than
 * its length allows stays whole.
 *
 * @param text its only line end is a line feed.
 */
export function rewriteOutsideCode(text: string, rewrite: (part: string, start: number) => string): string {
  const code = codeIn(text);
  return code === undefined ? text : rewriteParts(text, code, { outside: rewrite, inside: (each) => each });
}

function codeIn(text: string): readonly TextRange[] | undefined {
  try {
    return readMarkup(text, new StepCounter(stepLimit(text.length))).code;
  } catch (error) {
    if (error instanceof TooManySteps) return undefined;
    throw error;
  }
}
