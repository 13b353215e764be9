import { randomUUID } from 'node:crypto';
import { describe, it } from 'vitest';
import { withTestServer } from '../../../tests/with-test-server.js';
import { expectNoText, MINE, operator } from './test-customer-texts.js';

const SERVERS = [
  ['postgres', 'RAGSTONE_TEST_POSTGRES_URL'],
  ['elasticsearch', 'RAGSTONE_TEST_ELASTICSEARCH_URL'],
  ['opensearch', 'RAGSTONE_TEST_OPENSEARCH_URL'],
  ['qdrant', 'RAGSTONE_TEST_QDRANT_URL'],
  ['chroma', 'RAGSTONE_TEST_CHROMA_URL'],
  ['weaviate', 'RAGSTONE_TEST_WEAVIATE_URL'],
] as const;

for (const [store, variable] of SERVERS)
  withTestServer({ describe, it }, { store, variable, contract: 'texts of a customer' }, (address) => {
    it(`stand in no file of the operator, with ${store}`, async () => {
      const url = new URL(address);
      const { username, password } = url;
      url.username = '';
      url.password = '';
      await expectNoText(operator({}, { secret: decodeURIComponent(password) }), {
        ...MINE,
        provider: store,
        searchEndpoint: url.href.replace(/\/$/, ''),
        indexName: `t${randomUUID().replaceAll('-', '').slice(0, 20)}`,
        ...(username === '' ? {} : { username: decodeURIComponent(username) }),
        ...(password === '' ? {} : { apiKeySecretName: 'vault:server' }),
      });
    });
  });
