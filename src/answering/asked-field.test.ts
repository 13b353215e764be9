import { expect, it } from 'vitest';
import { asksForField, isOutdated } from './asked-field.js';

it.each([
  ['who owns the ledger page?', 'owner: Priya Nair'],
  ['who approved it?', 'reviewed_by: Karl Ott'],
  ['who wrote the runbook?', 'created_by: Karl Ott'],
  ['when was the runbook changed?', 'lastmod: 2025-02-10'],
  ['what is the status of the runbook?', 'status: approved'],
  ['is the runbook approved?', 'status: approved'],
  ['which version is it?', 'version: 3.2'],
  ['what is the title of ADR 7?', 'title: Use queues'],
  ['how do I restore it?', '1. Stop the writers.'],
])('%s asks for %s', (question, field) => {
  expect(asksForField(question, field)).toBe(true);
});

it.each([
  ['how do I restore the ledger database?', 'title: Restore the ledger database'],
  ['how do I request VPN access?', 'description: How to request VPN access'],
  ['how do I restore the ledger database?', 'status: approved'],
  ['how long does a restore take?', 'owner: Priya Nair'],
  ['who approved the data retention policy?', '"status": "approved",'],
  ['who reviewed the data retention policy?', '"review": "2027-01-15",'],
  ['who approved it?', 'approved_by: null'],
  ['who approved the data retention policy?', 'owner: Priya Nair'],
  ['who wrote the runbook?', 'reviewer: Karl Ott'],
])('%s does not ask for %s', (question, field) => {
  expect(asksForField(question, field)).toBe(false);
});

it('a page that calls itself outdated is one where nothing older is asked for', () => {
  expect(isOutdated('which version is it?', 'Obsolete since 2022')).toBe(true);
  expect(isOutdated('which version was the old one?', 'obsolete')).toBe(false);
  expect(isOutdated('which version is it?', 'approved')).toBe(false);
  expect(isOutdated('which version is it?', undefined)).toBe(false);
});
