import * as z from 'zod';
import { readSynonymRule } from '../../core/analysis/synonyms.js';
import {
  nonEmptyText,
  optionalSecretText,
  sha256Text,
  share,
  wholeNumber,
} from '../../core/setting-values.js';

const weight = () => z.number().min(0);

const hybrid = z
  .strictObject({
    weights: z
      .strictObject({
        semantic: weight().describe('Weight of the dense lane.'),
        keyword: weight().describe('Weight of the lexical lane.'),
      })
      .refine(({ semantic, keyword }) => semantic + keyword > 0, 'must not both be 0')
      .transform(({ semantic, keyword }) => ({
        semantic: semantic / (semantic + keyword),
        keyword: keyword / (semantic + keyword),
      }))
      .optional()
      .describe(
        'Weights of the lanes, as shares or percentages (0.7 and 0.3, or 70 and 30). Default: learned for the embedding model in use, and under `adaptive` fitted to each query.',
      ),
  })
  .prefault({})
  .describe('Hybrid search.');

const fusion = z
  .strictObject({
    method: z
      .enum(['adaptive', 'convex', 'rrf'])
      .default('adaptive')
      .describe(
        'How lanes are combined: `convex` adds weighted min-max normalised scores, `adaptive` does so with weights found for each query, `rrf` is weighted reciprocal rank fusion.',
      ),
    k: wholeNumber(1).default(60).describe('Rank constant of `rrf`.'),
    candidates: wholeNumber(1)
      .max(10_000)
      .default(100)
      .describe('Chunks taken from each lane before fusion.'),
  })
  .prefault({})
  .describe('How the lanes are combined.');

const rerank = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe(
        'Reorder the best candidates with a reranker. Where it is not available, results come without it and say so (degradation level 1).',
      ),
    model: nonEmptyText()
      .default('reader')
      .describe(
        'Reranking model: `reader`, an encoder of the package that reads the first 30 passages of `builtin` (docs/retrieval.md); `builtin` alone; `onnx:` and the folder or hub id of a cross-encoder that needs no package (`ragstone model use ms-marco-MiniLM-L6-v2` writes it); `transformers:`, `cross-encoder:` or none before one that `@huggingface/transformers` runs. Hosted, so that passages leave this machine: `cohere:`, `voyage:`, `jina:`, `vllm:` or `openai-compatible:` and the name; `llm` is the language model of `rag.chat`, `llm:provider:model` another (docs/models.md). A language model needs a longer `deadlineMs`.',
      ),
    sha256: sha256Text()
      .optional()
      .describe(
        'SHA-256 of the network of a cross-encoder; files of another one are refused. `ragstone model use` writes it. Default: whatever is there.',
      ),
    topK: wholeNumber(1)
      .optional()
      .describe('Results kept after reranking, at most `retrieval.topK`. Default: `retrieval.topK`.'),
    batchSize: wholeNumber(1)
      .default(10)
      .describe('Candidates that a cross-encoder scores at once which a package runs.'),
    candidates: wholeNumber(1).max(1000).default(100).describe('Candidates that are reordered.'),
    weight: z
      .number()
      .gt(0)
      .max(1)
      .default(1)
      .describe(
        'Share of the reranker in the order of what it saw; the fused score has the rest. 1: the reranker alone. `ragstone tune` finds out whether less is better on your own questions.',
      ),
    deadlineMs: wholeNumber(1)
      .default(2000)
      .describe(
        'A reranker that has not answered so many milliseconds after its turn came is skipped, and the response says so. The built-in one has no deadline; a cross-encoder by `onnx:` reads 8 characters for each of them, of the first candidates.',
      ),
    price: z
      .strictObject({
        perMillionTokens: z
          .number()
          .min(0)
          .optional()
          .describe('US dollars for a million tokens (Voyage, Jina).'),
        perThousandSearches: z
          .number()
          .min(0)
          .optional()
          .describe('US dollars for 1,000 searches of up to 100 passages (Cohere).'),
      })
      .refine(
        ({ perMillionTokens, perThousandSearches }) =>
          (perMillionTokens === undefined) !== (perThousandSearches === undefined),
        'must state perMillionTokens or perThousandSearches, as the vendor counts',
      )
      .optional()
      .describe(
        'Price of a hosted reranker, by tokens or by searches: what searches with `maxCost` reckon with, and are refused without. That of a language model is `rag.chat.price`. Default: 0 for servers of your own, else unknown.',
      ),
  })
  .prefault({})
  .describe('Reranking.');

const EXPANSIONS = [
  'abbreviations',
  'feedback-words',
  'feedback-vectors',
  'rewrite',
  'hyde',
  'multi-query',
] as const;

const synonyms = z
  .strictObject({
    rules: z
      .array(
        z
          .string()
          .refine(
            (rule) => readSynonymRule(rule) !== undefined,
            'must be words that mean the same (`k8s, kubernetes`), or one way (`pager => on-call phone`)',
          ),
      )
      .default([])
      .describe(
        'Words and phrases that are searched for too: `k8s, kubernetes` each for the others, `pager, beeper => on-call phone` one way.',
      ),
    file: nonEmptyText()
      .optional()
      .describe(
        'File with more of them, one a line, as Solr and Elasticsearch write them; `#` begins a comment. It is read again when it changes. `ragstone tune --synonyms FILE` says what it is worth.',
      ),
  })
  .prefault({})
  .describe('Synonyms, for the words of a question.');

const expansion = z
  .strictObject({
    kinds: z
      .array(z.enum(EXPANSIONS))
      .default([])
      .describe(
        'What is looked for beside the query. `abbreviations`: what passages found first define; `feedback-words` and `feedback-vectors`: words and direction of the passages found first; `rewrite`, `hyde` and `multi-query` ask the language model of `rag.chat`, to which the query is sent. None gained enough on our collections to be on by default. `explain` shows what was added and why.',
      ),
    weight: z
      .number()
      .gt(0)
      .lt(1)
      .default(0.1)
      .describe('Share of all expansions together in the fused score.'),
    deadlineMs: wholeNumber(1)
      .default(2000)
      .describe(
        'An expansion that is not ready after so many milliseconds is left out, and the response says so.',
      ),
  })
  .prefault({})
  .describe('Words and vectors that are added to a query.');

const spelling = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe(
        'Put words right that no passage holds and that are one typing mistake away from one that a passage holds. The response says what was searched for; quoted words, identifiers and names in code stay as they are. `--exact-words` switches it off for one query.',
      ),
  })
  .prefault({})
  .describe('Mistyped words of a query.');

const adaptiveTopK = z
  .strictObject({
    enabled: z.boolean().default(false).describe('End the list where scores fall.'),
    ratio: z
      .number()
      .gt(0)
      .lt(1)
      .default(0.1)
      .describe('Results whose probability is below this share of the best one are left out.'),
    byComplexity: z
      .boolean()
      .default(false)
      .describe(
        'Show `topK` results for each thing that a question asks: its sentences, the questions that `and` joins, both sides of a comparison. Not where a query states how many it wants. Independent of `enabled`.',
      ),
    most: wholeNumber(1)
      .max(100)
      .default(20)
      .describe('With `byComplexity`: no question shows more, unless `topK` is more.'),
  })
  .prefault({})
  .describe('As many results as are worth showing.');

const nearDuplicates = z
  .strictObject({
    enabled: z.boolean().default(true).describe('Leave out results that nearly repeat a better one.'),
    threshold: share()
      .default(0.85)
      .describe('Overlap of word triples (Jaccard), 0 to 1, from which a result counts as a repetition.'),
  })
  .prefault({})
  .describe('Removal of near-duplicate results.');

const mmr = z
  .strictObject({
    enabled: z.boolean().default(false).describe('Prefer results that differ from those above them.'),
    lambda: z
      .number()
      .gt(0)
      .max(1)
      .default(0.7)
      .describe('Trade-off of maximal marginal relevance: 1 is relevance alone, near 0 is variety alone.'),
  })
  .prefault({})
  .describe('Maximal marginal relevance.');

const recency = z
  .strictObject({
    enabled: z.boolean().default(false).describe('Prefer documents that changed lately.'),
    halfLifeDays: z
      .number()
      .gt(0)
      .default(180)
      .describe('Age in days at which a passage has lost half of the share that age can take from a score.'),
  })
  .prefault({})
  .describe('Preference for what changed lately.');

const semantic = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe(
        'Answer a question that means nearly the same as an earlier one with the results of that one. The response says so, and how near both are (`semanticCache`). Saves the search and not the vector of the question, so it is for slow stores and rerankers.',
      ),
    threshold: share()
      .default(0.95)
      .describe(
        'Cosine of two questions, 0 to 1, from which they are taken for the same. Lower ones save more searches, and show more results of another question (docs/retrieval.md has both rates). Questions that differ in a number, an identifier, a name or quoted words never are.',
      ),
  })
  .prefault({})
  .describe('Questions in other words. Each process knows those that it answered itself.');

const cache = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe(
        'Answer a repeated query with what was found before, for the same scope, settings and state of the index: any write, of any process, is seen by the next search. `stages` of such a response hold `cache` and no lane.',
      ),
    ttl: wholeNumber(1).default(900).describe('Life of a cached result, in seconds.'),
    maxEntries: wholeNumber(1).default(100).describe('Queries kept in the memory of each process.'),
    redis: optionalSecretText().describe(
      'Address of a Redis or Valkey server (`redis://HOST:6379`, best by a reference such as `env:REDIS_URL`) by which processes share results, with the text of passages; needs the package `ioredis`. Not used with `rag.security.encryption`, whose plain text stays in memory. While it does not answer, each process keeps its own, and a notice says so. Default: each process keeps its own.',
    ),
    semantic,
  })
  .prefault({})
  .refine(
    (cache) => cache.enabled || !cache.semantic.enabled,
    'semantic.enabled needs enabled: true, for it shows what the query cache keeps',
  )
  .describe('Query cache.');

/** `rag.retrieval`: from a question to ranked passages. */
export const retrievalSchema = z
  .strictObject({
    topK: wholeNumber(1).max(1000).default(5).describe('Results of a search.'),
    minSimilarity: share()
      .default(0)
      .describe(
        'Results with a score below this are left out, and the response says so; 0 switches it off. What matches well scores above 0.7, what is related above 0.5.',
      ),
    maxDistance: z
      .number()
      .min(0)
      .optional()
      .describe('Largest vector distance, for stores that think in distances. `minSimilarity` replaces it.'),
    laneDeadlineMs: wholeNumber(1)
      .default(5000)
      .describe(
        'A lane (the embedding of the query included) that has not answered after so many milliseconds is left out, and the response says so; the others answer.',
      ),
    hybrid,
    fusion,
    spelling,
    expansion,
    synonyms,
    rerank,
    adaptiveTopK,
    nearDuplicates,
    mmr,
    recency,
    collapse: z
      .enum(['items', 'document', 'none'])
      .default('items')
      .describe(
        'What is shown once, by its best passage, with the number of the others: `items`: backlog items and tickets, with their copies in other files; `document`: every document; `none`: nothing, each passage is a result. `topK` counts what is shown.',
      ),
    cache,
  })
  .prefault({})
  .describe('From a question to ranked passages.');
