import type { Attributes, Context, Counter, Gauge, Histogram, Meter } from '@opentelemetry/api';
import { loadDriver } from '../../../core/load-driver.js';
import type { TelemetryPayloads } from '../../../core/telemetry.js';
import { listenTo, type OperationPayload } from '../../../core/telemetry-listener.js';
import {
  METRICS,
  type MetricDefinition,
  type MetricLabels,
  type MetricName,
  type MetricSink,
} from '../metrics/metric-definitions.js';
import { errorType, modelAttributes, SPANNED, spanFacts } from './operation-spans.js';

/** What goes to the OpenTelemetry API of this process. */
export interface OpenTelemetry {
  /** Takes the metrics of `/metrics`. */
  readonly sink: MetricSink;
  stop(): void;
}

const INSTRUMENTATION = 'ragstone';

/**
 * Hands every operation over as a span and as metrics, until it is stopped. They go to the SDK that is registered in this
 * process; without one they go nowhere.
 *
 * @throws RAGError `PACKAGE_MISSING` without `@opentelemetry/api`
 */
export async function startOpenTelemetry(): Promise<OpenTelemetry> {
  const { context, metrics, SpanKind, SpanStatusCode, trace } = await loadDriver(
    () => import('@opentelemetry/api'),
    { store: 'OpenTelemetry', install: '@opentelemetry/api@1.9.1' },
  );
  const tracer = trace.getTracer(INSTRUMENTATION);
  const meter = metrics.getMeter(INSTRUMENTATION);
  const stopSpans = listenTo<Context>(
    {
      begin: (name, payload, parent) => {
        const { name: spanName, isCall, attributes } = spanFacts(name, payload);
        // Outside of ours may be one of a web server.
        const outside = parent ?? context.active();
        const span = tracer.startSpan(
          spanName,
          {
            kind: isCall ? SpanKind.CLIENT : SpanKind.INTERNAL,
            attributes,
            ...(payload.startedAt === undefined ? {} : { startTime: payload.startedAt }),
          },
          outside,
        );
        return trace.setSpan(outside, span);
      },
      end: (name, payload, own) => {
        const span = own === undefined ? undefined : trace.getSpan(own);
        if (span === undefined) return;
        // What is not sampled need not be described.
        if (span.isRecording()) span.setAttributes(spanFacts(name, payload).attributes);
        if (payload.error !== undefined) {
          span.setAttribute('error.type', errorType(payload.error));
          span.setStatus({ code: SpanStatusCode.ERROR });
        }
        const { startedAt, tookMs = 0 } = payload;
        span.end(startedAt === undefined ? undefined : startedAt + tookMs);
      },
    },
    SPANNED,
  );
  const stopCalls = countCalls(meter);
  return {
    sink: meterSink(meter),
    stop: () => {
      stopSpans();
      stopCalls();
    },
  };
}

/** The metrics of `/metrics`, by the same names, as instruments of a meter. */
function meterSink(meter: Meter): MetricSink {
  const counters = new Map<string, Counter>();
  const gauges = new Map<string, Gauge>();
  const histograms = new Map<string, Histogram>();
  for (const [name, { kind, help, buckets = [] }] of Object.entries<MetricDefinition>(METRICS)) {
    const options = { description: help };
    if (kind === 'counter') counters.set(name, meter.createCounter(name, options));
    else if (kind === 'gauge') gauges.set(name, meter.createGauge(name, options));
    else
      histograms.set(
        name,
        meter.createHistogram(name, { ...options, advice: { explicitBucketBoundaries: [...buckets] } }),
      );
  }
  return {
    add: (name: MetricName, by: number, labels?: MetricLabels) => counters.get(name)?.add(by, labels),
    set: (name: MetricName, value: number, labels?: MetricLabels) => gauges.get(name)?.record(value, labels),
    observe: (name: MetricName, value: number, labels?: MetricLabels) =>
      histograms.get(name)?.record(value, labels),
  };
}

/** Seconds and tokens, with the bounds that the conventions give. */
const DURATIONS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const TOKENS = [
  1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
];

/** The two metrics of the conventions for callers of models. */
function countCalls(meter: Meter): () => void {
  const duration = meter.createHistogram('gen_ai.client.operation.duration', {
    description: 'Seconds that a call of a model took.',
    unit: 's',
    advice: { explicitBucketBoundaries: DURATIONS },
  });
  const usage = meter.createHistogram('gen_ai.client.token.usage', {
    description: 'Tokens that a call of a language model read and wrote.',
    unit: '{token}',
    advice: { explicitBucketBoundaries: TOKENS },
  });
  const record = (operation: string, model: string, { tookMs = 0, error }: OperationPayload): Attributes => {
    const attributes = modelAttributes(operation, model);
    duration.record(tookMs / 1000, {
      ...attributes,
      ...(error === undefined ? {} : { 'error.type': errorType(error) }),
    });
    return attributes;
  };
  return listenTo(
    {
      end: (name, payload) => {
        if (name === 'embed') {
          // The payload is that of the channel of the name.
          record('embeddings', (payload as TelemetryPayloads['embed']).model, payload);
          return;
        }
        const { model, inputTokens, outputTokens } = payload as TelemetryPayloads['chat'];
        const attributes = record('chat', model, payload);
        if (inputTokens !== undefined)
          usage.record(inputTokens, { ...attributes, 'gen_ai.token.type': 'input' });
        if (outputTokens !== undefined)
          usage.record(outputTokens, { ...attributes, 'gen_ai.token.type': 'output' });
      },
    },
    ['chat', 'embed'],
  );
}
