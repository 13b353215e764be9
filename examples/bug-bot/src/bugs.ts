import type { Queryable } from './database.js';

/** A row of `bug_reports`. */
export interface BugReport {
  readonly bug_id: string;
  readonly severity: string | null;
  readonly status: string | null;
  readonly original_message: string;
}

/** A row of `investigations`. */
export interface Investigation {
  readonly bug_id: string;
  readonly summary: string;
  readonly root_cause: string | null;
  readonly fix_type: string | null;
  readonly confidence: number | null;
  readonly recommended_actions: readonly string[] | null;
  readonly services: readonly string[] | null;
  readonly pr_url: string | null;
  /** Written by a script out of the report, not by the investigator. Absent from the tables of a prototype. */
  readonly is_derived?: boolean;
}

/** A row of `investigation_findings`. */
export interface Finding {
  readonly id: string;
  readonly bug_id: string;
  readonly category: string | null;
  readonly severity: string | null;
  readonly finding: string;
  readonly is_derived?: boolean;
}

/** A bug with all that is known of it. */
export interface BugRecord {
  readonly report: BugReport;
  readonly investigation?: Investigation | undefined;
  readonly findings: readonly Finding[];
}

const SLICE = 200;

/** Writes bugs, over those with the same ids. */
export async function saveBugs(transaction: Queryable, bugs: readonly BugRecord[]): Promise<void> {
  const write = async (table: string, columns: readonly string[], key: string, rows: readonly object[]) => {
    const others = columns
      .filter((column) => column !== key)
      .map((column) => `${column} = EXCLUDED.${column}`);
    for (let start = 0; start < rows.length; start += SLICE)
      await transaction.query(
        `INSERT INTO ${table} (${columns.join(', ')})
         SELECT ${columns.join(', ')} FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb)
         ON CONFLICT (${key}) DO UPDATE SET ${others.join(', ')}`,
        [JSON.stringify(rows.slice(start, start + SLICE))],
      );
  };
  const reports = bugs.map(({ report }) => report);
  const investigations = bugs.flatMap(({ investigation }) => investigation ?? []);
  const findings = bugs.flatMap((bug) => bug.findings);
  await write('bug_reports', ['bug_id', 'severity', 'status', 'original_message'], 'bug_id', reports);
  await write('investigations', INVESTIGATION_COLUMNS, 'bug_id', investigations);
  await write('investigation_findings', FINDING_COLUMNS, 'id', findings);
}

const INVESTIGATION_COLUMNS = [
  'bug_id',
  'summary',
  'root_cause',
  'fix_type',
  'confidence',
  'recommended_actions',
  'services',
  'pr_url',
  'is_derived',
];

const FINDING_COLUMNS = ['id', 'bug_id', 'category', 'severity', 'finding', 'is_derived'];
