import { setTimeout as sleep } from 'node:timers/promises';
import Fastify from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder, writeFiles } from '../../../tests/e2e/temporary-folder.js';
import { loadConfig } from '../../config/load-config.js';
import { createEngine, createKnowledgeDeployments, type Engine } from '../../index.js';
import { followSources } from './follow-sources.js';
import { IndexRuns } from './index-runs.js';

const NOTE = { 'notes/roof.md': '# Roof\n\nThe lamp on the roof is blue.' };

interface Followed {
  readonly rag?: object;
  readonly source?: object;
  readonly cwd?: string;
}

const optionsOf = ({ rag = {}, source = { watch: true }, cwd = temporaryFolder(NOTE) }: Followed) => ({
  config: {
    provider: 'libsql' as const,
    sources: [{ name: 'notes', type: 'files' as const, root: 'notes', ...source }],
    ...rag,
  },
  cwd,
});

/** Follows the sources as a service does, until the test ends; what is logged. */
async function follow(options: ReturnType<typeof optionsOf>, served: { readonly engine?: Engine } = {}) {
  const lines: Record<string, unknown>[] = [];
  const { log } = Fastify({
    logger: { level: 'info', stream: { write: (line) => lines.push(JSON.parse(line) as (typeof lines)[0]) } },
  });
  const config = await loadConfig(options);
  const deployments = served.engine === undefined ? await createKnowledgeDeployments(options) : undefined;
  const runs = new IndexRuns();
  const sync = followSources({ ...served, deployments, config, runs }, log);
  onTestFinished(async () => {
    await sync?.stop();
    await deployments?.close();
  });
  const until = async (isSo: () => boolean): Promise<void> => {
    for (const end = Date.now() + 240_000; !isSo(); await sleep(20))
      if (Date.now() > end) throw new Error(`It never came to that: ${JSON.stringify(lines)}`);
  };
  const linesOf = (tenant: string, msg: string) =>
    lines.filter((line) => line.tenant === tenant && line.msg === msg);
  const readBy = (tenant: string) => linesOf(tenant, 'a source was read').length;
  return { sync, lines, linesOf, readBy, until, deployments, runs };
}

async function opened(options: ReturnType<typeof optionsOf>): Promise<Engine> {
  const engine = await createEngine(options);
  onTestFinished(() => engine.close());
  return engine;
}

const idsOf = async (engine: Engine, tenant: string): Promise<string[]> =>
  (await engine.list({}, { tenant })).documents.map(({ externalId }) => externalId);

describe('a service follows the sources', () => {
  test('for each tenant of rag.sync.tenants once, and for no other', async () => {
    const options = optionsOf({ rag: { sync: { tenants: ['acme', 'globex', 'acme'], settleMs: 50 } } });
    const engine = await opened(options);
    const { sync, readBy, linesOf, until, runs } = await follow(options, { engine });
    await until(() => readBy('acme') > 0 && readBy('globex') > 0);
    expect(sync?.states().map(({ source }) => source)).toEqual(['notes', 'notes']);
    for (const tenant of ['acme', 'globex']) expect(await idsOf(engine, tenant)).toEqual(['roof.md']);
    expect(await idsOf(engine, 'default')).toEqual([]);
    expect([readBy('acme'), readBy('globex')]).toEqual([1, 1]);
    expect(runs.of({ tenant: 'acme' })).toMatchObject([
      { by: 'sync', sources: ['notes'], success: true, stats: { documentsProcessed: 1 } },
    ]);
    // Named twice, it does not wait for itself.
    expect(linesOf('acme', 'another process follows the sources; this one waits')).toEqual([]);

    // One change, read for both.
    writeFiles(options.cwd, { 'notes/cellar.md': 'The cellar is dry.' });
    await until(() => readBy('acme') > 1 && readBy('globex') > 1);
    for (const tenant of ['acme', 'globex'])
      expect(await idsOf(engine, tenant)).toEqual(expect.arrayContaining(['cellar.md', 'roof.md']));
    expect((await engine.status({ tenant: 'globex' })).following).toMatchObject({
      isFollowed: true,
      sources: [{ source: 'notes', watch: 'on', failures: 0 }],
    });
    expect((await engine.status()).following).toBeUndefined();
  });

  test('for the default tenant where none is named, and stops in good order', async () => {
    const options = optionsOf({ source: { autoIndex: true } });
    const engine = await opened(options);
    const { sync, readBy, until } = await follow(options, { engine });
    await until(() => readBy('default') > 0);
    expect(await idsOf(engine, 'default')).toEqual(['roof.md']);
    await sync?.stop();
    expect((await engine.status()).following).toMatchObject({ isFollowed: false });
  });

  test.each([
    ['where no source says when', { source: {} }],
    ['where it is told not to', { rag: { server: { sync: false } } }],
  ])('never %s', async (_, settings) => {
    const options = optionsOf(settings);
    const { sync } = await follow(options, { engine: await opened(options) });
    expect(sync).toBeUndefined();
  });

  test('for the others where one tenant has an index of its own, which has no sources', async () => {
    const options = optionsOf({ rag: { sync: { tenants: ['own', 'shared'] } } });
    const cwd = options.cwd;
    const first = await createKnowledgeDeployments(options);
    await first.saveDeploymentConfig({ tenantId: 'own', model: 'Dedicated' });
    await first.close();
    const { linesOf, readBy, until, deployments, sync } = await follow({ ...options, cwd });
    await until(() => readBy('shared') > 0 && linesOf('own', 'a source was not read').length > 0);
    expect(linesOf('own', 'a source was not read')[0]).toMatchObject({ reason: 'USAGE', source: 'notes' });
    const held = await (await deployments?.of({ tenant: 'shared' }))?.view.list();
    expect(held?.documents.map(({ externalId }) => externalId)).toEqual(['roof.md']);
    expect(sync?.states().map(({ failures }) => failures > 0)).toEqual([true, false]);
  });

  test.each([[[]], [['']], ['acme']])('tenants %j are refused', async (tenants) => {
    await expect(loadConfig(optionsOf({ rag: { sync: { tenants } } }))).rejects.toMatchObject({
      reason: 'CONFIG_INVALID',
    });
  });
});
