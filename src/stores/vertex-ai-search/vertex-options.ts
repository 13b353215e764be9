import { RAGError } from '../../core/errors.js';

/** A service account, as its key file has it. */
export interface ServiceAccount {
  readonly clientEmail: string;
  /** PEM. Give a value read from the environment; it is never in an error or a log. */
  readonly privateKey: string;
}

export interface VertexSearchStoreOptions {
  /** The Google Cloud project, by id or number. */
  readonly project: string;
  /** Where data stores are made: `global`, `us` or `eu`. @default 'global' */
  readonly location?: string | undefined;
  /**
   * Address of the service. `http` is spoken to a server of ours or a proxy alone.
   * @default `https://discoveryengine.googleapis.com`, `https://LOCATION-discoveryengine.googleapis.com` for `us` and `eu`
   */
  readonly url?: string | undefined;
  /**
   * Who signs in. Needs the role *Discovery Engine Editor*.
   * @default the Application Default Credentials: the file that `GOOGLE_APPLICATION_CREDENTIALS` names, `gcloud auth application-default
   * login`, or the account of the machine
   */
  readonly account?: ServiceAccount | undefined;
  /**
   * What keeps collections apart from those of others in the project: up to 32 lower-case letters, digits or `_`, a letter first.
   * Begins the name of every data store. @default 'ragstone'
   */
  readonly namespace?: string | undefined;
  /**
   * After how long at most searches show a write, in milliseconds: declared as the consistency of the store, and as long as `optimize`
   * waits. Google says "typically within seconds", and "up to a few hours". @default 120_000
   */
  readonly visibleWithinMs?: number | undefined;
  /** Longest time one call to the service may take, retries and operations of the service included, in milliseconds. @default 30_000 */
  readonly timeoutMs?: number | undefined;
}

/** The options with their defaults. */
export interface ResolvedVertexOptions {
  /** Without a slash at the end. */
  readonly url: URL;
  /** `projects/P/locations/L/collections/default_collection` */
  readonly parent: string;
  readonly project: string;
  readonly account: ServiceAccount | undefined;
  readonly namespace: string;
  readonly visibleWithinMs: number;
  readonly timeoutMs: number;
}

const NAMESPACE = /^[a-z][a-z0-9_]{0,31}$/;
const PROJECT = /^([a-z][a-z0-9-]{4,28}[a-z0-9]|[a-z][a-z0-9.-]*:[a-z0-9-]+|\d+)$/;
const LOCATIONS = ['global', 'us', 'eu'];
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** Throws `CONFIG_INVALID` for options that no service could have. Never names a secret. */
export function resolveOptions({
  project,
  location = 'global',
  url,
  account,
  namespace = 'ragstone',
  visibleWithinMs = 120_000,
  timeoutMs = 30_000,
}: VertexSearchStoreOptions): ResolvedVertexOptions {
  if (!PROJECT.test(project))
    throw invalid(
      `Project ${JSON.stringify(project)} of Vertex AI Search is not valid: use its id or number.`,
    );
  if (!LOCATIONS.includes(location))
    throw invalid(
      `Location ${JSON.stringify(location)} of Vertex AI Search is not known: use one of ${LOCATIONS.join(', ')}.`,
    );
  if (!NAMESPACE.test(namespace))
    throw invalid(
      `Namespace ${JSON.stringify(namespace)} of the Vertex AI Search store is not valid: use up to 32 lower-case letters, digits or "_", a letter first.`,
    );
  assertMilliseconds('visibleWithinMs', visibleWithinMs);
  assertMilliseconds('timeoutMs', timeoutMs);
  return {
    url: addressOf(url ?? usualAddress(location)),
    parent: `projects/${project}/locations/${location}/collections/default_collection`,
    project,
    account,
    namespace,
    visibleWithinMs,
    timeoutMs,
  };
}

const usualAddress = (location: string): string =>
  `https://${location === 'global' ? '' : `${location}-`}discoveryengine.googleapis.com`;

function assertMilliseconds(name: string, value: number): void {
  if (!Number.isInteger(value) || value < 1 || value > MAX_TIMEOUT_MS)
    throw invalid(
      `${name} of the Vertex AI Search store must be an integer from 1 to ${MAX_TIMEOUT_MS}, not ${value}.`,
    );
}

// The client takes a host and a port, and no path.
function addressOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.pathname !== '/')
    throw invalid('The address of Vertex AI Search must be like https://eu-discoveryengine.googleapis.com.');
  if (url.username !== '' || url.password !== '')
    throw invalid(
      'The address of Vertex AI Search must hold no user or password; a service account signs in.',
    );
  return url;
}

const invalid = (message: string): RAGError => new RAGError('CONFIG_INVALID', message);
