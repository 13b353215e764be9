import { withRuntime } from '../../core/runtime.js';
import { resultWithin } from '../../core/with-deadline.js';
import type { EngineHealth } from '../../operations/engine.js';
import type { MonitoringPlan } from '../../operations/monitoring-plan.js';
import type { Alert } from './alerts/alert.js';
import { Alerts } from './alerts/alerts.js';
import { type CheckedHealth, HealthChecks, type HealthSource } from './health/health-checks.js';
import { type LogFile, logProblem, openLogFile } from './logs/log-file.js';
import { countOperations } from './metrics/count-operations.js';
import { type AnsweredRequest, countRequest } from './metrics/count-request.js';
import { MetricExport } from './metrics/export-metrics.js';
import type { MetricSink } from './metrics/metric-definitions.js';
import type { MetricRegistry } from './metrics/metric-registry.js';
import type { OpenTelemetry } from './open-telemetry/open-telemetry.js';

/** What is watched: an engine, or the indexes of all tenants with their configuration. */
export interface Monitorable extends HealthSource {
  monitoringPlan(): MonitoringPlan;
}

export interface MonitoringOptions {
  /** Name of this process's metric file, without `.prom`: `serve`. A second process of the same name writes `NAME-PID.prom`. @default `process-PID` */
  readonly name?: string | undefined;
  /** Takes a line for the console: alerts, and what cannot be written. @default a warning of the process */
  readonly write?: ((line: string) => void) | undefined;
  /** Keep the log file alone: metrics of a command that ends soon are not read. @default false */
  readonly onlyLog?: boolean | undefined;
}

/** An engine that is watched. */
export interface Monitoring {
  /** Metrics in the text format of Prometheus; undefined where `rag.monitoring.metrics.enabled` is false. */
  readonly metrics: { readonly contentType: string; text(): Promise<string> } | undefined;
  /** Counts a request of HTTP that was answered: a service tells of its own. */
  readonly countRequest: (request: AnsweredRequest) => void;
  /** The log file, for other lines of JSON too; undefined where none is configured. */
  readonly log: Pick<LogFile, 'write'> | undefined;
  /** What the last check at intervals found; undefined where there are none, before the first is over, and where two are late. */
  lastHealth(): CheckedHealth | undefined;
  /** Alerts that hold now. */
  raisedAlerts(): readonly Alert[];
  /** Writes what is left and ends. */
  stop(): Promise<void>;
}

/** How long alerts that are being told may hold the end up, in milliseconds. */
const LAST_ALERTS_MS = 5_000;

/**
 * Counts, logs and watches what `rag.monitoring` says, until it is stopped. Everything is heard of on the tracing channels of this process
 * (`TelemetryPayloads`): two engines in one process are counted together. Stop it before the engine is closed.
 *
 * @throws RAGError `SECRET_MISSING` for the address of a webhook; `PACKAGE_MISSING` for OpenTelemetry
 */
export function startMonitoring(watched: Monitorable, options: MonitoringOptions = {}): Promise<Monitoring> {
  const plan = watched.monitoringPlan();
  return withRuntime(plan.runtime, () => start(watched, plan, options));
}

async function start(
  watched: Monitorable,
  { settings, fetchSecrets }: MonitoringPlan,
  { name, write = warnTheProcess, onlyLog = false }: MonitoringOptions,
): Promise<Monitoring> {
  const warn = (problem: string): void => write(`warning: ${problem}`);
  const { logging, metrics, healthCheck, alerts: alertSettings, openTelemetry } = settings;
  if (alertSettings.enabled && !onlyLog) await fetchSecrets();
  const telemetry = openTelemetry.enabled && !onlyLog ? await openTelemetryOfProcess() : undefined;
  const log = await openLog(logging, warn);
  const registry = metrics.enabled && !onlyLog ? await openRegistry() : undefined;
  const sink = sinkOf([registry, telemetry?.sink].filter((one) => one !== undefined));
  const stopCounting = registry || telemetry ? countOperations(sink) : undefined;
  const { exportPath: folder, exportInterval } = metrics;
  const files =
    registry &&
    folder &&
    new MetricExport(registry, {
      folder,
      name: name ?? `process-${process.pid}`,
      isTemporary: name === undefined,
      intervalMs: exportInterval * 1000,
      onProblem: warn,
    });
  const { conditions, channels } = alertSettings;
  const alerts =
    alertSettings.enabled && !onlyLog ? new Alerts({ conditions, channels, write, sink }) : undefined;
  // The store is looked at where that is listened to.
  const needsChecks = healthCheck.enabled || conditions.some(({ name }) => name === 'store_unreachable');
  const onChecked = (health: EngineHealth): void => alerts?.onHealth(health);
  const checks =
    (healthCheck.enabled || alerts !== undefined) && needsChecks && !onlyLog
      ? new HealthChecks(watched, { intervalMs: healthCheck.interval * 1000, onChecked })
      : undefined;
  return {
    metrics: registry && { contentType: registry.contentType, text: () => registry.text() },
    countRequest: (request) => countRequest(request, sink),
    log,
    lastHealth: () => checks?.last,
    raisedAlerts: () => alerts?.raised ?? [],
    stop: async () => {
      await checks?.stop();
      if (alerts) await resultWithin(LAST_ALERTS_MS, alerts.stop());
      if (files) await files.stop();
      stopCounting?.();
      telemetry?.stop();
      registry?.close();
      await log?.stop();
    },
  };
}

/** A log that cannot be kept is told of, and stops nothing. */
async function openLog(
  { path, ...rotation }: MonitoringPlan['settings']['logging'],
  onProblem: (problem: string) => void,
): Promise<LogFile | undefined> {
  if (path === undefined) return undefined;
  try {
    return await openLogFile({ ...rotation, path, onProblem });
  } catch (error) {
    onProblem(logProblem(path, error));
    return undefined;
  }
}

/** Tells all of them. */
const sinkOf = (sinks: readonly MetricSink[]): MetricSink => ({
  add: (...told) => {
    for (const sink of sinks) sink.add(...told);
  },
  observe: (...told) => {
    for (const sink of sinks) sink.observe(...told);
  },
  set: (...told) => {
    for (const sink of sinks) sink.set(...told);
  },
});

async function openTelemetryOfProcess(): Promise<OpenTelemetry> {
  const { startOpenTelemetry } = await import('./open-telemetry/open-telemetry.js');
  return startOpenTelemetry();
}

async function openRegistry(): Promise<MetricRegistry> {
  const { MetricRegistry } = await import('./metrics/metric-registry.js');
  return new MetricRegistry({ ofProcess: true });
}

const warnTheProcess = (line: string): void => process.emitWarning(line);
