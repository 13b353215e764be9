import { assertIntegers, assertNamespace, invalidOption, webAddress } from '../option-checks.js';

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

const PROJECT = /^([a-z][a-z0-9-]{4,28}[a-z0-9]|[a-z][a-z0-9.-]*:[a-z0-9-]+|\d+)$/;
const EXAMPLE = 'https://eu-discoveryengine.googleapis.com';
const LOCATIONS = ['global', 'us', 'eu'];

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
    throw invalidOption(
      `Project ${JSON.stringify(project)} of Vertex AI Search is not valid: use its id or number.`,
    );
  if (!LOCATIONS.includes(location))
    throw invalidOption(
      `Location ${JSON.stringify(location)} of Vertex AI Search is not known: use one of ${LOCATIONS.join(', ')}.`,
    );
  assertNamespace('Vertex AI Search', namespace);
  assertIntegers('Vertex AI Search', { visibleWithinMs, timeoutMs });
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

function addressOf(text: string): URL {
  const url = webAddress(text, {
    server: 'Vertex AI Search',
    example: EXAMPLE,
    instead: 'a service account signs in',
  });
  // The client takes a host and a port, and no path.
  if (url.pathname !== '/') throw invalidOption(`The address of Vertex AI Search must be like ${EXAMPLE}.`);
  return url;
}
