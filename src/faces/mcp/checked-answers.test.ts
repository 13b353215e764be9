import { expect, test } from 'vitest';
import { sharedFolder } from '../../../tests/e2e/temporary-folder.js';
import { ScriptedChatModel } from '../../answering/test-answering.js';
import { createEngine } from '../../index.js';
import { connectClient } from './test-client.js';

const TEXT =
  'Since 09:20 every third upload to file-vault failed with status 413. The limit of the new ingress is 2 GB. Downloads were not affected.';

async function askSaying(text: string, unsupported: 'mark' | 'remove' = 'mark') {
  const chatModel = new ScriptedChatModel(text);
  const engine = await createEngine({
    config: { provider: 'memory', answering: { unsupported } },
    chatModel,
    cwd: sharedFolder(),
  });
  await engine.push([{ id: 'outage.md', text: TEXT }]);
  const client = await connectClient(engine);
  const said = await client.tool('ask', { question: 'Why did uploads to file-vault fail?' });
  await engine.close();
  return said;
}

test('what a language model says in its own words is marked, named and shown with its source', async () => {
  const sentence = 'People who sent something heavy were turned away at the door';
  const { text, structured } = await askSaying(`${sentence} [1].`);
  for (const form of [text, JSON.stringify(structured)]) {
    expect(form).toContain(`${sentence}. [1] (unchecked)`);
    expect(form).toContain('1 of 1 sentence unchecked');
    expect(form).toContain('The limit of the new ingress is 2 GB');
  }
  expect(structured).toMatchObject({
    answered_by: 'language model',
    support: [{ sentence: `${sentence}.`, verdict: 'unsupported', is_removed: false }],
    sources: [{ n: 1, is_cited: true }],
  });
});

test('what its source contradicts is removed, and told apart from the answer', async () => {
  const { text, structured } = await askSaying(
    'Downloads were not affected [1]. The limit of the new ingress is 5 GB [1].',
  );
  for (const form of [text, JSON.stringify(structured)]) expect(form).toContain('1 of 2 sentences removed');
  expect(structured.answer).not.toContain('5 GB');
  expect(structured.support).toEqual([
    { sentence: 'Downloads were not affected.', verdict: 'supported', is_removed: false },
    { sentence: 'The limit of the new ingress is 5 GB.', verdict: 'contradicted', is_removed: true },
  ]);
  expect(text).toMatch(
    /Removed .*:\n<passage key="\w+" kind="removed">\nThe limit of the new ingress is 5 GB\./,
  );
});

test('a sentence that is removed because it cannot be checked is told', async () => {
  const { structured } = await askSaying('People were turned away at the heavy door [1].', 'remove');
  expect(structured).toMatchObject({
    answered_by: 'quotation',
    support: [{ verdict: 'unsupported', is_removed: true }],
  });
});

test('of more sentences than fit, those that are not supported are told first, and the cut is said', async () => {
  const { structured } = await askSaying(
    `${'Downloads were not affected [1]. '.repeat(900)}People were turned away at the heavy door [1].`,
  );
  expect(structured.support.at(-1)).toMatchObject({ verdict: 'unsupported' });
  expect(structured.support.length).toBeLessThan(901);
  expect(structured.notices.join()).toMatch(/was cut/);
});

test('a language model of whose answer nothing is left is not said to have been silent', async () => {
  const { text, structured } = await askSaying('The limit of the new ingress is 5 GB [1].');
  expect(structured).toMatchObject({ answered_by: 'quotation' });
  for (const form of [text, JSON.stringify(structured)]) {
    expect(form).toContain("The language model's answer was removed");
    expect(form).not.toContain('without the language model');
  }
});
