import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { EXAMPLES, exampleNames } from './example.js';

// As the Compose specification has them; whatever else one of our files comes to use is added here.
const duration = z.string().regex(/^(?:\d+(?:us|ms|s|m|h))+$/);
const composeSchema = z.strictObject({
  name: z.string().regex(/^[a-z\d][a-z\d_-]*$/),
  services: z.record(
    z.string().regex(/^[\w.-]+$/),
    z.strictObject({
      /** With a version to its last number, so that it is the same tomorrow. */
      image: z.string().regex(/^[\w./-]+:v?\d+\.\d+\.\d+[\w.-]*$/),
      environment: z.record(z.string(), z.string()).optional(),
      command: z.union([z.string(), z.array(z.string())]).optional(),
      /** For this machine alone: none of these servers is made for others. */
      ports: z.array(z.string().regex(/^127\.0\.0\.1:\d+:\d+$/)),
      volumes: z.array(z.string().regex(/^[\w.-]+:\/[\w./-]+$/)).optional(),
      tmpfs: z.array(z.string().startsWith('/')).optional(),
      healthcheck: z
        .strictObject({
          test: z.tuple([z.enum(['CMD', 'CMD-SHELL'])], z.string()),
          interval: duration.optional(),
          retries: z.int().positive().optional(),
        })
        .optional(),
    }),
  ),
  volumes: z.record(z.string(), z.null()).optional(),
});

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => {
  const text = readFileSync(path, 'utf8');
  return { text, compose: composeSchema.parse(parse(text)) };
};

test.each(['compose.stores.yaml', ...exampleNames().map((name) => join(EXAMPLES, name, 'compose.yaml'))])(
  '%s is what Compose takes, with ports and volumes that fit',
  (path) => {
    const { compose } = read(path.startsWith('/') ? path : join(ROOT, path));
    const services = Object.values(compose.services);
    const ports = services.flatMap((service) => service.ports.map((port) => port.split(':')[1]));
    expect(new Set(ports).size).toBe(ports.length);
    const mounted = services.flatMap(({ volumes = [] }) => volumes.map((volume) => volume.split(':')[0]));
    expect([...new Set(mounted)].sort()).toEqual(Object.keys(compose.volumes ?? {}).sort());
  },
);

const withDatabase = exampleNames().filter(
  (name) => 'database' in read(join(EXAMPLES, name, 'compose.yaml')).compose.services,
);

describe.each(withDatabase)('the database of %s', (name) => {
  const { text, compose } = read(join(EXAMPLES, name, 'compose.yaml'));

  test('is what its address says, and is waited for', () => {
    const { database } = compose.services;
    const address = new URL(/DATABASE_URL=(\S+)/.exec(text)?.[1] ?? '');
    expect(database?.environment).toEqual({
      POSTGRES_DB: address.pathname.slice(1),
      POSTGRES_PASSWORD: address.password,
    });
    expect(database?.ports).toEqual([`${address.hostname}:${address.port}:5432`]);
    expect(database?.healthcheck?.test).toContain(address.pathname.slice(1));
    expect(text).toContain('docker compose up -d --wait');
  });
});
