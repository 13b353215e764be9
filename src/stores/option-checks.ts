import { RAGError } from '../core/errors.js';

const NAMESPACE = /^[a-z][a-z0-9_]{0,31}$/;
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export const invalidOption = (message: string): RAGError => new RAGError('CONFIG_INVALID', message);

/**
 * Throws `CONFIG_INVALID` for what keeps no collections apart.
 *
 * @param store as messages name it: `Qdrant`
 */
export function assertNamespace(store: string, namespace: string): void {
  if (!NAMESPACE.test(namespace))
    throw invalidOption(
      `Namespace ${JSON.stringify(namespace)} of the ${store} store is not valid: use up to 32 lower-case letters, digits or "_", a letter first.`,
    );
}

/** Throws `CONFIG_INVALID` for an option that is no integer from 1 to `maximum`, by default the most milliseconds of a timer. */
export function assertIntegers(
  store: string,
  options: Readonly<Record<string, number>>,
  maximum = MAX_TIMEOUT_MS,
): void {
  for (const [name, value] of Object.entries(options))
    if (!Number.isInteger(value) || value < 1 || value > maximum)
      throw invalidOption(
        `${name} of the ${store} store must be an integer from 1 to ${maximum}, not ${value}.`,
      );
}

/** The address of a web server. Throws `CONFIG_INVALID` for any other, and for one with a user or password, which it never names. */
export function webAddress(
  text: string,
  {
    server,
    example,
    instead = 'give it an API key',
  }: {
    /** As messages name it: `the Qdrant server`. */
    readonly server: string;
    readonly example: string;
    /** What to do in place of a password. */
    readonly instead?: string;
  },
): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw invalidOption(`The address of ${server} must be like ${example}.`);
  if (url.username !== '' || url.password !== '')
    throw invalidOption(`The address of ${server} must hold no user or password; ${instead}.`);
  return url;
}

/** An address without a slash at the end. */
export const withoutSlash = ({ origin, pathname }: URL): string => `${origin}${pathname}`.replace(/\/+$/, '');
