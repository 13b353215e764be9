import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Index } from 'usearch';
import { RAGError, throwIfAborted } from '../../core/errors.js';
import {
  type NearRow,
  unitVectorOf,
  type VectorIndex,
  type VectorRecords,
  type VectorRows,
} from '../vector-index.js';
import { FlatVectors } from './flat-vectors.js';
import {
  type GraphNote,
  isIntact,
  parseNote,
  removeGraph,
  removeStrayGraphs,
  saveGraph,
} from './graph-file.js';
import type { Usearch } from './usearch-driver.js';

/**
 * Edges of a row (M), candidates while building and at least while searching (efConstruction, ef). Over 20,000 chunks of real
 * text with the built-in model, whose vectors lie closer than synthetic ones: ef 96 found .946 of the ten nearest, 256 .978 to
 * .984 in several builds, 400 .986.
 */
const GRAPH = { connectivity: 16, expansion_add: 128, expansion_search: 400 };
/**
 * How far a similarity of the graph is off at most: both unit vectors are rounded to half precision, each component by a
 * share of 2^-11 (IEEE 754 binary16), and the products' magnitudes sum to no more than 1 (Cauchy and Schwarz).
 */
const GRAPH_PRECISION = 2 ** -10;
/** Likewise of the scan, which computes in single precision. */
const SCAN_PRECISION = 1e-6;
/** Rows that are added before other work gets its turn. */
const BATCH_ROWS = 512;
/** A graph takes in the newer rows once they are this share of it. */
const FOLD_SHARE = 0.2;
/** A graph is built anew once this share of its rows was deleted. */
const DEAD_SHARE = 0.25;

export interface UsearchIndexOptions {
  /** Folder of the graph files. */
  readonly folder: string;
  readonly collection: string;
  readonly dimensions: number;
  /** Rows from which `optimize` builds a graph; infinite for never. */
  readonly graphRows: number;
}

interface Built {
  readonly index: Index;
  readonly lastRow: number;
}

interface Graph {
  /** A read-only map of the file. */
  readonly index: Index;
  readonly note: GraphNote;
}

/**
 * A graph (HNSW, Malkov and Yashunin 2018) over the rows up to some row, in a file that is mapped into memory and never
 * changed, and an exact scan of the rows since. `optimize` writes a new file and then its name into the records'
 * database, so what is found on opening always belongs to those records, whatever happened in between.
 */
export class UsearchIndex implements VectorIndex {
  readonly #driver: Usearch;
  readonly #options: UsearchIndexOptions;
  #graph: Graph | undefined;
  #tail: FlatVectors;
  #isOpened = false;
  #isClosed = false;
  #problem: string | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(driver: Usearch, options: UsearchIndexOptions) {
    this.#driver = driver;
    this.#options = options;
    this.#tail = new FlatVectors(driver, options.dimensions, 0);
  }

  get size(): number {
    return (this.#graph?.note.rows ?? 0) + this.#tail.size;
  }

  get precision(): number {
    return this.#graph === undefined ? SCAN_PRECISION : GRAPH_PRECISION;
  }

  refresh(rows: VectorRows): void {
    if (!this.#isOpened) this.#open(rows);
    this.#tail.refresh(rows);
  }

  nearest(unitVector: Float32Array, count: number): readonly NearRow[] {
    const scanned = this.#tail.nearest(unitVector, count);
    if (this.#graph === undefined) return scanned;
    return [...this.#nearestInGraph(unitVector, count), ...scanned]
      .sort((a, b) => b.similarity - a.similarity)
      .slice(0, count);
  }

  /** One after the other, so that two calls never build the same graph. */
  optimize(records: VectorRecords, signal?: AbortSignal): Promise<void> {
    return this.#inTurn(() => this.#optimize(records, signal));
  }

  purge(records: VectorRecords, signal?: AbortSignal): Promise<void> {
    return this.#inTurn(async () => {
      this.#goOn(signal);
      const holdsDeleted = records.read((rows) => {
        this.refresh(rows);
        return this.#graph !== undefined && this.#deadShare(this.#graph, rows) > 0;
      });
      if (holdsDeleted) this.#publish(await this.#build(records, signal), records);
    });
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#work.catch(() => undefined).then(work);
    this.#work = turn;
    return turn;
  }

  describe(): string {
    const { graphRows } = this.#options;
    const scan = `usearch scan of ${this.#tail.size} rows`;
    if (graphRows === Number.POSITIVE_INFINITY) return `${scan}, exact`;
    const problem = this.#problem === undefined ? '' : `; ${this.#problem}`;
    return this.#graph === undefined
      ? `${scan}, exact below ${graphRows} rows${problem}`
      : `usearch HNSW over ${this.#graph.note.rows} rows and ${scan}`;
  }

  bytes(): number {
    return this.#graph?.note.bytes ?? 0;
  }

  close(): void {
    this.#isClosed = true;
    this.#graph = undefined;
    this.#tail = new FlatVectors(this.#driver, this.#options.dimensions, 0);
  }

  #open(rows: VectorRows): void {
    this.#isOpened = true;
    const text = rows.readNote();
    const note = parseNote(text);
    if (text === undefined || this.#options.graphRows === Number.POSITIVE_INFINITY) return;
    if (note?.dimensions === this.#options.dimensions && isIntact(this.#options.folder, note))
      this.#use(note);
    else this.#problem = 'its graph file is missing or damaged and will be built again by the next index run';
  }

  #use(note: GraphNote): void {
    const index = this.#emptyGraph();
    index.view(join(this.#options.folder, note.file));
    this.#graph = { index, note };
    this.#tail = new FlatVectors(this.#driver, this.#options.dimensions, note.lastRow);
    this.#problem = undefined;
  }

  #nearestInGraph(unitVector: Float32Array, count: number): NearRow[] {
    const graph = this.#graph;
    if (graph === undefined || graph.note.rows === 0) return [];
    const { keys, distances } = graph.index.search(unitVector, Math.min(count, graph.note.rows), 1);
    return [...keys].map((row, i) => ({ row: Number(row), similarity: 1 - (distances[i] ?? 0) }));
  }

  async #optimize(records: VectorRecords, signal: AbortSignal | undefined): Promise<void> {
    this.#goOn(signal);
    const plan = records.read((rows) => this.#plan(rows));
    if (plan === 'build') this.#publish(await this.#build(records, signal), records);
    else if (plan !== 'nothing') this.#publish(await this.#extend(plan, signal), records);
  }

  /** The graph to extend, where that pays; a new one, where there is none to go on with. */
  #plan(rows: VectorRows): Graph | 'build' | 'nothing' {
    this.refresh(rows);
    if (rows.size < this.#options.graphRows) return 'nothing';
    const graph = this.#graph;
    if (graph === undefined || this.#deadShare(graph, rows) > DEAD_SHARE) return 'build';
    if (this.#tail.size <= graph.note.rows * FOLD_SHARE) return 'nothing';
    // Another process may have replaced and removed the file that is still mapped here.
    return isIntact(this.#options.folder, graph.note) ? graph : 'build';
  }

  #deadShare({ note }: Graph, rows: VectorRows): number {
    const inTail = this.#tail.rows.filter(rows.isLive).length;
    return (note.rows - (rows.size - inTail)) / Math.max(1, note.rows);
  }

  async #build(records: VectorRecords, signal: AbortSignal | undefined): Promise<Built> {
    const index = this.#emptyGraph();
    let lastRow = 0;
    for (;;) {
      await setImmediate();
      this.#goOn(signal);
      const page = records.read((rows) => rows.after(lastRow, BATCH_ROWS));
      if (page.length === 0) return { index, lastRow };
      const vectors = page.map(({ vector }) => unitVectorOf(vector));
      index.add(keysOf(page.map(({ row }) => row)), vectors, threads());
      lastRow = page.at(-1)?.row ?? lastRow;
    }
  }

  async #extend(graph: Graph, signal: AbortSignal | undefined): Promise<Built> {
    const index = this.#emptyGraph();
    index.load(join(this.#options.folder, graph.note.file));
    // What is written meanwhile stays in the scan.
    const rows = [...this.#tail.rows];
    for (let start = 0; start < rows.length; start += BATCH_ROWS) {
      this.#goOn(signal);
      const batch = rows.slice(start, start + BATCH_ROWS).flatMap((row) => {
        const vector = this.#tail.vectorOf(row);
        return vector === undefined ? [] : [{ row, vector }];
      });
      const vectors = batch.map(({ vector }) => vector);
      if (batch.length > 0) index.add(keysOf(batch.map(({ row }) => row)), vectors, threads());
      await setImmediate();
    }
    return { index, lastRow: rows.at(-1) ?? graph.note.lastRow };
  }

  #publish({ index, lastRow }: Built, records: VectorRecords): void {
    const { folder, collection } = this.#options;
    const note = saveGraph(index, { folder, collection, lastRow });
    try {
      records.writeNote(JSON.stringify(note));
    } catch (error) {
      removeGraph(folder, note.file);
      throw error;
    }
    const previous = this.#graph?.note.file;
    this.#use(note);
    if (previous !== undefined) removeGraph(folder, previous);
    removeStrayGraphs(folder, collection, note.file);
  }

  #goOn(signal: AbortSignal | undefined): void {
    throwIfAborted(signal);
    if (this.#isClosed)
      throw new RAGError('STORE_UNAVAILABLE', 'The store was closed while its vector index was built.');
  }

  #emptyGraph(): Index {
    const { Index, MetricKind, ScalarKind } = this.#driver;
    return new Index({
      ...GRAPH,
      dimensions: this.#options.dimensions,
      metric: MetricKind.IP,
      // Half precision: candidates are scored again from the records, so it only halves the file.
      quantization: ScalarKind.F16,
      multi: false,
    });
  }
}

const keysOf = (rows: readonly number[]): BigUint64Array => BigUint64Array.from(rows, (row) => BigInt(row));

/** Leaves a core to whoever waits for an answer. */
const threads = (): number => Math.max(1, availableParallelism() - 1);
