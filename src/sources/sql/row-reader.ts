import type { KeyedRow, RowKey } from './row-queries.js';

/** Rows of one statement at most. */
const BATCH_ROWS = 256;

/** Reads the rows of these keys in one statement. */
export type FetchRows = (keys: readonly RowKey[]) => Promise<readonly KeyedRow[]>;

/** Rows one by one, few statements: what was announced is fetched in batches when its first row is asked for. */
export class RowReader {
  readonly #fetch: FetchRows;
  readonly #keyOf: (id: string) => RowKey;
  #expected: readonly string[] = [];
  #positions = new Map<string, number>();
  readonly #batches = new Map<number, { readonly rows: Promise<readonly KeyedRow[]>; left: number }>();

  constructor(fetch: FetchRows, keyOf: (id: string) => RowKey) {
    this.#fetch = fetch;
    this.#keyOf = keyOf;
  }

  /** Tells what will be asked for, in this order. */
  expect(ids: readonly string[]): void {
    this.#expected = ids;
    this.#positions = new Map(ids.map((id, position) => [id, position]));
    this.#batches.clear();
  }

  /** All rows under an id: none where it is gone, two where the key is none. */
  async read(id: string): Promise<readonly KeyedRow[]> {
    const position = this.#positions.get(id);
    const rows = position === undefined ? this.#fetch([this.#keyOf(id)]) : this.#batchAt(position);
    return (await rows).filter((row) => row.id === id);
  }

  #batchAt(position: number): Promise<readonly KeyedRow[]> {
    const number = Math.floor(position / BATCH_ROWS);
    const known = this.#batches.get(number);
    const batch = known ?? this.#openBatch(number);
    batch.left -= 1;
    if (batch.left === 0) this.#batches.delete(number);
    return batch.rows;
  }

  #openBatch(number: number): { rows: Promise<readonly KeyedRow[]>; left: number } {
    const ids = this.#expected.slice(number * BATCH_ROWS, (number + 1) * BATCH_ROWS);
    const batch = { rows: this.#fetch(ids.map(this.#keyOf)), left: ids.length };
    this.#batches.set(number, batch);
    return batch;
  }
}
