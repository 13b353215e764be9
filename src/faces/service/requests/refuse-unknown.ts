import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { RAGError } from '../../../index.js';
import type { Authenticate } from '../authentication/principal.js';

/**
 * Answers what no route is for. A known caller is told which methods a path has (405 with `allow`); to all others a path with
 * another method is as unknown as any other.
 */
export function refuseUnknown(
  app: FastifyInstance,
  authenticate: Authenticate,
  send: (error: unknown, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
): void {
  const methodsOf = pathMethods(app);
  app.setNotFoundHandler(async (request, reply) => {
    const methods = methodsOf(request.url);
    if (methods.length === 0 || !(await isKnown(request, authenticate)))
      return send(noRoute(), request, reply);
    const allowed = methods.join(', ');
    reply.header('allow', allowed);
    return send(
      new RAGError('METHOD_NOT_ALLOWED', `This path is not for ${request.method}. It takes ${allowed}.`),
      request,
      reply,
    );
  });
}

const noRoute = (): RAGError =>
  new RAGError('ROUTE_NOT_FOUND', 'There is no such route. `GET /openapi.json` lists all.');

async function isKnown({ headers }: FastifyRequest, authenticate: Authenticate): Promise<boolean> {
  try {
    await authenticate({ headers });
    return true;
  } catch {
    return false;
  }
}

/** Says which methods the path of an address has, in order. Routes are known from when they are registered on. */
function pathMethods(app: FastifyInstance): (address: string) => string[] {
  const routes = new Map<string, { readonly parts: readonly string[]; readonly methods: Set<string> }>();
  app.addHook('onRoute', ({ url, method }) => {
    // A route for every path is none for this one.
    if (url.includes('*')) return;
    const known = routes.get(url) ?? { parts: url.split('/'), methods: new Set() };
    routes.set(url, known);
    for (const one of [method].flat()) known.methods.add(one);
  });
  return (address) => {
    const [path = ''] = address.split('?');
    const parts = path.split('/');
    const found = [...routes.values()].filter((route) => isOf(route.parts, parts));
    return [...new Set(found.flatMap(({ methods }) => [...methods]))].sort();
  };
}

const isOf = (pattern: readonly string[], parts: readonly string[]): boolean =>
  pattern.length === parts.length &&
  pattern.every((part, at) => (part.startsWith(':') ? parts[at] !== '' : part === parts[at]));
