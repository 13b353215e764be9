import * as z from 'zod';
import { RAGError } from '../../core/errors.js';
import { assertKnownSchema } from '../store-checks.js';
import type { CollectionSpec } from '../vector-store.js';
import { PROPERTIES } from './object-codec.js';

/** Of the class and of what is in its properties. A newer one is refused, an older one would be migrated on opening. */
export const SCHEMA_VERSION = 1;

/** The body that makes a class. What a collection knows about itself is its description. */
export const classDefinition = (
  className: string,
  spec: CollectionSpec,
  efSearch: number,
): Readonly<Record<string, unknown>> => ({
  class: className,
  description: describeSpec(spec),
  multiTenancyConfig: { enabled: true, autoTenantCreation: true, autoTenantActivation: true },
  vectorizer: 'none',
  vectorIndexType: 'hnsw',
  vectorIndexConfig: { distance: 'cosine', maxConnections: 16, efConstruction: 128, ef: efSearch },
  properties: PROPERTIES,
});

/** The description of a class. */
export const describeSpec = (spec: CollectionSpec, schemaVersion = SCHEMA_VERSION): string =>
  JSON.stringify({
    ragstone: {
      schemaVersion,
      name: spec.name,
      dimensions: spec.dimensions,
      fingerprint: spec.fingerprint,
    },
  });

/** The part of a class that is read. */
export const CLASS_ANSWER = z.object({ description: z.string().optional() });

const VERSION = z.object({ ragstone: z.object({ schemaVersion: z.int().positive() }) });
const SPEC = z.object({
  ragstone: z.object({
    name: z.string(),
    dimensions: z.int().positive(),
    fingerprint: z.string().min(1),
  }),
});

/** What a class says of itself. Throws `STORE_SCHEMA_TOO_NEW`, or `STORE_DAMAGED` for a class that is none of ours. */
export function specOfClass(
  className: string,
  { description }: z.infer<typeof CLASS_ANSWER>,
): CollectionSpec {
  const said = parseJson(description);
  const version = VERSION.safeParse(said);
  if (version.success)
    assertKnownSchema(`Class "${className}"`, version.data.ragstone.schemaVersion, SCHEMA_VERSION);
  const spec = SPEC.safeParse(said);
  if (!version.success || !spec.success)
    throw new RAGError(
      'STORE_DAMAGED',
      `Class "${className}" is there but is none of Ragstone, or its description was changed. Choose another namespace, or rebuild it with \`ragstone index --force\`.`,
    );
  return Object.freeze(spec.data.ragstone);
}

function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    // Someone else's description is any text; the caller says so.
    return undefined;
  }
}
