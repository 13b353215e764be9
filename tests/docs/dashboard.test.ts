import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { METRICS, type MetricDefinition } from '../../src/fleet/monitoring/metrics/metric-definitions.js';
import { MetricRegistry } from '../../src/fleet/monitoring/metrics/metric-registry.js';

interface Panel {
  readonly type: string;
  readonly title: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const FILE = new URL('../../deploy/grafana/ragstone.json', import.meta.url);
const dashboard = JSON.parse(readFileSync(FILE, 'utf8')) as {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly type: string; readonly query: string }[] };
};
const queries = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat }) => ({ title, expr, legendFormat })),
);

/** Series that Prometheus reads, by name, with the labels that they have there. */
function seriesOf(): ReadonlyMap<string, ReadonlySet<string>> {
  const registry = new MetricRegistry({ ofProcess: true });
  const definitions: Readonly<Record<string, MetricDefinition>> = METRICS;
  const series = new Map<string, ReadonlySet<string>>();
  for (const name of registry.names()) {
    const { kind = 'gauge', labels = [] } = definitions[name] ?? {};
    const all = new Set([...labels, 'instance', 'job']);
    if (kind !== 'histogram') series.set(name, all);
    else {
      for (const part of ['sum', 'count']) series.set(`${name}_${part}`, all);
      series.set(`${name}_bucket`, new Set([...all, 'le']));
    }
  }
  registry.close();
  return series;
}
const series = seriesOf();

/** Metrics that a query names, and labels that it selects or groups by. */
function namesIn(expr: string): { readonly metrics: readonly string[]; readonly labels: readonly string[] } {
  const labels = [
    ...[...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(',')),
    ...[...expr.matchAll(/([a-zA-Z_]\w*)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = '']) => label),
  ].map((label) => label.trim());
  const bare = expr
    .replaceAll(/\{[^}]*\}/g, '')
    .replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(/\bby \([^)]*\)/g, '');
  // What is called is a function of the language.
  const metrics = [...bare.matchAll(/[a-zA-Z_:][\w:]*(?!\w|\s*\()/g)].map(([name]) => name);
  return { metrics, labels };
}

test('the names in a query are found', () => {
  expect(
    namesIn('histogram_quantile(0.5, sum by (le, lane) (rate(a_b_bucket{i=~"$i"}[5m]))) / 2 + c'),
  ).toEqual({
    metrics: ['a_b_bucket', 'c'],
    labels: ['le', 'lane', 'i'],
  });
});

test.each(queries)('$title: $expr', ({ expr, legendFormat }) => {
  const { metrics, labels } = namesIn(expr);
  expect(metrics.length).toBeGreaterThan(0);
  const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
  for (const metric of metrics) {
    expect([...series.keys()]).toContain(metric);
    for (const label of [...labels, ...shown]) expect([...(series.get(metric) ?? [])]).toContain(label);
  }
});

test('every metric of ours stands in a panel, and panels have names of their own', () => {
  const asked = new Set(queries.flatMap(({ expr }) => namesIn(expr).metrics));
  const missing = Object.keys(METRICS).filter(
    (name) => ![name, `${name}_bucket`, `${name}_sum`].some((one) => asked.has(one)),
  );
  expect(missing).toEqual([]);
  const titles = dashboard.panels.map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
  const variables = dashboard.templating.list.flatMap(({ type, query }) =>
    type === 'query' ? (/label_values\((\w+)/.exec(query)?.[1] ?? '') : [],
  );
  for (const metric of variables) expect([...series.keys()]).toContain(metric);
});
