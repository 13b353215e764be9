import { RAGError } from '../core/errors.js';

/** Parts of a prompt. */
export type PromptPart = 'system' | 'context' | 'history' | 'query' | 'response';

/** Share of a model's window that each part may take; together 1. */
export type WindowShares = Readonly<Record<PromptPart, number>>;

/** What holds where nothing is configured. */
export const WINDOW_SHARES: WindowShares = {
  system: 0.1,
  context: 0.25,
  history: 0.15,
  query: 0.05,
  response: 0.45,
};

/** Highest priority first; what overflows is taken from the last one that has something to give. */
const PRIORITY = ['query', 'history', 'context', 'system'] as const;
type InputPart = (typeof PRIORITY)[number];

/** 0.29 of 100 is 28.999999999999996. */
const ROUNDING = 1e-6;

/** Tokens of each part when a model's window is split by these shares; rounded down. */
export function splitWindow(
  window: number,
  shares: WindowShares = WINDOW_SHARES,
): Readonly<Record<PromptPart, number>> {
  if (!Number.isInteger(window) || window < 1)
    throw new RAGError('CONFIG_INVALID', `A context window is a whole number of tokens, not ${window}.`);
  const of = (part: PromptPart): number => Math.floor(window * shares[part] + ROUNDING);
  return {
    system: of('system'),
    context: of('context'),
    history: of('history'),
    query: of('query'),
    response: of('response'),
  };
}

export interface PromptNeeds {
  /** Tokens that each part would take. `context` is what it could use at most. */
  readonly needs: Readonly<Record<InputPart, number>>;
  /** Tokens below which a part is of no use and may not be trimmed: the short form of the instructions, the question. */
  readonly floors?: Partial<Readonly<Record<InputPart, number>>>;
  /** @default WINDOW_SHARES */
  readonly shares?: WindowShares | undefined;
}

/**
 * How many tokens each part gets. Every part has its share of the window; a part that needs more borrows what the others
 * leave over, and where that is not enough it is taken from the parts of lower priority, system instructions first, down
 * to their floors (question, conversation, context, instructions).
 *
 * @throws RAGError `QUERY_INVALID` where even the floors do not fit.
 */
export function allocateWindow(
  window: number,
  { needs, floors = {}, shares: stated }: PromptNeeds,
): Readonly<Record<PromptPart, number>> {
  const shares = splitWindow(window, stated);
  const grants = { system: 0, context: 0, history: 0, query: 0 };
  for (const part of PRIORITY) grants[part] = Math.min(needs[part], shares[part]);
  let spare = window - shares.response - PRIORITY.reduce((sum, part) => sum + grants[part], 0);
  for (const part of PRIORITY) {
    // The context never grows beyond its share: a window filled to the brim answers worse, not better.
    const limit = part === 'context' ? grants.context : needs[part];
    const extra = Math.min(limit - grants[part], spare);
    grants[part] += extra;
    spare -= extra;
  }
  for (const part of PRIORITY) takeFloor(part, grants, floors);
  return { ...grants, response: shares.response };
}

/** Brings a part up to its floor at the cost of the parts below it. */
function takeFloor(
  part: InputPart,
  grants: Record<InputPart, number>,
  floors: NonNullable<PromptNeeds['floors']>,
): void {
  let missing = (floors[part] ?? 0) - grants[part];
  for (const donor of [...PRIORITY].reverse()) {
    if (missing <= 0) return;
    if (donor === part) continue;
    const given = Math.min(missing, Math.max(0, grants[donor] - (floors[donor] ?? 0)));
    grants[donor] -= given;
    grants[part] += given;
    missing -= given;
  }
  if (missing > 0)
    throw new RAGError(
      'QUERY_INVALID',
      `The ${part === 'query' ? 'question' : `${part} part of the prompt`} does not fit into the model's window: ${missing} tokens too many. Shorten it, or use a model with a larger window.`,
      { details: { part, missing } },
    );
}
