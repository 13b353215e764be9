import * as z from 'zod';
import { nonEmptyText, secretText, wholeNumber } from '../../core/setting-values.js';
import { PROVIDER_NAMES } from '../../platform/providers/provider-table.js';

const provider = z.strictObject({
  apiKey: secretText()
    .optional()
    .describe(
      'Key, as a reference to an environment variable (a dollar sign and its name in braces). A key that stands in the file itself is refused. Default: the usual variable of the provider (docs/models.md). Always masked in output.',
    ),
  baseUrl: z
    .url({ protocol: /^https?$/, error: 'must be an address that begins with http:// or https://' })
    .optional()
    .describe('Address of the API, up to and with its version: `http://localhost:11434/v1`.'),
  resourceName: nonEmptyText()
    .optional()
    .describe('`azure`: name of the resource. Default: the variable AZURE_RESOURCE_NAME.'),
  apiVersion: nonEmptyText()
    .optional()
    .describe(
      '`azure`: value of `api-version`; a dated one (`2024-10-21`) belongs to addresses that name the deployment. Default: the v1 API.',
    ),
});

/** `rag.modelProviders`: how services with hosted models are reached. */
export const modelProvidersSchema = z
  .partialRecord(z.enum(PROVIDER_NAMES), provider)
  .default({})
  .describe(
    'How services with hosted models are reached, by the name before the colon of a model (`openai` in `openai:gpt-5-mini`).',
  );

/** What calls to one hosted model may use. */
export const callLimitsSchema = () =>
  z
    .strictObject({
      requestsPerMinute: wholeNumber(1)
        .optional()
        .describe('Most calls in a minute; more wait. Default: any.'),
      tokensPerMinute: wholeNumber(1)
        .optional()
        .describe('Most tokens in a minute; more wait. Default: any.'),
      maxCost: z
        .number()
        .min(0)
        .optional()
        .describe(
          'Most that one run may cost, in US dollars; the call that would pass it is not made. It needs a known price. Default: any.',
        ),
    })
    .prefault({})
    .describe('Limits on calls to a hosted model.');

/** `rag.chat`: the language model. */
export const chatSchema = z
  .strictObject({
    model: nonEmptyText()
      .optional()
      .describe(
        'Language model as `provider:model`: `anthropic:claude-haiku-4-5-20251001`, `openai:...`, `azure:DEPLOYMENT`, `google:...`, `ollama:...`, `vllm:...`, `lmstudio:...`, `openai-compatible:...`. Default: none; everything works without one.',
      ),
    maxOutputTokens: wholeNumber(1).default(1024).describe('Most tokens of one answer.'),
    temperature: z
      .number()
      .min(0)
      .max(2)
      .default(0)
      .describe('0: as repeatable as the provider allows. Models that know no temperature are told none.'),
    maxRetries: wholeNumber(0)
      .max(20)
      .default(5)
      .describe('How often a call is repeated that found no capacity or no connection.'),
    firstTokenTimeoutMs: wholeNumber(1)
      .default(30_000)
      .describe('Longest silence before the first token and between two, in milliseconds.'),
    timeoutMs: wholeNumber(1)
      .default(120_000)
      .describe('Longest time for one answer with all its retries, in milliseconds.'),
    contextWindow: wholeNumber(256)
      .optional()
      .describe(
        'Tokens that the model reads and writes together; stated without a model, those of the one that a program asks itself with a context of ours. Default: known for usual models, else 8192 (4096 for `ollama`).',
      ),
    price: z
      .strictObject({
        input: z.number().min(0).describe('US dollars for a million input tokens.'),
        output: z.number().min(0).describe('US dollars for a million output tokens.'),
      })
      .optional()
      .describe(
        'Price of the model. Default: the list price of the models of which it is known (docs/models.md), 0 for servers of your own, else unknown.',
      ),
    limits: callLimitsSchema(),
  })
  .prefault({})
  .describe(
    'The language model. Optional: without one, answers are extracted and queries expanded by rules.',
  );
