import * as z from 'zod';
import { violationsBy } from './strict-request.js';
import { jsonReply, type WireFormat, type WireReply, type WireRequest } from './wire-server.js';

/** How a provider takes texts and gives vectors. */
export interface EmbeddingWire extends WireFormat {
  textsOf(request: WireRequest): readonly string[];
  /** The vector length that the request asks for; undefined for the model's own. */
  dimensionsOf(request: WireRequest): number | undefined;
  body(vectors: readonly (readonly number[])[], request: WireRequest): unknown;
}

/** A vector that only depends on the text; not of unit length, as those of providers that shorten them are. */
export function vectorFor(text: string, dimensions: number): number[] {
  let state = 7;
  for (const character of text) state = (state * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003;
  return Array.from({ length: dimensions }, (_, index) => 3 * Math.sin(state * (index + 1)));
}

/** Vectors for what a request asks; `native` is the length of the model's own. */
export const embeddingReply = (wire: EmbeddingWire, request: WireRequest, native: number): WireReply => {
  const dimensions = wire.dimensionsOf(request) ?? native;
  const vectors = wire.textsOf(request).map((text) => vectorFor(text, dimensions));
  return jsonReply(200, wire.body(vectors, request));
};

interface Definition<Body> {
  readonly documentation: string;
  readonly path: RegExp;
  readonly headers: Readonly<Record<string, string | RegExp>>;
  readonly schema: z.ZodType<Body>;
  readonly texts: (body: Body) => readonly string[];
  readonly dimensions: (body: Body) => number | undefined;
  readonly body: (vectors: readonly (readonly number[])[], isSingle: boolean) => unknown;
  readonly errorBody: WireFormat['errorBody'];
}

function define<Body>(definition: Definition<Body>): EmbeddingWire {
  const { documentation, path, headers, schema, texts, dimensions, body, errorBody } = definition;
  return {
    documentation,
    violationsOf: violationsBy({ path, headers, schema }),
    textsOf: (request) => texts(schema.parse(request.body)),
    dimensionsOf: (request) => dimensions(schema.parse(request.body)),
    body: (vectors, request) => body(vectors, /:embedContent$/.test(request.path)),
    errorBody,
  };
}

const BEARER = { authorization: 'Bearer test-key' } as const;
const text = z.string().min(1);
const countOf = (vectors: readonly unknown[]): number => vectors.length * 3;

const openAiError: WireFormat['errorBody'] = (_status, message) => ({
  error: { message, type: 'invalid_request_error', param: null, code: null },
});

const openAiRequest = z.strictObject({
  model: z.string(),
  input: z.array(text).min(1).max(2048),
  encoding_format: z.enum(['float', 'base64']).optional(),
  dimensions: z.number().int().positive().optional(),
  user: z.string().optional(),
});

const openAiBody = (vectors: readonly (readonly number[])[]): unknown => ({
  object: 'list',
  data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
  model: 'test',
  usage: { prompt_tokens: countOf(vectors), total_tokens: countOf(vectors) },
});

const openAiLike = (documentation: string, path: RegExp, headers: Readonly<Record<string, string>>) =>
  define({
    documentation,
    path,
    headers,
    schema: openAiRequest,
    texts: ({ input }) => input,
    dimensions: ({ dimensions }) => dimensions,
    body: openAiBody,
    errorBody: openAiError,
  });

export const openaiEmbeddingWire: EmbeddingWire = openAiLike(
  'https://platform.openai.com/docs/api-reference/embeddings/create',
  /^\/v1\/embeddings$/,
  BEARER,
);

export const azureEmbeddingWire: EmbeddingWire = openAiLike(
  'https://learn.microsoft.com/azure/ai-services/openai/reference',
  /^\/openai\/v1\/embeddings$/,
  { 'api-key': 'test-key' },
);

/** Such servers differ in what they take; this one refuses `dimensions`, as many do. */
export const compatibleEmbeddingWire: EmbeddingWire = define({
  documentation: 'https://docs.ollama.com/api/openai-compatibility',
  path: /^\/v1\/embeddings$/,
  headers: {},
  schema: openAiRequest.omit({ dimensions: true }),
  texts: ({ input }) => input,
  dimensions: () => undefined,
  body: openAiBody,
  errorBody: openAiError,
});

const geminiContent = z.strictObject({
  model: z.string().startsWith('models/'),
  content: z.strictObject({
    role: z.literal('user').optional(),
    parts: z.array(z.strictObject({ text })).length(1),
  }),
  taskType: z.enum(['RETRIEVAL_QUERY', 'RETRIEVAL_DOCUMENT']),
  outputDimensionality: z.number().int().positive().optional(),
});
const geminiRequest = z.union([
  geminiContent,
  z.strictObject({ requests: z.array(geminiContent).min(1).max(100) }),
]);
const geminiItems = (body: z.output<typeof geminiRequest>) => ('requests' in body ? body.requests : [body]);

export const googleEmbeddingWire: EmbeddingWire = define({
  documentation: 'https://ai.google.dev/api/embeddings',
  path: /^\/v1beta\/models\/gemini-embedding-001:(embedContent|batchEmbedContents)$/,
  headers: { 'x-goog-api-key': 'test-key' },
  schema: geminiRequest,
  texts: (body) => geminiItems(body).flatMap(({ content }) => content.parts.map((part) => part.text)),
  dimensions: (body) => geminiItems(body)[0]?.outputDimensionality,
  body: (vectors, isSingle) =>
    isSingle ? { embedding: { values: vectors[0] } } : { embeddings: vectors.map((values) => ({ values })) },
  errorBody: (status, message) => ({ error: { code: status, message, status: 'INVALID_ARGUMENT' } }),
});

export const cohereEmbeddingWire: EmbeddingWire = define({
  documentation: 'https://docs.cohere.com/v2/reference/embed',
  path: /^\/v2\/embed$/,
  headers: BEARER,
  schema: z.strictObject({
    model: z.string(),
    texts: z.array(text).min(1).max(96),
    input_type: z.enum(['search_query', 'search_document']),
    embedding_types: z.tuple([z.literal('float')]),
    truncate: z.enum(['NONE', 'START', 'END']).optional(),
    output_dimension: z.union([z.literal(256), z.literal(512), z.literal(1024), z.literal(1536)]).optional(),
  }),
  texts: ({ texts }) => texts,
  dimensions: ({ output_dimension: dimensions }) => dimensions,
  body: (vectors) => ({
    id: 'e-1',
    embeddings: { float: vectors },
    texts: [],
    meta: { api_version: { version: '2' }, billed_units: { input_tokens: countOf(vectors) } },
  }),
  errorBody: (_status, message) => ({ id: 'e-1', message }),
});

export const voyageEmbeddingWire: EmbeddingWire = define({
  documentation: 'https://docs.voyageai.com/reference/embeddings-api',
  path: /^\/v1\/embeddings$/,
  headers: BEARER,
  schema: z.strictObject({
    model: z.string(),
    input: z.array(text).min(1).max(1000),
    input_type: z.enum(['query', 'document']),
    truncation: z.boolean().optional(),
    output_dimension: z.union([z.literal(256), z.literal(512), z.literal(1024), z.literal(2048)]).optional(),
    output_dtype: z.literal('float').optional(),
    encoding_format: z.literal('base64').optional(),
  }),
  texts: ({ input }) => input,
  dimensions: ({ output_dimension: dimensions }) => dimensions,
  body: (vectors) => ({
    object: 'list',
    data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
    model: 'test',
    usage: { total_tokens: countOf(vectors) },
  }),
  errorBody: (_status, message) => ({ detail: message }),
});

export const huggingFaceEmbeddingWire: EmbeddingWire = define({
  documentation: 'https://huggingface.co/docs/inference-providers/tasks/feature-extraction',
  path: /^\/hf-inference\/models\/intfloat\/multilingual-e5-large\/pipeline\/feature-extraction$/,
  headers: BEARER,
  schema: z.strictObject({
    inputs: z.array(text).min(1),
    normalize: z.boolean().optional(),
    prompt_name: z.string().nullable().optional(),
    truncate: z.boolean().nullable().optional(),
    truncation_direction: z.enum(['Left', 'Right']).optional(),
  }),
  texts: ({ inputs }) => inputs,
  dimensions: () => undefined,
  body: (vectors) => vectors,
  errorBody: (_status, message) => ({ error: message }),
});
