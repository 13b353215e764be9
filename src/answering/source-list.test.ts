import { expect, it, test } from 'vitest';
import { answerQuestion } from './answer-question.js';
import { fixedRetrieve, ScriptedChatModel, testDependencies } from './test-answering.js';

const sources = [
  { content: 'Orders are packed by hand.', document: 'hb/orders.md', score: 0.9 },
  {
    content: 'A lost key is blocked within one hour.',
    document: 'hb/yubikey-faq.md',
    title: 'Lost key is blocked',
    score: 0.8,
  },
];
const SAID = 'A lost key is blocked within one hour. [2]';
const ask = (said: string) =>
  answerQuestion(
    { question: 'What happens with a lost key?' },
    testDependencies(fixedRetrieve(sources), new ScriptedChatModel(said)),
  );

test.each([
  'Sources:\n[2] hb/yubikey-faq.md',
  'Sources:\n\n- [2] hb/yubikey-faq.md\n- [1] hb/orders.md',
  '**Sources:**\n1. hb/yubikey-faq.md [2]',
  '## References\n\n[2] `hb/yubikey-faq.md`',
  'Sources used:\n* [2] yubikey faq, lines 1-3',
  'Sources: [2]',
  'Source: hb/yubikey-faq.md [2]',
  'Sources: [1] hb/orders.md, [2] hb/yubikey-faq.md',
  'References:\n[1, 2]',
  'Sources:\n- Source 2: hb/yubikey-faq.md\n- Source 1: hb/orders.md',
  '[2] hb/yubikey-faq.md',
])('a list of sources is shown as it was written and claims nothing: %j', async (list) => {
  const { answer, support, notices } = await ask(`${SAID}\n\n${list}`);
  expect(answer).toBe(`${SAID}\n\n${list}`);
  expect(support.map(({ verdict }) => verdict)).toEqual(['supported']);
  expect(notices.join(' ')).not.toMatch(/no citation|not say|unchecked|sentence/);
});

it.each([
  '[^2]: hb/yubikey-faq.md',
  '[^2]: `hb/yubikey-faq.md`',
  '[^1]: hb/orders.md\n[^2]: hb/yubikey-faq.md',
  '[^2]: file.md',
])('the definition of a footnote claims nothing: %j', async (definition) => {
  const { answer, support } = await ask(`A lost key is blocked within one hour.[^2]\n\n${definition}`);
  expect(answer).toBe(`${SAID}\n\n${definition.replace(/\[\^(\d)\]:/g, '[$1]')}`);
  expect(support.map(({ verdict }) => verdict)).toEqual(['supported']);
});

it.each([
  'Sources:\n[2] hb/yubikey-faq.md says that keys cost 500 EUR',
  'Sources:\n[2] Keys are blocked within nine weeks.',
  '[^2]: Keys are blocked within nine weeks.',
  'Sources: wizards of the coast block all lost keys [2]',
  '[2] hb/yubikey-faq.md costs nine thousand euros',
  'Sources:\n[2] Lost key is not blocked',
  'Sources:\n[2] 丢失的密钥在九周内被锁定/封存。',
])('what says more than names of sources is checked: %j', async (list) => {
  const { answer, support } = await ask(`${SAID}\n\n${list}`);
  expect(support.some(({ verdict }) => verdict === 'unsupported' || verdict === 'contradicted')).toBe(true);
  expect(answer.includes(list) && !answer.includes('(unchecked)')).toBe(false);
});

it('a source that does not exist is in no list', async () => {
  const { answer } = await ask(`${SAID}\n\nSources:\n[9] hb/other.md`);
  expect(answer).not.toContain('[9]');
});

it.each(['Sources:\n[2] hb/yubikey-faq.md', '- [1] hb/orders.md\n- [2] hb/yubikey-faq.md'])(
  'an answer that is nothing else is checked as before: %j',
  async (said) => {
    const { support } = await ask(said);
    expect(support.length).toBeGreaterThan(0);
  },
);
