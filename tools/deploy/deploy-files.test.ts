import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config/load-config.js';
import { parseCompose } from '../examples/compose-schema.js';
import { parseDockerfile, settingsOf } from './dockerfile.js';
import { MANIFESTS, ROOT } from './manifests.js';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const manifest = JSON.parse(read('package.json')) as {
  readonly version: string;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly overrides: Readonly<Record<string, unknown>>;
};
const stages = parseDockerfile(read('deploy/Dockerfile'));
const image = settingsOf(stages.at(-1) ?? { base: '', instructions: [] });
const COMPOSE = readdirSync(join(ROOT, 'deploy')).filter((file) => file.startsWith('compose'));

test('the image is of this version, and its drivers are those that tests run with', () => {
  const { dependencies, overrides } = JSON.parse(read('deploy/package.json')) as {
    readonly dependencies: Readonly<Record<string, string>>;
    readonly overrides: Readonly<Record<string, string>>;
  };
  for (const [name, version] of Object.entries(dependencies))
    if (name !== 'ragstone') expect([name, version]).toEqual([name, manifest.devDependencies[name]]);
  for (const [name, replacement] of Object.entries(overrides))
    expect([name, replacement]).toEqual([name, manifest.overrides[name]]);
  const texts = [
    'Dockerfile',
    ...COMPOSE,
    'kubernetes/base/kustomization.yaml',
    'kubernetes/scaled-out/kustomization.yaml',
  ];
  for (const text of texts.map((file) => read(`deploy/${file}`)))
    for (const [, version] of text.matchAll(/(?:ragstone:|newTag: )(\d\S*)/g))
      expect(version).toBe(manifest.version);
});

test('the base is of an exact version, the same in each stage; the user is a number and not root', () => {
  expect(new Set(stages.map(({ base }) => base)).size).toBe(1);
  expect(stages[0]?.base).toMatch(/^node:\d+\.\d+\.\d+-\w+-slim$/);
  expect(image.user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  expect(image.healthcheck.length).toBeGreaterThan(0);
  expect(stages.at(-1)?.instructions.find(({ name }) => name === 'VOLUME')?.text).toBe(image.workdir);
});

test('nothing but the package and what it is installed with goes to the builder', () => {
  const copied = stages.flatMap(({ instructions }) =>
    instructions
      .filter(({ name, text }) => name === 'COPY' && !text.startsWith('--from'))
      .map(({ text }) => text.split(' ')[0]),
  );
  const ignore = read('deploy/.dockerignore')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  expect(ignore).toEqual(['*', ...copied.map((path) => `!${path}`)]);
});

/** Variables as Compose fills them in where a person has set none but those that must be. */
const statedBy = (environment: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      value.replaceAll(/\$\{\w+:([-?])([^}]*)\}/g, (_, kind, word) => (kind === '-' ? word : 'stated')),
    ]),
  );

describe.each(COMPOSE)('%s', (file) => {
  const services = Object.values(parseCompose(read(`deploy/${file}`)).services);
  const ours = services.filter(({ build }) => build !== undefined);

  test('limits memory everywhere, and rights where our image runs', () => {
    for (const service of services)
      expect(service).toMatchObject({ mem_limit: expect.any(String), restart: 'unless-stopped' });
    for (const service of ours)
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
  });

  test('mounts a configuration that is accepted, with the variables that it is given', async () => {
    for (const { volumes = [], environment = {} } of ours) {
      const mounted = volumes
        .map((volume) => volume.split(':'))
        .find(([, place]) => place === '/data/ragstone.yaml');
      const place = join('deploy', mounted?.[0] ?? '');
      const config = parse(read(place)) as object;
      const { rag } = await loadConfig({ file: join(ROOT, place), cwd: ROOT, env: statedBy(environment) });
      expect(rag.server.searchProcesses).toBe(2);
      const named = [...JSON.stringify(config).matchAll(/env:(\w+)/g)].map(([, name]) => name);
      expect(Object.keys(environment)).toEqual(expect.arrayContaining(named));
    }
  });
});

test.each(['base', 'scaled-out'])('kubernetes/%s has a configuration that is accepted', async (form) => {
  const config = parse(read(`deploy/kubernetes/${form}/ragstone.yaml`)) as { rag: object };
  const url = 'postgres://user@host/database';
  await loadConfig({
    config: config as never,
    env: { RAGSTONE_LEDGER_URL: url, RAGSTONE_STORE_URL: url, REDIS_URL: 'redis://host' },
  });
  const composed = parse(read(`deploy/config/${form === 'base' ? 'embedded' : form}.yaml`)) as {
    rag: object;
  };
  const apart = { sources: [], monitoring: { logging: { level: 'info' } } };
  expect(config.rag).toEqual({ ...composed.rag, ...apart });
});

test('every kustomization names each manifest beside it, and no other', () => {
  for (const form of ['base', 'scaled-out']) {
    const { resources } = parse(read(`deploy/kubernetes/${form}/kustomization.yaml`)) as {
      resources: string[];
    };
    const files = MANIFESTS.filter((path) => path.includes(`/${form}/`)).map((path) =>
      path.split('/').at(-1),
    );
    expect(resources.filter((path) => path !== '../base').sort()).toEqual(files.sort());
  }
});

test('pods are restricted as far as the strictest profile of Kubernetes asks', () => {
  for (const path of MANIFESTS) {
    const { spec = {} } = parse(read(path), { merge: true }) as { spec?: { template?: { spec: Pod } } };
    const pod = spec.template?.spec;
    if (pod === undefined) continue;
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    for (const container of [...pod.containers, ...(pod.initContainers ?? [])])
      expect(container).toMatchObject({
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        resources: { requests: { cpu: expect.any(String) }, limits: { memory: expect.any(String) } },
      });
  }
});

interface Pod {
  readonly securityContext: object;
  readonly containers: readonly object[];
  readonly initContainers?: readonly object[];
}
