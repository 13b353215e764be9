import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readKnowledge } from '../src/knowledge.js';
import { readQuestions } from '../src/questions.js';
import { PLACES } from '../src/settings.js';

const files = new Map(
  readdirSync(PLACES.documents).map((file) => [
    file.replace('.md', ''),
    readFileSync(join(PLACES.documents, file), 'utf8'),
  ]),
);
const documents = readKnowledge();

test('forty documents have a source, a date and, where there are several, a version', () => {
  assert.equal(documents.length, 40);
  for (const { document_id, title, metadata } of documents) {
    assert.ok(files.has(document_id) && title !== '' && metadata.source !== '', document_id);
    assert.match(metadata.timestamp, /^20\d\d-\d\d-\d\d$/, document_id);
  }
  const versions = documents.filter(({ metadata }) => metadata.version !== undefined);
  for (const family of new Set(versions.map(({ metadata }) => metadata.family))) {
    const own = versions.filter(({ metadata }) => metadata.family === family);
    const inOrder = own.sort((a, b) => Number(a.metadata.version) - Number(b.metadata.version));
    const dates = inOrder.map(({ metadata }) => metadata.timestamp);
    assert.ok(dates.length > 1);
    assert.deepEqual(dates, [...dates].sort());
  }
});

test('every document calls itself fictional, and that line is not indexed', () => {
  for (const { document_id, text, metadata } of documents) {
    assert.equal(metadata.fictional, true);
    assert.match(files.get(document_id) ?? '', /^# .+\n\n.*\bfictional\b/im, document_id);
    assert.match(text, /^# .+\n\n\S/, document_id);
    assert.doesNotMatch(text, /fictional/i, document_id);
  }
});

test('links lead to documents, and summaries to what they summarise', () => {
  for (const { document_id, text, metadata } of documents) {
    for (const [, target = ''] of text.matchAll(/\]\(([^)]+)\.md\)/g))
      assert.ok(files.has(target), `${document_id}: ${target}`);
    assert.equal(metadata.type === 'summary', metadata.summarizes !== undefined);
    if (metadata.type === 'summary') assert.ok(files.has(String(metadata.summarizes)));
  }
});

test('sixty questions name relevant documents with grades, and quote one to the letter', () => {
  const questions = readQuestions();
  assert.equal(questions.length, 60);
  assert.equal(new Set(questions.map(({ id }) => id)).size, 60);
  for (const { id, kind, relevance, relevant_doc_ids, answer, answer_quote } of questions) {
    const relevant = Object.entries(relevance).filter(([, grade]) => grade >= 5);
    assert.deepEqual(relevant.map(([name]) => name).sort(), [...relevant_doc_ids].sort(), id);
    for (const [name, grade] of Object.entries(relevance))
      assert.ok(files.has(name) && grade >= 0 && grade <= 10, id);
    assert.equal(kind === 'unanswerable', answer === null, id);
    if (answer_quote !== null)
      assert.ok(
        relevant_doc_ids.some((name) => files.get(name)?.includes(answer_quote)),
        id,
      );
  }
});
