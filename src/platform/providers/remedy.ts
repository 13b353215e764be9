import type { CallFailure } from './call-failure.js';
import type { ProviderConnection } from './provider-connection.js';
import { factsOf } from './provider-table.js';

/** The next step after a failed call, as a sentence that begins with a blank; empty where there is none. */
export function remedyFor(
  { kind, status, detail }: CallFailure,
  { provider, baseUrl }: ProviderConnection,
): string {
  const place = `rag.modelProviders.${provider}`;
  if (kind === 'busy') return ' Try again later, or set limits below what the account allows.';
  if (kind === 'unavailable') {
    const local = baseUrl !== undefined && /\/\/(localhost|127\.|\[::1\])/.test(baseUrl);
    return local
      ? ` Start the server at ${baseUrl}, or correct ${place}.baseUrl.`
      : ' Check the network and the status of the service, then try again.';
  }
  if (kind === 'unreadable') return ` Check that ${place}.baseUrl leads to the API itself.`;
  if (kind !== 'rejected') return '';
  if (status === 401 || status === 403) {
    const variable = factsOf(provider).keyVariables[0];
    return ` Check the key: ${variable === undefined ? '' : `${variable} or `}${place}.apiKey.`;
  }
  if (status === 404) return ' Check the name of the model and that the account may use it.';
  if (/quota/i.test(detail)) return " The account's quota is used up; see its billing.";
  return ' Check the model and its settings.';
}
