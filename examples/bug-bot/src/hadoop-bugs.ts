import { createHash } from 'node:crypto';
import { parse } from 'csv-parse/sync';
import type { BugRecord, Finding, Investigation } from './bugs.js';

/**
 * Bugs of Apache Hadoop's Jira as the data set GitBugs publishes them (CC BY 4.0): a CSV with `Summary`, `Issue id`, `Status`, `Priority` and
 * `Description`. The severity is the priority.
 *
 * The data set has no investigations and no findings. Both are derived here from the descriptions by rules and marked
 * `is_derived`: they show what a bug database holds, and are nobody's findings.
 */
export const hadoopBugs = (csv: string): BugRecord[] =>
  parse<HadoopRow>(csv, { columns: true, bom: true, skip_empty_lines: true, relax_column_count: true }).map(
    bugOf,
  );

type HadoopRow = Readonly<Record<string, string | undefined>>;

function bugOf(row: HadoopRow): BugRecord {
  const bug_id = `JIRA-${row['Issue id'] ?? ''}`;
  const {
    Summary: summary = '',
    Description: description = '',
    Status: status = '',
    Priority: severity = '',
  } = row;
  const message = description.trim() === '' ? summary : `${summary}\n${description.trim()}`;
  const report = { bug_id, severity, status, original_message: message };
  return {
    report,
    investigation: investigationOf(row, bug_id),
    findings: findingsOf(message, { bug_id, severity }),
  };
}

const CAUSE = /\b(?:because|caused by|due to|root cause|the reason|the problem is|the issue is)\b/i;
const ACTION = /\b(?:should|workaround|propose|we can|need to|fix is)\b/i;
const SERVICES = [
  'NameNode',
  'DataNode',
  'JournalNode',
  'ResourceManager',
  'NodeManager',
  'ApplicationMaster',
  'Router',
  'Balancer',
  'KMS',
  'S3A',
  'ABFS',
  'WebHDFS',
  'MapReduce',
  'YARN',
  'HDFS',
];
const MOST_ACTIONS = 3;

function investigationOf(row: HadoopRow, bug_id: string): Investigation | undefined {
  const { Summary: summary = '', Description: description = '', Resolution: resolution = '' } = row;
  const sentences = sentencesOf(description);
  const cause = sentences.find((sentence) => CAUSE.test(sentence));
  const actions = sentences
    .filter((sentence) => sentence !== cause && ACTION.test(sentence))
    .slice(0, MOST_ACTIONS);
  // A description that says neither why nor what to do is no investigation.
  if (cause === undefined && actions.length === 0) return undefined;
  const services = SERVICES.filter((service) => `${summary} ${description}`.includes(service));
  return {
    bug_id,
    summary,
    root_cause: cause ?? null,
    fix_type:
      resolution === 'Duplicate' ? 'duplicate' : /config/i.test(summary) ? 'config_change' : 'code_change',
    confidence: cause === undefined ? 0.3 : /root cause/i.test(cause) ? 0.9 : 0.6,
    recommended_actions: actions.length === 0 ? null : actions,
    services: services.length === 0 ? null : services,
    pr_url: /https:\/\/github\.com\/[\w.-]+\/[\w.-]+\/pull\/\d+/.exec(description)?.[0] ?? null,
    is_derived: true,
  };
}

const EXCEPTION = /\b(?:[a-z][\w$]*\.)*([A-Z]\w*(?:Exception|Error))\b:[ \t]*([^\n]{1,200})/g;
const MOST_FINDINGS = 3;

/** Exceptions of a report that say something, each once. */
function findingsOf(message: string, { bug_id, severity }: Pick<Finding, 'bug_id' | 'severity'>): Finding[] {
  const byName = new Map<string, string>();
  for (const [, name = '', detail = ''] of message.matchAll(EXCEPTION))
    if (!byName.has(name)) byName.set(name, detail.trim());
  return [...byName].slice(0, MOST_FINDINGS).map(([name, detail]) => ({
    id: uuidOf(`${bug_id} ${name}`),
    bug_id,
    category: name.endsWith('Error') ? 'error' : 'exception',
    severity,
    finding: `${name}: ${detail}`,
    is_derived: true,
  }));
}

/** Sentences of prose: lines of logs and code have no end of a sentence, or are too long. */
const sentencesOf = (text: string): string[] =>
  text
    .replaceAll(/\{(?:code|noformat)[^}]*\}.*?\{(?:code|noformat)\}/gs, ' ')
    .split(/(?<=[.!?])\s+|\n\s*\n/)
    .map((sentence) => sentence.replaceAll(/\s+/g, ' ').trim())
    .filter((sentence) => sentence.length >= 20 && sentence.length <= 300);

/** The same name always gives the same id (version 8 of RFC 9562), so that loading twice changes nothing. */
function uuidOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
