import { type TokenCounter, tokensOf } from '../../../index.js';
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

/** Fewer tokens than this no text of a length takes, but for runs of one character; what is longer is not counted. */
const MOST_CHARACTERS_PER_TOKEN = 8;

/** How much of a text, from its start, takes at most so many tokens in either form: UTF-16 code units, never half of a character. */
export function fittingLength(text: string, budget: number, counter: TokenCounter): number {
  // Of the two forms JSON is the longer one.
  const fits = (length: number) => tokensOf(counter, JSON.stringify(text.slice(0, length))) <= budget;
  const most = Math.min(text.length, MOST_CHARACTERS_PER_TOKEN * budget);
  if (most === text.length && fits(most)) return most;
  let [low, high] = [0, most];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return isHighSurrogate(text, low - 1) ? low - 1 : low;
}

const isHighSurrogate = (text: string, at: number): boolean => /^[\ud800-\udbff]$/.test(text.charAt(at));
