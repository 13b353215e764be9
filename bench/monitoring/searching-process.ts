// Searches when it is told to, watched or not, and tells what a block of searches took.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createEngine, type RAGSettingsInput, startMonitoring } from '../../src/index.js';

const [dataDir = '', cwd = '', questionsFile = '', mode = 'off'] = process.argv.slice(2);
const AT_ONCE = 4;

const questions = readFileSync(questionsFile, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as { readonly question: string })
  .map(({ question }) => question);

/** As the specification has it. */
const MONITORING: RAGSettingsInput['monitoring'] = {
  metrics: { enabled: true, exportPath: './metrics', exportInterval: 60 },
  logging: { level: 'info', path: './logs/rag.log' },
  healthCheck: { enabled: true, interval: 30 },
  alerts: {
    enabled: true,
    channels: [{ type: 'file', path: './logs/alerts.log', minSeverity: 'error' }],
    conditions: [
      { name: 'slow_query', threshold: 1000, severity: 'warning' },
      { name: 'indexing_failure', threshold: 5, severity: 'error' },
      { name: 'store_unreachable', threshold: 3, severity: 'critical' },
    ],
  },
};

if (mode === 'traces') await registerSdk();
const engine = await createEngine({
  config: {
    provider: 'libsql',
    monitoring: mode === 'off' ? {} : { ...MONITORING, openTelemetry: { enabled: mode === 'traces' } },
  },
  dataDir,
  cwd,
});
const watch = mode === 'off' ? undefined : await startMonitoring(engine, { name: mode });
// Searches that are not counted: models and caches are warm then.
await block();

console.log(JSON.stringify({ ready: true }));
for await (const _ of createInterface({ input: process.stdin })) console.log(JSON.stringify(await block()));
await watch?.stop();
await engine.close();

/** All questions once, several at once. */
async function block(): Promise<{ searches: number; wallMs: number; cpuMs: number }> {
  const left = [...questions];
  const cpu = process.cpuUsage();
  const began = performance.now();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let question = left.pop(); question !== undefined; question = left.pop())
        await engine.search(question);
    }),
  );
  const { user, system } = process.cpuUsage(cpu);
  return {
    searches: questions.length,
    wallMs: performance.now() - began,
    cpuMs: (user + system) / 1_000,
  };
}

/** Spans are made and thrown away, as if they had been sent. */
async function registerSdk(): Promise<void> {
  const { BatchSpanProcessor, InMemorySpanExporter, NodeTracerProvider } = await import(
    '@opentelemetry/sdk-trace-node'
  );
  const { metrics } = await import('@opentelemetry/api');
  const { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } =
    await import('@opentelemetry/sdk-metrics');
  const spans = new InMemorySpanExporter();
  setInterval(() => spans.reset(), 1_000).unref();
  new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(spans)] }).register();
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  setInterval(() => exporter.reset(), 1_000).unref();
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: 1_000,
    exportTimeoutMillis: 900,
  });
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
}
