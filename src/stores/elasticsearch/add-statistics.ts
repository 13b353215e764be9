import { indexedTextOfStored } from '../../core/analysis/indexed-text.js';
import { analyzeText } from '../../core/analysis/lexical-analyzer.js';
import { RAGError } from '../../core/errors.js';
import type { BulkOperation } from './bulk-writer.js';
import { documentOf } from './chunk-document.js';
import { type CollectionDescription, ID, metaOf, SCHEMA_VERSION } from './collection-index.js';
import type { CollectionRequests, VersionedChunk } from './collection-requests.js';
import type { Query } from './filter-query.js';
import { LENGTH, STATISTICS_FIELDS } from './word-fields.js';

/** Chunks with their vectors that are read at a time. */
const PAGE = 500;
const PASSES = 10;

const CONFLICT = 409;
/** Written by somebody else meanwhile is as good: a newer document has the fields already, or is found by the next pass. */
const EXPECTED: ReadonlySet<number> = new Set([200, 201, CONFLICT]);

const WITHOUT_STATISTICS: Query = { bool: { must_not: [{ exists: { field: LENGTH } }] } };

/**
 * Gives the chunks of a collection of version 1, whose words the server weighed by those of all tenants, the fields that they
 * are weighed by now: from title, headings and text of each chunk. What is not kept with a chunk (a repeated table header) counts
 * again when its document is next processed. Vectors stay. A process that dies meanwhile, or another that does the same, leaves
 * nothing wrong: only chunks without the fields are rewritten, and the version is raised at the end.
 */
export async function addStatistics(
  requests: CollectionRequests,
  description: CollectionDescription,
): Promise<void> {
  const action = 'count the words of each tenant';
  await requests.changeMapping({ properties: STATISTICS_FIELDS }, action);
  for (let pass = 1; (await requests.count(WITHOUT_STATISTICS, undefined)) > 0; pass++) {
    if (pass > PASSES)
      throw new RAGError(
        'STORE_UNAVAILABLE',
        `Chunks of collection "${description.spec.name}" are still written by an older Ragstone while this one brings them up to date. Stop it, and try again.`,
      );
    await rewriteAll(requests, action);
  }
  await requests.changeMapping({ _meta: metaOf({ ...description, schemaVersion: SCHEMA_VERSION }) }, action);
}

async function rewriteAll(requests: CollectionRequests, action: string): Promise<void> {
  let page: VersionedChunk[] = [];
  do {
    const last = page.at(-1);
    const after = last === undefined ? {} : { search_after: [last.chunk.id] };
    const body = { query: WITHOUT_STATISTICS, sort: [{ [ID]: 'asc' }], size: PAGE, ...after };
    page = await requests.versionedChunks(body, action);
    await requests.write(rewritten(page), {
      action,
      expected: EXPECTED,
      isIdempotent: true,
      signal: undefined,
    });
  } while (page.length === PAGE);
  await requests.refresh(undefined);
}

function* rewritten(page: readonly VersionedChunk[]): Generator<BulkOperation> {
  for (const { chunk, vector, version } of page) {
    const searchText = analyzeText(indexedTextOfStored(chunk)).join(' ');
    yield {
      action: JSON.stringify({ index: version }),
      document: documentOf({ ...chunk, vector, searchText }),
    };
  }
}
