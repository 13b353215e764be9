import type { Filter } from '../../core/filter.js';
import { runtime } from '../../core/runtime.js';
import { containmentsIn } from './metadata-containment.js';
import { numberOf } from './row-reader.js';
import { Parameters } from './sql-text.js';
import type { SearchTarget } from './vector-search.js';

/** Matches up to which comparing them all is faster than walking the vector index past everything else. */
const FEW_ROWS = 4_000;
/** How long an answer is believed, in milliseconds; a stale one costs time, never a result. */
const BELIEVED_MS = 60_000;
const MAX_REMEMBERED = 256;

/**
 * Which filters admit so few rows that exact search over them is the faster one. Asked of the index over metadata, which
 * counts a few matches in less than a millisecond; the planner cannot be asked, since it takes every filter for selective.
 */
export class SelectiveFilters {
  readonly #known = new Map<string, { readonly isSelective: boolean; readonly readAt: number }>();

  async includes(filter: Filter, target: SearchTarget): Promise<boolean> {
    if (target.layout.indexesMetadata !== true) return false;
    const condition = containmentsIn(filter);
    if (condition === undefined) return false;
    const key = JSON.stringify(filter);
    const known = this.#known.get(key);
    if (known !== undefined && runtime().now() - known.readAt < BELIEVED_MS) return known.isSelective;
    const parameters = new Parameters();
    const limit = parameters.bind(FEW_ROWS + 1, 'bigint');
    const [row] = await target.rows(
      `SELECT count(*) AS matches FROM (SELECT 1 FROM ${target.layout.from(parameters)}
        WHERE ${parameters.render(condition)} LIMIT ${limit}) AS few`,
      parameters.values,
    );
    const isSelective = row !== undefined && numberOf(row, 'matches') <= FEW_ROWS;
    if (this.#known.size >= MAX_REMEMBERED) this.#known.clear();
    this.#known.set(key, { isSelective, readAt: runtime().now() });
    return isSelective;
  }
}
