import type { RAGSettings } from '../../../config/schema/index.js';

type AlertSettings = RAGSettings['monitoring']['alerts'];
export type AlertCondition = AlertSettings['conditions'][number];
export type AlertChannelSettings = AlertSettings['channels'][number];
export type AlertName = AlertCondition['name'];
export type AlertSeverity = AlertCondition['severity'];

/** Least to greatest. */
const SEVERITIES: readonly AlertSeverity[] = ['info', 'warning', 'error', 'critical'];

export const isAtLeast = (severity: AlertSeverity, least: AlertSeverity): boolean =>
  SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(least);

/** What a channel is told: that something holds from now on, or does no longer. */
export interface Alert {
  readonly alert: AlertName;
  readonly state: 'raised' | 'resolved';
  readonly severity: AlertSeverity;
  /** ISO-8601 UTC. */
  readonly at: string;
  /** What was measured: milliseconds, failures in a row, checks in a row. */
  readonly value: number;
  readonly threshold: number;
  /** What happens, and what to do. Without texts of queries or documents. */
  readonly message: string;
}
