import { expect, test } from 'vitest';
import { sharedFolder } from '../../tests/e2e/temporary-folder.js';
import { ScriptedChatModel } from '../answering/test-answering.js';
import { createEngine } from '../index.js';
import { connectClient } from './test-client.js';

const TEXT =
  'Since 09:20 every third upload to file-vault failed with status 413. The limit of the new ingress is 2 GB. Downloads were not affected.';

async function askSaying(text: string) {
  const chatModel = new ScriptedChatModel(text);
  const engine = await createEngine({ config: { provider: 'memory' }, chatModel, cwd: sharedFolder() });
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
    unsupported: [`${sentence}.`],
    sources: [{ n: 1, is_cited: true }],
  });
});

test('what its source contradicts is removed, and that is said', async () => {
  const { text, structured } = await askSaying(
    'Downloads were not affected [1]. The limit of the new ingress is 5 GB [1].',
  );
  for (const form of [text, JSON.stringify(structured)]) {
    expect(form).not.toContain('5 GB');
    expect(form).toContain('1 of 2 sentences removed');
  }
});

test('a language model of whose answer nothing is left is not said to have been silent', async () => {
  const { text, structured } = await askSaying('The limit of the new ingress is 5 GB [1].');
  expect(structured).toMatchObject({ answered_by: 'quotation' });
  for (const form of [text, JSON.stringify(structured)]) {
    expect(form).toContain("The language model's answer was removed");
    expect(form).not.toContain('without the language model');
  }
});
