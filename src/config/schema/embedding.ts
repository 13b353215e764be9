import * as z from 'zod';
import { nonEmptyText, optionalSecretText, sha256Text, wholeNumber } from '../../core/setting-values.js';
import { callLimitsSchema } from './models.js';

const cache = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe(
        'Keep computed vectors on disk, so that a text is embedded once. Models that cost less than the disk (`builtin`) skip it.',
      ),
    path: z
      .string()
      .optional()
      .describe('Folder of the vector cache. Default: `cache/embeddings` in the data folder.'),
    maxSize: wholeNumber(1)
      .default(1000)
      .describe(
        'Size limit of the vector cache, in MB (10^6 bytes); the least recently used entries go first.',
      ),
    redis: optionalSecretText().describe(
      'Address of a Redis or Valkey server (`redis://HOST:6379`, best by a reference such as `env:REDIS_URL`) by which hosts share vectors, of queries too; needs the package `ioredis`. Keys are `sdap:embedding:` and a hash, values binary. While it does not answer, vectors are computed, and a notice says so. Write access to it allows changing what is found. Default: each host keeps its own.',
    ),
    ttl: wholeNumber(1)
      .default(604_800)
      .describe('How long a vector stays on that server, in seconds (7 days).'),
  })
  .prefault({})
  .describe('Cache of computed vectors.');

/** `rag.embedding`: the model that turns text into vectors. */
export const embeddingSchema = z
  .strictObject({
    model: nonEmptyText()
      .default('builtin')
      .describe(
        'Embedding model. `builtin` ships with the package. `onnx:PATH_OR_ID` runs an ONNX model folder or hub model without a package, where it is a BERT network with uncased WordPiece or the Unigram tokenizer of XLM-R; `transformers:PATH_OR_ID` runs any by `@huggingface/transformers`. `ragstone model use` chooses. A bare name (`all-MiniLM-L6-v2`) is looked up among local folders and the models added with `ragstone model add`. Hosted: `openai:`, `azure:`, `google:`, `cohere:`, `voyage:` or `huggingface:` and the name; a server of your own: `ollama:`, `vllm:`, `lmstudio:` or `openai-compatible:` and the name (docs/models.md).',
      ),
    upgrade: nonEmptyText()
      .optional()
      .describe(
        'A stronger model, named as `model` is. The index is made with `model` and can be searched at once; `ragstone reembed`, `ragstone sync --daemon` and `ragstone serve` make the vectors of this one beside it, compare both on questions, and switch where it is not worse (docs/better-model.md). Later runs embed with the model that is in use.',
      ),
    upgradeQuestions: nonEmptyText()
      .optional()
      .describe(
        'File of questions (JSONL, docs/evaluation.md) on which an upgrade compares both models. Default: questions made of the indexed documents, as `ragstone eval-init` makes them.',
      ),
    upgradeSwitch: z
      .enum(['if-not-worse', 'if-better', 'always', 'never'])
      .default('if-not-worse')
      .describe(
        'When an upgrade is switched to: unless it is found worse, only where it is found better, whatever is found, or not by itself. `ragstone generations use` takes a switch back.',
      ),
    dimensions: wholeNumber(1)
      .max(65_536)
      .optional()
      .describe(
        'Vector length that the model is expected to have; a different one is refused. Hosted models that can shorten their vectors are asked for it. Ignored, with a notice, where `fallback` replaced the model. Default: whatever the model has.',
      ),
    batchSize: wholeNumber(1)
      .max(4096)
      .optional()
      .describe(
        'Texts that go through the model at once, capped by what it takes. Default: what suits the model.',
      ),
    device: z
      .enum(['cpu', 'cuda'])
      .default('cpu')
      .describe('Where a `transformers:` model runs. Others always run on the CPU.'),
    fallback: z
      .enum(['builtin', 'error'])
      .optional()
      .describe(
        'What to do when the model cannot be found on this machine: use `builtin` and say so in every command, or stop with an error. Default: `builtin` for a bare name, `error` for `onnx:...` and `transformers:...`.',
      ),
    adaptQueries: z
      .boolean()
      .default(true)
      .describe(
        'Let a model that can (`builtin`) learn from the indexed texts how to read queries over them: words that are common there count less. Costs less than a second after an index run that changed something; vectors of documents stay as they are.',
      ),
    allowRemote: z
      .boolean()
      .default(false)
      .describe('Allow downloading a model that is not on this machine from the Hugging Face hub.'),
    sha256: sha256Text()
      .optional()
      .describe(
        'SHA-256 of the network of an `onnx:` or `transformers:` model (`sha256sum onnx/model_quantized.onnx`); files of another one are refused. `ragstone model use` writes it. Default: whatever is there.',
      ),
    queryPrefix: z
      .string()
      .optional()
      .describe(
        'Put before a query, for models that want it (`query: `). Not for `builtin`. Default: what is known of the model, else nothing.',
      ),
    documentPrefix: z
      .string()
      .optional()
      .describe(
        'Put before a document, for models that want it (`passage: `). Not for `builtin`. Default: what is known of the model, else nothing.',
      ),
    maxInputTokens: wholeNumber(1)
      .optional()
      .describe(
        'Hosted models: tokens that the model reads of a text. Default: known for usual models, else 8192.',
      ),
    timeoutMs: wholeNumber(1)
      .default(30_000)
      .describe('Hosted models: longest time of one call, in milliseconds.'),
    price: z
      .number()
      .min(0)
      .optional()
      .describe(
        'Hosted models: US dollars for a million tokens. Default: the list price of the models of which it is known (docs/models.md), 0 for servers of your own, else unknown.',
      ),
    limits: callLimitsSchema(),
    cache,
  })
  .prefault({})
  .describe('How text becomes vectors.');
