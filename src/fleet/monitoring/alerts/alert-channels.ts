import { appendFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { timeoutSignal } from '../../../core/runtime.js';
import { makePrivateFolder, PRIVATE_FILE } from '../../../platform/security/private-files.js';
import { type Alert, type AlertChannelSettings, isAtLeast } from './alert.js';

/** How long a webhook may take to answer, in milliseconds. */
const WEBHOOK_MS = 10_000;

/** Tells alerts to somebody. */
export interface AlertChannel {
  readonly type: AlertChannelSettings['type'];
  /** Whether an alert is severe enough for it. */
  takes(alert: Pick<Alert, 'severity'>): boolean;
  /** Rejects where it could not be told. */
  tell(alert: Alert): Promise<void>;
}

/** @param write where a console is: one line a call, without its end. */
export function openAlertChannel(
  settings: AlertChannelSettings,
  write: (line: string) => void,
): AlertChannel {
  const { type, minSeverity } = settings;
  const tell = tellerOf(settings, write);
  return { type, takes: ({ severity }) => isAtLeast(severity, minSeverity), tell };
}

function tellerOf(
  { type, path, url }: AlertChannelSettings,
  write: (line: string) => void,
): (alert: Alert) => Promise<void> {
  if (type === 'file' && path !== undefined) return (alert) => append(path, alert);
  if (type === 'webhook' && url !== undefined) return (alert) => post(url.reveal(), alert);
  return async ({ alert, state, severity, message }) =>
    write(`alert ${state === 'raised' ? severity : 'resolved'} ${alert}: ${message}`);
}

async function append(path: string, alert: Alert): Promise<void> {
  makePrivateFolder(dirname(path));
  await appendFile(path, `${JSON.stringify(alert)}\n`, { mode: PRIVATE_FILE });
}

/** The address may hold a key: no error of ours says it. */
async function post(url: string, alert: Alert): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(alert),
    redirect: 'error',
    signal: timeoutSignal(WEBHOOK_MS),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`The webhook answered with ${response.status}.`);
}
