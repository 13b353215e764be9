import { readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { escapeUTF8 } from 'entities';
import type { FastifyInstance } from 'fastify';
import { readRegularFileSync } from '../../platform/security/regular-file.js';
import type { JwtSettings } from './authentication/json-web-token.js';
import { helmet } from './packages.js';
import { cachedAnswer } from './requests/cached-answer.js';

/** Beside the modules in a build; a checkout that runs its sources has that of its last build. */
const FOLDER = fileURLToPath(new URL('../../../dist/console', import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/** The page loads its own files, calls its own service and the provider that people sign in at, and runs nothing that stands in a text. */
const policyOf = (issuer: string | undefined) => ({
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'connect-src': ["'self'", ...(issuer === undefined ? [] : [new URL(issuer).origin])],
  'img-src': ["'self'", 'data:'],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
});

export interface ConsolePageOptions {
  /** Where a proxy shows the service. */
  readonly basePath: string;
  /** The provider that people sign in at. @default keys alone */
  readonly jwt?: JwtSettings | undefined;
}

/**
 * The page of the service: `/`, and the scripts and styles below `/console/`, whose names hold a hash of their content. They hold
 * nothing of any index: the page asks the routes, with the reader's key.
 */
export async function consolePage(
  app: FastifyInstance,
  { basePath, jwt }: ConsolePageOptions,
): Promise<void> {
  const signIn = jwt?.console && { issuer: jwt.issuer, ...jwt.console };
  await app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: policyOf(signIn?.issuer) },
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
  });
  const everyone = { config: { access: 'everyone' } } as const;
  const page = cachedAnswer('text/html; charset=utf-8', () => pageOf(signIn), 'no-cache');
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
      cachedAnswer(type, () => read(name), FOREVER),
    );
  }
}

/** The page, with what it needs to know before anybody has signed in. */
const pageOf = (signIn: object | undefined): string =>
  signIn === undefined
    ? read('index.html')
    : read('index.html').replace(
        '</head>',
        () => `<meta name="sign-in" content="${escapeUTF8(JSON.stringify(signIn))}" /></head>`,
      );

const FOREVER = 'public, max-age=31536000, immutable';

const read = (name: string): string => readRegularFileSync(join(FOLDER, name)).toString();
