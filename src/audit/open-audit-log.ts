import type { ResolvedConfig } from '../config/resolved-config.js';
import { AuditLog, type AuditLogOptions } from './audit-log.js';

/** The log of an index as it is configured; undefined where it is off. */
export function openAuditLog(
  { dataDir, rag }: ResolvedConfig,
  onFailure: AuditLogOptions['onFailure'],
): AuditLog | undefined {
  const { enabled, ...settings } = rag.audit;
  const encryptedFields = rag.security.encryption.fields;
  return enabled ? new AuditLog({ ...settings, encryptedFields, dataDir, onFailure }) : undefined;
}
