import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder, writeFiles } from '../../tests/e2e/temporary-folder.js';
import { compatibleEmbeddingWire, embeddingReply } from '../../tests/fakes/wire/embedding-wire.js';
import { jsonReply, startWireServer } from '../../tests/fakes/wire/wire-server.js';
import { createEngine } from './create-engine.js';

/** A folder with one document, and a model on a server that may be out. */
async function hosted(dimensions?: number) {
  const model = { isOut: false, asked: () => {} };
  const server = await startWireServer(compatibleEmbeddingWire, (request) => {
    model.asked();
    return model.isOut
      ? jsonReply(401, { error: { message: 'No.' } })
      : embeddingReply(compatibleEmbeddingWire, request, 768);
  });
  onTestFinished(() => server.close());
  const cwd = temporaryFolder({ 'a.md': '# Report\n\nRevenue grew by three percent.\n' });
  const open = async () => {
    const engine = await createEngine({
      cwd,
      config: {
        provider: 'libsql',
        sources: [{ name: 'docs', type: 'markdown', root: '.', paths: ['*.md'] }],
        embedding: { model: 'ollama:nomic-embed-text', ...(dimensions === undefined ? {} : { dimensions }) },
        modelProviders: { ollama: { baseUrl: `${server.url}/v1` } },
      },
    });
    onTestFinished(() => engine.close());
    return engine;
  };
  return { open, model, cwd };
}

const words = { mode: 'lexical' } as const;

test.each([
  ['asked for its vectors', 768],
  ['opened, before the run begins', undefined],
])(
  'a run whose model is out when it is %s is the last run, with its reason, until one goes well',
  async (_, dimensions) => {
    const { open, model, cwd } = await hosted(dimensions);
    await (await open()).index();
    writeFiles(cwd, { 'a.md': '# Report\n\nRevenue fell by five percent.\n' });
    model.isOut = true;
    const engine = await open();
    await expect(engine.index()).rejects.toMatchObject({ reason: 'EMBEDDING_REJECTED' });
    const { lastRun, notices } = await engine.status();
    expect(lastRun).toMatchObject({
      command: 'index',
      success: false,
      finishedAt: expect.stringMatching(/Z$/) as string,
      error: { reason: 'EMBEDDING_REJECTED', message: expect.stringMatching(/\w/) as string },
      stats: { errors: [] },
    });
    expect(lastRun?.stats).not.toHaveProperty('failure');
    const told = expect.stringContaining('The last index run failed (EMBEDDING_REJECTED)') as string;
    expect(notices).toContainEqual(told);
    expect((await engine.search({ text: 'revenue', options: words })).notices).toContainEqual(told);

    model.isOut = false;
    await engine.index();
    const after = await engine.status();
    expect(after.lastRun).toMatchObject({ success: true });
    expect(after.lastRun).not.toHaveProperty('error');
    expect(after.notices).not.toContainEqual(told);
  },
);

test('a push that the model fails is the last run too', async () => {
  const { open, model } = await hosted(768);
  const engine = await open();
  await engine.index();
  model.isOut = true;
  await expect(engine.push([{ id: 'n', text: 'A note of the day.' }])).rejects.toMatchObject({
    reason: 'EMBEDDING_REJECTED',
  });
  expect((await engine.status()).lastRun).toMatchObject({
    success: false,
    error: { reason: 'EMBEDDING_REJECTED' },
  });
});

test('a run that is stopped has no end', async () => {
  const { open } = await hosted(768);
  const engine = await open();
  await engine.index();
  const controller = new AbortController();
  const run = engine.index({ signal: controller.signal, onProgress: () => controller.abort() });
  await expect(run).rejects.toMatchObject({ reason: 'ABORTED' });
  expect((await engine.status()).lastRun).not.toHaveProperty('error');
});

test('a run that is stopped says how many documents of it are kept, and the index holds so many', async () => {
  const { open, model, cwd } = await hosted(768);
  const notes = ['b', 'c', 'd', 'e'].map((name) => [`${name}.md`, `The note ${name} on pumps.\n`]);
  writeFiles(cwd, Object.fromEntries(notes));
  const engine = await open();
  const stoppedAtCall = async (wanted: number) => {
    const controller = new AbortController();
    let calls = 0;
    model.asked = () => {
      calls += 1;
      if (calls === wanted) controller.abort();
    };
    const run = engine.index({ options: { batchSize: 1, parallel: 1 }, signal: controller.signal });
    const stopped = await run.catch((error: unknown) => error);
    return { stopped, documents: (await engine.status()).documents };
  };
  const kept = (documentsProcessed: number) => ({ reason: 'ABORTED', details: { documentsProcessed } });
  expect(await stoppedAtCall(1)).toMatchObject({ stopped: kept(0), documents: 0 });
  expect(await stoppedAtCall(3)).toMatchObject({ stopped: kept(2), documents: 2 });
  expect(await stoppedAtCall(2)).toMatchObject({ stopped: kept(1), documents: 3 });
});
