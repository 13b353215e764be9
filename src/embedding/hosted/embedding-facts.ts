import type { ProviderName } from '../../platform/providers/provider-table.js';

/** What is known of a hosted model by its name. */
export interface EmbeddingFacts {
  /** Length of its vectors where none is asked for. */
  readonly dimensions?: number;
  /** Whether shorter vectors can be asked for. */
  readonly canShorten?: boolean;
  readonly maxInputTokens?: number;
  /** US dollars for a million tokens. */
  readonly price?: number;
  readonly queryPrefix?: string;
  readonly documentPrefix?: string;
}

// Prices change, so only those that were read on their provider's page stand here (docs/models.md says which and when).
const KNOWN: readonly (readonly [name: RegExp, facts: EmbeddingFacts])[] = [
  [/^text-embedding-3-small/, { dimensions: 1536, canShorten: true, maxInputTokens: 8192, price: 0.02 }],
  [/^text-embedding-3-large/, { dimensions: 3072, canShorten: true, maxInputTokens: 8192, price: 0.13 }],
  [/^text-embedding-ada-002/, { dimensions: 1536, maxInputTokens: 8192 }],
  [/^gemini-embedding-001/, { dimensions: 3072, canShorten: true, maxInputTokens: 2048 }],
  [/^embed-v4/, { dimensions: 1536, canShorten: true, maxInputTokens: 128_000 }],
  [/^embed-(english|multilingual)-light-v3/, { dimensions: 384, maxInputTokens: 512 }],
  [/^embed-(english|multilingual)-v3/, { dimensions: 1024, maxInputTokens: 512 }],
  [/^voyage-3\.5/, { dimensions: 1024, canShorten: true, maxInputTokens: 32_000 }],
  [/^voyage-(3-large|code-3)/, { dimensions: 1024, canShorten: true, maxInputTokens: 32_000 }],
  [/^voyage-4/, { dimensions: 1024, canShorten: true, maxInputTokens: 32_000 }],
  // Open models, under the names of Ollama and of the hub; prefixes are those of their model cards.
  [
    /(^|\/)nomic-embed-text/,
    { dimensions: 768, queryPrefix: 'search_query: ', documentPrefix: 'search_document: ' },
  ],
  [
    /(^|\/)(multilingual-)?e5-(small|base|large)(?!.*instruct)/,
    { queryPrefix: 'query: ', documentPrefix: 'passage: ' },
  ],
  [
    /(^|\/)(mxbai-embed-large|snowflake-arctic-embed-[sml]|bge-(small|base|large)-en)/,
    { queryPrefix: 'Represent this sentence for searching relevant passages: ' },
  ],
];

/** What is known of a model; nothing for most. Its vectors' length is always checked against what comes back. */
export const embeddingFactsOf = (model: string): EmbeddingFacts =>
  KNOWN.find(([name]) => name.test(model))?.[1] ?? {};

/** What one call may hold. */
export interface BatchLimits {
  readonly maxBatch: number;
  readonly maxBatchTokens: number;
}

// Documented limits, with room for texts that are longer than estimated; pages in docs/models.md.
const BATCHES: Readonly<Partial<Record<ProviderName, BatchLimits>>> = {
  openai: { maxBatch: 512, maxBatchTokens: 200_000 },
  azure: { maxBatch: 512, maxBatchTokens: 200_000 },
  google: { maxBatch: 100, maxBatchTokens: 100_000 },
  cohere: { maxBatch: 96, maxBatchTokens: 100_000 },
  voyage: { maxBatch: 256, maxBatchTokens: 80_000 },
  huggingface: { maxBatch: 32, maxBatchTokens: 16_384 },
};
const OTHER_SERVERS: BatchLimits = { maxBatch: 64, maxBatchTokens: 32_768 };

export const batchLimitsOf = (provider: ProviderName): BatchLimits => BATCHES[provider] ?? OTHER_SERVERS;
