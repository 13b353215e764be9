import { expect, it } from 'vitest';
import { asksForLink, isLinkAlone, isLinkList, leadsOn } from './bare-links.js';

it.each([
  '- [Scrum Master](https://scrumguides.org/scrum-guide.html)',
  '* [Google approach to PR size](https://example.com/small.html)',
  'https://example.com/docs/a',
  '- [A](a.md), [B](b.md)',
  '[Contents](#contents) >',
])('is the name of what stands elsewhere: %s', (text) => expect(isLinkAlone(text)).toBe(true));

it.each([
  '- [Scrum Master](https://example.com): removes what stops the team',
  'Use [TLS 1.3](tls.md) for all connections.',
  '- [Fix a crash where the configuration is missing](https://example.com/issues/12)',
  '- [Every service states its owner, its on-call rotation and its runbook](services.md)',
  'No link at all',
  '![A picture](a.png)',
])('tells something: %s', (text) => expect(isLinkAlone(text)).toBe(false));

it.each([
  '[Logs vs Metrics](x.md) covers some high level guidance on when to use which.',
  'For more details see [the guide](guide.md).',
  'See also [Retention](retention.md) and [Backups](backups.md).',
  '- Refer to [RFC 7231](https://example.com/rfc7231).',
])('leads on: %s', (text) => expect(leadsOn(text)).toBe(true));

it.each([
  'Logs are kept for thirty days, see [Retention](retention.md).',
  'Use [metrics](metrics.md) for alerts and logs for details.',
  'For more than ten errors a minute somebody is paged.',
])('does not only lead on: %s', (text) => expect(leadsOn(text)).toBe(false));

it.each([
  ['Where is the guide on retention?', true],
  ['how long are logs kept?', false],
])('%s', (question, isAsked) => expect(asksForLink(question)).toBe(isAsked));

it.each([
  [
    '## Resources\n\n* [Small changes](https://example.com/small)\n* [Reviews](reviews.md)\n* [Flags](https://example.com/flags)',
    true,
  ],
  [
    '- [Use TLS](tls.md): version 1.3 alone, on every port.\n- [Keys](keys.md): turned over each month.\n- [Logs](logs.md): kept for thirty days.',
    false,
  ],
  ['See [one](a.md), [two](b.md).', false],
])('a list of links: %j', (text, isList) => expect(isLinkList(text)).toBe(isList));
