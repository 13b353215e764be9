import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { DEPLOY, ImageRoot, noImageReason, outcomeOf } from '../../tools/deploy/image-root.js';
import { parseCompose } from '../../tools/examples/compose-schema.js';
import { packRagstone } from '../../tools/examples/places.js';
import { type RunningServer, startServer } from '../../tools/test-stores/start-server.js';
import { STORES } from '../../tools/test-stores/stores.js';
import { IS_LONG } from '../long-forms.js';
import { temporaryFolder, writeFiles } from './temporary-folder.js';

if (noImageReason !== undefined) console.warn(`deploy: the image is not imitated: ${noImageReason}`);

const INSTALL_TIMEOUT_MS = 300_000;

const DOCUMENTS = { 'oak.md': '# Oak\n\nThe oak stands by the northern gate.\n' };

interface Probe {
  readonly httpGet: { readonly path: string };
}

interface Container {
  readonly args?: readonly string[];
  readonly command?: readonly string[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
}

interface Workload {
  readonly spec: {
    readonly template: {
      readonly spec: { readonly containers: Container[]; readonly initContainers?: Container[] };
    };
  };
}

const SCRIPTS = resolve(
  fileURLToPath(new URL('../../', import.meta.url)),
  process.env.RAGSTONE_SERVERS ?? '../shared/servers',
);

const readYaml = <T>(path: string): T =>
  parse(readFileSync(join(DEPLOY, path), 'utf8'), { merge: true }) as T;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** A configuration of the deployment, at a port of its own: the network is that of this machine. */
function configAt(path: string, port: number): string {
  const config = readYaml<{ rag: { server: object } }>(path);
  return JSON.stringify({ rag: { ...config.rag, server: { ...config.rag.server, port } } });
}

const KINDS = [
  { kind: 'the packages of this working copy', isLinked: true },
  ...(IS_LONG ? [{ kind: 'what npm installs of the packed package', isLinked: false }] : []),
];

describe.skipIf(noImageReason !== undefined).each(KINDS)('the image, imitated with $kind', ({ isLinked }) => {
  let image: ImageRoot;
  beforeAll(async () => {
    image = await ImageRoot.make({ isLinked });
    if (!isLinked) {
      const packed = mkdtempSync(join(tmpdir(), 'ragstone-packed-'));
      await image.install(await packRagstone(packed));
      rmSync(packed, { recursive: true });
    }
    // What the last stage does after its packages are there.
    for (const { name, text } of image.stages.at(-1)?.instructions ?? []) {
      if (name !== 'RUN' || text.startsWith('apt-get ')) continue;
      const outcome = await image.run(['sh', '-c', text], { isBuild: true, workdir: '/' });
      expect(outcome).toMatchObject({ code: 0, stderr: '' });
    }
  }, INSTALL_TIMEOUT_MS);
  afterAll(() => image?.remove());

  // Tini is in the image and not here; it adds nothing to what a command does.
  const entry = (args: readonly string[]) => [...image.settings.entrypoint.slice(2), ...args];

  async function place(path: string, volume: { readonly owner: number; readonly mode: number }) {
    const port = await freePort();
    const outside = temporaryFolder({ 'ragstone.yaml': configAt(path, port) });
    writeFiles(join(outside, 'documents'), DOCUMENTS);
    await chmod(outside, 0o755);
    const data = await image.volume(volume);
    const mounts = {
      '/data': data,
      '/data/ragstone.yaml': join(outside, 'ragstone.yaml'),
      '/documents': join(outside, 'documents'),
    };
    return { port, outside, data, mounts, url: `http://127.0.0.1:${port}` };
  }

  const healthcheck = (port: number) =>
    image.settings.healthcheck.map((part) => part.replaceAll(':7240/', `:${port}/`));

  async function waitUntil(isSo: () => Promise<boolean>, what: () => string): Promise<void> {
    for (let attempt = 0; attempt < 150; attempt++) {
      if (await isSo()) return;
      await sleep(200);
    }
    throw new Error(`It did not happen: ${what()}`);
  }

  const search = (url: string, key: string) =>
    fetch(`${url}/api/ai/rag/search`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ query: 'where does the oak stand?', tenantId: 'default' }),
    });

  test('compose.yaml: a key, the service, its health, a search, an end; as a user who may write to the volume alone', async () => {
    const { port, mounts, url } = await place('config/embedded.yaml', { owner: 1000, mode: 0o750 });
    const { command } = image.settings;

    const keyless = await image.run(entry(command), { mounts });
    expect(keyless.code).toBe(2);
    expect(keyless.stderr).toContain('ragstone keys create');
    const made = await image.run(entry(['keys', 'create', '--tenant', 'default']), { mounts });
    expect(made).toMatchObject({ code: 0 });
    const key = made.stdout.trim();

    const service = image.start(entry(command), { mounts });
    const ended = outcomeOf(service);
    const healthy = async () => (await image.run(healthcheck(port), { mounts })).code === 0;
    let answered = '';
    await waitUntil(healthy, () => 'the health check says 0');
    await waitUntil(
      async () => {
        answered = await (await search(url, key)).text();
        return answered.includes('northern gate');
      },
      () => `the document of the mounted folder is found: ${answered}`,
    );
    expect((await search(url, 'rsk_0')).status).toBe(401);

    service.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0 });
    expect(await healthy()).toBe(false);
    const written = await image.run(['sh', '-c', 'touch /opt/ragstone/a || touch /usr/local/bin/a'], {
      mounts,
    });
    expect(written.code).not.toBe(0);
  });

  test('kubernetes/base: keys from a secret on a volume of the group, all three probes', async () => {
    const { outside, data, mounts, url } = await place('config/embedded.yaml', { owner: 0, mode: 0o2775 });
    const { containers, initContainers } = readYaml<Workload>('kubernetes/base/serve.yaml').spec.template
      .spec;
    const [ragstone] = containers;
    const [keys] = initContainers ?? [];

    // The key is made elsewhere, and comes as Kubernetes shows a secret: by links.
    const callers = await image.volume({ owner: 1000, mode: 0o700 });
    const made = await image.run(
      entry(['keys', 'create', '--tenant', 'default', '--data', '/keys/callers']),
      {
        mounts: { '/data': data, '/keys': callers },
      },
    );
    expect(made).toMatchObject({ code: 0 });
    const secret = join(outside, 'secret');
    await mkdir(secret);
    const files = await image.run(['ls', '/keys/callers/keys'], { mounts: { '/keys': callers } });
    for (const name of files.stdout.trim().split('\n')) {
      await writeFile(join(secret, `..${name}`), readFileSync(join(callers, 'callers/keys', name)));
      await symlink(`..${name}`, join(secret, name));
    }

    const all = { ...mounts, '/keys': secret };
    const copied = await image.run([...(keys?.command ?? []), ...(keys?.args ?? [])], { mounts: all });
    expect(copied).toMatchObject({ code: 0, stderr: '' });
    const service = image.start(entry(ragstone?.args ?? []), { mounts });
    const ended = outcomeOf(service);
    const probes = [ragstone?.startupProbe, ragstone?.livenessProbe, ragstone?.readinessProbe];
    for (const probe of probes)
      await waitUntil(
        () =>
          fetch(`${url}${probe?.httpGet.path ?? '/missing'}`).then(
            ({ ok }) => ok,
            () => false,
          ),
        () => `the probe ${JSON.stringify(probe)} succeeds`,
      );
    let answered = '';
    await waitUntil(
      async () => {
        answered = await (await search(url, made.stdout.trim())).text();
        return answered.includes('northern gate');
      },
      () => `the document is found: ${answered}`,
    );
    service.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0 });
  });

  // Their servers are started from nothing; the commands are those of the file.
  test.skipIf(!IS_LONG)(
    'compose.scaled-out.yaml, compose.pgvector.yaml, compose.chroma.yaml: what is mounted is found',
    async () => {
      const servers: RunningServer[] = [];
      const url = async (folder: string): Promise<string> => {
        const known = STORES.flatMap(({ server, beside = [] }) => [server, ...beside]);
        const server = known.find((one) => one?.folder === folder);
        if (server === undefined) throw new Error(`There is no server ${folder}.`);
        servers.push(await startServer(server, { scripts: SCRIPTS, say: console.warn }));
        return servers.at(-1)?.url ?? '';
      };
      try {
        const database = await url('pgvector');
        const env = {
          RAGSTONE_LEDGER_URL: database,
          RAGSTONE_STORE_URL: database,
          REDIS_URL: await url('redis'),
          CHROMA_URL: await url('chroma'),
        };
        for (const form of ['scaled-out', 'pgvector', 'chroma']) {
          const { mounts, url: at } = await place(`config/${form}.yaml`, { owner: 1000, mode: 0o750 });
          const file = parseCompose(readFileSync(join(DEPLOY, `compose.${form}.yaml`), 'utf8'));
          const ours = Object.values(file.services).filter(({ build }) => build !== undefined);
          const options = { mounts, env };
          const made = await image.run(entry(['keys', 'create', '--tenant', 'default']), options);
          expect(made).toMatchObject({ code: 0 });
          const started = ours.map(({ command = image.settings.command }) =>
            image.start(entry([command].flat()), options),
          );
          const ended = started.map((child) => outcomeOf(child));
          let answered = '';
          await waitUntil(
            async () => {
              answered = await search(at, made.stdout.trim()).then((answer) => answer.text(), String);
              return answered.includes('northern gate');
            },
            () => `${form}: the document is found: ${answered}`,
          );
          for (const child of started) child.kill('SIGTERM');
          for (const outcome of await Promise.all(ended)) expect(outcome).toMatchObject({ code: 0 });
        }
      } finally {
        for (const server of servers) await server.stop();
      }
    },
    INSTALL_TIMEOUT_MS,
  );
});
