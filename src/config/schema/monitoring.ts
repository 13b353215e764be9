import * as z from 'zod';
import { secretText, wholeNumber } from '../../core/setting-values.js';

const metrics = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe(
        'Count what `ragstone serve`, `ragstone sync --watch` and `--daemon`, and `ragstone worker` do: for `/metrics` of the service, and for files.',
      ),
    exportPath: z
      .string()
      .optional()
      .describe(
        'Folder of files with the metrics, one for each process (`serve.prom`). Default: none are written.',
      ),
    exportInterval: wholeNumber(1).default(60).describe('Seconds between two exports.'),
  })
  .prefault({})
  .describe('Metrics.');

const logging = z
  .strictObject({
    level: z
      .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
      .default('warn')
      .describe(
        'Least severity that is logged; on standard error `--log-level` goes first. `info` logs index runs, `debug` searches too, with the first 100 characters of the query.',
      ),
    path: z
      .string()
      .optional()
      .describe(
        'Log file of the service and of commands. Default: the service logs to standard error, commands keep none.',
      ),
    maxFiles: wholeNumber(1).default(10).describe('Log files kept beside the one that is written.'),
    maxSize: z
      .string()
      .regex(/^[1-9]\d{0,8}[kmg]?$/i, 'must be a size such as `500k` or `10m`')
      .default('10m')
      .describe('Size at which a log file is put aside.'),
  })
  .prefault({})
  .describe('Logs.');

const healthCheck = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe('Check the parts of the engine at intervals; the service then answers with the last check.'),
    endpoint: z
      .string()
      .regex(/^\/[\w./-]*[\w-]$/, 'must be a path such as `/health/rag`')
      .default('/health/rag')
      .describe('HTTP path that reports health. `/health/rag` always does so too.'),
    interval: wholeNumber(1).max(86_400).default(30).describe('Seconds between two checks.'),
  })
  .prefault({})
  .describe('Health checks.');

const severity = () => z.enum(['info', 'warning', 'error', 'critical']);

const alerts = z
  .strictObject({
    enabled: z.boolean().default(false).describe('Raise alerts.'),
    channels: z
      .array(
        z.strictObject({
          type: z.enum(['console', 'file', 'webhook']).describe('Where alerts go.'),
          path: z.string().optional().describe('File of a `file` channel: a line of JSON for each alert.'),
          url: secretText()
            .optional()
            .describe(
              'Address of a `webhook` channel, which is sent JSON; best by a reference, for it often holds a key.',
            ),
          minSeverity: severity().default('warning').describe('Least severity that is sent.'),
        }),
      )
      .default([])
      .describe('Where alerts go.'),
    conditions: z
      .array(
        z.strictObject({
          name: z
            .enum(['slow_query', 'indexing_failure', 'store_unreachable'])
            .describe(
              'What is watched: the time of searches, failures of a source in a row, failed checks in a row.',
            ),
          threshold: z
            .number()
            .positive()
            .describe('Value from which it holds: milliseconds, failures or checks.'),
          severity: severity().default('warning').describe('Severity of the alert.'),
        }),
      )
      .default([])
      .describe('When alerts are raised.'),
  })
  .prefault({})
  .describe('Alerts.');

const openTelemetry = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe(
        'Hand traces and metrics to the OpenTelemetry API of this process (package `@opentelemetry/api`); the SDK that the process registers exports them.',
      ),
  })
  .prefault({})
  .describe('OpenTelemetry.');

/** `rag.monitoring`: logs, metrics, health, alerts. */
export const monitoringSchema = z
  .strictObject({ metrics, logging, healthCheck, alerts, openTelemetry })
  .prefault({})
  .describe('Logs, metrics, traces, health checks and alerts.');
