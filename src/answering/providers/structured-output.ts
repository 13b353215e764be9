import * as z from 'zod';
import { RAGError } from '../../core/errors.js';
import type { LanguageModel } from './language-model.js';

type ResponseFormat = NonNullable<Parameters<LanguageModel['doGenerate']>[0]['responseFormat']>;
type JsonSchema = NonNullable<Extract<ResponseFormat, { type: 'json' }>['schema']>;

const FENCED = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/;

/** The schema as providers take it. */
export const jsonSchemaOf = (schema: z.ZodType): JsonSchema =>
  // The two packages type draft 7 apart; what zod writes for this target is draft 7.
  z.toJSONSchema(schema, { target: 'draft-7' }) as JsonSchema;

/**
 * Reads a model's answer as an object that the schema accepts; a Markdown fence around it is taken off.
 * @throws RAGError `CHAT_OUTPUT_INVALID`, without the answer's text.
 */
export function parseObject<T>(
  text: string,
  schema: z.ZodType<T>,
  { model, isCut }: { readonly model: string; readonly isCut: boolean },
): T {
  const problem = (what: string): RAGError =>
    new RAGError('CHAT_OUTPUT_INVALID', `${model} was asked for an object and ${what}.`, {
      details: { model },
    });
  let value: unknown;
  try {
    value = JSON.parse(FENCED.exec(text)?.[1] ?? text);
  } catch {
    throw problem(
      isCut
        ? 'was cut before its end; raise rag.chat.maxOutputTokens'
        : `gave ${text.trim() === '' ? 'nothing' : 'text that is not JSON'}; use a model with structured output`,
    );
  }
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  const places = checked.error.issues
    .slice(0, 3)
    .map(({ path }) => (path.length === 0 ? 'it' : path.join('.')));
  throw problem(`gave another shape (wrong at ${places.join(', ')})`);
}
