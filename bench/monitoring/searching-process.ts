// Searches the same questions in rounds, by turns watched and not, and prints what each round took as JSON.
// Arguments: data folder, working folder, file of questions, number of rounds.

import { createEngine, type Engine, type RAGSettingsInput, startMonitoring } from '../../src/index.js';
import { readJsonLines } from '../shared/data-files.js';

const [dataDir = '', cwd = '', questionsFile = '', rounds = '1'] = process.argv.slice(2);
const AT_ONCE = 4;
const MODES = ['off', 'on', 'traces'] as const;
type Mode = (typeof MODES)[number];

const questions = readJsonLines<{ readonly question: string }>(questionsFile).map(({ question }) => question);

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

await registerSdk();
/** By their settings alone: all of them hear the searches of one engine, for they listen to the process. */
const engineWith = (monitoring: RAGSettingsInput['monitoring']): Promise<Engine> =>
  createEngine({ config: { provider: 'libsql', monitoring }, dataDir, cwd });
const engine = await engineWith({});
const watched = {
  on: await engineWith({ ...MONITORING, openTelemetry: { enabled: false } }),
  traces: await engineWith({ ...MONITORING, openTelemetry: { enabled: true } }),
};

async function roundOf(modes: readonly Mode[]): Promise<Readonly<Record<Mode, number>>> {
  const took = { off: 0, on: 0, traces: 0 };
  for (const mode of modes) {
    const watch = mode === 'off' ? undefined : await startMonitoring(watched[mode], { name: mode });
    took[mode] = await block();
    await watch?.stop();
  }
  return took;
}

// Rounds that are not counted: code, models and caches are warm then.
for (let turn = 0; turn < 3; turn++) await roundOf(MODES);
const measured: Readonly<Record<Mode, number>>[] = [];
// Nobody is always the first.
for (let turn = 0; turn < Number(rounds); turn++)
  measured.push(await roundOf(turn % 2 === 0 ? MODES : MODES.toReversed()));
console.log(JSON.stringify(measured));
for (const one of [engine, ...Object.values(watched)]) await one.close();

/** All questions twice, several at once: milliseconds of the processor. */
async function block(): Promise<number> {
  const left = [...questions, ...questions];
  const before = process.cpuUsage();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let question = left.pop(); question !== undefined; question = left.pop())
        await engine.search(question);
    }),
  );
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
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
