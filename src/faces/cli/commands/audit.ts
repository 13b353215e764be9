import { type Command, InvalidArgumentError } from 'commander';
import {
  AUDIT_OUTCOMES,
  type AuditedDeployment,
  type AuditRecord,
} from '../../../operations/audit/audit-record.js';
import type { AuditFinding, AuditLine } from '../../../operations/audit/read-audit.js';
import type { CliContext } from '../context.js';
import { ExitCode } from '../errors.js';
import { choiceOption } from '../field-options.js';
import { dataDirOf } from '../open-engine.js';
import { wholeNumber } from '../parse-options.js';
import { inertJson } from '../terminal.js';

interface AuditOptions {
  readonly tenant?: string;
  readonly caller?: string;
  readonly action?: string;
  readonly outcome?: AuditRecord['outcome'];
  readonly since?: Date;
  readonly last: number;
  readonly verify?: boolean;
}

const LAST = 100;

const EXAMPLES = `
Examples:
  $ ragstone audit                                       the last 100 calls
  $ ragstone audit --tenant acme --since 24h
  $ ragstone audit --outcome denied --last 0 --json      all that were denied
  $ ragstone audit --action "keys revoke"
  $ ragstone audit --verify                              whether lines were changed or taken out

It reads the audit log of this data folder, put aside files too. Each host of a shared index has its own.`;

/** `ragstone audit` */
export function registerAudit(program: Command, context: CliContext): void {
  program
    .command('audit')
    .description('who did what: list the audit log')
    .option('--tenant <name>', 'calls of this tenant alone')
    .option('--caller <id>', 'calls with this key, or of this subject of tokens')
    .option('--action <text>', 'calls whose route, tool or command holds this text')
    .addOption(choiceOption('--outcome <outcome>', 'calls that ended so', AUDIT_OUTCOMES))
    .option(
      '--since <time>',
      'calls from then on: 2026-05-01, 2026-05-01T10:00Z, 90m, 24h or 7d ago',
      parseSince,
    )
    .option(
      '--last <n>',
      `how many of them, the last ones; 0 for all (default: ${LAST})`,
      wholeNumber(0),
      LAST,
    )
    .option('--verify', 'check that no line was changed or taken out, and list nothing')
    .addHelpText('after', EXAMPLES)
    .action((options: AuditOptions) => runAudit(context, options));
}

async function runAudit(context: CliContext, options: AuditOptions): Promise<void> {
  const { readAudit } = await import('../../../operations/audit/read-audit.js');
  const lines = readAudit(await dataDirOf(context));
  if (options.verify === true) return verify(lines, context);
  const output = openAuditOutput(context);
  const isWanted = wanted(options);
  const kept: AuditRecord[] = [];
  let unread = 0;
  for await (const { record } of lines) {
    if (record === undefined) unread += 1;
    else if (!isWanted(record)) continue;
    else if (options.last === 0) output.add(record);
    else {
      kept.push(record);
      if (kept.length >= 2 * options.last) kept.splice(0, kept.length - options.last);
    }
  }
  if (options.last > 0) for (const record of kept.slice(-options.last)) output.add(record);
  output.end(unread);
  if (unread > 0)
    context.warn(`${unread} lines cannot be read: \`ragstone audit --verify\` says where they are.`);
}

const MOST_FINDINGS = 1_000;

async function verify(lines: AsyncIterable<AuditLine>, context: CliContext): Promise<void> {
  const { AuditChains } = await import('../../../operations/audit/read-audit.js');
  const chains = new AuditChains();
  const findings: AuditFinding[] = [];
  let read = 0;
  let found = 0;
  for await (const line of lines) {
    read += 1;
    const finding = chains.check(line);
    if (finding === undefined) continue;
    found += 1;
    if (findings.length < MOST_FINDINGS) findings.push(finding);
  }
  const left = chains.end();
  found += left.length;
  findings.push(...left.slice(0, MOST_FINDINGS - findings.length));
  if (found > 0) context.exitCode = ExitCode.failed;
  context.printResult({ lines: read, found, findings }, () =>
    [
      ...findings.map(({ file, problem }) => `${file}: ${problem}`),
      found === 0 ? `All ${read} lines follow one another.` : `${found} findings in ${read} lines.`,
    ].join('\n'),
  );
}

const wanted =
  ({ tenant, caller, action, outcome, since }: AuditOptions) =>
  (record: AuditRecord): boolean =>
    (tenant === undefined || record.tenant === tenant) &&
    (caller === undefined || record.caller === caller) &&
    (action === undefined || record.action.toLowerCase().includes(action.toLowerCase())) &&
    (outcome === undefined || record.outcome === outcome) &&
    (since === undefined || Date.parse(record.at) >= since.getTime());

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function parseSince(text: string): Date {
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const time =
    count === undefined || unit === undefined
      ? Date.parse(text)
      : Date.now() - Number(count) * (UNITS[unit] ?? 0);
  if (Number.isNaN(time))
    throw new InvalidArgumentError('It must be a time (2026-05-01T10:00Z) or how long ago (90m, 24h, 7d).');
  return new Date(time);
}

/** A line for a person: when, who, what, how it ended. */
function lineOf(record: AuditRecord, { colours }: CliContext): string {
  const {
    at,
    caller,
    shownKey,
    tenant,
    project,
    action,
    outcome,
    reason,
    results,
    leftOut,
    text,
    deployment,
  } = record;
  const who = caller ?? (shownKey === undefined ? 'unknown' : `unknown (showed the key ${shownKey})`);
  const where = [tenant, project].filter((part) => part !== undefined).join('/');
  const paint = { begun: colours.dim, done: colours.green, denied: colours.red, failed: colours.yellow };
  return [
    colours.dim(at),
    where === '' ? who : `${who} of ${where}`,
    action,
    ...(deployment === undefined ? [] : [deploymentText(deployment)]),
    paint[outcome](reason === undefined ? outcome : `${outcome} ${reason}`),
    ...(results === undefined ? [] : [`${results} ${results === 1 ? 'result' : 'results'}`]),
    ...(leftOut === undefined ? [] : [`${leftOut} others like it before`]),
    ...(text === undefined ? [] : [JSON.stringify(text)]),
  ].join('  ');
}

const deploymentText = ({ tenantId, model, searchEndpoint }: AuditedDeployment): string =>
  `tenant ${[tenantId, model, searchEndpoint].filter((part) => part !== undefined).join(' ')}`;

/** Prints records one by one, however many there are: a line each, or one JSON document for all. */
function openAuditOutput(context: CliContext) {
  let count = 0;
  return {
    add(record: AuditRecord): void {
      if (context.isJson)
        context.out.write(`${count === 0 ? '{ "records": [\n' : ',\n'}${inertJson(record)}`);
      else context.print(lineOf(record, context));
      count += 1;
    },
    end(unread: number): void {
      if (context.isJson)
        context.out.write(`${count === 0 ? '{ "records": [' : ''}\n], "unread": ${unread} }\n`);
      else if (count === 0) context.print('No call is logged that fits.');
    },
  };
}
