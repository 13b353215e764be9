import { assertIntegers, invalidOption } from '../option-checks.js';

export interface PineconeStoreOptions {
  /** Give a value read from the environment; it is never in an error or a log. */
  readonly apiKey: string;
  /** Name of the index: lower-case letters, digits and `-`, at most 45 characters. @default 'ragstone' */
  readonly index?: string | undefined;
  /** What keeps collections apart from those of others in the index: 1 to 200 printable characters, no `/`. @default 'ragstone' */
  readonly namespace?: string | undefined;
  /**
   * Where an index is made: a region, or a region and a cloud as `us-east-1-aws`, `us-west1-gcp`, `eastus2-azure`.
   * @default 'us-east-1-aws'
   */
  readonly environment?: string | undefined;
  /** Make the index where it is not there; and another, `INDEX-1024`, for a model of other dimensions. @default false */
  readonly createIfNotExists?: boolean | undefined;
  /** Address of the control plane. @default 'https://api.pinecone.io' */
  readonly controllerHost?: string | undefined;
  /** Longest time one call may take, retries included, in milliseconds. @default 30_000 */
  readonly timeoutMs?: number | undefined;
  /** How long a write may take to be seen, in milliseconds; what takes longer is `STORE_TIMEOUT`. @default 60_000 */
  readonly eventualMs?: number | undefined;
}

/** The options with their defaults. */
export interface ResolvedPineconeOptions {
  readonly apiKey: string;
  readonly index: string;
  readonly namespace: string;
  readonly cloud: 'aws' | 'gcp' | 'azure';
  readonly region: string;
  readonly createIfNotExists: boolean;
  readonly controllerHost: string;
  readonly timeoutMs: number;
  readonly eventualMs: number;
}

/** Throws `CONFIG_INVALID` for options that cannot be. Never names a secret. */
export function resolveOptions({
  apiKey,
  index = 'ragstone',
  namespace = 'ragstone',
  environment = 'us-east-1-aws',
  createIfNotExists = false,
  controllerHost = 'https://api.pinecone.io',
  timeoutMs = 30_000,
  eventualMs = 60_000,
}: PineconeStoreOptions): ResolvedPineconeOptions {
  if (apiKey === '') throw invalidOption('The Pinecone store needs an API key.');
  if (!/^[a-z0-9](?:[a-z0-9-]{0,43}[a-z0-9])?$/.test(index))
    throw invalidOption(
      `Index ${JSON.stringify(index)} of the Pinecone store is not valid: use up to 45 lower-case letters, digits or "-".`,
    );
  if (!/^[\x21-\x2e\x30-\x7e]{1,200}$/.test(namespace))
    throw invalidOption(
      'The namespace of the Pinecone store must be 1 to 200 printable characters, without spaces and `/`.',
    );
  const url = URL.canParse(controllerHost) ? new URL(controllerHost) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.username !== '')
    throw invalidOption(
      'controllerHost of the Pinecone store must be an address like https://api.pinecone.io.',
    );
  assertIntegers('Pinecone', { timeoutMs, eventualMs });
  return {
    apiKey,
    index,
    namespace,
    ...placeOf(environment),
    createIfNotExists,
    controllerHost: url.href.replace(/\/+$/, ''),
    timeoutMs,
    eventualMs,
  };
}

/** Cloud and region of what Pinecone once called an environment, and of a region alone, by how the clouds write theirs. */
function placeOf(environment: string): Pick<ResolvedPineconeOptions, 'cloud' | 'region'> {
  const [, region, cloud] = /^(.+)-(aws|gcp|azure)$/.exec(environment) ?? [];
  if (region !== undefined) return { region, cloud: cloud as ResolvedPineconeOptions['cloud'] };
  if (!/^[a-z0-9-]+$/.test(environment))
    throw invalidOption(
      `Environment ${JSON.stringify(environment)} of the Pinecone store is not valid: name a region, as us-east-1-aws.`,
    );
  if (/^[a-z]+-[a-z]+-\d+$/.test(environment)) return { region: environment, cloud: 'aws' };
  return { region: environment, cloud: /^[a-z]+-[a-z]+\d+$/.test(environment) ? 'gcp' : 'azure' };
}
