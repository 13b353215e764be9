import * as z from 'zod';
import { RAGError } from '../../core/errors.js';
import { assertKnownSchema } from '../store-checks.js';
import type { CollectionSpec } from '../vector-store.js';
import type { FreshNamespace } from './fresh-namespace.js';
import type { Metadata } from './record-metadata.js';

/** Of the record and of what is in the rows of its collection. A newer one is refused, an older one would be migrated on opening. */
export const SCHEMA_VERSION = 1;

/** The metadata that keep the spec of a collection. */
export const specMetadata = (
  { dimensions, fingerprint }: Pick<CollectionSpec, 'dimensions' | 'fingerprint'>,
  schemaVersion = SCHEMA_VERSION,
): Metadata => ({ schema_version: schemaVersion, dimensions, fingerprint });

const VERSION = z.object({ schema_version: z.int().positive() });
const SPEC = z.object({ dimensions: z.int().positive(), fingerprint: z.string().min(1) });

/** The namespace of the main index in which each collection is a record: a namespace itself keeps nothing about itself. */
export class CollectionRegistry {
  readonly #namespace: FreshNamespace;
  readonly #dimensions: number;

  constructor(namespace: FreshNamespace, dimensions: number) {
    this.#namespace = namespace;
    this.#dimensions = dimensions;
  }

  /** Throws `STORE_SCHEMA_TOO_NEW`, or `STORE_DAMAGED` for a record that is none of ours. */
  async find(name: string): Promise<CollectionSpec | undefined> {
    const call = { action: `open collection "${name}"` };
    const found = await this.#namespace.read(call, (index) => index.fetch({ ids: [name] }));
    const metadata: unknown = found?.records[name]?.metadata;
    if (metadata === undefined) return undefined;
    const version = VERSION.safeParse(metadata);
    if (version.success)
      assertKnownSchema(`Collection "${name}" in Pinecone`, version.data.schema_version, SCHEMA_VERSION);
    const spec = SPEC.safeParse(metadata);
    if (!version.success || !spec.success)
      throw new RAGError(
        'STORE_DAMAGED',
        `The record of collection "${name}" in Pinecone was changed by something else. Choose another namespace, or rebuild it with \`ragstone index --force\`.`,
      );
    return Object.freeze({ name, ...spec.data });
  }

  async add(spec: CollectionSpec): Promise<void> {
    const values = Array.from({ length: this.#dimensions }, (_, i) => (i === 0 ? 1 : 0));
    const records = [{ id: spec.name, values, metadata: specMetadata(spec) }];
    await this.#namespace.write({ action: `make collection "${spec.name}"` }, (index) =>
      index.upsert({ records }),
    );
  }

  async remove(name: string): Promise<void> {
    await this.#namespace.write({ action: `drop collection "${name}"` }, (index) =>
      index.deleteMany({ ids: [name] }),
    );
  }

  /** Waits until what was written here is seen by everybody. */
  settle(): Promise<void> {
    return this.#namespace.settle({ action: 'wait for the registry of collections' });
  }
}
