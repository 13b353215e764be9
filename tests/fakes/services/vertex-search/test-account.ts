import { generateKeyPairSync } from 'node:crypto';
import { DEFAULT_ACCOUNT } from './vertex-search-service.js';

/** A service account whose tokens the service takes: they are signed by the client, with a key of this process. */
export const TEST_ACCOUNT = {
  clientEmail: DEFAULT_ACCOUNT,
  privateKey: generateKeyPairSync('rsa', { modulusLength: 2_048 })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString(),
};

/** Its key file, as `GOOGLE_APPLICATION_CREDENTIALS` names one. */
export const keyFileOf = ({ clientEmail, privateKey }: typeof TEST_ACCOUNT): string =>
  JSON.stringify({
    type: 'service_account',
    project_id: 'test-project',
    private_key_id: 'key-1',
    private_key: privateKey,
    client_email: clientEmail,
    client_id: '1',
    token_uri: 'https://oauth2.invalid/token',
  });
