import { expect, test } from 'vitest';
import { OPEN_ACCESS } from '../../core/scope.js';
import { type MetadataExtractor, toPbiDocument } from './pbi-document.js';
import { createPbiJsonSource } from './pbi-json-source.js';

const open = (extractors: readonly MetadataExtractor[], markedFields: readonly string[]) => () =>
  createPbiJsonSource({ name: 'items', root: '.', extractors, markedFields });

test.each([
  [[{ field: 'salary', to: 'wage' }]],
  [[{ field: 'hr.salary', to: 'wage' }]],
  [[{ field: 'salary.base', to: 'wage' }]],
  [
    [
      { field: 'hr', to: 'hr' },
      { field: 'hr.salary', to: 'salary' },
    ],
  ],
  [
    [
      { field: 'hr.salary', to: 'salary' },
      { field: 'hr.salary.base', to: 'wage' },
    ],
  ],
  [
    [
      { field: 'pay', to: 'salary.base' },
      { field: 'pay', to: 'wage' },
    ],
  ],
  [[{ field: 'confidence_score', to: 'salary' }]],
  [[{ field: 'id', to: 'salary' }]],
])('a field that is encrypted is copied under no open name: %j', (extractors) => {
  expect(open(extractors, ['salary'])).toThrow(
    expect.objectContaining({
      reason: 'CONFIG_INVALID',
      message: expect.stringMatching(/"(?:salary|hr|pay|id|confidence_score)/),
    }),
  );
  expect(open(extractors, ['team'])).not.toThrow();
});

test('a field that is encrypted may be copied under names that are', () => {
  expect(open([{ field: 'salary', to: 'wage' }], ['salary', 'wage'])).not.toThrow();
  expect(
    open(
      [
        { field: 'salary', to: 'salary.base' },
        { field: 'hr.team', to: 'team' },
      ],
      ['salary'],
    ),
  ).not.toThrow();
});

test('what a part of a marked field is taken from stands in no text', () => {
  const { content, metadata } = toPbiDocument(
    { id: '1', title: 'The archive', pay: { band: 'zirconflorin' } },
    {
      externalId: 'a#1',
      extractors: [{ field: 'pay.band', to: 'salary.base' }],
      markedFields: ['salary'],
      metadata: {},
      access: OPEN_ACCESS,
    },
  );
  expect(content).not.toContain('zirconflorin');
  expect(metadata['salary.base']).toBe('zirconflorin');
});

test.each(['salary', 'salary.base', 'salary.base.eur', 'salary.', 'fact:salary.base'])(
  'a member that is called like a marked field, or a part of it, stands in no text: %s',
  (name) => {
    const { content } = toPbiDocument(
      { id: '1', title: 'The archive', [name]: 'zirconflorin', salaried: 'open' },
      { externalId: 'a#1', extractors: [], markedFields: ['salary'], metadata: {}, access: OPEN_ACCESS },
    );
    expect(content).not.toContain('zirconflorin');
    expect(content).toContain('open');
  },
);
