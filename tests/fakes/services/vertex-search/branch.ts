import { type DataSchema, DOCUMENT_ID, type Field } from './request-bodies.js';

/** `structData` of a document. */
export type StructData = Readonly<Record<string, unknown>>;

export interface StoredDocument {
  readonly id: string;
  readonly data: StructData;
}

interface Change {
  readonly at: number;
  readonly id: string;
  readonly data: StructData | undefined;
}

/**
 * The documents of a data store. A read by name or a listing sees a write at once, a search later: "While documents typically become
 * searchable within seconds of indexing, it can sometimes take up to a few hours."
 * https://cloud.google.com/generative-ai-app-builder/docs/reference/rest/v1beta/projects.locations.collections.dataStores.branches.documents
 */
export class Branch {
  readonly schema: DataSchema;
  readonly #documents = new Map<string, StructData>();
  readonly #indexed = new Map<string, StructData>();
  readonly #visibleAfterMs: number;
  #pending: Change[] = [];

  constructor(schema: DataSchema, visibleAfterMs: number) {
    this.schema = schema;
    this.#visibleAfterMs = visibleAfterMs;
  }

  /** What is wrong with a document; undefined where it is taken. */
  faultOf({ id, data }: StoredDocument): string | undefined {
    if (!DOCUMENT_ID.safeParse(id).success) return `Document id "${id}" does not conform to RFC-1034.`;
    for (const [name, value] of Object.entries(data)) {
      const field = this.schema.properties[name];
      if (field === undefined) return `Field "${name}" is not in the schema.`;
      if (!conforms(field, value)) return `Field "${name}" does not conform to the schema.`;
    }
    return undefined;
  }

  put({ id, data }: StoredDocument): void {
    this.#documents.set(id, data);
    this.#pending.push({ at: Date.now() + this.#visibleAfterMs, id, data });
  }

  /** Whether there was such a document. */
  remove(id: string): boolean {
    this.#pending.push({ at: Date.now() + this.#visibleAfterMs, id, data: undefined });
    return this.#documents.delete(id);
  }

  get(id: string): StructData | undefined {
    return this.#documents.get(id);
  }

  /** In an order that nobody promised: the latest first. */
  all(): StoredDocument[] {
    return [...this.#documents].map(([id, data]) => ({ id, data })).reverse();
  }

  /** Writes so far are found by searches from now on, however long that takes otherwise. */
  show(): void {
    this.#pending = this.#pending.map((change) => ({ ...change, at: 0 }));
  }

  searchable(): StoredDocument[] {
    const now = Date.now();
    const due = this.#pending.filter(({ at }) => at <= now);
    this.#pending = this.#pending.filter(({ at }) => at > now);
    for (const { id, data } of due) {
      this.#indexed.delete(id);
      if (data !== undefined) this.#indexed.set(id, data);
    }
    return [...this.#indexed].map(([id, data]) => ({ id, data }));
  }
}

function conforms(field: Field, value: unknown): boolean {
  if (field.type === 'string') return typeof value === 'string';
  if (field.type === 'number') return typeof value === 'number';
  if (field.type === 'integer') return Number.isInteger(value);
  if (!Array.isArray(value)) return false;
  // "Embeddings must be provided as one-dimensional arrays", of the dimension that the schema has.
  if ('dimension' in field)
    return value.length === field.dimension && value.every((part) => typeof part === 'number');
  return value.every((part) => typeof part === 'string');
}
