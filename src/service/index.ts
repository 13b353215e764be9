/**
 * The HTTP service: `ragstone serve`, and its routes for a Fastify application of your own.
 *
 * @module
 */

export type { Authenticate, Credentials, Permission, Principal } from './authentication/principal.js';
export { ragstonePlugin, type ServiceOptions } from './ragstone-plugin.js';
