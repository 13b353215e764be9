import * as z from 'zod';
import type { EmbeddingKind } from '../embedding/embedder.js';
import { operation } from './operation.js';
import { assertShape, type ShapeOf } from './requests/check-shape.js';
import { signal } from './requests/request-fields.js';

/** Texts that want vectors. */
export interface EmbedRequest {
  readonly texts: readonly string[];
  /** As what they are read; models may tell the two apart. @default 'document' */
  readonly kind?: EmbeddingKind | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Vectors of texts. */
export interface EmbeddedTexts {
  /** Name of the model. */
  readonly model: string;
  readonly dimensions: number;
  /** One unit-length vector a text, in order; all zero for a text without any word that the model knows. */
  readonly vectors: readonly Float32Array[];
}

const schema = z.strictObject({
  texts: z.array(z.string()),
  kind: z.enum(['query', 'document']).optional(),
  signal,
} satisfies ShapeOf<EmbedRequest>);

/** Throws `USAGE`. */
export function checkedTexts(request: EmbedRequest): EmbedRequest {
  assertShape(schema, request, { what: 'What to embed', reason: 'USAGE' });
  return request;
}

export const embed = operation({
  access: 'read',
  takes: 1,
  check: checkedTexts,
  asked: ({ texts }) => ({ text: texts.join('\n') }),
});
