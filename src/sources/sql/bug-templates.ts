/** How one kind of row becomes a document. */
export interface RowPreset {
  readonly table: string;
  readonly key: readonly string[];
  readonly title: string;
  readonly text: string;
  /** Columns that become metadata. */
  readonly fields: readonly string[];
}

/**
 * The three kinds of documents of a bug database: reports, investigations and findings, in the layout that the built-in
 * templates are named after. Each setting of the source goes over its counterpart here.
 */
export const ROW_PRESETS = {
  bug_report: {
    table: 'bug_reports',
    key: ['bug_id'],
    title: '{bug_id}',
    text: 'Bug ID: {bug_id}\nSeverity: {severity}\nStatus: {status}\nReport: {original_message}',
    fields: ['bug_id', 'severity', 'status'],
  },
  investigation: {
    table: 'investigations',
    key: ['bug_id'],
    title: '{bug_id}',
    text: [
      'Bug ID: {bug_id}',
      'Summary: {summary}',
      'Root Cause: {root_cause}',
      'Fix Type: {fix_type}',
      'Confidence: {confidence}',
      'Recommended Actions: {recommended_actions|; }',
      'Services: {services|, }',
      'PR: {pr_url}',
    ].join('\n'),
    fields: ['bug_id', 'fix_type', 'confidence', 'services', 'pr_url'],
  },
  finding: {
    table: 'investigation_findings',
    key: ['bug_id', 'id'],
    title: '{bug_id}',
    text: 'Bug ID: {bug_id}\nCategory: {category}\nSeverity: {severity}\nFinding: {finding}',
    fields: ['bug_id', 'category', 'severity'],
  },
} as const satisfies Record<string, RowPreset>;

export type RowPresetName = keyof typeof ROW_PRESETS;
