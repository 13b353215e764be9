import type { Counter, Gauge, Histogram, Meter } from '@opentelemetry/api';
import {
  METRICS,
  type MetricDefinition,
  type MetricLabels,
  type MetricName,
  type MetricSink,
} from '../metrics/metric-definitions.js';

/** The metrics of `/metrics`, by the same names, as instruments of a meter. */
export function meterSink(meter: Meter): MetricSink {
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
