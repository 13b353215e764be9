import type { ObjectStorageSettings } from '../store-settings.js';

/** `rag.storage.s3` as Lance understands it; what is not stated comes from the environment or the machine. */
export function lanceStorageOptions(s3: ObjectStorageSettings): Record<string, string> {
  const { endpoint, region, accessKeyId, secretAccessKey, sessionToken } = s3;
  const pathStyle = s3.pathStyle ?? endpoint !== undefined;
  return {
    ...(endpoint === undefined ? {} : { endpoint, allowHttp: String(endpoint.startsWith('http:')) }),
    ...(region === undefined ? {} : { region }),
    ...(accessKeyId === undefined ? {} : { awsAccessKeyId: accessKeyId.reveal() }),
    ...(secretAccessKey === undefined ? {} : { awsSecretAccessKey: secretAccessKey.reveal() }),
    ...(sessionToken === undefined ? {} : { awsSessionToken: sessionToken.reveal() }),
    virtualHostedStyleRequest: String(!pathStyle),
  };
}
