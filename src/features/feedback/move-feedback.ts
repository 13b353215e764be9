import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { makePrivateFolder, tighten } from '../../platform/security/private-files.js';
import { feedbackFileOf } from './feedback-log.js';

/** Copies a tenant's feedback into another data folder, in place of what is there of it. Nobody may write any meanwhile. */
export function copyFeedback(tenant: string, fromDir: string, toDir: string): void {
  const from = feedbackFileOf(fromDir, tenant);
  const to = feedbackFileOf(toDir, tenant);
  if (from === to || !existsSync(from)) return;
  makePrivateFolder(dirname(to));
  const draft = `${to}.draft`;
  copyFileSync(from, draft);
  tighten(draft);
  renameSync(draft, to);
}

/** Removes a tenant's feedback from a data folder. */
export function removeFeedback(tenant: string, dataDir: string): void {
  rmSync(feedbackFileOf(dataDir, tenant), { force: true });
}
