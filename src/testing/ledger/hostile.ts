import assert from 'node:assert/strict';
import type { LedgerPart } from './contract.js';
import {
  AT,
  allPages,
  inCodePointOrder,
  indexDocuments,
  MINUTE,
  planned,
  SOURCE,
  TENANT,
} from './records.js';

/** Text that breaks quoting, encodings or orders somewhere. */
const HOSTILE_TEXTS = [
  '',
  ' ',
  "'; DROP TABLE item; --",
  '"',
  '\\',
  '\\x00',
  '%_$1?',
  '{a,"b",NULL}',
  'NULL',
  'line\nbreak\r\ntab\t',
  'nul\0byte',
  'nul\0',
  '\0',
  '\u0001',
  '\u0001\u0001',
  '\u0001\u0002',
  '\u007f',
  'e\u0301',
  'é',
  '\u202eright to left',
  '\ufeffbom',
  '\u2028',
  '\ud7ff',
  '\ue000',
  '\ue000\ue000',
  '\ue000Ā',
  '\uffff',
  '😀',
  '\u{10ffff}',
  'مرحبا',
  'a',
  'B',
  'b',
];

/** Halves of surrogate pairs, which JSON can hold and UTF-8 cannot. */
const LONE_SURROGATES = ['\ud800', '\ud800a', '\udbff', '\udc00', 'x\udfff', '\udfff\ud800', 'a\ud801b'];

const ALL = [...HOSTILE_TEXTS, ...LONE_SURROGATES];

/** Names and texts that are legal and awkward. */
export const testHostileTexts: LedgerPart = (test) => {
  test('ids may be any text, and are listed in code point order', async ({ writer }) => {
    await indexDocuments(
      writer,
      ...ALL.map((id) => planned(id, { itemId: id, externalId: id, chunks: [{ chunkId: id, digest: 'x' }] })),
    );
    const documents = await allPages(writer.documents.bind(writer), ({ documentId }) => documentId, 5);
    // Half a pair has no place of its own in UTF-8; what matters is that each is there once and the others are in order.
    const ids = documents.map(({ documentId }) => documentId);
    assert.deepEqual([...ids].sort(), [...ALL].sort());
    assert.deepEqual(withoutHalves(ids), inCodePointOrder(HOSTILE_TEXTS));
    const chunks = await allPages(writer.allChunks.bind(writer), ({ chunkId }) => chunkId, 5);
    assert.deepEqual(withoutHalves(chunks.map(({ chunkId }) => chunkId)), inCodePointOrder(HOSTILE_TEXTS));
    assert.ok(chunks.every(({ chunkId, documentId }) => chunkId === documentId));
    for (const id of ALL) {
      assert.equal((await writer.document(id))?.itemId, id);
      assert.equal(await writer.text(id), 'text', JSON.stringify(id));
    }
  });

  test('every name and text of a document comes back as it was', async ({ writer }) => {
    for (const [i, text] of ALL.entries()) {
      const document = planned(`d${i}`, {
        tenant: text,
        project: text,
        source: text,
        sourceType: text,
        itemId: text,
        externalId: text,
        title: text,
        metadata: { [text]: [text, { text }] },
        text,
      });
      await indexDocuments(writer, document);
      const { text: _text, chunks: _chunks, ...facts } = document;
      assert.deepEqual(
        await writer.document(document.documentId),
        { ...facts, status: 'indexed', chunkCount: 1, indexedAt: AT },
        JSON.stringify(text),
      );
      assert.equal(await writer.text(document.documentId), text);
      assert.deepEqual([...(await writer.items(text, text)).keys()], [text], JSON.stringify(text));
      assert.deepEqual(await writer.sourceNames(text), [text]);
    }
    assert.equal((await writer.sources()).length, ALL.length);
  });

  test('leases, cursors, failures, remembered sources and owners have any name', async ({
    ledger,
    writer,
  }) => {
    assert.deepEqual(await writer.claim(TENANT, SOURCE, ALL, MINUTE), new Set(ALL));
    for (const text of ALL) {
      await writer.setSourceCursor(text, text, text);
      await writer.setSourceState(text, text, {
        failures: 1,
        error: { reason: 'INTERNAL', message: text, at: AT },
      });
      await writer.failItem(
        { tenant: text, source: text, itemId: text },
        {
          reason: 'DOCUMENT_INVALID',
          message: text,
          at: AT,
          version: text,
        },
      );
    }
    for (const text of ALL) {
      assert.equal(await writer.sourceCursor(text, text), text);
      assert.equal((await writer.sourceStates(text)).get(text)?.error?.message, text);
      const [item] = [...(await writer.items(text, text)).values()];
      assert.deepEqual([item?.itemId, item?.error?.message, item?.error?.version], [text, text, text]);
    }
    await ledger.rememberSources(TENANT, ALL);
    assert.deepEqual([...(await ledger.rememberedSources(TENANT))].sort(), [...ALL].sort());
    await ledger.forgetSources(TENANT, ALL.slice(1));
    assert.deepEqual(await ledger.rememberedSources(TENANT), ALL.slice(0, 1));
    for (const owner of ALL) await ledger.ownSources(TENANT, owner, ALL);
    const owners = [...(await ledger.sourceOwners(TENANT)).values()];
    assert.deepEqual(
      owners.map((names) => [...names].sort()),
      ALL.map(() => [...ALL].sort()),
    );
  });

  test('ids of a megabyte are told apart, also at their ends', async ({ writer }) => {
    const long = 'é'.repeat(500_000);
    const ids = [long, `${long}a`, `${long}b`, `a${long}`];
    await indexDocuments(
      writer,
      ...ids.map((id) => planned(id, { itemId: id, source: id, chunks: [{ chunkId: id, digest: 'x' }] })),
    );
    const documents = await allPages(writer.documents.bind(writer), ({ documentId }) => documentId, 1);
    assert.ok(
      documents.map(({ documentId }) => documentId).every((id, i) => id === inCodePointOrder(ids)[i]),
      'they are in order',
    );
    for (const id of ids) assert.equal((await writer.items(TENANT, id)).size, 1);
    const chunks = await allPages(writer.allChunks.bind(writer), ({ chunkId }) => chunkId, 3);
    assert.equal(chunks.length, ids.length);
  });
};

const withoutHalves = (ids: readonly string[]): string[] => ids.filter((id) => !LONE_SURROGATES.includes(id));
