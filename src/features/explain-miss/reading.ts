import { indexedTextOfStored } from '../../core/analysis/indexed-text.js';
import { analyzeQuery } from '../../core/analysis/lexical-analyzer.js';
import type { StoredChunk } from '../../core/chunk.js';
import type { MissRemedy } from '../../operations/miss-explanation.js';
import { readableWords } from '../../retrieval/spelling/readable-words.js';
import { scopeCollection } from '../../stores/scoped-collection.js';
import type { Journey } from './journey.js';
import type { AskedSearch } from './ranking.js';
import { coverageOf, isCutApart, truncationOf } from './text.js';

/** Notes what cutting and the model's input length did to the document. */
export async function readTexts(
  journey: Journey,
  { query, resources }: AskedSearch,
  chunks: readonly StoredChunk[],
): Promise<void> {
  const { maxSize, overlap, unit } = resources.config.rag.chunking;
  const coverage = coverageOf(query.text, chunks);
  const { best, acrossBorder, terms } = coverage;
  if (isCutApart(coverage)) {
    const reason = `What the query asks for is cut apart: ${acrossBorder} of its ${terms.length} words stand around the border of chunks ${coverage.border + 1} and ${coverage.border + 2}, and no chunk holds more than ${best}.`;
    journey.suspect({
      stage: 'chunk-cut',
      reason,
      remedies: [
        {
          setting: `chunking.maxSize: ${maxSize * 2}`,
          detail: `Larger chunks, or more overlap (now ${maxSize} and ${overlap} ${unit}); index again afterwards.`,
        },
      ],
    });
    journey.note('chunk-cut', reason);
  } else journey.pass('chunk-cut', `One chunk holds ${best} of the query's ${terms.length} words.`);
  await readTruncation(journey, { query, resources, chunks });
}

async function readTruncation(
  journey: Journey,
  { query, resources, chunks }: Pick<AskedSearch, 'query' | 'resources'> & { chunks: readonly StoredChunk[] },
): Promise<void> {
  if (query.options?.mode === 'lexical') return;
  const { facts } = await resources.stores.collection();
  const { embedder } = await resources.models.embedderOf(facts);
  const model = {
    countTokens: (text: string) => embedder.countTokens(text),
    maxInputTokens: embedder.maxInputTokens,
  };
  for (const chunk of chunks) {
    const cut = truncationOf(indexedTextOfStored(chunk), query.text, model);
    if (cut === undefined || cut.termsRead >= cut.terms) continue;
    const reason = `The embedding model reads the first ${cut.limit} of ${cut.tokens} tokens of a chunk, and there stand ${cut.termsRead} of the ${cut.terms} words that the chunk shares with the query.`;
    const { maxSize } = resources.config.rag.chunking;
    journey.suspect({
      stage: 'truncated',
      reason,
      remedies: [
        {
          setting: `chunking.maxSize: ${Math.max(1, Math.floor((maxSize * cut.limit) / cut.tokens))}`,
          detail: 'Smaller chunks are read whole; index again afterwards. Or use a model that reads more.',
        },
      ],
    });
    journey.note('truncated', reason);
    return;
  }
  journey.pass('truncated', 'The embedding model reads every word that its chunks share with the query.');
}

/** Most words that a sentence names. */
const NAMED_WORDS = 5;

/** Words of the query that no passage holds: no setting finds them. Undefined where each is held, or words are not searched for. */
export async function absentWords({ query, scope, resources }: AskedSearch): Promise<MissRemedy | undefined> {
  if (query.options?.mode === 'dense') return undefined;
  const { collection, store, sealing } = await resources.stores.collection();
  const words = readableWords({
    collection: scopeCollection(collection, scope, sealing),
    held: new Set(),
    maxTopK: store.capabilities.maxTopK,
    signal: query.signal,
  });
  const { terms } = analyzeQuery(query.text);
  if (words === undefined || terms.length === 0) return undefined;
  const held = await words.held(terms);
  const absent = [...new Set(query.text.match(/[\p{L}\p{N}_]+/gu))].filter((word) => {
    const own = analyzeQuery(word).terms;
    return own.length > 0 && own.every((term) => terms.includes(term) && !held.has(term));
  });
  if (absent.length === 0) return undefined;
  const named = absent.slice(0, NAMED_WORDS).map((word) => `\`${word}\``);
  const more = absent.length > NAMED_WORDS ? ` and ${absent.length - NAMED_WORDS} more` : '';
  return {
    setting: 'the query',
    detail: `${named.join(', ')}${more} ${absent.length === 1 ? 'occurs' : 'occur'} in no passage that you may read; try other words.`,
  };
}
