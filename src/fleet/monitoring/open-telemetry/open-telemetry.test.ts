import { metrics, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../../tests/e2e/temporary-folder.js';
import { type TelemetryPayloads, traced } from '../../../core/telemetry.js';
import { createEngine, RAGError, type RAGSettingsInput, startMonitoring } from '../../../index.js';
import { METRICS } from '../metrics/metric-definitions.js';

const spans = new InMemorySpanExporter();
const exported = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter: exported, exportIntervalMillis: 3_600_000 });
const tracerProvider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
const meterProvider = new MeterProvider({ readers: [reader] });

beforeAll(() => {
  tracerProvider.register();
  metrics.setGlobalMeterProvider(meterProvider);
});
beforeEach(() => spans.reset());
afterAll(async () => {
  await tracerProvider.shutdown();
  await meterProvider.shutdown();
});

async function watched(monitoring: RAGSettingsInput['monitoring'], processes = 0) {
  const engine = await createEngine({
    config: { provider: processes > 0 ? 'libsql' : 'memory', monitoring },
    cwd: temporaryFolder(),
    searchProcesses: processes,
  });
  const watch = await startMonitoring(engine);
  onTestFinished(async () => {
    await watch.stop();
    await engine.close();
  });
  await engine.push(
    [
      { id: 'a', text: 'Audit logs of Wilhelmina are kept for thirty days.' },
      { id: 'b', text: 'The gateway listens on port 8443.' },
    ],
    { tenant: 'acme' },
  );
  return engine;
}

const named = (name: string): ReadableSpan[] => spans.getFinishedSpans().filter((span) => span.name === name);
const parentOf = (span: ReadableSpan | undefined): string | undefined =>
  spans.getFinishedSpans().find((one) => one.spanContext().spanId === span?.parentSpanContext?.spanId)?.name;

/** Every metric that was exported now, with its points. */
async function points(): Promise<Map<string, readonly { value: unknown; attributes: object }[]>> {
  exported.reset();
  await reader.forceFlush();
  return new Map(
    exported
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics)
      .flatMap((scope) => scope.metrics)
      .map(({ descriptor, dataPoints }) => [descriptor.name, dataPoints]),
  );
}

/** Does it inside a span, as a web server does with a request. */
const insideRequest = (work: () => Promise<unknown>): Promise<void> =>
  trace.getTracer('host').startActiveSpan('GET /search', async (span: Span) => {
    await work();
    span.end();
  });

const openTelemetry = { enabled: true };

describe('with rag.monitoring.openTelemetry', () => {
  test.each([0, 1])(
    'a search in %d processes is a span in that of the caller, with what it is made of inside',
    async (processes) => {
      const engine = await watched({ openTelemetry }, processes);
      await insideRequest(() =>
        engine.search({ text: 'how long are audit logs kept?', options: { topK: 1 } }, { tenant: 'acme' }),
      );
      const [search] = named('retrieval ragstone');
      expect(search).toMatchObject({
        kind: SpanKind.INTERNAL,
        attributes: {
          'gen_ai.operation.name': 'retrieval',
          'gen_ai.request.top_k': 1,
          'ragstone.search.results': 1,
          'ragstone.degradation_level': 0,
        },
      });
      expect(parentOf(search)).toBe('GET /search');
      const [dense] = named('ragstone.lane dense');
      expect(parentOf(dense)).toBe('retrieval ragstone');
      const embed = named('embeddings builtin').at(-1);
      expect(parentOf(embed)).toBe('ragstone.lane dense');
      expect(embed).toMatchObject({
        kind: SpanKind.CLIENT,
        attributes: { 'gen_ai.operation.name': 'embeddings', 'gen_ai.provider.name': 'ragstone' },
      });
      // What another process did lies where it was done, and not where it was told.
      const [start, end] = [search, dense].map((span) => span?.startTime ?? [0, 0]);
      const late = ((end?.[0] ?? 0) - (start?.[0] ?? 0)) * 1e9 + (end?.[1] ?? 0) - (start?.[1] ?? 0);
      expect(late).toBeGreaterThanOrEqual(-5e6);
      const told = JSON.stringify(
        spans
          .getFinishedSpans()
          .map(({ name, attributes, events, status }) => ({ name, attributes, events, status })),
      );
      expect(told).not.toMatch(/wilhelmina|audit|acme/i);
    },
  );

  test('a call of a language model has the names of the conventions; what fails has its kind and no text', async () => {
    await watched({ openTelemetry });
    const payload: TelemetryPayloads['chat'] = { model: 'azure:our-gpt' };
    await traced('chat', payload, async () => {
      Object.assign(payload, { inputTokens: 900, outputTokens: 30, finishReason: 'stop' });
    });
    const failure = new RAGError('CHAT_REJECTED', 'The key sk-canary is none.');
    await expect(traced('chat', { model: 'openai:gpt' }, () => Promise.reject(failure))).rejects.toThrow();
    expect(named('chat our-gpt')[0]).toMatchObject({
      kind: SpanKind.CLIENT,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'azure.ai.openai',
        'gen_ai.request.model': 'our-gpt',
        'gen_ai.usage.input_tokens': 900,
        'gen_ai.usage.output_tokens': 30,
        'gen_ai.response.finish_reasons': ['stop'],
      },
    });
    const [failed] = named('chat gpt');
    expect(failed).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'error.type': 'CHAT_REJECTED' },
    });
    expect(JSON.stringify([failed?.attributes, failed?.events, failed?.status])).not.toContain('canary');
    const all = await points();
    const usage = all.get('gen_ai.client.token.usage') ?? [];
    expect(usage.map(({ value, attributes }) => [(value as { sum: number }).sum, attributes])).toEqual([
      [900, expect.objectContaining({ 'gen_ai.token.type': 'input', 'gen_ai.request.model': 'our-gpt' })],
      [30, expect.objectContaining({ 'gen_ai.token.type': 'output' })],
    ]);
    expect(all.get('gen_ai.client.operation.duration')).toContainEqual(
      expect.objectContaining({ attributes: expect.objectContaining({ 'error.type': 'CHAT_REJECTED' }) }),
    );
  });

  test('metrics are those of /metrics, by their names', async () => {
    const engine = await watched({ openTelemetry });
    const countOf = async () =>
      ((await points()).get('rag_search_query_count_total') ?? []).reduce(
        (sum, { value }) => sum + Number(value),
        0,
      );
    const before = await countOf();
    for (let turn = 0; turn < 3; turn++) await engine.search('gateway', { tenant: 'acme' });
    expect((await countOf()) - before).toBe(3);
    const names = [...(await points()).keys()].filter((name) => !name.startsWith('gen_ai.'));
    expect(Object.keys(METRICS)).toEqual(expect.arrayContaining(names));
    expect(names).toContain('rag_search_lane_duration_seconds');
  });
});

test('without the setting, and after the end, nothing is handed over', async () => {
  const engine = await watched({});
  await insideRequest(() => engine.search('gateway', { tenant: 'acme' }));
  expect(spans.getFinishedSpans().map(({ name }) => name)).toEqual(['GET /search']);
});
