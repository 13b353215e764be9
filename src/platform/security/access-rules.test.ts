import { describe, expect, it } from 'vitest';
import type { Metadata } from '../../core/metadata.js';
import { type AccessControl, EVERYONE, OPEN_ACCESS } from '../../core/scope.js';
import { type AccessRules, createAccessRules } from './access-rules.js';

interface Given {
  readonly path?: string;
  readonly text?: string;
  readonly source?: string;
  readonly metadata?: Metadata;
  readonly access?: AccessControl;
  readonly found?: readonly string[];
}

const decide = (rules: AccessRules, given: Given = {}): AccessControl =>
  createAccessRules(rules)({
    source: given.source ?? 'wiki',
    raw: {
      externalId: given.path ?? 'docs/a.md',
      mediaType: 'text/markdown',
      content: '',
      metadata: given.metadata ?? {},
      access: given.access ?? OPEN_ACCESS,
    },
    parsed: { text: given.text ?? 'text', blocks: [], metadata: {}, warnings: [] },
    found: given.found ?? [],
  });

describe('access rules', () => {
  it.each([
    { condition: { sources: ['wiki'] }, fits: {}, not: { source: 'code' } },
    {
      condition: { paths: ['hr/**', '*.key.md'] },
      fits: { path: 'hr/pay/a.md' },
      not: { path: 'docs/hr.md' },
    },
    { condition: { paths: ['secret.md'] }, fits: { path: '/x/../secret.md' }, not: { path: '../other.md' } },
    {
      condition: { labels: ['Confidential'] },
      fits: { metadata: { Labels: ['a', 'confidential'] } },
      not: { metadata: { labels: ['confident'] } },
    },
    { condition: { labels: ['pay'] }, fits: { metadata: { tags: 'a; Pay' } }, not: {} },
    {
      condition: { contains: ['Strictly confidential'] },
      fits: { text: 'x STRICTLY\n confidential y' },
      not: { text: 'strict' },
    },
    { condition: { contains: ['secret'] }, fits: { text: 'ｓｅｃｒｅｔ' }, not: {} },
    { condition: { holds: ['IBAN'] }, fits: { found: ['EMAIL', 'IBAN'] }, not: { found: ['EMAIL'] } },
  ])('fit by $condition', ({ condition, fits, not }) => {
    const rules = { rules: [{ ...condition, level: 5 }], defaultLevel: 1 };
    expect(decide(rules, fits).level).toBe(5);
    expect(decide(rules, not).level).toBe(1);
  });

  it('fit only where all of their conditions hold', () => {
    const rules = { rules: [{ sources: ['wiki'], paths: ['hr/'], level: 5 }], defaultLevel: 0 };
    expect(decide(rules, { path: 'hr/a.md' }).level).toBe(5);
    expect(decide(rules, { path: 'hr/a.md', source: 'code' }).level).toBe(0);
  });

  it('give a document that none of them fits the highest level', () => {
    const rules = {
      rules: [
        { paths: ['public/'], level: 0 },
        { paths: ['hr/'], level: 7 },
      ],
    };
    expect(decide(rules, { path: 'public/a.md' }).level).toBe(0);
    expect(decide(rules, { path: 'new/a.md' }).level).toBe(7);
  });

  it('let the highest level count, and only common groups', () => {
    const rules = {
      rules: [{ level: 2, groups: ['staff', 'hr'] }, { level: 4, groups: ['hr', 'board'] }, { level: 3 }],
    };
    expect(decide(rules)).toEqual({ level: 4, groups: ['hr'] });
    expect(decide({ rules: [{ groups: ['a'] }, { groups: ['b'] }] }).groups).toEqual([]);
  });

  it('never widen what the source says', () => {
    const access = { level: 6, groups: ['team'] };
    expect(decide({ rules: [{ level: 1, groups: [EVERYONE] }] }, { access })).toEqual(access);
    expect(decide({ rules: [{ level: 1, groups: ['other'] }] }, { access }).groups).toEqual([]);
  });
});
