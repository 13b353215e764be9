import { type TokenCounter, tokensOf } from '../../index.js';
import type { ToolContext, ToolOutput } from '../tools/tool.js';

/** An output is made for less and less of the limit: names and marks around the texts count too. */
const SHARES = [0.9, 0.75, 0.6, 0.45, 0.3, 0.15];

/**
 * The first output of which neither form takes more tokens than the limit; the last one where none does.
 *
 * @param make an output whose texts take at most this many tokens
 */
export async function fittingOutput<Output extends ToolOutput>(
  { counter, maxTokens }: ToolContext,
  make: (budget: number) => Promise<Output>,
): Promise<Output> {
  for (const share of SHARES.slice(0, -1)) {
    const output = await make(Math.floor(maxTokens * share));
    if (tokensOfOutput(output, counter) <= maxTokens) return output;
  }
  return make(Math.floor(maxTokens * (SHARES.at(-1) ?? 0)));
}

/** Of the longer of the two forms. */
export const tokensOfOutput = ({ text, structured }: ToolOutput, counter: TokenCounter): number =>
  Math.max(tokensOf(counter, text), tokensOf(counter, JSON.stringify(structured)));

/** How much of a text, from its start, takes at most so many tokens: UTF-16 code units, never half of a character. */
export function fittingLength(text: string, budget: number, counter: TokenCounter): number {
  if (tokensOf(counter, text) <= budget) return text.length;
  let [low, high] = [0, text.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (tokensOf(counter, text.slice(0, middle)) <= budget) low = middle;
    else high = middle - 1;
  }
  return isHighSurrogate(text, low - 1) ? low - 1 : low;
}

const isHighSurrogate = (text: string, at: number): boolean => /^[\ud800-\udbff]$/.test(text.charAt(at));
