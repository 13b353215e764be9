import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricConfiguration,
  Registry,
} from 'prom-client';
import {
  METRICS,
  type MetricDefinition,
  type MetricLabels,
  type MetricName,
  type MetricSink,
} from './metric-definitions.js';

/** A gauge that says nothing until it is set; by itself it would say 0. */
function gaugeWithout(settings: MetricConfiguration<string>): Gauge {
  const gauge = new Gauge(settings);
  if (settings.labelNames?.length === 0) gauge.remove();
  return gauge;
}

/** Metrics of this process, as Prometheus reads them. */
export class MetricRegistry implements MetricSink {
  readonly #registry = new Registry();
  readonly #counters = new Map<string, Counter>();
  readonly #gauges = new Map<string, Gauge>();
  readonly #histograms = new Map<string, Histogram>();

  /** @param options.ofProcess the processor, memory and event loop of the process, too */
  constructor({ ofProcess }: { readonly ofProcess: boolean }) {
    for (const [name, definition] of Object.entries<MetricDefinition>(METRICS))
      this.#define(name, definition);
    if (ofProcess) collectDefaultMetrics({ register: this.#registry });
  }

  #define(name: string, { kind, help, labels, buckets }: MetricDefinition): void {
    const settings: MetricConfiguration<string> = {
      name,
      help,
      labelNames: [...labels],
      registers: [this.#registry],
    };
    if (kind === 'counter') this.#counters.set(name, new Counter(settings));
    else if (kind === 'gauge') this.#gauges.set(name, gaugeWithout(settings));
    else this.#histograms.set(name, new Histogram({ ...settings, buckets: [...(buckets ?? [])] }));
  }

  /** Of the text. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  add(name: MetricName, by: number, labels: MetricLabels = {}): void {
    this.#counters.get(name)?.inc(labels, by);
  }

  observe(name: MetricName, value: number, labels: MetricLabels = {}): void {
    this.#histograms.get(name)?.observe(labels, value);
  }

  set(name: MetricName, value: number, labels: MetricLabels = {}): void {
    this.#gauges.get(name)?.set(labels, value);
  }

  /** Everything in the text format of Prometheus. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  /** Names of all metrics, those of the process among them. */
  names(): string[] {
    return this.#registry.getMetricsAsArray().map(({ name }) => name);
  }

  /** Ends what is measured of the process. */
  close(): void {
    this.#registry.clear();
  }
}
