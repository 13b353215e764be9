import type { BugReport, Finding, Investigation } from './bugs.js';

export const SOURCE_TYPES = ['bug_report', 'investigation', 'finding'] as const;
export type SourceType = (typeof SOURCE_TYPES)[number];

/** What is embedded and found: the text of one row of a bug table. */
export interface BugDocument {
  readonly source_type: SourceType;
  readonly source_id: string;
  readonly chunk_text: string;
  readonly chunk_metadata: Readonly<Record<string, unknown>>;
}

export const bugReportDocument = ({
  bug_id,
  severity,
  status,
  original_message,
}: BugReport): BugDocument => ({
  source_type: 'bug_report',
  source_id: bug_id,
  chunk_text: linesOf([
    ['Bug ID', bug_id],
    ['Severity', severity],
    ['Status', status],
    ['Report', original_message],
  ]),
  chunk_metadata: { bug_id, severity, status },
});

export function investigationDocument(investigation: Investigation): BugDocument {
  const { bug_id, fix_type, confidence, services, pr_url, is_derived } = investigation;
  return {
    source_type: 'investigation',
    source_id: bug_id,
    chunk_text: linesOf([
      ['Bug ID', bug_id],
      ['Summary', investigation.summary],
      ['Root Cause', investigation.root_cause],
      ['Fix Type', fix_type],
      ['Confidence', confidence],
      ['Recommended Actions', investigation.recommended_actions?.join('; ')],
      ['Services', services?.join(', ')],
      ['PR', pr_url],
    ]),
    chunk_metadata: { bug_id, fix_type, confidence, services, pr_url, ...derived(is_derived) },
  };
}

/** A bug may have several findings, so each is known by both ids. */
export const findingDocument = ({
  id,
  bug_id,
  category,
  severity,
  finding,
  is_derived,
}: Finding): BugDocument => ({
  source_type: 'finding',
  source_id: `${bug_id}:${id}`,
  chunk_text: linesOf([
    ['Bug ID', bug_id],
    ['Category', category],
    ['Severity', severity],
    ['Finding', finding],
  ]),
  chunk_metadata: { bug_id, category, severity, ...derived(is_derived) },
});

const derived = (isDerived: boolean | undefined) => (isDerived === true ? { is_derived: true } : {});

/** `Name: value` on lines; what has no value has no line. */
const linesOf = (
  facts: readonly (readonly [name: string, value: string | number | null | undefined])[],
): string =>
  facts.flatMap(([name, value]) => (value == null || value === '' ? [] : [`${name}: ${value}`])).join('\n');
