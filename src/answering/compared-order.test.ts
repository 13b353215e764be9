import { describe, expect, it } from 'vitest';
import { checkSupport, SUPPORT_THRESHOLD } from './check-support.js';
import { readEvidence } from './support-features.js';

const scoreOf = (source: string, claim: string): number => checkSupport(claim, readEvidence([source])).score;
const problemsOf = (source: string, claim: string): string =>
  checkSupport(claim, readEvidence([source])).problems.join('; ');

const NODE = '1. Drain the node.\n2. Restart the kubelet.\n3. Uncordon the node.';
const RELEASE = 'Run the migrations before you deploy the workers. After the deployment, clear the cache.';
const DATABASES = 'Supported databases:\n- PostgreSQL 14\n\nNot supported:\n- Oracle 19c\n- SQL Server 2016';
const RULES = '## Never\n\n- Deploy on a Friday afternoon\n- Edit files on the server by hand';
const WORK = 'Marta wrote the parser and Jonas reviewed it. The caretaker is called by the tenant.';

describe('what a source says in another order, of another list or of another party is not supported', () => {
  it.each([
    [NODE, 'First restart the kubelet, then drain the node.'],
    [NODE, 'Uncordon the node before restarting the kubelet.'],
    [RELEASE, 'Clear the cache before the deployment of the workers.'],
    [RELEASE, 'The migrations run after the workers are deployed.'],
    [DATABASES, 'Oracle 19c is supported.'],
    [DATABASES, 'PostgreSQL 14 is not supported.'],
    [RULES, 'Deploy on a Friday afternoon.'],
    [RULES, 'Edit files on the server by hand.'],
    [WORK, 'Jonas wrote the parser and Marta reviewed it.'],
    [
      'Row counts are encoded in the header of the file.',
      'Row counts are decoded in the header of the file.',
    ],
  ])('%j, not %j', (source, claim) => {
    expect(scoreOf(source, claim)).toBeLessThan(SUPPORT_THRESHOLD);
  });
});

describe('neither the order nor the party is called another where it is the same', () => {
  it.each([
    [NODE, 'The kubelet is restarted after the node has been drained.'],
    [RELEASE, 'Deploy the workers after the migrations have run.'],
    [
      'The old limit applies until May, after which the new limit is set.',
      'Once May is over, the new limit is set.',
    ],
    ['If the disk is full, then the job stops.', 'The job stops if the disk is full.'],
    ['The soft limit is 80 % and the hard limit is 95 %.', 'The hard limit is 95 %.'],
    [
      'The variants Lite and Full were shipped. Decision: merge them into one app.',
      'Lite and Full become one app.',
    ],
    [WORK, 'The parser was written by Marta.'],
  ])('%j, and %j', (source, claim) => {
    expect(problemsOf(source, claim)).not.toMatch(/" before "|says it of/);
  });

  it('a passive with its agent is the active sentence', () => {
    const source = 'Finance pays the invoice within 30 days, and reception issues a new badge.';
    expect(scoreOf(source, 'A new badge is issued by reception.')).toBeGreaterThan(SUPPORT_THRESHOLD);
  });
});
