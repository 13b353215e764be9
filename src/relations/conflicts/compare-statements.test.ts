import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareStatements } from './compare-statements.js';
import { conflictOf } from './conflict-of.js';
import { readStatement, statementsOf } from './statements.js';

const told = (text: string) => ({ text, statement: readStatement(text), about: new Set<string>() });

const differences = (a: string, b: string): string[] =>
  compareStatements(told(a), told(b)).differences.map(
    ({ kind, first, second }) => `${kind}: ${first} / ${second}`,
  );

const verdict = (a: string, b: string) => conflictOf(told(a), told(b))?.kind;

describe('statements differ', () => {
  it.each([
    [
      'in an amount',
      'Backups are kept for 30 days.',
      'Backups are kept for 90 days.',
      'quantity: 30 days / 90 days',
    ],
    [
      'in a unit',
      'The token is valid for 5 minutes.',
      'The token is valid for 5 hours.',
      'quantity: 5 minutes / 5 hours',
    ],
    [
      'in money',
      'Receipts are needed above $25.',
      'Receipts are needed above 75 dollars.',
      'quantity: $25 / 75 dollars',
    ],
    [
      'in a version',
      'The agent needs Go v1.19 or later.',
      'The agent needs Go v1.23 or later.',
      'quantity: v1.19 / v1.23',
    ],
    [
      'in a time',
      'The meeting starts at 10:30 on every day.',
      'The meeting starts at 11:00 on every day.',
      'quantity: 10:30 / 11:00',
    ],
    [
      'in a rhythm',
      'Licenses are reviewed monthly.',
      'Licenses are reviewed once a year.',
      'quantity: monthly / year',
    ],
    [
      'in a number that is written out',
      'There are six levels for designers.',
      'There are 7 levels for designers.',
      'quantity: six / 7',
    ],
    [
      'in a denial',
      'Contractors are eligible for benefits.',
      'Contractors are not eligible for benefits.',
      'negation: eligible / not eligible',
    ],
    [
      'in opposites',
      'The audit log is enabled by default.',
      'The audit log is disabled by default.',
      'opposite: enabled / disabled',
    ],
    [
      'in a weekday',
      'Releases are cut on Monday at noon.',
      'Releases are cut on Friday at noon.',
      'alternative: Monday / Friday',
    ],
    [
      'in a name',
      'The rotation is managed through OpsGenie.',
      'The rotation is managed through PagerDuty.',
      'name: OpsGenie / PagerDuty',
    ],
  ])('%s', (_, a, b, difference) => {
    expect(differences(a, b)).toContain(difference);
    expect(verdict(`${a.slice(0, -1)} for all teams.`, `${b.slice(0, -1)} for all teams.`)).toBe('conflict');
  });

  it.each([
    ['the same amount in other units', 'Backups are kept for 14 days.', 'Backups are kept for two weeks.'],
    [
      '1 GB and 1024 MB',
      'The node needs 1 GB of memory to start.',
      'The node needs 1024 MB of memory to start.',
    ],
    [
      '1 GB and 1000 MB',
      'The node needs 1 GB of memory to start.',
      'The node needs 1000 MB of memory to start.',
    ],
    ['a year and 12 months', 'Backups are kept for 12 months.', 'Backups are kept for a year.'],
    ['a month and 30 days', 'Backups are kept for 1 month.', 'Backups are kept for 30 days.'],
    ['the same rhythm', 'Licenses are reviewed every month.', 'Licenses are reviewed monthly.'],
    ['a number on one side', 'Backups are kept for 30 days.', 'Backups are kept.'],
    ['amounts of different kinds', 'It costs 30 dollars.', 'It takes 30 days.'],
    [
      'the number of a step',
      'Step 3: the recruiter calls the candidate.',
      'Step 4: the recruiter calls the candidate.',
    ],
    ['the number of a list', '1. Call the candidate.', '2. Call the candidate.'],
    ['a denied opposite', 'The audit log is not disabled.', 'The audit log is enabled.'],
    ['a condition', 'If it does not answer, call the team.', 'If it does answer, call the team.'],
    [
      'the unit of a range',
      'Calls with candidates take 30-60 minutes.',
      'Calls with candidates take 45 people.',
    ],
    ['what both deny', 'No employee may offer a bribe.', 'You may not offer a bribe.'],
    [
      'addresses of two kinds',
      'Ask the People team with questions at help@acme.com.',
      'Ask the People team with questions in #ask-people.',
    ],
    [
      'names in other places',
      'The state of all runs is kept in Terraform Cloud (TFC) by us.',
      'The state of all runs is kept in Terraform Cloud with VCS.',
    ],
    ['the number of a reference', 'The team keeps a [register][1].', 'The team keeps a [register][2].'],
    ['the target of a link', 'Read [the guide](a/1.md).', 'Read [the guide](b/2.md).'],
  ])('but not by %s', (_, a, b) => {
    expect(differences(a, b)).toEqual([]);
  });

  it.each([
    [
      'names at the beginning',
      'Alice leads the search team at Acme.',
      'Robert leads the search team at Acme.',
    ],
    ['different things', 'The Cloud team has 5 members now.', 'The Search team has 7 members now.'],
    ['a question', 'Are backups kept for 30 days?', 'Are backups kept for 90 days?'],
    ['rows of tables', '| backups are kept | 30 days |', '| backups are kept | 90 days |'],
  ])('and say of %s nothing that is in conflict', (_, a, b) => {
    expect(verdict(a, b)).not.toBe('conflict');
  });

  it('units of equal amounts count as what both say', () => {
    const { agreement } = compareStatements(
      told('The node needs 1 GB of memory to start.'),
      told('The node needs 1024 MB of memory to start.'),
    );
    expect(agreement).toBe(1);
    expect(
      verdict(
        'Every search node of the cluster needs 1 GB of memory.',
        'Every search node of the cluster needs 2048 MB of memory.',
      ),
    ).toBe('conflict');
  });

  it('numbers of which nobody says what they count must agree in more beside them', () => {
    const draft = 'The draft statement reaches all employees on the';
    expect(verdict(`${draft} 4, for review.`, `${draft} 5, with notes, comments and totals.`)).toBe(
      undefined,
    );
    expect(verdict(`${draft} 4, for review.`, `${draft} 5, for review.`)).toBe('conflict');
  });

  it('and a name that each document is about is no conflict', () => {
    const [a, b] = [
      'The onboarding plan is owned by people of Cloud.',
      'The onboarding plan is owned by people of DevOps.',
    ];
    const about = (name: string) => new Set(['onboarding', name]);
    expect(
      conflictOf({ ...told(a), about: new Set(['x']) }, { ...told(b), about: new Set(['y']) })?.kind,
    ).toBe('conflict');
    expect(
      conflictOf({ ...told(a), about: about('cloud') }, { ...told(b), about: about('devops') })?.kind,
    ).not.toBe('conflict');
  });
});

describe('what says nothing', () => {
  it.each([
    '- [How to install version 3 of the agent](install-3.md)',
    '[How to install the agent of the cluster][install]',
    '[install agent cluster]: install.md "How to install version 3 of the agent"',
  ])('%s', (text) => {
    expect(statementsOf(text)).toEqual([]);
  });

  it('but a sentence with a link says something', () => {
    expect(statementsOf('- The agent is installed by [the guide](install.md) alone.')).toHaveLength(1);
  });
});

const word = fc.constantFrom(
  'backups',
  'are',
  'kept',
  'not',
  'for',
  '30',
  'days',
  '2',
  'weeks',
  'monthly',
  'enabled',
  'disabled',
  'Monday',
  'Friday',
  'OpsGenie',
  'Clari',
  'the',
  'never',
  'v1.2',
  '$25',
  'if',
  'team',
  '`flag`',
  '[a](b.md)',
  '10:30',
  'a',
  'month',
  '12-month',
  '%',
  'Ünïcode',
  '漢字',
);
const sentence = fc.oneof(
  fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => words.join(' ')),
  fc.string({ unit: 'binary', maxLength: 60 }),
);

describe('for any two statements', () => {
  it('the comparison is symmetric', () => {
    fc.assert(
      fc.property(sentence, sentence, (a, b) => {
        const [there, back] = [compareStatements(told(a), told(b)), compareStatements(told(b), told(a))];
        expect([back.agreement, back.shared, back.isOfOtherThings]).toEqual([
          there.agreement,
          there.shared,
          there.isOfOtherThings,
        ]);
        expect(back.differences.length > 0).toBe(there.differences.length > 0);
        expect(conflictOf(told(b), told(a))?.kind).toBe(conflictOf(told(a), told(b))?.kind);
      }),
    );
  });

  it('none contradicts itself', () => {
    fc.assert(
      fc.property(sentence, (a) => {
        expect(compareStatements(told(a), told(a)).differences).toEqual([]);
      }),
    );
  });

  it('what differs is quoted from the texts', () => {
    fc.assert(
      fc.property(sentence, sentence, (a, b) => {
        for (const { first, second } of compareStatements(told(a), told(b)).differences) {
          expect(a).toContain(first);
          expect(b).toContain(second);
          expect(first).not.toBe('');
          expect(second).not.toBe('');
        }
      }),
    );
  });

  it('statements and their words are spans of the text, in order', () => {
    fc.assert(
      fc.property(fc.array(sentence, { maxLength: 6 }), (sentences) => {
        const text = sentences.join('.\n\n');
        let before = 0;
        for (const { start, end, words } of statementsOf(text)) {
          expect(start).toBeGreaterThanOrEqual(before);
          expect(end).toBeLessThanOrEqual(text.length);
          before = end;
          for (const each of words) {
            expect(each.start).toBeLessThan(each.end);
            expect(each.end).toBeLessThanOrEqual(end - start);
          }
        }
      }),
    );
  });
});
