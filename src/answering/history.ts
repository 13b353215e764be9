import { RAGError } from '../core/errors.js';
import type { ConversationTurn } from './answer.js';

/** Turns that fit into so many tokens, newest first kept; a turn is kept whole or not at all. */
export function trimHistory(
  history: readonly ConversationTurn[],
  { budget, tokensOf }: { readonly budget: number; readonly tokensOf: (text: string) => number },
): { readonly turns: readonly ConversationTurn[]; readonly dropped: number; readonly tokens: number } {
  let tokens = 0;
  let first = history.length;
  for (let at = history.length - 1; at >= 0; at--) {
    const cost = tokensOf(history[at]?.content ?? '') + TURN_OVERHEAD;
    if (tokens + cost > budget) break;
    tokens += cost;
    first = at;
  }
  // A model's turns begin with the user's; an answer without its question tells nothing.
  while (history[first]?.role === 'assistant') first += 1;
  const turns = history.slice(first);
  const used = turns.reduce((sum, { content }) => sum + tokensOf(content) + TURN_OVERHEAD, 0);
  return { turns, dropped: first, tokens: used };
}

/** Tokens that a message takes beside its text, in the formats of the usual providers. */
export const TURN_OVERHEAD = 4;

/** @throws RAGError `QUERY_INVALID` for turns that are neither the user's nor the assistant's. */
export function assertHistory(history: readonly ConversationTurn[]): void {
  for (const [index, turn] of history.entries()) {
    const isSound = (turn.role === 'user' || turn.role === 'assistant') && typeof turn.content === 'string';
    if (!isSound)
      throw new RAGError(
        'QUERY_INVALID',
        `Turn ${index + 1} of the conversation history needs a role, "user" or "assistant", and text in "content".`,
        { details: { index } },
      );
  }
}
