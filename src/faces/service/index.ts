/**
 * The HTTP service: `ragstone serve`, and its routes for a Fastify application of your own.
 *
 * @module
 */

export { AuditLog, type AuditLogOptions } from '../../operations/audit/audit-log.js';
export type { AuditEntry } from '../../operations/audit/audit-record.js';
export { openRedis, type RedisConnection, type RedisOptions } from '../../platform/redis/open-redis.js';
export type { Authenticate, Credentials, Permission, Principal } from './authentication/principal.js';
export type { Shown, ShownPlace } from './feedback/shown-results.js';
export { ragstonePlugin, type ServiceOptions } from './ragstone-plugin.js';
