import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type DeploymentReference, RagDeploymentModel } from '../../../index.js';

/** `write`: outcomes of writes with an `idempotency-key`. `shown`: what was shown, for feedback. */
export type RetainedKind = 'write' | 'shown';

/** Where a value is kept. */
export interface RetainedPlace {
  readonly kind: RetainedKind;
  readonly tenant: string;
  readonly key: string;
}

/** Values that the service keeps for a while, of each tenant for itself: those of one take no room of another. */
export interface RetainedValues {
  /** Undefined where there is none, or none any more. */
  get(place: RetainedPlace): Promise<string | undefined>;
  /** Keeps a value in place of the one before. A larger one than is kept is not. */
  set(place: RetainedPlace, value: string, milliseconds: number): Promise<void>;
  /** Keeps a value where there is none, which is one step for all who share the place; else gives the one that is there. */
  claim(place: RetainedPlace, value: string, milliseconds: number): Promise<string | undefined>;
  remove(place: RetainedPlace): Promise<void>;
  close(): void;
}

/** What is kept of a tenant at most: the oldest gives way. */
export const RETENTION_LIMITS: Readonly<
  Record<RetainedKind, { readonly entries: number; readonly characters: number }>
> = {
  write: { entries: 10_000, characters: 4_194_304 },
  shown: { entries: 1_000, characters: 8_388_608 },
};

/** Names of tenants and keys of callers may be anything. */
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Tenants whose values are kept in memory; those of the one that wrote longest ago give way. */
const MOST_TENANTS = 256;

/** Kept in the memory of this process, and lost with it. */
export class MemoryValues implements RetainedValues {
  readonly #tenants = new LRUCache<string, LRUCache<string, string>>({ max: MOST_TENANTS });

  async get({ kind, tenant, key }: RetainedPlace): Promise<string | undefined> {
    return this.#tenants.get(`${kind} ${tenant}`)?.get(digestOf(key));
  }

  async set(place: RetainedPlace, value: string, milliseconds: number): Promise<void> {
    this.#valuesOf(place).set(digestOf(place.key), value, { ttl: milliseconds });
  }

  async claim(place: RetainedPlace, value: string, milliseconds: number): Promise<string | undefined> {
    const values = this.#valuesOf(place);
    const known = values.get(digestOf(place.key));
    if (known === undefined) values.set(digestOf(place.key), value, { ttl: milliseconds });
    return known;
  }

  async remove(place: RetainedPlace): Promise<void> {
    this.#valuesOf(place).delete(digestOf(place.key));
  }

  close(): void {
    this.#tenants.clear();
  }

  #valuesOf({ kind, tenant }: RetainedPlace): LRUCache<string, string> {
    const name = `${kind} ${tenant}`;
    const known = this.#tenants.get(name);
    if (known !== undefined) return known;
    const { entries, characters } = RETENTION_LIMITS[kind];
    const values = new LRUCache<string, string>({
      max: entries,
      maxSize: characters,
      sizeCalculation: (value) => value.length + 1,
    });
    this.#tenants.set(name, values);
    return values;
  }
}

/** What is kept of documents in a store of a customer is in the memory of this process alone, whatever keeps that of others. */
export class ValuesOfDeployments {
  readonly #values: RetainedValues;
  readonly #unwritten = new MemoryValues();

  /** @param values for all but those documents */
  constructor(values: RetainedValues = new MemoryValues()) {
    this.#values = values;
  }

  /** @param deployment where the documents are */
  of({ deploymentModel }: DeploymentReference): RetainedValues {
    return deploymentModel === RagDeploymentModel.CustomerOwned ? this.#unwritten : this.#values;
  }
}
