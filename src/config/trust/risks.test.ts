import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { expandTree } from '../expand-tree.js';
import { risksOf } from './risks.js';

const keysOf = (monitoring: object): string[] => {
  const raw = { rag: { monitoring } };
  return risksOf({ tree: expandTree(raw, {}), raw, projectRoot: temporaryFolder() }).map(({ key }) => key);
};

test('monitoring: files outside and webhooks are risks; files inside and the path of the health are none', () => {
  expect(
    keysOf({
      metrics: { exportPath: './metrics/rag' },
      logging: { path: './logs/rag.log' },
      healthCheck: { endpoint: '/health/rag' },
      alerts: { channels: [{ type: 'file', path: './logs/alerts.log' }] },
    }),
  ).toEqual([]);
  expect(
    keysOf({
      metrics: { exportPath: '/var/metrics' },
      logging: { path: '../rag.log' },
      alerts: { channels: [{ type: 'webhook', url: 'https://example.com/hook' }] },
    }),
  ).toEqual([
    'rag.monitoring.metrics.exportPath',
    'rag.monitoring.logging.path',
    'rag.monitoring.alerts.channels[0].url',
  ]);
});
