import * as z from 'zod';
import { wholeNumber } from '../../core/setting-values.js';

const metrics = z
  .strictObject({
    enabled: z.boolean().default(false).describe('Write metrics to files.'),
    exportPath: z.string().optional().describe('Folder of the metric files.'),
    exportInterval: wholeNumber(1).default(60).describe('Seconds between two exports.'),
  })
  .prefault({})
  .describe('Metrics.');

const logging = z
  .strictObject({
    level: z
      .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
      .default('warn')
      .describe('Least severity that is logged; `--log-level` goes first.'),
    path: z.string().optional().describe('Log file. Default: standard error.'),
    maxFiles: wholeNumber(1).default(10).describe('Log files kept.'),
    maxSize: z
      .string()
      .regex(/^\d+[kmg]?$/i, 'must be a size such as `500k` or `10m`')
      .default('10m')
      .describe('Size at which a log file is rotated.'),
  })
  .prefault({})
  .describe('Logs.');

const healthCheck = z
  .strictObject({
    enabled: z.boolean().default(false).describe('Check the parts of the engine at intervals.'),
    endpoint: z.string().default('/health/rag').describe('HTTP path that reports health.'),
    interval: wholeNumber(1).default(30).describe('Seconds between two checks.'),
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
          path: z.string().optional().describe('File of a `file` channel.'),
          url: z.string().optional().describe('Address of a `webhook` channel.'),
          minSeverity: severity().default('warning').describe('Least severity that is sent.'),
        }),
      )
      .default([])
      .describe('Where alerts go.'),
    conditions: z
      .array(
        z.strictObject({
          name: z.string().min(1).describe('Name of the condition, such as `slow_query`.'),
          threshold: z.number().describe('Value from which it holds: milliseconds, failures or retries.'),
          severity: severity().default('warning').describe('Severity of the alert.'),
        }),
      )
      .default([])
      .describe('When alerts are raised.'),
  })
  .prefault({})
  .describe('Alerts.');

/** `rag.monitoring`: logs, metrics, health, alerts. */
export const monitoringSchema = z
  .strictObject({ metrics, logging, healthCheck, alerts })
  .prefault({})
  .describe('Logs, metrics, health checks and alerts.');
