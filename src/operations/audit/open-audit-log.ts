import type { ResolvedConfig } from '../../config/resolved-config.js';
import { assertPlainDataFolder } from '../../config/trust/index-reach.js';
import { AuditLog, type AuditLogOptions } from './audit-log.js';

/** The log of an index as it is configured; undefined where it is off. Throws as `assertPlainDataFolder` does. */
export function openAuditLog(
  config: ResolvedConfig,
  onFailure: AuditLogOptions['onFailure'],
): AuditLog | undefined {
  const { dataDir, rag } = config;
  const { enabled, ...settings } = rag.audit;
  if (!enabled) return undefined;
  assertPlainDataFolder(config);
  return new AuditLog({
    ...settings,
    filters: config.keepsNoText !== true || settings.text,
    encryptedFields: rag.security.encryption.fields,
    dataDir,
    onFailure,
  });
}
