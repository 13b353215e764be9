import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parseCompose } from './compose-schema.js';
import { EXAMPLES, exampleNames } from './example.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => {
  const text = readFileSync(path, 'utf8');
  return { text, compose: parseCompose(text) };
};

const DEPLOYED = ['', '.chroma', '.pgvector', '.scaled-out'].map((form) => `deploy/compose${form}.yaml`);

test.each([
  'compose.stores.yaml',
  ...DEPLOYED,
  ...exampleNames().map((name) => join(EXAMPLES, name, 'compose.yaml')),
])('%s is what Compose takes, with ports and volumes that fit', (path) => {
  const { compose } = read(path.startsWith('/') ? path : join(ROOT, path));
  const services = Object.values(compose.services);
  const ports = services.flatMap((service) => service.ports.map((port) => port.split(':')[1]));
  expect(new Set(ports).size).toBe(ports.length);
  const mounted = services
    .flatMap(({ volumes = [] }) => volumes.map((volume) => volume.split(':')[0] ?? ''))
    .filter((volume) => !/^[.$]/.test(volume));
  expect([...new Set(mounted)].sort()).toEqual(Object.keys(compose.volumes ?? {}).sort());
});

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
    expect(database?.healthcheck).toMatchObject({
      test: expect.arrayContaining([address.pathname.slice(1)]),
    });
    expect(text).toContain('docker compose up -d --wait');
  });
});
