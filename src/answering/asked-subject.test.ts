import { expect, test } from 'vitest';
import { isOfAnother } from './asked-subject.js';
import { missingNames } from './missing-names.js';
import { numberedNamesIn } from './numbered-names.js';

const judged = (
  text: string,
  { title = '', source = 'a.md', headings = [] as string[], decisive = text } = {},
) => ({
  entry: {
    ...{ source, title, headingPath: headings, metadata: {} },
    pieces: [{ text, start: 0, end: text.length, line: 1 }],
  },
  text,
  decisive,
});

const ADR = '* Status: superseded by ADR 15\n* Date: 2022-02-02\n* Deciders: Kaja, Bo';
const DECIDERS = { title: 'ADR 12: use NATS', decisive: '* Deciders: Kaja, Bo' };
const MAIL = { title: 'Mail service' };
const DEPOT = '| | |\n|---|---|\n| Owner | Wanja |\n| Opened | 2019-04-01 |\n| Status | closed |';
const CLUSTERS = '| Environment | Cluster |\n|---|---|\n| Test | aconcagua |';
const VERSIONS = '| Version | End of support |\n|---|---|\n| 3.0.0 | 2023-06-30 |\n| 4.0.0 | 2025-06-30 |';

test.each([
  ['what is the status of ADR 13?', judged(ADR, DECIDERS), true],
  ['who decided ADR 15?', judged(ADR, DECIDERS), true],
  ['who decided ADR 12?', judged(ADR, DECIDERS), false],
  [
    'which decision was superseded by ADR 15?',
    judged(ADR, { ...DECIDERS, decisive: '* Status: superseded by ADR 15' }),
    false,
  ],
  ['who decided ADR 12?', judged('Deciders: Kaja', { source: 'adr/0012-nats.md' }), false],
  ['what does chapter 3 say of leave?', judged('Leave is free.', { headings: ['2. Leave'] }), true],
  ['what does chapter 3 say of leave?', judged('Leave is free.', { headings: ['3. Leave'] }), false],
  ['what do I do in step 2?', judged('1. Open it.\n2. Close it.'), false],
  ['what is fixed in release 4.2?', judged('Wobble is fixed.', { headings: ['4.3.0'] }), true],
  ['what is fixed in release 4.2?', judged('Wobble is fixed.', { headings: ['4.2.1'] }), false],
  ['what is the status of the search service?', judged('status: active', MAIL), true],
  ['what is the status of the mail service?', judged('status: active', MAIL), false],
  ['how many days of sick leave do employees get?', judged('Employees get 30 days of holiday a year.'), true],
  ['how many days of holiday do employees get?', judged('Employees get 30 days of holiday a year.'), false],
  ['when was the depot closed?', judged(DEPOT, { title: 'Depot' }), true],
  ['when was the depot opened?', judged(DEPOT, { title: 'Depot' }), false],
  ['which cluster does Development run on?', judged(CLUSTERS, { decisive: '| Test | aconcagua |' }), true],
  ['which cluster does Test run on?', judged(CLUSTERS, { decisive: '| Test | aconcagua |' }), false],
  ['when does support of v4 end?', judged(VERSIONS, { decisive: '| 4.0.0 | 2025-06-30 |' }), false],
  ['when does support of v6 end?', judged(VERSIONS, { decisive: '| 4.0.0 | 2025-06-30 |' }), true],
  ['who is on call next month?', judged('This week Wanja is on call. Last week it was Bo.'), true],
  ['who was on call last week?', judged('This week Wanja is on call. Last week it was Bo.'), false],
  ['who was on call in the previous sprint?', judged('Bo was on call last sprint.'), false],
  ['who is on call tomorrow?', judged('Today Wanja is on call.'), true],
  ['who is on call next month?', judged('In June Wanja is on call.'), false],
  ['who approved the retention policy?', judged('Invoices are kept for ten years. Logs are deleted.'), true],
  ['who maintains the parser?', judged('The parser reads a line at a time and keeps what it read.'), true],
  ['who maintains the parser?', judged('The parser is maintained by Zyte.'), false],
  ['who owns the parser?', judged('Owned by the platform squad.'), false],
  ['when was the parser introduced?', judged('The parser replaces the scanner.'), true],
  ['when was the parser introduced?', judged('New in version two.'), false],
  ['when was the parser introduced?', judged('The parser came in March.'), false],
  ['when was the parser introduced?', judged('The parser came in 2.4.'), false],
  ['when did the parser fail?', judged('It failed on Monday.'), false],
  ['who approved the Retention Policy?', judged('The Retention Policy is approved.'), true],
  ['who approved the retention policy?', judged('approved_by: Priya Nair'), false],
  ['who approved the retention policy?', judged('The policy was approved by the security board.'), false],
  ['who approved the retention policy?', judged('Last week we approved it.'), false],
  ['who approves a change?', judged('Changes are approved in the console.'), false],
])('%s', (question, quotation, isAnother) => {
  expect(isOfAnother(question, quotation)).toBe(isAnother);
});

test.each([
  ['Which ticket 77 or RFC 12 does release 4.2 close?', 3],
  ['Does it retry after 30 seconds, as HTTP 503 says, on Windows 11?', 0],
  ['Does ADR 12 hold for more than 100 items in 2024?', 1],
])('names with numbers in %s', (question, count) => {
  expect(numberedNamesIn(question)).toHaveLength(count);
});

test('a number that nobody has given out is said to be missing', async () => {
  const missing = (question: string, text: string) =>
    missingNames(question, [text], { isKnownWord: async () => true, isKnownIdentifier: async () => false });
  expect(await missing('what is the status of ADR 13?', 'ADR 12: use NATS')).toEqual(['ADR 13']);
  expect(await missing('what is the status of ADR 13?', 'see ADR-0013')).toEqual([]);
});
