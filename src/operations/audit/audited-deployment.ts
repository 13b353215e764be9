import type { AuditedDeployment } from './audit-record.js';

const MOST_TEXT = 2_000;

/** What may be logged of a deployment as it was stated, of one that is refused too: no user, password or query of an address. */
export function auditedDeployment(tenantId: string, stated: unknown): AuditedDeployment {
  const fields = (typeof stated === 'object' && stated !== null ? stated : {}) as Record<string, unknown>;
  return {
    tenantId,
    model: textOf(fields.model),
    searchEndpoint: addressOf(textOf(fields.searchEndpoint)),
    indexName: textOf(fields.indexName),
  };
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value.slice(0, MOST_TEXT).toWellFormed() : undefined;

function addressOf(text: string | undefined): string | undefined {
  // What looks like an address and is none may hold a password anywhere.
  if (text === undefined || !URL.canParse(text)) return undefined;
  const { protocol, host, pathname } = new URL(text);
  return host === '' || pathname.includes('@') ? undefined : `${protocol}//${host}${pathname}`;
}
