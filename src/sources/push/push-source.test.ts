import { expect, test } from 'vitest';
import type { Metadata } from '../../core/metadata.js';
import { createPushSource } from './push-source.js';

async function pushed(metadata: Metadata) {
  const documents = [{ id: 'linkedin_3', text: 'Led the search team.', metadata }];
  const source = createPushSource({ name: 'pushed', documents, listing: 'incremental' });
  for await (const item of source.list()) {
    if (!('version' in item)) continue;
    const [document] = (await source.read(item)).documents;
    return { updatedAt: document?.updatedAt, location: document?.location };
  }
  return undefined;
}

test('source and timestamp are where a document is from, and from when', async () => {
  expect(await pushed({ source: 'linkedin', timestamp: '2025-10-27T09:30:00.123456' })).toMatchObject({
    location: 'linkedin',
    updatedAt: '2025-10-27T09:30:00.123Z',
  });
  expect((await pushed({ timestamp: '2025-10-27' }))?.updatedAt).toBe('2025-10-27T00:00:00.000Z');
});

test('a timestamp says nothing beside the dates of a document, nor where it is none', async () => {
  expect((await pushed({ timestamp: '2025-10-27', createdAt: '2024-01-01' }))?.updatedAt).toBeUndefined();
  expect((await pushed({ timestamp: '2025-10-27', updatedAt: '2024-01-01' }))?.updatedAt).toBeUndefined();
  expect((await pushed({ timestamp: 'last week' }))?.updatedAt).toBeUndefined();
});
