import './fresh-data.js';
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { generateKeyPair, SignJWT } from 'jose';
import { RagstoneClient, ServiceError } from 'ragstone/client';
import { clientOf, operatorOf } from '../src/client.js';
import { customerOwned } from '../src/deployments.js';
import { AUDIENCE, ISSUER, tokenFor } from '../src/issuer.js';
import { type RunningSpaarke, startSpaarke } from '../src/start-spaarke.js';
import { startRelay } from './relay.js';
import { testDatabase, WITHOUT_DATABASE } from './test-database.js';

let spaarke: RunningSpaarke;

before(async () => {
  spaarke = await startSpaarke({ env: { SPAARKE_BATCHES_PER_MINUTE: '2' } });
});
after(() => spaarke.stop());

// The first test: those below fill the index.
test('an empty index is said to be empty, and a tenant without documents finds nothing', async () => {
  const [first, second] = ['harborline', 'newcomer'].map((id) => clientOf(id, { url: spaarke.url }));
  assert.ok(first !== undefined && second !== undefined);
  await assert.rejects(first.search({ query: 'payment terms' }), { reason: 'INDEX_EMPTY' });
  await first.indexDocument({ id: 'x', content: 'Invoices are paid within 30 days.' });
  assert.deepEqual((await second.search({ query: 'payment terms', minScore: 0 })).results, []);
  assert.equal((await second.answer({ question: 'What are the payment terms?' })).outcome, 'not-found');
  await first.deleteKnowledgeDocument('x');
});

test('every call needs a token of the identity provider', async () => {
  const { privateKey } = await generateKeyPair('ES256');
  const forged = await new SignJWT({ tenant_id: 'harborline', scope: 'read write' })
    .setProtectedHeader({ alg: 'ES256', kid: 'spaarke-1' })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setExpirationTime('1h')
    .sign(privateKey);
  for (const token of ['', 'x.y.z', forged]) {
    const client = new RagstoneClient({ url: spaarke.url, key: token, tenant: 'harborline' });
    await assert.rejects(client.search({ query: 'x' }), { status: 401, reason: 'UNAUTHENTICATED' });
  }
});

test('a body that names another tenant than the token is refused', async () => {
  const key = await tokenFor({ tenantId: 'harborline' });
  const client = new RagstoneClient({ url: spaarke.url, key, tenant: 'Meridian-Bio' });
  await assert.rejects(client.search({ query: 'x' }), { status: 403, reason: 'FORBIDDEN' });
  await assert.rejects(client.indexDocument({ id: 'x', content: 'x' }), { status: 403, reason: 'FORBIDDEN' });
});

test('a token may do what it says, and no tenant changes deployments', async () => {
  const reader = clientOf('harborline', { url: spaarke.url, permissions: ['read'] });
  await assert.rejects(reader.indexDocument({ id: 'x', content: 'x' }), { status: 403 });
  const tenant = clientOf('harborline', { url: spaarke.url, permissions: ['read', 'write', 'admin'] });
  await assert.rejects(tenant.moveDeployment('harborline', { model: 'Dedicated' }), { status: 403 });
  await assert.rejects(operatorOf(spaarke.url).search({ query: 'x' }), { status: 403 });
});

test('batches have a limit of each tenant, and say when to come again', async () => {
  const flooding = clientOf('flooding', { url: spaarke.url });
  const batch = { documents: [{ id: 'x', content: 'x' }] };
  await flooding.indexDocuments(batch);
  await flooding.indexDocuments(batch);
  await assert.rejects(flooding.indexDocuments(batch, { retries: 0 }), (error) => {
    assert.ok(ServiceError.isInstance(error));
    assert.deepEqual([error.status, error.reason], [429, 'RATE_LIMITED']);
    return (error.retryAfterMs ?? 0) > 0;
  });
  await clientOf('calm', { url: spaarke.url }).indexDocuments(batch);
});

test('a database that does not answer is not activated, and the reason is told', async () => {
  const operator = operatorOf(spaarke.url);
  const down = customerOwned({ url: 'postgres://127.0.0.1:1/knowledge' });
  const validation = await operator.validateDeployment('alpenrhein.bank', down);
  assert.equal(validation.isValid, false);
  assert.match(validation.errors.join(' '), /could not be opened|reached/);
  await assert.rejects(operator.saveDeployment('alpenrhein.bank', down), { reason: 'DEPLOYMENT_INVALID' });
  assert.equal((await operator.getDeployment('alpenrhein.bank')).model, 'Shared');
});

test('a password is named, never stated, and one that cannot be had is said to be missing', async () => {
  const operator = operatorOf(spaarke.url);
  const stated = customerOwned({ url: 'postgres://db.example/knowledge' });
  await assert.rejects(
    operator.saveDeployment('alpenrhein.bank', {
      ...stated,
      searchEndpoint: 'postgres://user:secret@db.example/knowledge',
    }),
    (error: Error) => error.message.includes('password') && !error.message.includes('secret@'),
  );
  const { isValid, errors } = await operator.validateDeployment('alpenrhein.bank', {
    ...stated,
    apiKeySecretName: 'env:CUSTOMER_NO_SUCH_SECRET',
  });
  assert.equal(isValid, false);
  assert.match(errors.join(' '), /CUSTOMER_NO_SUCH_SECRET is not set/);
  await assert.rejects(
    operator.saveDeployment('alpenrhein.bank', { ...stated, apiKeySecretName: 'env:PATH' }),
    { reason: 'DEPLOYMENT_INVALID', message: /no secret that deployments may name/ },
  );
});

test('while the database of a customer is down, that tenant alone is told so and finds nothing', {
  skip: WITHOUT_DATABASE,
}, async () => {
  const database = testDatabase('outage');
  assert.ok(database !== undefined);
  const relay = await startRelay(database.url);
  const [operator, bank] = [operatorOf(spaarke.url), clientOf('alpenrhein.bank', { url: spaarke.url })];
  try {
    await operator.saveDeployment('alpenrhein.bank', customerOwned({ ...database, url: relay.url }));
    await bank.indexDocument({ id: 'vault', content: 'The vault opens at nine.' });
    await relay.cut();
    const answer = await bank.search({ query: 'When does the vault open?' });
    assert.deepEqual([answer.degradationLevel, answer.results.length], [4, 0]);
    await assert.rejects(bank.indexDocument({ id: 'x', content: 'x' }), { status: 503 });
    assert.deepEqual(
      (await clientOf('harborline', { url: spaarke.url }).search({ query: 'vault' })).results,
      [],
    );
    await relay.mend();
    const { results } = await bank.search({ query: 'When does the vault open?' });
    assert.equal(results[0]?.id, 'vault');
  } finally {
    await relay.cut();
  }
});
