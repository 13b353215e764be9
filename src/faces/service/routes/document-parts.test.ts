import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../tests/e2e/temporary-folder.js';
import { makePdf } from '../../../../tests/fixtures/documents/make-pdf.js';
import { createEngine } from '../../../index.js';
import { RagstoneClient } from '../../client/ragstone-client.js';
import { testService } from '../test-service.js';

const HOSTILE = '# A\n\n<script>alert(1)</script> One lamp burns.';

test('passages, versions and the original of a document come by the client, and nothing that a browser runs', async () => {
  const cwd = temporaryFolder({ 'docs/ä "b".md': HOSTILE });
  const sources = [{ name: 'manual', type: 'files' as const, root: 'docs' }];
  const engine = await createEngine({ config: { provider: 'memory', sources }, cwd });
  await engine.index({}, { tenant: 'acme' });
  const { app, call } = await testService({ engine });
  const client = new RagstoneClient({ url: await app.listen({ port: 0 }), key: 'acme-reader' });
  const [document] = (await client.listDocuments()).documents;
  const id = document?.id ?? '';
  const { text } = await client.getDocument(id);
  const { passages } = await client.documentPassages(id, { limit: 10 });
  expect(passages).toMatchObject([{ lines: { start: expect.any(Number) }, headingPath: expect.any(Array) }]);
  expect(text.slice(passages[0]?.offsets.start, passages[0]?.offsets.end)).toContain('One lamp burns.');
  expect(await client.documentVersions(id)).toEqual({ isKept: false, versions: [] });
  const { name, mediaType, content } = await client.documentOriginal(id);
  expect({ name, mediaType, text: await content.text() }).toEqual({
    ...{ name: 'ä "b".md', mediaType: 'text/markdown' },
    text: HOSTILE,
  });
  const { headers } = await call('acme-reader', 'GET', `/api/ai/rag/documents/${id}/original`);
  expect(headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': expect.stringMatching(/^attachment; /),
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  });
  await expect(client.documentOriginal('nobody')).rejects.toMatchObject({ reason: 'DOCUMENT_NOT_FOUND' });
});

test('passages of a document in pages say where each page begins', async () => {
  const long = 'The berth is closed by storm. '.repeat(8);
  const cwd = temporaryFolder({ 'docs/tariff.pdf': makePdf([[`One. ${long}`], [`Two. ${long}`]]) });
  const sources = [{ name: 'manual', type: 'files' as const, root: 'docs' }];
  const chunking = { strategy: 'whole' as const };
  const engine = await createEngine({ config: { provider: 'memory', sources, chunking }, cwd });
  await engine.index({}, { tenant: 'acme' });
  const { app } = await testService({ engine });
  const client = new RagstoneClient({ url: await app.listen({ port: 0 }), key: 'acme-reader' });
  const id = (await client.listDocuments()).documents[0]?.id ?? '';
  const { text } = await client.getDocument(id);
  const { passages } = await client.documentPassages(id);
  expect(passages.map(({ pages }) => pages)).toEqual([{ start: 1, end: 2, breaks: [text.indexOf('Two.')] }]);
});

test('what has no original is refused with its reason', async () => {
  const { engine, call } = await testService();
  await engine.push([{ id: 'a', text: 'One.' }], { tenant: 'acme' });
  const { status, json } = await call('acme', 'GET', '/api/ai/rag/documents/a/original');
  expect([status, json().reason]).toEqual([409, 'ORIGINAL_UNAVAILABLE']);
});
