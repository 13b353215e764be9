import { RAGError } from '../core/errors.js';
import type { ServerSettings } from './store-settings.js';

const STORE_URL = 'rag.storage.server.url';

/** The address that the settings name, by `url` or by `host` and `port`; undefined where they name none. */
export function serverUrl(server: ServerSettings | undefined, defaultPort: number): URL | undefined {
  const url = server?.url;
  if (server?.host !== undefined) {
    assertOneAddress(server);
    const host = server.host.includes(':') ? `[${server.host}]` : server.host;
    return parseServerUrl(`${server.ssl ? 'https' : 'http'}://${host}:${server.port ?? defaultPort}`);
  }
  return url === undefined ? undefined : parseServerUrl(url.reveal());
}

/** Throws `CONFIG_INVALID` where an address is stated both as `url` and as `host`. */
export function assertOneAddress({ url, host }: ServerSettings): void {
  if (url === undefined || host === undefined) return;
  throw new RAGError(
    'CONFIG_INVALID',
    'rag.storage.server states both `url` and `host`: keep one of the two.',
    { details: { key: 'rag.storage.server.host' } },
  );
}

/**
 * A connection string of PostgreSQL, stated under `key`, as it is. Throws `CONFIG_INVALID` where it has the scheme of another server, or where an
 * `@`, `/`, `?` or `#` that stands bare in a password would make the rest of the password a part of the address.
 */
export function postgresUrl(text: string, key = STORE_URL): string {
  assertNoBareSecret(text, key);
  if (!URL.canParse(text) || !['http:', 'https:'].includes(new URL(text).protocol)) return text;
  throw new RAGError(
    'CONFIG_INVALID',
    `${key} must be an address like postgres://user@host:5432/database, not one of a web server.`,
    { details: { key } },
  );
}

function hasBareMarks(text: string): boolean {
  if (!URL.canParse(text)) return true;
  const { pathname, search, hash } = new URL(text);
  return `${pathname}${search}${hash}`.includes('@');
}

function assertNoBareSecret(text: string, key = STORE_URL): void {
  if (!text.includes('@') || !hasBareMarks(text)) return;
  throw new RAGError(
    'CONFIG_INVALID',
    `${key} cannot be read. Write special characters of a user or password percent-encoded: @ is %40, / is %2F, ? is %3F, # is %23.`,
    { details: { key } },
  );
}

// The text may hold a password, so it is not in the message.
function parseServerUrl(text: string): URL {
  assertNoBareSecret(text);
  if (URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol)) return new URL(text);
  throw new RAGError(
    'CONFIG_INVALID',
    'rag.storage.server.url must be an address like http://host:8000 or https://host:9200, and host a name without scheme and port.',
    { details: { key: 'rag.storage.server.url' } },
  );
}
