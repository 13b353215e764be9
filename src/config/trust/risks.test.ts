import { describe, expect, test } from 'vitest';
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

describe('a variable of the environment', () => {
  const risksIn = (rag: object): string[] => {
    const raw = { rag };
    return risksOf({ tree: expandTree(raw, { A: 'a' }), raw, projectRoot: temporaryFolder() }).map(
      ({ key }) => key,
    );
  };
  const A = '$' + '{A}';
  const source = { type: 'markdown', name: 'docs', paths: ['docs'] };

  test.each<readonly [string, object]>([
    ['rag.sources[0].paths[0]', { sources: [{ ...source, paths: [A] }] }],
    ['rag.sources[0].root', { sources: [{ ...source, root: `docs/${A}` }] }],
    ['rag.sources[0].metadata.x.y', { sources: [{ ...source, metadata: { x: { y: A } } }] }],
    ['rag.sources[0].name', { sources: [{ ...source, name: A }] }],
    ['rag.degradation.static[0].text', { degradation: { static: [{ text: A }] } }],
    ['rag.storage.local.path', { storage: { local: { path: `./store-${A}` } } }],
    ['rag.embedding.cache.path', { embedding: { cache: { path: A } } }],
    [
      'rag.security.access.rules[0].groups[0]',
      { security: { access: { rules: [{ paths: ['**'], groups: [A] }] } } },
    ],
    [
      'rag.security.access.rules[0].paths[0]',
      { security: { access: { rules: [{ paths: [A], groups: ['x'] }] } } },
    ],
    ['rag.security.redaction.custom[0].name', { security: { redaction: { custom: [{ name: A }] } } }],
    ['rag.ledger.owner', { ledger: { owner: A } }],
    ['rag.embedding.model', { embedding: { model: A } }],
    ['rag.monitoring.logging.path', { monitoring: { logging: { path: `./${A}` } } }],
    ['rag.aSettingOfLater', { aSettingOfLater: A }],
  ])('asks in %s, whose text is kept or told', (key, rag) => {
    expect(risksIn(rag)).toEqual([key]);
  });

  test.each<readonly [string, object]>([
    ['a number', { retrieval: { topK: A } }],
    ['a truth value', { enabled: A }],
    ['one of a list of names', { monitoring: { logging: { level: A } } }],
    ['a text that a default stands in for', { storage: { local: { path: '$' + '{UNSET:-store}' } } }],
  ])('does not ask where it is %s', (_, rag) => {
    expect(risksIn(rag)).toEqual([]);
  });
});
