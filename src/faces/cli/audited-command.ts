import type { ResolvedConfig } from '../../config/resolved-config.js';
import type { AuditedDeployment } from '../../operations/audit/audit-record.js';
import type { CliContext } from './context.js';

/** A command that changes who may do what. */
export interface CommandCall {
  readonly action: string;
  readonly tenant?: string | undefined;
  readonly project?: string | undefined;
  readonly deployment?: AuditedDeployment | undefined;
  readonly context: CliContext;
}

/** Does what a command does with a line before and one after it in the audit log, where one is kept. */
export async function auditedCommand<Outcome>(
  place: ResolvedConfig,
  { context, ...named }: CommandCall,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  const { openAuditLog } = await import('../../operations/audit/open-audit-log.js');
  const log = openAuditLog(place, ({ message }) => context.log('warn', message));
  if (log === undefined) return work();
  const { audited } = await import('../../operations/audit/audit-trail.js');
  const { userInfo } = await import('node:os');
  const call = { ...named, face: 'command', caller: userInfo().username } as const;
  await log.record({ ...call, outcome: 'begun' });
  return audited(call, log, work);
}
