import type { AuditedDeployment, AuditRecord } from '../../../operations/audit/audit-record.js';
import type { CliContext } from '../context.js';
import { inertJson } from '../terminal.js';

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
export function openAuditOutput(context: CliContext) {
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
