import { isoNow } from '../../../core/runtime.js';
import type { EngineHealth } from '../../../operations/engine.js';
import type { MetricSink } from '../metrics/metric-definitions.js';
import type { Alert, AlertChannelSettings, AlertCondition } from './alert.js';
import { openAlertChannel } from './alert-channels.js';
import { AlertDelivery } from './alert-delivery.js';
import { type AlertRule, type Verdict, watchCondition } from './alert-rules.js';

export interface AlertsOptions {
  readonly conditions: readonly AlertCondition[];
  readonly channels: readonly AlertChannelSettings[];
  /** Takes a line for the console. */
  readonly write: (line: string) => void;
  readonly sink: MetricSink;
}

/** Alerts as they are configured: each is told once when its condition begins to hold, and once when it ends. */
export class Alerts {
  readonly #options: AlertsOptions;
  readonly #deliveries: readonly AlertDelivery[];
  readonly #rules: readonly AlertRule[];
  readonly #raised = new Map<AlertCondition, Alert>();

  constructor(options: AlertsOptions) {
    this.#options = options;
    const { write, sink } = options;
    const report = {
      onFailure: (channel: string) => sink.add('rag_alert_delivery_failures_total', 1, { channel }),
      warn: (problem: string) => write(`warning: ${problem}`),
    };
    this.#deliveries = options.channels.map(
      (settings) => new AlertDelivery(openAlertChannel(settings, write), report),
    );
    this.#rules = options.conditions.map((condition) => {
      sink.set('rag_alert_active', 0, labelsOf(condition));
      return watchCondition(condition, (verdict) => this.#judge(condition, verdict));
    });
  }

  /** Those that hold now. */
  get raised(): readonly Alert[] {
    return [...this.#raised.values()];
  }

  onHealth(health: EngineHealth): void {
    for (const rule of this.#rules) rule.onHealth?.(health);
  }

  #judge(condition: AlertCondition, { holds, value, message }: Verdict): void {
    if (holds === this.#raised.has(condition)) return;
    const alert: Alert = {
      alert: condition.name,
      state: holds ? 'raised' : 'resolved',
      severity: condition.severity,
      at: isoNow(),
      value,
      threshold: condition.threshold,
      message,
    };
    if (holds) this.#raised.set(condition, alert);
    else this.#raised.delete(condition);
    this.#options.sink.set('rag_alert_active', holds ? 1 : 0, labelsOf(condition));
    for (const delivery of this.#deliveries) delivery.add(alert);
  }

  /** Waits for what is being told, as long as it is worth it. */
  async stop(): Promise<void> {
    for (const rule of this.#rules) rule.stop();
    await Promise.all(this.#deliveries.map((delivery) => delivery.stop()));
  }
}

const labelsOf = ({ name, severity }: AlertCondition) => ({ alert: name, severity });
