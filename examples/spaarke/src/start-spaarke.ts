import { operatorOf } from './client.js';
import { assignDeployments, type CustomerDatabase, PASSWORD_VARIABLE, passwordOf } from './deployments.js';
import { startIssuer } from './issuer.js';
import { runService } from './run-service.js';

/** Everything that runs. */
export interface RunningSpaarke {
  readonly url: string;
  /** Where the documents of each tenant are. */
  readonly deployments: readonly string[];
  /** Exit code of the service. */
  readonly ended: Promise<number | null>;
  stop(): Promise<void>;
}

export interface SpaarkeOptions {
  /** @default a free one */
  readonly port?: number | undefined;
  /** Of the tenant that keeps its documents itself. @default it has the shared index */
  readonly database?: CustomerDatabase | undefined;
  /** Variables that `ragstone.yaml` reads. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts identity provider and service, and gives each tenant the deployment that it has agreed on. */
export async function startSpaarke({
  port,
  database,
  env = {},
}: SpaarkeOptions = {}): Promise<RunningSpaarke> {
  const parts: { stop(): Promise<void> }[] = [];
  const stop = async (): Promise<void> => {
    for (const part of parts.splice(0).reverse()) await part.stop();
  };
  try {
    const issuer = await startIssuer();
    parts.push(issuer);
    const secret = database === undefined ? {} : { [PASSWORD_VARIABLE]: passwordOf(database) };
    const service = await runService({ SPAARKE_JWKS_URL: issuer.jwksUrl, ...secret, ...env }, { port });
    parts.push(service);
    const deployments = await assignDeployments(operatorOf(service.url), database);
    return { url: service.url, deployments, ended: service.ended, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
