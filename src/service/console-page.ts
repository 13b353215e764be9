import { readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { readRegularFileSync } from '../security/regular-file.js';
import { helmet } from './packages.js';
import { keptAnswer } from './requests/kept-answer.js';

/** Beside the modules in a build; a checkout that runs its sources has that of its last build. */
const FOLDER = fileURLToPath(new URL('../../dist/console', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/** The page loads its own files, calls its own service, and runs nothing that stands in a text. */
const POLICY = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'connect-src': ["'self'"],
  'img-src': ["'self'", 'data:'],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};

/**
 * The page of the service: `/`, and the scripts and styles below `/console/`, whose names hold a hash of their content. They hold
 * nothing of any index: the page asks the routes, with the key of whoever reads it.
 *
 * @param options `basePath`: where a proxy shows the service
 */
export async function consolePage(app: FastifyInstance, { basePath }: { basePath: string }): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: POLICY },
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
  });
  const everyone = { config: { access: 'everyone' } } as const;
  const page = keptAnswer('text/html; charset=utf-8', () => read('index.html'), 'no-cache');
  app.get('/', everyone, (request, reply) => {
    // Its addresses are relative to the folder that it stands in.
    const [path] = request.originalUrl.split('?');
    return path === basePath && basePath !== '' ? reply.redirect(`${basePath}/`, 303) : page(request, reply);
  });
  for (const name of readdirSync(FOLDER)) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    app.get(
      `/console/${name}`,
      everyone,
      keptAnswer(type, () => read(name), FOREVER),
    );
  }
}

const FOREVER = 'public, max-age=31536000, immutable';

const read = (name: string): string => readRegularFileSync(join(FOLDER, name)).toString();
