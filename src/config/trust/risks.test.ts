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

test('a variable is a risk where something is reached, and where its value would be kept in the index or shown', () => {
  const risksIn = (rag: object): string[] => {
    const raw = { rag };
    return risksOf({ tree: expandTree(raw, { A: 'a' }), raw, projectRoot: temporaryFolder() }).map(
      ({ key }) => key,
    );
  };
  const source = { type: 'markdown', paths: ['docs'] };
  expect(risksIn({ sources: [{ ...source, name: 'docs', paths: ['$' + '{A}'] }] })).toEqual([]);
  expect(risksIn({ sources: [{ ...source, name: 'docs', metadata: { x: { y: '$' + '{A}' } } }] })).toEqual([
    'rag.sources[0].metadata.x.y',
  ]);
  expect(risksIn({ sources: [{ ...source, name: '$' + '{A}' }] })).toEqual(['rag.sources[0].name']);
  expect(risksIn({ degradation: { static: [{ text: '$' + '{A}' }] } })).toEqual([
    'rag.degradation.static[0].text',
  ]);
});
