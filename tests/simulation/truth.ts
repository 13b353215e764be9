import { documentIdOf } from '../../src/core/ids.js';

/** What a document of a source was from a moment on; without a text it was not there. */
interface SourceState {
  readonly from: number;
  readonly text: string | undefined;
  readonly isHidden: boolean;
}

/** A push or a deletion by name. One that nobody was told the end of may have been done, or be done later. */
export interface DirectWrite {
  readonly text: string | undefined;
  readonly from: number;
  until: number;
}

export interface TruthDocument {
  readonly tenant: string;
  readonly source: string;
  readonly externalId: string;
}

/** The texts that a search may show of one document. */
export interface Admissible {
  readonly text: string | undefined;
  readonly isHidden: boolean;
}

/** Everything that people and programs did, and when: what an index may say is held against it. Times are those of the simulation. */
export class Truth {
  readonly #documents = new Map<string, TruthDocument>();
  readonly #states = new Map<string, SourceState[]>();
  readonly #writes = new Map<string, DirectWrite[]>();
  /** When a run began that is known to have dealt with everything which its sources held then, and when that was known. */
  readonly #runs: { readonly from: number; readonly until: number }[] = [];
  /** When a forgetting was over, by document. */
  readonly #forgotten = new Map<string, number>();
  readonly #forgettings = new Set<string>();

  #idOf({ tenant, source, externalId }: TruthDocument): string {
    const id = documentIdOf(tenant, source, externalId);
    this.#documents.set(id, { tenant, source, externalId });
    return id;
  }

  /** A document of a source is from now on as told. */
  become(document: TruthDocument, state: SourceState): void {
    const id = this.#idOf(document);
    this.#states.set(id, [...(this.#states.get(id) ?? []), state]);
  }

  /** A program begins to write a document; `until` is set when it is told the end. */
  beginWrite(document: TruthDocument, text: string | undefined, from: number): DirectWrite {
    const id = this.#idOf(document);
    const write = { text, from, until: Infinity };
    this.#writes.set(id, [...(this.#writes.get(id) ?? []), write]);
    return write;
  }

  /** It is known to have changed nothing. */
  takeBack(document: TruthDocument, write: DirectWrite): void {
    const id = this.#idOf(document);
    this.#writes.set(
      id,
      (this.#writes.get(id) ?? []).filter((other) => other !== write),
    );
  }

  runEnded(from: number, until: number): void {
    this.#runs.push({ from, until });
  }

  /** Somebody begins to forget a document, which is kept out from some moment on, whatever comes of it. */
  forgets(documentId: string): void {
    this.#forgettings.add(documentId);
  }

  forgot(documentId: string, until: number): void {
    this.#forgotten.set(documentId, until);
  }

  document(documentId: string): TruthDocument | undefined {
    return this.#documents.get(documentId);
  }

  get ids(): readonly string[] {
    return [...this.#documents.keys()];
  }

  /** Documents that sources have now, by id. */
  present(): Map<string, Admissible> {
    return new Map(
      [...this.#states].flatMap(([id, states]) => {
        const last = states.at(-1);
        return last?.text === undefined ? [] : [[id, last] as const];
      }),
    );
  }

  /** What a search that began at a moment may show of a document. */
  admissible(documentId: string, began: number): readonly Admissible[] {
    if ((this.#forgotten.get(documentId) ?? Infinity) < began) return [];
    return [...this.#ofSource(documentId, began), ...this.#ofWrites(documentId, began)];
  }

  /**
   * Documents that a search must find which began then: they were indexed as they are, and nobody has touched them since. Where several
   * say something of one, nothing is said of it.
   */
  certain(began: number): (Admissible & { readonly documentId: string })[] {
    const floor = this.#floor(began);
    const ofSources = [...this.#states].flatMap(([documentId, states]) => {
      const last = states.at(-1);
      if (last?.text === undefined || last.from >= floor || this.#forgettings.has(documentId)) return [];
      return [{ documentId, ...last }];
    });
    const ofWrites = [...this.#writes].flatMap(([documentId, writes]) => {
      const last = writes.at(-1);
      if (last?.text === undefined || last.until >= began || this.#forgettings.has(documentId)) return [];
      if (writes.some((other) => other !== last && other.until >= last.from)) return [];
      return [{ documentId, text: last.text, isHidden: false }];
    });
    return [...ofSources, ...ofWrites];
  }

  #floor(began: number): number {
    return Math.max(0, ...this.#runs.flatMap(({ from, until }) => (until < began ? from : [])));
  }

  /** What its source held when the last run began that was over before, or at any time since. */
  #ofSource(documentId: string, began: number): readonly Admissible[] {
    // What is kept out is not read again, and stays as it was until its forgetting, which may have been interrupted, is over.
    const floor = this.#forgettings.has(documentId) ? 0 : this.#floor(began);
    const states = this.#states.get(documentId) ?? [];
    return states.filter((_, i) => (states[i + 1]?.from ?? Infinity) >= floor);
  }

  /** Writes after which no other one began that was over before the search. */
  #ofWrites(documentId: string, began: number): readonly Admissible[] {
    const writes = this.#writes.get(documentId) ?? [];
    const done = writes.filter(({ until }) => until < began);
    return writes
      .filter((write) => !done.some(({ from }) => from > write.until))
      .map(({ text }) => ({ text, isHidden: false }));
  }

  /** What may be left of a pushed document at the end: nothing counts as a text that is undefined. */
  finals(documentId: string): readonly (string | undefined)[] {
    const writes = this.#ofWrites(documentId, Infinity).map(({ text }) => text);
    const isCertain = (this.#writes.get(documentId) ?? []).some(({ until }) => until < Infinity);
    return isCertain ? writes : [undefined, ...writes];
  }
}
