import * as z from 'zod';

export const ACTIONS = ['search', 'document', 'related', 'values', 'external', 'finish'] as const;
export type ActionName = (typeof ACTIONS)[number];

/** What a model may choose. Documents are named by the numbers of passages that it was shown, so that it can name no others. */
export interface ModelAction {
  readonly action: ActionName;
  readonly why: string;
  readonly query: string | null;
  readonly passage: number | null;
  readonly field: string | null;
  readonly value: string | null;
}

const text = (longest: number) => z.string().max(longest).nullable().default(null);

/** One flat object: some providers take no alternatives at the root of a schema. Longer texts than any step needs are refused. */
export const actionSchema = (actions: readonly ActionName[]): z.ZodType<ModelAction> =>
  z.strictObject({
    action: z.enum(actions),
    why: z.string().max(500).default(''),
    query: text(500),
    passage: z.int().nullable().default(null),
    field: text(100),
    value: text(200),
  });
