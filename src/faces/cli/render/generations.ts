import type { GenerationSummary } from '../../../index.js';
import type { CliContext } from '../context.js';
import { renderTable } from './table.js';
import { formatCount, formatTime } from './text.js';

/** A table, newest first. */
export const renderGenerations = (generations: readonly GenerationSummary[], context: CliContext): string =>
  generations.length === 0
    ? 'Nothing is indexed yet.'
    : renderTable(
        ['generation', 'state', 'store', 'embedding model', 'documents', 'chunks', 'in use since'],
        generations.map(({ generation, state, provider, embedder, documents, chunks, switchedAt }) => [
          String(generation),
          state,
          provider,
          embedder,
          formatCount(documents),
          formatCount(chunks),
          switchedAt === undefined ? '' : formatTime(switchedAt),
        ]),
        { context, numeric: [0, 4, 5] },
      );
