import { expect, test } from 'vitest';
import { exactNamesIn } from './exact-names.js';
import { missingNames } from './missing-names.js';

test.each([
  ['What does MESOS-99999 fix?', ['MESOS-99999']],
  ['is v1.2 or 3.4.5-rc1 out?', ['3.4.5-rc1', 'v1.2']],
  ['what are E1234 and MAX_RETRY_COUNT?', ['E1234', 'MAX_RETRY_COUNT']],
  ['what goes in deploy/values.yaml?', ['values.yaml']],
  ['what does client.requestStream or foo_bar.yaml do?', ['client.requestStream', 'foo_bar.yaml']],
  ['why do I get HTTP 503?', []],
  ['how long are logs kept?', []],
])('identifiers of %j', (question, names) => {
  expect(
    exactNamesIn(question)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(names);
});

test.each([
  ['MESOS-5754', 'fixed by mesos 5754'],
  ['MESOS-5754', 'see MESOS-\n5754.'],
  ['MESOS-5754', 'Mesos#5754'],
  ['MESOS-5754', 'MESOS-5750 to MESOS-5760 are done'],
  ['MESOS-5754', 'MESOS-5750..5760'],
  ['BUG-12', 'BUG-0012'],
  ['KEP-4939', 'kep-number: 4939'],
  ['RFC-2603', 'rust-lang/rfcs#2603'],
  ['TS2304', 'error TS 2304'],
  ['MAX_RETRY_COUNT', 'the maxRetryCount of a call'],
  ['ButtonWidget.add_class', 'Widget.add_class(name)'],
  ['readReplica', 'two read replicas'],
  ['v1.2', 'new in 1.2.3'],
  ['1.2.0', 'since 1.2'],
  ['1.22.4', 'works from 1.20.0 to 1.25.0'],
  ['1.30.1', 'needs 1.18 and later'],
  ['C#', 'C\\# 12 and csharp-guide.md'],
  ['C++', 'written in C++17'],
  ['C++', 'pool.cpp'],
  ['.NET', 'the dotnet tool'],
])('%s stands in %j', (name, text) => {
  expect(exactNamesIn(`what is ${name}?`).map(({ standsIn }) => standsIn(text))).toEqual([true]);
});

test.each([
  ['MESOS-5754', 'MESOS-57541'],
  ['MESOS-5754', 'MESOS-5755 on port 5754'],
  ['MESOS-5754', 'MESOS-5755 to MESOS-5760'],
  ['v1.2', 'v11.2 and 1.20'],
  ['1.2.4', 'since 1.2.41'],
  ['29.58.3', 'from 1.18 and later, on 10.0.0.1 - 192.168.0.9'],
  ['29.58.3', 'with 1.18.0 or newer'],
  ['MAX_RETRY_COUNT', 'max retries count'],
  ['values.yaml', 'values of yaml'],
  ['C#', 'C, C++ and F# of csharpen'],
  ['.NET', 'example.net and net income'],
])('%s does not stand in %j', (name, text) => {
  expect(exactNamesIn(`what is ${name}?`).map(({ standsIn }) => standsIn(text))).toEqual([false]);
});

test('an identifier is not known by a part of it, a generation is', async () => {
  const isKnownWord = (word: string) => Promise.resolve(['MESOS', 'OAuth'].includes(word));
  expect(await missingNames('Does MESOS-99999 use OAuth2?', [], { isKnownWord })).toEqual(['MESOS-99999']);
});
