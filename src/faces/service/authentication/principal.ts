import type { IncomingHttpHeaders } from 'node:http';
import type { PERMISSIONS } from '../../../config/schema/server.js';
import type { ScopeInput } from '../../../index.js';

/**
 * `read`: search, answers, documents. `write`: push and delete documents. `maintain`: what is for maintainers of the index (runs,
 * status, sources, why a document is not found), which tells of everything in the tenant. `admin`: where the
 * documents of each tenant are; it is over all tenants, and names servers that the service connects to. `monitor`: the metrics of the
 * service, numbers over all tenants without any text.
 */
export type Permission = (typeof PERMISSIONS)[number];

/** Who calls, and what they may do. */
export interface Principal {
  /** For logs: the id of a key, the subject of a token. */
  readonly name: string;
  readonly scope: ScopeInput;
  readonly permissions: readonly Permission[];
  /** The one of a machine without keys: calls are not limited. */
  readonly isLocal?: boolean | undefined;
}

/** What a caller is known by. */
export interface Credentials {
  readonly headers: IncomingHttpHeaders;
}

/**
 * Says who calls. Throws `UNAUTHENTICATED` for an unknown caller, and `SERVICE_UNAVAILABLE` where that cannot be found out
 * now.
 */
export type Authenticate = (credentials: Credentials) => Promise<Principal>;
