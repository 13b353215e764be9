import { RagstoneClient } from 'ragstone/client';
import { type Permission, tokenFor } from './issuer.js';

/** Where `npm start` listens. */
export const serviceUrl = (): string =>
  process.env.SPAARKE_URL ?? `http://127.0.0.1:${process.env.PORT ?? '7250'}`;

/** Who calls, and where. */
export interface Caller {
  /** @default that of `npm start` */
  readonly url?: string;
  /** @default read and write */
  readonly permissions?: readonly Permission[];
}

/** The service as a user of one tenant calls it. A token is valid for an hour, so each call asks for one. */
export const clientOf = (
  tenantId: string,
  { url = serviceUrl(), permissions }: Caller = {},
): RagstoneClient =>
  new RagstoneClient({ url, tenant: tenantId, key: () => tokenFor({ tenantId, permissions }) });

/** The service as its operators call it: deployments of all tenants, documents of none. */
export const operatorOf = (url = serviceUrl()): RagstoneClient =>
  clientOf('operator', { url, permissions: ['admin'] });
