import { expect, it } from 'vitest';
import { staticResponsesFor } from './static-responses.js';

const SETTINGS = [
  { text: 'Ask the desk.' },
  { text: 'Pager: 42.', words: ['on-call', 'pager'] },
  { text: 'VPN: see the intranet.', words: ['VPN'] },
];

it.each([
  ['Who is ON-CALL now?', ['Pager: 42.']],
  ['vpn or pager', ['Pager: 42.', 'VPN: see the intranet.']],
  ['on a call', ['Ask the desk.']],
  ['pagers', ['Ask the desk.']],
  ['', ['Ask the desk.']],
])('says to %j what is for its words, else what is for every question', (question, texts) => {
  expect(staticResponsesFor(question, SETTINGS)).toEqual(texts.map((text) => ({ kind: 'static', text })));
});
