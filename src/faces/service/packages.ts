/**
 * The packages of the routes. They are bundled into the one file that this module becomes, for few who install Ragstone serve it.
 */
export { Busboy } from '@fastify/busboy';
export { default as cors } from '@fastify/cors';
export { default as helmet } from '@fastify/helmet';
export { default as swagger } from '@fastify/swagger';
export { default as underPressure } from '@fastify/under-pressure';
export {
  jsonSchemaTransform,
  jsonSchemaTransformObject,
  serializerCompiler,
} from 'fastify-type-provider-zod';
export { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
