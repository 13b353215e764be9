import { describe, expect, it } from 'vitest';
import { Secret } from '../../core/secret.js';
import { lanceStorageOptions } from './object-storage.js';

describe('lanceStorageOptions', () => {
  it('leaves what is not stated to the environment, and names the bucket in the host', () => {
    expect(lanceStorageOptions({ url: 's3://b/f' })).toEqual({ virtualHostedStyleRequest: 'true' });
  });

  it('speaks to another service by its address, in clear only where that says so', () => {
    const keys = { accessKeyId: new Secret('id'), secretAccessKey: new Secret('secret') };
    const options = { url: 's3://b/f', endpoint: 'http://h:9000', region: 'r', ...keys };
    expect(lanceStorageOptions(options)).toEqual({
      endpoint: 'http://h:9000',
      allowHttp: 'true',
      region: 'r',
      awsAccessKeyId: 'id',
      awsSecretAccessKey: 'secret',
      virtualHostedStyleRequest: 'false',
    });
    const hosted = lanceStorageOptions({ ...options, endpoint: 'https://h', pathStyle: false });
    expect(hosted).toMatchObject({ allowHttp: 'false', virtualHostedStyleRequest: 'true' });
  });
});
