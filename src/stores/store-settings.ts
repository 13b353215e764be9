import * as z from 'zod';
import { secretText, wholeNumber } from '../core/setting-values.js';

/** `rag.storage.server` */
export const serverSettings = z
  .strictObject({
    url: secretText()
      .optional()
      .describe(
        'Address of the server: `postgres://user:password@host:5432/database`, `https://host:9200`, `http://host:8000`. Masked in output, for it may hold a password. Default: that of a server of the kind on this machine.',
      ),
    host: z
      .string()
      .min(1)
      .optional()
      .describe('Name of the server, in place of `url`: `host` and `port` as `ChromaDBStore` has them.'),
    port: wholeNumber(1)
      .max(65_535)
      .optional()
      .describe(
        'Port of `host`. Default: 8000 (`chroma`), 5432 (`postgres`), 9200 (`elasticsearch`, `opensearch`), 8080 (`weaviate`), 443 (`azure_ai_search`), 6333 (`qdrant`).',
      ),
    ssl: z.boolean().default(false).describe('Speak to `host` encrypted.'),
    database: z
      .string()
      .min(1)
      .optional()
      .describe('Database of `postgres`, where the address does not name it.'),
    username: z.string().optional().describe('User, where the address does not name it.'),
    password: secretText().optional().describe('Password of the user. Always masked in output.'),
    apiKey: secretText()
      .optional()
      .describe(
        'Key instead of a user: `chroma`, `opensearch` and `weaviate` send it as a bearer token, `elasticsearch`, `qdrant` and `azure_ai_search` as an API key; without one the identity of this machine signs in to `azure_ai_search`. Always masked in output.',
      ),
    namespace: z
      .string()
      .regex(/^[a-z][a-z0-9_]{0,31}$/, 'must be 1 to 32 lower-case letters, digits or `_`, a letter first')
      .default('ragstone')
      .describe(
        "What keeps this project's collections apart from those of others on the same server: the schema of `postgres`, the beginning of index and collection names elsewhere (`asdlc_documents`). Projects that share a server must state different ones.",
      ),
    layout: z
      .enum(['ragstone', 'rag_documents'])
      .default('ragstone')
      .describe(
        '`postgres`: `ragstone` makes tables of its own, `rag_documents` adopts an existing table of that name in place (one tenant).',
      ),
    timeoutMs: wholeNumber(1)
      .max(3_600_000)
      .default(30_000)
      .describe('Longest wait for one call to the server, in milliseconds.'),
  })
  .optional()
  .describe('Server of the store. Read only where `rag.provider` is one that has a server.');

/** `rag.storage.server` where it is stated. */
export type ServerSettings = NonNullable<z.output<typeof serverSettings>>;

/** `rag.storage.s3` */
export const objectStorageSettings = z
  .strictObject({
    url: z
      .string()
      .regex(/^s3:\/\/[a-z0-9][a-z0-9.-]+(\/.*)?$/, 'must be like s3://bucket/folder')
      .describe('Bucket and folder of the store: `s3://bucket/folder`.'),
    endpoint: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe('Address of a service other than Amazon, such as `http://localhost:9000` of MinIO.'),
    region: z.string().min(1).optional().describe('Region of the bucket. Default: that of the environment.'),
    accessKeyId: secretText()
      .optional()
      .describe(
        'Access key, best by a variable of the environment. Always masked in output. Default: what the environment, the profile or the machine gives.',
      ),
    secretAccessKey: secretText().optional().describe('Its secret, likewise. Always masked in output.'),
    sessionToken: secretText().optional().describe('Token of a temporary key. Always masked in output.'),
    pathStyle: z
      .boolean()
      .optional()
      .describe(
        'Name the bucket in the path and not in the host. Default: true where there is an `endpoint`.',
      ),
  })
  .optional()
  .describe('S3-compatible object storage for the store of `provider: lancedb`, in place of a folder.');

/** `rag.storage.s3` where it is stated. */
export type ObjectStorageSettings = NonNullable<z.output<typeof objectStorageSettings>>;

/** Fields of `rag.storage.cloud`, without the kind of the store. */
export const cloudFields = {
  apiKey: secretText().optional().describe('Key of the hosted store (`pinecone`). Always masked in output.'),
  project: z
    .string()
    .min(1)
    .optional()
    .describe('`vertex_ai_search`: the Google Cloud project, by id or number.'),
  environment: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Region where an index is made. `pinecone`: with its cloud, `us-east-1-aws`, `us-west1-gcp`, `eastus2-azure`; default `us-east-1-aws`. `vertex_ai_search`: `global`, `us` or `eu`; default `global`.',
    ),
  index: z.string().min(1).optional().describe('Name of the index in the hosted store. Default: `ragstone`.'),
  namespace: z
    .string()
    .min(1)
    .optional()
    .describe(
      "Namespace inside the index: the beginning of the names of this project's namespaces there. Default: `ragstone`.",
    ),
  createIfNotExists: z
    .boolean()
    .default(false)
    .describe(
      '`pinecone`: create the index where it does not exist, and `INDEX-1024` beside it for a model of other dimensions.',
    ),
  controllerHost: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'Address of the control plane, where it is another than `https://api.pinecone.io`, or of Discovery Engine (`vertex_ai_search`).',
    ),
  timeoutMs: wholeNumber(1)
    .max(3_600_000)
    .default(30_000)
    .describe('Longest wait for one call to the hosted store, in milliseconds.'),
};

/** `rag.storage.cloud` where it is stated. */
export type CloudSettings = z.output<z.ZodObject<typeof cloudFields>> & {
  readonly type?: string | undefined;
};
