import type { LeaseAudit } from './lease-audit.js';
import { itemKeyOf } from './ledger-keys.js';
import type { Truth } from './truth.js';

/** Something that a process does, from its call to its end. */
export interface Operation {
  readonly process: string;
}

/** A document whose chunks in the store are not known for sure. */
interface Doubt {
  readonly documentId: string;
  /** Until what the process was at has come to its end, which mends the document. */
  until: number;
  readonly waitsFor: Set<Operation>;
}

/**
 * What processes wrote to the store after somebody else had claimed it. The store knows no leases, so one that slept may do so once; then
 * the ledger refuses it, and it mends what it did. Until that has come to its end nothing can be said of the document, and never where it failed
 * or the process died: `verify --repair` is for that.
 */
export class LateWrites {
  readonly #audit: LeaseAudit;
  readonly #truth: Truth;
  readonly #now: () => number;
  readonly #running = new Set<Operation>();
  readonly #doubts: Doubt[] = [];

  constructor(audit: LeaseAudit, truth: Truth, now: () => number) {
    this.#audit = audit;
    this.#truth = truth;
    this.#now = now;
  }

  begin(process: string): Operation {
    const operation = { process };
    this.#running.add(operation);
    return operation;
  }

  /** @param isWhole all that it was to do is done */
  end(operation: Operation, isWhole: boolean): void {
    this.#running.delete(operation);
    if (!isWhole) return;
    for (const doubt of this.#doubts) {
      if (!doubt.waitsFor.delete(operation) || doubt.waitsFor.size > 0) continue;
      doubt.until = this.#now();
    }
  }

  /** A process wrote chunks of these documents to the store, or deleted some. */
  wrote(process: string, documentIds: Iterable<string>): void {
    for (const documentId of new Set(documentIds)) {
      const document = this.#truth.document(documentId);
      if (document === undefined) continue;
      const { tenant, source, externalId: itemId } = document;
      if (!this.#audit.isLate(process, itemKeyOf({ tenant, source, itemId }))) continue;
      const waitsFor = new Set([...this.#running].filter((running) => running.process === process));
      this.#doubts.push({ documentId, until: Infinity, waitsFor });
    }
  }

  /** Whether a document was in doubt at any time since. */
  isInDoubt(documentId: string, since: number): boolean {
    return this.#doubts.some((doubt) => doubt.documentId === documentId && doubt.until >= since);
  }

  /** Whether any document was. */
  isAnyInDoubt(since: number): boolean {
    return this.#doubts.some(({ until }) => until >= since);
  }
}
