import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TENANTS, textOf } from '../src/corpus/corpus.js';
import { generateCorpus } from '../src/corpus/generate-corpus.js';

const corpus = generateCorpus();

test('the corpus is the same for the same seed, and another for another', () => {
  assert.deepEqual(generateCorpus(), corpus);
  assert.notDeepEqual(generateCorpus(1), corpus);
});

test('the corpus has 22 contracts and policies for each of three tenants, with unique ids', () => {
  for (const { id } of TENANTS) {
    const own = corpus.documents.filter(({ tenantId }) => tenantId === id);
    assert.equal(own.length, 22);
    assert.equal(new Set(own.map(({ documentId }) => documentId)).size, 22);
    assert.deepEqual(new Set(own.map(({ documentType }) => documentType)), new Set(['contract', 'policy']));
  }
});

test('each answer stands in the document that its question names, and where it names no party in no other', () => {
  for (const { tenantId, documentId, question, answer } of corpus.questions) {
    if (documentId === undefined || answer === undefined) continue;
    const holders = corpus.documents.filter(
      (document) => document.tenantId === tenantId && textOf(document).includes(answer),
    );
    const ids = holders.map((document) => document.documentId);
    assert.ok(ids.includes(documentId), question);
    const party = holders.find((holder) => holder.documentId === documentId)?.documentName.split(': ')[1];
    if (party === undefined || !question.includes(party)) assert.deepEqual(ids, [documentId], question);
  }
});
