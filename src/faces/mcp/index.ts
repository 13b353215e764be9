/**
 * An index for assistants that speak the Model Context Protocol, over HTTP: a handler to mount behind a program's own
 * authentication.
 *
 * @module
 */

export { handleMcpRequest, type McpRequestOptions } from './handle-request.js';
export type { AuditedCalls, McpOptions } from './mcp-options.js';
export type { ReadableIndex } from './readable-index.js';
